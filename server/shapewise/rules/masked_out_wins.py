"""The least of distances of which those that are left out were set to 0, or the greatest of what is never above 0."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace
from ..queries.lineage import Lineage, lineage_of, reduced_dims, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import argument_node, found_at

RULE = "masked-out-wins"
UNCALLED = True
_LEAST = frozenset("min amin argmin".split())
_GREATEST = frozenset("max amax argmax".split())
_NEVER_BELOW = frozenset(
    "sqrt cdist norm pairwise_distance abs square exp relu softmax sigmoid vector_norm".split()
)
_NEVER_ABOVE = frozenset("log_softmax logsigmoid".split())
_SAME = frozenset("float to double half contiguous clone detach dropout unsqueeze view reshape".split())
_STEPS = 4


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each minimum of what is never below 0 and was filled with 0 where it is left out; each maximum the other way round."""
    lineage = lineage_of(log)
    for op in ops_of(log, _LEAST | _GREATEST):
        given = op.args[0] if op.args else None
        fill = lineage.maker(given) if isinstance(given, Tensor) else None
        if (
            fill is None
            or not isinstance(given, Tensor)
            or len(op.args) > 1
            and isinstance(op.args[1], Tensor)
        ):
            continue
        filled = _filled(lineage, fill)
        if filled is None:
            continue
        whole, mask = filled
        least = short(op.name) in _LEAST
        if _sign(lineage, whole) != (1 if least else -1) or not _varies(op, mask, given):
            continue
        inf = "inf" if least else "-inf"
        yield found_at(
            RULE,
            op.span,
            f"what is left out is 0, and nothing is {'less' if least else 'more'}: the {'least' if least else 'greatest'} is one of those "
            f'that were to be left out. Fill them with float("{inf}").',
            *_fixes(tree, fill, inf),
            related=[Related(fill.span, "set to 0 here")],
        )


def _filled(lineage: Lineage, op: Op) -> tuple[Tensor, Tensor] | None:
    """What was filled with 0, and where: `d.masked_fill(m, 0)`, `d * m`, `torch.where(m, d, 0)`."""
    name = short(op.name)
    if name in ("masked_fill", "masked_fill_") and len(op.args) == 3 and _is_zero(op.args[2]):
        whole, mask = op.args[0], op.args[1]
    elif name == "where" and len(op.args) == 3 and _is_zero(op.args[2]):
        mask, whole = op.args[0], op.args[1]
    elif name in ("*", "mul") and len(op.args) == 2:
        whole, mask = op.args
        if isinstance(whole, Tensor) and _is_mask(lineage, whole):
            whole, mask = mask, whole
        if not isinstance(mask, Tensor) or not _is_mask(lineage, mask):
            return None
    else:
        return None
    if not isinstance(whole, Tensor) or not isinstance(mask, Tensor) or lineage.comes_of(mask, {whole.id}):
        return None
    return whole, mask


def _is_zero(value: Value) -> bool:
    return isinstance(value, Scalar) and not isinstance(value.value, bool) and value.value == 0


def _is_mask(lineage: Lineage, tensor: Tensor) -> bool:
    """Whether it is True and False, or that as numbers."""
    for _ in range(_STEPS):
        if tensor.dtype == "bool":
            return True
        maker = lineage.maker(tensor)
        inner = maker.args[0] if maker is not None and maker.args else None
        if maker is None or short(maker.name) not in _SAME or not isinstance(inner, Tensor):
            return False
        tensor = inner
    return False


def _sign(lineage: Lineage, tensor: Tensor) -> int:
    """1 if it is never below 0, -1 if never above, 0 if nobody knows."""
    turned = 1
    for _ in range(_STEPS):
        maker = lineage.maker(tensor)
        if maker is None:
            return 0
        name = short(maker.name)
        if name in _NEVER_BELOW or (name in ("**", "pow") and Scalar(2) in maker.args):
            return turned
        if name in _NEVER_ABOVE:
            return -turned
        inner = maker.args[0] if maker.args else None
        if name in ("-", "neg") and len(maker.args) == 1:
            turned = -turned
        elif name not in _SAME:
            return 0
        if not isinstance(inner, Tensor):
            return 0
        tensor = inner
    return 0


def _varies(op: Op, mask: Tensor, given: Tensor) -> bool:
    """Whether the mask tells apart what the op goes along."""
    dims = reduced_dims(op)
    if dims is None or len(mask.shape) != len(given.shape):
        return not mask.shape or mask.shape == given.shape
    return any(mask.shape[dim] != 1 for dim in dims if dim < len(mask.shape))


def _fixes(tree: Tree, fill: Op, inf: str) -> Iterator[Fix]:
    call = tree.at(fill.span, ast.Call)
    if call is None or short(fill.name) not in ("masked_fill", "masked_fill_"):
        return
    is_method = isinstance(call.func, ast.Attribute) and len(call.args) + len(call.keywords) == 2
    node = argument_node(call, "value", 1 if is_method else 2)
    if node is not None:
        yield Fix(f"fill with {inf}", "unsafe", (replace(tree.text, node, f'float("{inf}")'),))
