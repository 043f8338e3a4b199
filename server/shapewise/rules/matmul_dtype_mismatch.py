"""A product, a layer or a convolution whose tensors have different dtypes: torch promotes none of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..vocabulary.events import Log, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.refusals import Refusal, refusals
from .asking.tree import Tree

RULE = "matmul-dtype-mismatch"
_PATTERNS = (
    re.compile(r"mat1 and mat2 must have the same dtype"),
    re.compile(r"expected m1 and m2 to have the same dtype"),
    re.compile(r"self and mat2 must have the same dtype"),
    re.compile(r"Input type \([\w ]+\) and (bias|weight) type"),
    re.compile(r"expected scalar type \w+ but found"),
    re.compile(r"expected .*to have the same dtype"),
    re.compile(r"Expected attn_mask dtype|Expected query, key, and value to have the same dtype"),
    re.compile(r"mixed dtype \(CPU\): expect"),
    re.compile(r"dot : expected both vectors to have same dtype"),
    re.compile(r"RNN input dtype \([\w.]+\) does not match weight dtype"),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every product of two dtypes that torch refuses, in a layer or not."""
    for refusal in refusals(log, tree, *_PATTERNS):
        several = len({one.dtype for one in refusal.operands}) > 1
        if several or refusal.message.startswith("RNN"):
            fixes = [*_fixes(refusal)] if several else []
            yield refusal.finding(RULE, related=_related(refusal), fixes=fixes)


def _related(refusal: Refusal) -> Iterator[Related]:
    """Where the wider or the stranger of the two was made."""
    tensor = refusal.operands[0]
    maker = refusal.lineage.maker(tensor)
    if refusal.here(maker) and maker is not None and maker.span != refusal.op.span:
        yield Related(maker.span, f"{tensor.dtype} since here")


def _fixes(refusal: Refusal) -> Iterator[Fix]:
    """Make the input what the weight is, or one operand what the other is."""
    first, second = refusal.operands[:2]
    if refusal.failure.layer is not None:
        yield from refusal.behind(first, _cast(second))
        return
    if not _is_float(first):
        yield from refusal.behind(first, _cast(second))
    elif not _is_float(second):
        yield from refusal.behind(second, _cast(first))
    else:
        yield from refusal.behind(second, _like(refusal, first))
        yield from refusal.behind(first, _like(refusal, second))


def _is_float(tensor: Tensor) -> bool:
    return tensor.dtype is not None and tensor.dtype.startswith(("float", "bfloat", "complex"))


def _like(refusal: Refusal, other: Tensor) -> str:
    name = refusal.name_of(other)
    return f".to({name}.dtype)" if name.isidentifier() else _cast(other)


_METHODS = {"float32": "float", "float64": "double", "float16": "half", "bfloat16": "bfloat16"}


def _cast(other: Tensor) -> str:
    return f".{_METHODS[other.dtype]}()" if other.dtype in _METHODS else f".to(torch.{other.dtype})"
