"""What is loaded from the Hugging Face hub: tokenizers, models."""

from __future__ import annotations

from ..program.values import Value, constant, roots


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
    return given is not None and constant(given) in (True, "longest", "max_length")


def encoding_of(value: Value | None) -> Value | None:
    """The call of a tokenizer whose input ids a value is, device moves taken off."""
    while value is not None and value.by in (".to", ".cuda"):
        value = value.on
    if value is None:
        return None
    is_ids = (value.by == "." and value.name == "input_ids") or (
        value.by == "[]" and bool(value.args) and constant(value.args[0]) == "input_ids"
    )
    whole = value.on if is_ids else None
    while whole is not None and whole.by in (".to", ".cuda"):
        whole = whole.on
    return whole if whole is not None and whole.by == "()" and is_tokenizer(whole.on) else None
