"""What may be otherwise in a call as it is written: the order of its sizes, its dim, a kept dim; and what may be written behind it."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from dataclasses import replace as other_op

from ...edits.calls import add_keyword, append, keep_dim
from ...edits.statements import replace, source
from ...queries.lineage import REDUCTIONS, Lineage, short
from ...queries.resized import Shape, gives
from ...vocabulary.events import Op, Scalar, Sizes, Tensor, Value
from ...vocabulary.findings import Edit, Fix
from .change import Change, Meant

_CUTS = frozenset("view reshape permute".split())
_ALONG = (REDUCTIONS - {"norm"}) | frozenset(
    "softmax log_softmax cat concat stack unsqueeze squeeze cumsum sort topk unbind split chunk".split()
)
_STEPS = frozenset("transpose permute swapaxes t T mT unsqueeze squeeze flatten".split())
_JOINS = frozenset("cat concat concatenate stack".split())
_BATCH = re.compile(r"(shape\[0\]|size\(0\)|len\(\w+\)|\b(B|b|bs|bsz|N|batch|batch_size))$")
"""The number of samples as it is mostly written: it stands first."""
MODULES = frozenset("torch th np F nn.functional torch.nn.functional".split())
"""As the modules are written whose functions are called, and not methods of a tensor."""


def of_call(op: Op, call: ast.Call, text: str, lineage: Lineage) -> Iterator[Change]:
    """Changes of its arguments, the likeliest first."""
    name = short(op.name)
    if name in _CUTS:
        yield from _other_order(op, call, text, lineage)
    if name in REDUCTIONS:
        yield from _kept(op, call, text, lineage)
    if name in _ALONG or any(one.arg in ("dim", "axis") for one in call.keywords):
        yield from _other_dim(op, call, text, lineage)


def _sizes(op: Op, call: ast.Call) -> tuple[list[ast.expr], tuple[Value, ...], tuple[Value, ...]]:
    """The sizes, or dims, that are written one by one (behind `*shape`, if that is there), what they are, and what stands before."""
    method = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) not in MODULES
    nodes, values = list(call.args) if method else call.args[1:], op.args[1:]
    if len(nodes) == 1 and isinstance(nodes[0], (ast.Tuple, ast.List)):
        nodes, values = list(nodes[0].elts), tuple(getattr(values[0], "items", ())) if values else ()
    starred = max((at + 1 for at, node in enumerate(nodes) if isinstance(node, ast.Starred)), default=0)
    nodes = nodes[starred:]
    if len(nodes) > len(values) or (not starred and len(nodes) != len(values)):
        return [], (), ()
    before = len(values) - len(nodes)
    return nodes, values[before:], values[:before]


def _other_order(op: Op, call: ast.Call, text: str, lineage: Lineage) -> Iterator[Change]:
    """Two neighbours in each other's place."""
    nodes, values, before = _sizes(op, call)
    for at in range(len(nodes) - 1):
        if values[at] == values[at + 1]:
            continue
        one, other = (source(text, node) for node in nodes[at : at + 2])
        order = (*before, *values[:at], values[at + 1], values[at], *values[at + 2 :])
        edits = replace(text, nodes[at], other), replace(text, nodes[at + 1], one)
        fix = Fix(f"swap {one} and {other} in {short(op.name)}", "unsafe", edits)
        is_plain = at == 0 and not before and bool(_BATCH.search(other))
        yield Change(fix, op.span, _with_args(lineage, order), is_plain=is_plain)


def _with_args(lineage: Lineage, values: tuple[Value, ...]) -> Meant:
    return lambda op: gives(other_op(op, args=(op.args[0], *values)), lineage)


def _with_kwarg(lineage: Lineage, name: str, value: Value) -> Meant:
    return lambda op: gives(
        other_op(op, kwargs=(*((key, one) for key, one in op.kwargs if key != name), (name, value))), lineage
    )


def _kept(op: Op, call: ast.Call, text: str, lineage: Lineage) -> Iterator[Change]:
    """The reduced dim kept."""
    given, result = op.args[0] if op.args else None, op.result
    if not isinstance(given, Tensor) or not isinstance(result, Tensor) or not result.shape:
        return
    if len(result.shape) < len(given.shape):
        fix = Fix("keep the reduced dim (keepdim=True)", "unsafe", (keep_dim(text, call),))
        yield Change(fix, op.span, _with_kwarg(lineage, "keepdim", Scalar(True)))


def _other_dim(op: Op, call: ast.Call, text: str, lineage: Lineage) -> Iterator[Change]:
    """Each other dim, the last one first."""
    keyword = next((one for one in call.keywords if one.arg in ("dim", "axis")), None)
    nodes, _, _ = _sizes(op, call)
    node = keyword.value if keyword is not None else nodes[0] if len(nodes) == 1 else None
    first = op.args[0] if op.args else None
    first = first if isinstance(first, Tensor) else next(iter(getattr(first, "items", ())), None)
    if not isinstance(first, Tensor):
        return
    if node is None and short(op.name) in _JOINS and len(call.args) == 1:
        for dim in (-1, *range(1, len(first.shape) - 1)):
            edit = add_keyword(text, call, f"dim={dim}")
            yield Change(
                Fix(f"{short(op.name)} over dim {dim}", "unsafe", (edit,)),
                op.span,
                _with_kwarg(lineage, "dim", Scalar(dim)),
            )
    if node is None:
        return
    try:
        written = ast.literal_eval(node)
    except ValueError:
        return
    if type(written) is not int:
        return
    rank = len(first.shape) + (short(op.name) in ("stack", "unsqueeze"))
    for dim in (-1, *range(rank - 1)):
        if dim % max(rank, 1) != written % max(rank, 1) or not -rank <= written < rank:
            edit = replace(text, node, str(dim))
            value = Scalar(dim)
            meant = (
                _with_kwarg(lineage, "dim", value) if keyword is not None else _with_args(lineage, (value,))
            )
            yield Change(Fix(f"{short(op.name)} over dim {dim}", "unsafe", (edit,)), op.span, meant)


def without(op: Op, node: ast.expr, text: str) -> Iterator[Change]:
    """A step of a chain left out: `k.transpose(-2, -1)` where `k` is meant."""
    given = op.args[0] if op.args else None
    inner = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        inner = node.value
    name = short(op.name)
    if name == "[]" and isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        inner = node.value  # `[:20]`
    elif name not in _STEPS:
        return
    if inner is None or ast.unparse(inner) in MODULES:
        return
    if not isinstance(given, Tensor) or None in given.shape:
        return
    before, whole = source(text, inner), source(text, node)
    if whole.startswith(before) and "\n" not in whole:
        shape: Shape = given.shape  # type: ignore[assignment]
        fix = Fix(f"without {whole[len(before) :]}", "unsafe", (replace(text, node, before),))
        yield Change(fix, op.span, lambda _: shape)


def other_sizes(op: Op, node: ast.expr, text: str) -> Iterator[Change]:
    """`x.size(1)` for a `x.size(0)` in what a call is given; whether that fits is not known before it is tried."""
    asked: dict[str, list[tuple[ast.expr, ast.Constant]]] = {}
    for one in ast.walk(node):
        at = _dim_node(one)
        if at is not None and isinstance(one, ast.expr):
            asked.setdefault(source(text, one), []).append((one, at))
    for words, places in asked.items():
        written = places[0][1].value
        for dim in (1, 0, -1, 2):
            if dim == written or (written == 0 and dim < 0):
                continue
            new = words.replace(source(text, places[0][1]), str(dim))
            edits = [replace(text, at, str(dim)) for _, at in places]
            if len(places) > 1:  # `torch.ones(x.size(0), x.size(0))` is square, and stays so
                fix = Fix(f"{new} for each {words}", "unsafe", tuple(edits))
                yield Change(fix, op.span, lambda _: None)
            for edit in edits:
                yield Change(Fix(f"{new} for {words}", "unsafe", (edit,)), op.span, lambda _: None)


def of_another(
    op: Op, node: ast.expr, text: str, sizes: dict[str, Sizes], wanted: set[int]
) -> Iterator[Change]:
    """`y.size(1)` for a `x.size(1)`, where that is as large as torch asks for. `sizes`: of the tensors that have a name there."""
    for one in ast.walk(node):
        at = _dim_node(one)
        owner = (
            one.func if isinstance(one, ast.Call) else one.value if isinstance(one, ast.Subscript) else None
        )
        owner = owner.value if isinstance(owner, ast.Attribute) else None
        if at is None or not isinstance(owner, ast.Name) or owner.id not in sizes:
            continue
        dim, mine = int(str(at.value)), sizes[owner.id]
        for name, theirs in sizes.items():
            if dim < len(theirs) and dim < len(mine) and theirs[dim] != mine[dim] and theirs[dim] in wanted:
                new = f"{name}{source(text, one).removeprefix(owner.id)}"  # type: ignore[arg-type]
                fix = Fix(f"{new} for {ast.unparse(one)}", "unsafe", (replace(text, owner, name),))
                yield Change(fix, op.span, lambda _: None)


def _dim_node(node: ast.AST) -> ast.Constant | None:
    """The number of the dim in `x.size(0)` and `x.shape[0]`."""
    at: ast.expr | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "size":
        at = node.args[0] if len(node.args) == 1 else None
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
        at = node.slice if node.value.attr == "shape" else None
    return at if isinstance(at, ast.Constant) and type(at.value) is int else None


# ---------------------------------------------------------------- behind a value


def behind(node: ast.expr, tensor: Tensor, text: str) -> Iterator[tuple[Fix, Shape]]:
    """What may be written behind an expression, and the shape that it gives: dims turned, one more, one less."""
    if None in tensor.shape:
        return
    shape: Shape = tensor.shape  # type: ignore[assignment]
    for suffix, made in (*_turned(shape), *_ranked(shape)):
        if made != shape:
            edit: Edit = append(text, node, suffix)
            yield Fix(f"add {suffix}", "unsafe", (edit,)), made


def _turned(shape: Shape) -> Iterator[tuple[str, Shape]]:
    rank = len(shape)
    if rank == 4:
        yield ".transpose(1, 2)", _ordered(shape, 0, 2, 1, 3)
    if rank >= 2:
        turned = [*range(rank - 2), rank - 1, rank - 2]
        yield ".mT" if rank == 2 else ".transpose(1, 2)" if rank == 3 else ".mT", _ordered(shape, *turned)
    if rank == 3:
        yield ".transpose(0, 1)", _ordered(shape, 1, 0, 2)
        yield ".permute(2, 0, 1)", _ordered(shape, 2, 0, 1)
    if rank == 4:
        yield ".permute(0, 3, 1, 2)", _ordered(shape, 0, 3, 1, 2)
        yield ".permute(0, 2, 3, 1)", _ordered(shape, 0, 2, 3, 1)


def _ranked(shape: Shape) -> Iterator[tuple[str, Shape]]:
    rank = len(shape)
    for at in (-1, 1, 0, *range(2, rank)):
        if at <= rank and (at != 0 or rank):
            place = at % (rank + 1)
            yield f".unsqueeze({at})", (*shape[:place], 1, *shape[place:])
    for at in (-1, *range(rank - 1)):
        if rank and shape[at] == 1:
            yield f".squeeze({at})", (*shape[: at % rank], *shape[at % rank + 1 :])
    if rank > 2:
        yield ".flatten(1)", (shape[0], math.prod(shape[1:]))
    if rank > 1:
        yield ".flatten()", (math.prod(shape),)


def _ordered(shape: Shape, *order: int) -> Shape:
    return tuple(shape[at] for at in order)
