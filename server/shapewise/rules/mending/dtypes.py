"""Casts and dtypes that may have been meant where torch refuses a dtype."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...edits.calls import append
from ...edits.statements import replace, source
from ...vocabulary.events import Op, Other, Scalar, Tensor
from ...vocabulary.findings import Fix
from ..telling.found import keyword_of

if TYPE_CHECKING:
    from ..asking.refusals import Refusal

_ABOUT = re.compile(
    r"dtype|scalar type|implemented (?:for|on)\b|used as indices|\bcan't be cast|floating point|\bLong\b"
)
_METHODS = {
    "float32": "float",
    "float64": "double",
    "float16": "half",
    "bfloat16": "bfloat16",
    "int64": "long",
    "bool": "bool",
}
_WORDS = {
    "Long": "int64",
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "Bool": "bool",
    "boolean": "bool",
}
"""Dtypes as torch's messages name them."""


def is_about_dtypes(refusal: Refusal) -> bool:
    """Whether it is a dtype that is refused."""
    return bool(_ABOUT.search(refusal.message))


def casts(refusal: Refusal, places: list[tuple[Op, ast.expr]]) -> Iterator[Fix]:
    """Each of the operands as what another one is, or what the message asks for; where it was made, then in the call."""
    named = [dtype for word, dtype in _WORDS.items() if re.search(rf"\b{word}\b", refusal.message)]
    wanted = [
        *dict.fromkeys([*named, *(one.dtype for one in refusal.operands if one.dtype), "int64", "float32"])
    ]
    text = refusal.tree.text
    for op, node in places[1:]:
        keyword = keyword_of(node, "dtype") if isinstance(node, ast.Call) else None
        if keyword is not None and isinstance(op.result, Tensor):
            module = ast.unparse(keyword.value).rpartition(".")[0]
            for dtype in _other_kind(op.result, wanted):
                new = f"{module}.{dtype}" if module else dtype
                yield Fix(f"dtype={new}", "unsafe", (replace(text, keyword.value, new),))
    yield from _kept_where_one(refusal)
    for tensor in refusal.operands[:3]:
        written = refusal.node_of(tensor)
        for dtype in _other_kind(tensor, wanted) if written is not None else ():
            yield Fix(f"add {cast_to(dtype)}", "unsafe", (append(text, written, cast_to(dtype)),))  # type: ignore[arg-type]


def _kept_where_one(refusal: Refusal) -> Iterator[Fix]:
    """`mask == 0` for a mask of numbers, as tril gives it, that says what is kept: the rest becomes as small as can be."""
    mask, fill = (*refusal.op.args[1:3], None, None)[:2]
    node = refusal.node_of(mask) if isinstance(mask, Tensor) else None
    small = fill == Other("float", "-inf") or (
        isinstance(fill, Scalar) and isinstance(fill.value, float) and fill.value < -100
    )
    if node is not None and small and refusal.op.name.startswith("masked_fill") and mask.dtype != "bool":  # type: ignore[union-attr]
        new = f"{source(refusal.tree.text, node)} == 0"
        yield Fix(f"where it is 0: {new}", "unsafe", (replace(refusal.tree.text, node, new),))


def cast_to(dtype: str) -> str:
    """The method that makes a tensor one of a dtype."""
    return f".{_METHODS[dtype]}()" if dtype in _METHODS else f".to(torch.{dtype})"


def _other_kind(tensor: Tensor, wanted: list[str]) -> list[str]:
    return [dtype for dtype in wanted if dtype != tensor.dtype][:2]
