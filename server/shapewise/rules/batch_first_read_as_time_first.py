"""What a layer with `batch_first=True` gives, or is given, taken as if its first dim were time."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..queries.lineage import Lineage, lineage_of, short, tensors
from ..queries.ops import ops_of
from ..vocabulary import recurrent
from ..vocabulary.events import Group, Log, Op, Other, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import found_at

RULE = "batch-first-read-as-time-first"
UNCALLED = True
_ATTENTIVE = frozenset("nn.TransformerEncoder() nn.TransformerEncoderLayer() nn.MultiheadAttention()".split())
_HEADS = ("nn.Linear()", "nn.Sequential()")
_SAME = frozenset(
    "dropout Dropout() LayerNorm() layer_norm BatchNorm1d() relu ReLU() tanh Tanh() gelu + add".split()
)


_SCALED = frozenset("softmax / div float masked_fill".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each `out[-1]` that a layer goes on with, and each table of positions `[N, 1, D]` that is cut along the batch."""
    lineage = lineage_of(log)
    first: dict[int, Op] = {}
    last: dict[int, tuple[Op, Op]] = {}
    placed: dict[int, Op] = {}
    for op in ops_of(log):
        if not op.args:
            continue
        if op.name in recurrent.RUN | _ATTENTIVE and (built := _batch_first(lineage, op)) is not None:
            out = next(tensors(op.result), None)
            if out is not None and len(out.shape) == 3 and out.shape[0] != 1 != out.shape[1]:
                first[out.id] = built
            if isinstance(given := op.argument(at=1), Tensor):
                cut = _placed_before(lineage, given, placed)
                if cut is not None:
                    yield _along_the_batch(lineage, cut, built, tree)
        elif short(op.name) == "[]" and _is_last(op):
            layer = _layer_of(lineage, op.args[0], first)
            if layer is not None and isinstance(op.result, Tensor):
                last[op.result.id] = op, layer
        elif (read := _reads(op, last)) is not None:
            if op.name not in _HEADS and short(op.name) != "multinomial":
                last.update((one.id, read) for one in tensors(op.result))
            else:
                yield _last_sample(*read, tree)
        elif (
            short(op.name) in ("+", "add") and isinstance(op.result, Tensor) and _adds_positions(lineage, op)
        ):
            placed[op.result.id] = op


def _batch_first(lineage: Lineage, op: Op) -> Op | None:
    """Where a layer was built with `batch_first=True`; of an encoder, the layer that it is made of."""
    built = lineage.builder(op.args[0])
    if built is not None and short(built.name) == "TransformerEncoder" and built.args:
        built = lineage.builder(built.args[0])
    if built is None or built.argument("batch_first") != Scalar(True):
        return None
    return built


def _reads(op: Op, last: dict[int, tuple[Op, Op]]) -> tuple[Op, Op] | None:
    """The `[-1]` that a linear layer, a draw of what comes next, or an op that keeps the shape, is given."""
    if op.name not in _HEADS and short(op.name) not in _SAME | _SCALED | {"multinomial"}:
        return None
    return next((last[arg.id] for arg in op.args if isinstance(arg, Tensor) and arg.id in last), None)


def _is_last(op: Op) -> bool:
    """`out[-1]` and `out[-1, :, :]`"""
    whole, index = op.args[0], op.argument(at=1)
    items = index.items if isinstance(index, Group) else (index,)
    rest = all(isinstance(one, Other) and one.text == "slice(None, None, None)" for one in items[1:])
    return isinstance(whole, Tensor) and len(whole.shape) == 3 and items[:1] == (Scalar(-1),) and rest


def _layer_of(lineage: Lineage, value: Value, first: dict[int, Op]) -> Op | None:
    """The layer whose outputs, one for each step, a value is."""
    for _ in range(4):
        if not isinstance(value, Tensor):
            return None
        if value.id in first:
            return first[value.id]
        op = lineage.maker(value)
        if op is None or (short(op.name) not in _SAME and op.name != "nn.Linear()"):
            return None
        shape = value.shape[:-1]
        value = next(
            (arg for arg in op.args if isinstance(arg, Tensor) and arg.shape[:-1] == shape), Scalar(None)
        )
    return None


def _last_sample(read: Op, built: Op, tree: Tree) -> Finding:
    whole = read.args[0]
    assert isinstance(whole, Tensor)
    node = tree.at(read.span, ast.Subscript)
    fixes: tuple[Fix, ...] = ()
    if node is not None:
        fixes = (Fix("the last step of each: [:, -1]", "unsafe", (replace(tree.text, node.slice, ":, -1"),)),)
    return found_at(
        RULE,
        read.span,
        f"[-1] of {list_of(whole.shape)} is the last sample of the batch, with all of its steps: the layer was built with "
        "batch_first=True. The last step of each sample is [:, -1].",
        *fixes,
        related=[Related(built.span, "batch_first=True")],
    )


def _adds_positions(lineage: Lineage, op: Op) -> bool:
    """`x + table[:len(x)]`, of `[B, T, D]` and as many rows `[B, 1, D]` of a table of more."""
    return _table(lineage, op) is not None


def _table(lineage: Lineage, op: Op) -> Op | None:
    pair = [arg for arg in op.args if isinstance(arg, Tensor)]
    if len(pair) != 2 or any(len(one.shape) != 3 for one in pair):
        return None
    for whole, rows in (pair, pair[::-1]):
        cut = lineage.maker(rows)
        if cut is not None and _counts_the_batch(lineage, cut, whole, rows):
            return cut
        table = cut.args[0] if cut is not None and short(cut.name) == "[]" else None
        if (
            cut is None
            or not isinstance(table, Tensor)
            or len(table.shape) != 3
            or table.requires_grad is None
        ):
            continue
        index = cut.argument(at=1)
        items = index.items if isinstance(index, Group) else (index,)
        is_slice = all(isinstance(one, Other) and one.type == "slice" for one in items)
        many = whole.shape[0] not in (None, 1) and whole.shape[1] not in (None, 1)
        if is_slice and many and rows.shape == (whole.shape[0], 1, whole.shape[2]) != table.shape:
            if table.shape[1:] == rows.shape[1:]:
                return cut
    return None


def _counts_the_batch(lineage: Lineage, looked_up: Op, whole: Tensor, rows: Tensor) -> bool:
    """Whether rows `[B, 1, D]` were looked up at `arange(B).unsqueeze(1)`, in a table that is learned."""
    if short(looked_up.name) not in ("embedding", "Embedding()") or rows.shape != (
        whole.shape[0],
        1,
        whole.shape[2],
    ):
        return False
    if whole.shape[0] in (None, 1) or whole.shape[1] in (None, 1):
        return False
    places = next(
        (arg for arg in looked_up.args if isinstance(arg, Tensor) and arg.dtype in ("int64", "int32")), None
    )
    for _ in range(4):
        made = None if places is None else lineage.maker(places)
        if made is None:
            return False
        if short(made.name) == "arange":
            return True
        if short(made.name) not in ("unsqueeze", "[]", "view", "reshape", "expand", "to", "long"):
            return False
        places = next((arg for arg in made.args if isinstance(arg, Tensor)), None)
    return False


def _placed_before(lineage: Lineage, given: Tensor, placed: dict[int, Op]) -> Op | None:
    """The sum with positions that an input is, dropout and norms left out."""
    for _ in range(4):
        if given.id in placed:
            return placed[given.id]
        op = lineage.maker(given)
        inner = (
            None
            if op is None or short(op.name) not in _SAME
            else next((arg for arg in op.args if isinstance(arg, Tensor) and arg.shape == given.shape), None)
        )
        if inner is None:
            return None
        given = inner
    return None


def _along_the_batch(lineage: Lineage, op: Op, built: Op, tree: Tree) -> Finding:
    cut = _table(lineage, op)
    assert cut is not None and isinstance(cut.result, Tensor) and isinstance(op.result, Tensor)
    return found_at(
        RULE,
        op.span,
        f"positions {list_of(cut.result.shape)} are added along dim 0 of {list_of(op.result.shape)}, and that is the batch: "
        "the layer that takes them was built with batch_first=True. All steps of a sample get the same position. Take "
        "the positions of the steps, and put them into dim 1.",
        *_table_fixes(cut, tree),
        related=[Related(built.span, "batch_first=True"), Related(cut.span, "taken here")],
    )


def _table_fixes(cut: Op, tree: Tree) -> tuple[Fix, ...]:
    """`table[: x.size(1)].transpose(0, 1)` for `table[: x.size(0)]`."""
    node = tree.at(cut.span, ast.Subscript)
    first = None if node is None else node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
    upper = first.upper if isinstance(first, ast.Slice) else None
    if node is None or upper is None:
        return ()
    written = source(tree.text, upper)
    steps = next((written[: -len(old)] + new for old, new in _STEPS if written.endswith(old)), None)
    if steps is None:
        return ()
    text = f"{source(tree.text, node.value)}[: {steps}].transpose(0, 1)"
    return (Fix("the positions of the steps", "unsafe", (replace(tree.text, node, text),)),)


_STEPS = ((".size(0)", ".size(1)"), (".shape[0]", ".shape[1]"))
