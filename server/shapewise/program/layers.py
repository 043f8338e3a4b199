"""What a layer does, and whether a module holds one that does."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from .values import DISPLAYS, INSTANCE, Value, constant, number, roots

Asked = Callable[[Value], "bool | None"]
"""A question to one layer of torch's, or to the class of a module of the file; None where that does not show."""


_BATCH_NORMED = (
    "resnet",
    "resnext",
    "wide_resnet",
    "densenet",
    "googlenet",
    "inception",
    "mobilenet",
    "efficientnet",
    "mnasnet",
    "shufflenet",
    "regnet",
)
"""Models of torchvision's that normalise over the batch, by how their names begin."""


def minds_mode(layer: Value) -> bool | None:
    """Whether a layer does something else in training than in evaluation."""
    if layer.cls is not None:
        return any(
            isinstance(node, ast.Attribute) and node.attr == "training"
            for cls in layer.cls.ancestry()
            for node in ast.walk(cls.node)
        )
    name = layer.short()
    if layer.by.startswith("torchvision.models."):
        return name.startswith(_BATCH_NORMED) or None
    if name.startswith(("BatchNorm", "SyncBatchNorm", "LazyBatchNorm", "RReLU")):
        return True
    if name.startswith("InstanceNorm"):
        return constant(layer.argument("track_running_stats", 4)) is True
    if "Dropout" in name:
        return _is_positive(layer.argument("p", 0), default=True)
    if name in ("TransformerEncoderLayer", "TransformerDecoderLayer"):
        return _is_positive(layer.argument("dropout", 3), default=True)
    if name == "Transformer":
        return _is_positive(layer.argument("dropout", 5), default=True)
    if name in ("MultiheadAttention", "LSTM", "GRU", "RNN"):
        return _is_positive(
            layer.argument("dropout", 2 if name == "MultiheadAttention" else 5), default=False
        )
    return False


def is_batch_norm(layer: Value) -> bool | None:
    """Whether a layer normalises over the batch."""
    if layer.by.startswith("torchvision.models."):
        return layer.short().startswith(_BATCH_NORMED) or None
    return layer.short().startswith(("BatchNorm", "SyncBatchNorm", "LazyBatchNorm"))


def _is_positive(given: Value | None, default: bool) -> bool | None:
    if given is None:
        return default
    known = number(given)
    return None if known is None else known > 0


def has_layer(module: Value, asked: Asked) -> bool | None:
    """Whether a module holds a layer of torch's that answers yes. None: not all of it is seen here."""
    found = roots(module)
    if not found:
        return None
    return _any(_holds(one, asked, 0, set()) for one in found)


def _any(answers: Iterable[bool | None]) -> bool | None:
    said = list(answers)
    return True if True in said else None if None in said else False


def _holds(value: Value, asked: Asked, depth: int, seen: set[int]) -> bool | None:
    if id(value) in seen or depth > 8:
        return False
    seen.add(id(value))
    if value.by.startswith("torch.nn.") and value.short()[:1].isupper():
        parts = [*value.args, *value.kwargs.values()]
        return _any([asked(value), *(_holds(one, asked, depth + 1, seen) for one in parts)])
    if value.by == INSTANCE and value.cls is not None:
        if not value.cls.is_module:
            return False
        answers = [_holds(one, asked, depth + 1, seen) for one in value.attrs.values()]
        return _any([asked(value), *answers, False if value.cls.is_only_module else None])
    if value.by in (
        *DISPLAYS,
        "listcomp",
        "dictcomp",
        "genexp",
        "either",
        "*",
        "builtins.dict",
        "builtins.list",
    ):
        parts = [
            *value.args,
            *value.kwargs.values(),
            *value.options,
            *((value.on,) if value.by == "*" and value.on else ()),
        ]
        return _any(_holds(one, asked, depth + 1, seen) for one in parts)
    if value.by in ("copy.deepcopy", "copy.copy") and value.args:
        return _holds(value.args[0], asked, depth + 1, seen)
    if value.by == "for" and value.on is not None:
        return _holds(value.on, asked, depth + 1, seen)  # it is each of them in its turn
    if value.by.startswith("torchvision.models.") and "Weights" not in value.by:
        return asked(value) or None
    if value.by in ("", "given", "()", "def") or value.by.startswith(
        ("torchvision.", "timm.", "transformers.")
    ):
        return None
    return False
