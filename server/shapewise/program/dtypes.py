"""The dtype that a text says a tensor has, by the last cast of it."""

from __future__ import annotations

import re

from .values import CONST, NOTHING, PATH, Value, options_of

_CASTS = {
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
}
_TENSORS = {"LongTensor": "int64", "IntTensor": "int32", "ShortTensor": "int16", "ByteTensor": "uint8"}
_TENSORS |= {"BoolTensor": "bool", "FloatTensor": "float32", "DoubleTensor": "float64"}
_KEEPS = frozenset(
    "view reshape squeeze unsqueeze transpose permute flatten contiguous clone detach cuda cpu expand t".split()
)
_MAKES = ("torch.from_numpy", "torch.as_tensor", "torch.tensor")
_DEVICE = re.compile(r"device|cuda|gpu|rank", re.IGNORECASE)


def cast_to(value: Value | None) -> str | None:
    """The dtype to which it was surely cast last, `int64`; None where no cast is written, or another may follow."""
    found = {_cast(one) for one in options_of(value)} if value is not None else set()
    return found.pop() if len(found) == 1 else None


def _cast(value: Value) -> str | None:
    if value.by in _MAKES and value.args:
        return _of_array(value.args[0]) if "dtype" not in value.kwargs else _named(value.kwargs["dtype"])
    if value.by == "[]" and value.on is not None:
        return cast_to(value.on)
    name = value.short() if value.by.startswith(".") and value.on is not None else ""
    if name in _CASTS and not value.args:
        return _CASTS[name]
    if name in ("to", "type"):
        given = value.argument("dtype", 0)
        said = None if given is None else _named(given)
        if said is not None or given is None or not _is_device(given):
            return said
        return cast_to(value.on)
    return cast_to(value.on) if name in _KEEPS else None


def _of_array(value: Value) -> str | None:
    """The dtype of `labels.astype(np.int32)`."""
    given = value.argument("dtype", 0) if value.by == ".astype" else None
    if given is None:
        return None
    name = given.const if isinstance(given.const, str) else given.path.removeprefix("numpy.")
    return name if name in _CASTS.values() else None


def _named(given: Value) -> str | None:
    """The dtype of `torch.long`, `torch.LongTensor`, `"torch.LongTensor"`."""
    path = given.const if given.by == CONST and isinstance(given.const, str) else given.path
    if given.by not in (CONST, PATH) or not path.startswith("torch."):
        return None
    last = path.rsplit(".", 1)[-1]
    return _CASTS.get(last) or _TENSORS.get(last) or (last if last in _CASTS.values() else None)


def _is_device(given: Value) -> bool:
    """Whether it is a place and no dtype."""
    text = given.const if given.const is not NOTHING else given.name
    return given.by == "torch.device" or (isinstance(text, str) and _DEVICE.search(text) is not None)
