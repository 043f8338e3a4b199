"""What is loaded from the Hugging Face hub: tokenizers, models."""

from __future__ import annotations

import ast

from ...program.course import Course
from ...program.folding import usual
from ...program.values import Value, constant, roots
from .loaders import batch_of


def is_tokenizer(value: Value | None) -> bool:
    """Whether it surely is a tokenizer of transformers'."""
    found = roots(value)
    return bool(found) and all("Tokenizer" in one.by and one.by.startswith("transformers.") for one in found)


def is_pretrained(value: Value | None, name: str = "") -> bool:
    """Whether it surely is a model of transformers', of a class whose name begins so."""
    found = roots(value)
    return bool(found) and all(
        one.by.startswith(f"transformers.{name}")
        and one.by.endswith(".from_pretrained")
        and "Token" not in one.by
        for one in found
    )


def padded(encoding: Value) -> bool:
    """Whether a call of a tokenizer pads."""
    given = encoding.kwargs.get("padding")
    return given is not None and constant(usual(given)) in (True, "longest", "max_length")


_SAME_IDS = (
    ".to",
    ".cuda",
    ".squeeze",
    ".flatten",
    ".view",
    ".clone",
    ".long",
    "torch.tensor",
    "torch.as_tensor",
)


def encoding_of(value: Value | None, course: Course, depth: int = 3) -> Value | None:
    """The call of a tokenizer whose input ids a value is: device moves and the loader taken off that made a batch of it."""
    while value is not None and value.by in _SAME_IDS:
        value = value.on if value.by.startswith(".") else value.args[0] if value.args else None
    if value is None or not depth:
        return None
    if value.by == "[]" and value.args and value.args[0].const == 0:
        return encoding_of(value.on, course, depth - 1)  # the one row of an item
    is_ids = (value.by == "." and value.name == "input_ids") or (
        value.by == "[]" and bool(value.args) and constant(value.args[0]) == "input_ids"
    )
    whole = value.on if is_ids else None
    while whole is not None and whole.by in (".to", ".cuda"):
        whole = whole.on
    if whole is not None and whole.by == "dictcomp" and isinstance(whole.node, ast.DictComp):
        over = (
            whole.on if whole.on is not None and whole.on.by == ".items" else None
        )  # `{k: v.to(device) for ...}`
        whole = over.on if over is not None else None
    if whole is not None and whole.by == "for":
        whole = batch_of(course, whole)
        if whole is not None and whole.by == "dict" and "input_ids" in whole.keys:
            return encoding_of(whole.args[whole.keys.index("input_ids")], course, depth - 1)
    return whole if whole is not None and whole.by == "()" and is_tokenizer(whole.on) else None
