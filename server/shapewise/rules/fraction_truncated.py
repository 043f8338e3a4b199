"""A fraction put where only integers are kept: what stands behind the point is gone, without a word."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, short, tensors
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Other, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found_at

RULE = "fraction-truncated"
UNCALLED = True
_INTEGERS = frozenset("int64 int32 int16 int8".split())
"""Not uint8: pictures are written so on purpose."""
_WRITES = {"[]=": 2, "copy_": 1, "fill_": 1, "masked_fill": 2, "masked_fill_": 2}
"""Ops that turn what they write into the dtype that is there, and which argument that is."""
_MADE = frozenset("tensor full full_like as_tensor".split())
_TURNED = frozenset("long int short to type".split())
_BELOW_ONE = frozenset("sigmoid softmax Sigmoid() Softmax()".split())
"""Not `rand`: what stands in for data may be anything."""
_MOVED = frozenset(
    "[] squeeze unsqueeze view reshape flatten detach cpu cuda to float clone contiguous transpose permute".split()
)
"""Ops that leave each number as it is."""
_FRACTIONS = _BELOW_ONE | frozenset(
    "/ div true_divide rand rand_like mean std var norm exp log sqrt rsqrt sin cos tanh log_softmax randn randn_like normal lerp linspace "
    "@ matmul mm bmm reciprocal".split()
)
_LAYERS = tuple(f"nn.{kind}" for kind in ("Linear", "Conv", "LSTM", "GRU", "RNN", "LayerNorm", "BatchNorm"))
_WHOLE = frozenset("round floor ceil trunc fix sign // floor_divide % remainder fmod".split())
_FAR = 40


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every write of fractions into integers, and what lies between 0 and 1 turned into an integer."""
    lineage = lineage_of(log)
    for op in ops_of(log):
        if not op.args:
            continue
        name, target = short(op.name), op.args[0]
        related: tuple[Related, ...] = ()
        if name in _WRITES and isinstance(target, Tensor) and target.dtype in _INTEGERS:
            at = _WRITES[name]
            if len(op.args) <= at or not _is_fraction(op.args[at], lineage):
                continue
            message = f"the tensor is of {target.dtype}: what is written into it loses its fraction, and nothing is said."
            made = lineage.maker(target)
            related = () if made is None else (Related(made.span, f"made of {target.dtype} here"),)
        elif name in _MADE and _result(op) in _INTEGERS and any(map(_is_written_fraction, op.args)):
            message = f"these numbers lose their fraction: they are stored as {_result(op)}."
        elif name in _TURNED and _result(op) in _INTEGERS and _is_below_one(target, lineage):
            message = "these numbers lie between 0 and 1: as integers all of them are 0. Compare or round them first."
        else:
            continue
        yield found_at(
            RULE,
            op.span,
            message,
            related=related,
        )


def _result(op: Op) -> str | None:
    return next((tensor.dtype for tensor in tensors(op.result)), None)


def _is_written_fraction(value: Value) -> bool:
    if isinstance(value, Scalar):
        return isinstance(value.value, float) and not value.value.is_integer()
    return any(map(_is_written_fraction, getattr(value, "items", ())))


def _is_below_one(value: Value, lineage: Lineage) -> bool:
    """Whether what was made has only numbers from 0 to 1, nearly none of them whole."""
    for _ in range(_FAR):
        op = lineage.maker(value)
        if op is None or not isinstance(value, Tensor) or not _is_float(value):
            return False
        if short(op.name) in _BELOW_ONE:
            return True
        if short(op.name) not in _MOVED or not op.args:
            return False
        value = op.args[0]
    return False


def _is_fraction(value: Value, lineage: Lineage) -> bool:
    """Whether numbers were surely computed so that most of them have a fraction."""
    if isinstance(value, Scalar):
        return _is_written_fraction(value)
    waiting, seen = [value], set[int]()
    while waiting and len(seen) < _FAR:
        one = waiting.pop(0)
        if not isinstance(one, Tensor) or one.id in seen or not _is_float(one):
            continue
        seen.add(one.id)
        op = lineage.maker(one)
        if op is None or op.failure is not None or short(op.name) in _WHOLE:
            continue
        if short(op.name) in _FRACTIONS or op.name.startswith(_LAYERS):
            return True
        if short(op.name) in ("*", "+", "-", "mul", "add", "sub") and any(map(_is_written_fraction, op.args)):
            return True
        waiting += [inner for arg in op.args if not isinstance(arg, Other) for inner in tensors(arg)]
    return False


def _is_float(tensor: Tensor) -> bool:
    return tensor.dtype is not None and "float" in tensor.dtype
