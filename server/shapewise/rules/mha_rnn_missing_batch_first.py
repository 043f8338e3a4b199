"""A recurrent or attention layer that takes dim 1 for the batch, and is given it as dim 0."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..edits.statements import replace
from ..program.course import Course
from ..program.names import last_name
from ..program.values import Value, constant, flows_into, number, open_ended, roots
from ..queries.lineage import Lineage, lineage_of, short, tensors
from ..queries.ops import ops_of
from ..queries.origins import before, source
from ..queries.values import integer
from ..vocabulary.events import Bound, Log, Op, Scalar, Tensor
from ..vocabulary.findings import Edit, Finding, Related
from .asking.einops_patterns import BATCH, by_pattern
from .asking.loaders import loaders
from .asking.named_dims import NamedDims
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import fix, found, keyword_of

RULE = "mha-rnn-missing-batch-first"
_LAYERS = (
    "LSTM GRU RNN MultiheadAttention TransformerEncoderLayer TransformerDecoderLayer Transformer".split()
)
_STACKS = ("TransformerEncoder", "TransformerDecoder")
_TUPLES = ("LSTM", "GRU", "RNN", "MultiheadAttention")
_TURNS = frozenset(
    "transpose permute swapaxes swapdims movedim t rearrange pack_padded_sequence pack_sequence".split()
)
_POOLS = (".mean", ".sum", ".max", ".amax", ".min", ".amin")
_TIME = re.compile(
    r"^(n_?|num_?|max_?)?(t|l|s|seq|seq_?len(gth)?|steps|time_?steps|tokens|length|len|window|context(_len(gth)?)?|block_?size)$",
    re.I,
)


_UNSAID = Scalar(None)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such layer, built without batch_first, whose input or result is plainly batch first."""
    for built, reason, node in [*_by_use(tree.course), *_by_input(log, tree)]:
        if isinstance(built, ast.Call):
            yield found(
                RULE,
                tree,
                built,
                f"without batch_first=True this layer takes dim 0 for time and dim 1 for the batch, but {reason}: it mixes "
                "the samples of a batch, and nothing raises.",
                fix("batch_first=True", _batch_first(tree, built)),
                related=[Related(tree.span(node), "batch first here")],
            )


def _batch_first(tree: Tree, built: ast.Call) -> Edit:
    given = keyword_of(built, "batch_first")
    if given is None:
        return add_keyword(tree.text, built, "batch_first=True")
    return replace(tree.text, given.value, "True")


def _plain(layer: Value) -> bool:
    """Whether a layer is built to take time first."""
    if layer.short() in _STACKS and layer.args:
        inner = roots(layer.args[0])
        return len(inner) == 1 and _plain(inner[0])
    places = 3 if layer.short() in ("LSTM", "GRU", "RNN") else 5
    return (
        layer.by.startswith("torch.nn.")
        and layer.short() in _LAYERS
        and ("batch_first" not in layer.kwargs or constant(layer.kwargs["batch_first"]) is False)
        and not open_ended(layer)
        and len(layer.args) <= places
    )


def _construction(layer: Value) -> ast.AST | None:
    return roots(layer.args[0])[0].node if layer.short() in _STACKS else layer.node


def _by_use(course: Course) -> Iterator[tuple[ast.AST | None, str, ast.AST]]:
    """Layers whose result is used as if dim 1 were time: its last step, or the mean over it."""
    results: dict[int, Value] = {}
    for event in course.calls("()"):
        layers = roots(event.on)
        if event.value is None or len(layers) != 1 or not _plain(layers[0]) or not event.args:
            continue
        if not any(one.short() in _TURNS for one in flows_into(event.args[0], 6)):
            results[id(event.value)] = layers[0]
    for event in course.of_kind("index"):
        made = _result(event.on, results)
        index = event.args[0]
        if made is not None and index.by == "tuple" and len(index.args) in (2, 3):
            first, second = index.args[:2]
            if first.by == "slice" and not first.args and number(second) in (0, -1):
                step = "last" if number(second) == -1 else "first"
                yield (
                    _construction(made),
                    f"its result is read by [:, {constant(second)}] as if that were the {step} step",
                    event.node,
                )
    for event in course.calls(*_POOLS):
        made = _result(event.on, results) or _weighed(event.on, results)
        if made is not None and number(event.argument("dim", 0)) == 1:
            yield (
                _construction(made),
                f"its result is reduced over dim 1 ({event.name[1:]}) as if that were time",
                event.node,
            )


def _weighed(value: Value | None, results: dict[int, Value]) -> Value | None:
    """The layer whose sequence of outputs is multiplied, by a mask or by weights."""
    factors = value.args if value is not None and value.by == "*" else ()
    return next((made for one in factors if (made := _result(one, results)) is not None), None)


def _result(value: Value | None, results: dict[int, Value]) -> Value | None:
    """The layer whose sequence of outputs a value is."""
    if value is None:
        return None
    whole = results.get(id(value))
    if whole is not None:
        return whole if whole.short() not in _TUPLES else None
    inner = None if value.on is None else results.get(id(value.on))
    if inner is None or inner.short() not in _TUPLES:
        return None
    first = value.keys[:1] == (0,) if value.by == "item" else value.by == "[]" and number(value.args[0]) == 0
    return inner if first else None


def _by_input(log: Log, tree: Tree) -> Iterator[tuple[ast.AST | None, str, ast.AST]]:
    """Layers that are given, with three dims, what a loader over batches gave, or what was made as batch by time."""
    lineage = lineage_of(log)
    batches = _batches(log, tree)
    named: NamedDims | None = None
    for op in ops_of(log):
        if not op.name.startswith("nn."):
            continue
        name = op.name[3:].removesuffix("()")
        given = op.argument(at=1)
        if name not in (*_LAYERS, *_STACKS) or not isinstance(given, Tensor) or len(given.shape) != 3:
            continue
        built = lineage.builder(op.args[0])
        if name in _STACKS:
            built = lineage.builder(built.args[0]) if built is not None and built.args else None
        asked = None if built is None else (built.argument("batch_first") or _UNSAID)
        if built is None or asked not in (_UNSAID, Scalar(False)) or len(built.args) > 5:
            continue
        node, call = tree.at(built.span, ast.Call), tree.at(op.span, ast.Call)
        if node is None or call is None or any(keyword.arg is None for keyword in node.keywords):
            continue
        first, dim = source(lineage, given, 0)
        if dim == 0 and first.id in batches and (asked is _UNSAID or batches[first.id]):
            yield node, "its input is a batch of a DataLoader", call
        elif dim == 0 and _named_so(tree, lineage.maker(first)):
            yield node, "its input is made as batch by time", call
        elif reason := _plainly(lineage, given) or by_pattern(lineage, given):
            yield node, reason, call
        else:
            named = named or NamedDims(log, lineage, tree)
            words = named.of(given)
            batch = next((word for word in sorted(words[0]) if BATCH.match(word)), None)
            time = next((word for word in sorted(words[1]) if _TIME.match(word)), None)
            if batch and time:
                yield node, f"the dims of its input are called {batch} and {time}", call


def _plainly(lineage: Lineage, given: Tensor) -> str | None:
    """Why dim 0 of an input is the batch: one of the ops that made it says so.

    Positions that are learned stand in dim 1, and are the same for all of dim 0; a feature map has the batch first.
    """
    tensor, dim = given, 0
    for _ in range(24):
        op = lineage.maker(tensor)
        if op is None or op.failure is not None:
            return None
        name, inputs = short(op.name), [one for one in op.args if isinstance(one, Tensor)]
        if name in ("+", "add") and dim == 0 and len(inputs) == 2 and len(tensor.shape) == 3:
            for pos in inputs:
                learned = pos.leaf and pos.requires_grad
                if (
                    (learned or _is_cut(lineage, pos))
                    and len(pos.shape) == 3
                    and pos.shape[0] == 1 != tensor.shape[0]
                    and pos.shape[1] != 1
                ):
                    return f"positions of {list_of(pos.shape)}, which stand in dim 1, were added to its input"
        if name in ("Conv1d()", "Conv2d()", "Conv3d()"):
            return "dim 0 of its input is the batch of a convolution" if dim == 0 else None
        if name == "flatten" and inputs and dim == 0 and _number(op, 1) not in (0, None):
            tensor = inputs[0]
            continue
        if name == "Sequential()" and dim == 0 and _has_convolutions(lineage, op, len(tensor.shape)):
            return "dim 0 of its input is the batch of a convolution"
        earlier = before(op, tensor, dim)
        if earlier is None:
            return None
        tensor, dim = earlier
    return None


def _has_convolutions(lineage: Lineage, op: Op, rank: int) -> bool:
    """Whether a sequence has convolutions of which what it gives, with so many dims, is a batch of maps."""
    built = lineage.builder(op.args[0])
    parts = [] if built is None else [lineage.builder(one) for one in built.args]
    return any(one is not None and short(one.name) == f"Conv{rank - 2}d" for one in parts)


def _is_cut(lineage: Lineage, rows: Tensor) -> bool:
    """Whether it is the beginning of a longer table of positions, `table[:, :x.size(1)]`."""
    cut = lineage.maker(rows)
    table = cut.args[0] if cut is not None and short(cut.name) == "[]" else None
    return (
        isinstance(table, Tensor)
        and len(table.shape) == 3
        and (table.shape[0], table.shape[2]) == (rows.shape[0], rows.shape[2])
        and table.shape[1] != rows.shape[1]
    )


def _number(op: Op, at: int) -> int | None:
    return integer(op.argument("start_dim", at=at))


def _batches(log: Log, tree: Tree) -> dict[int, bool]:
    """The tensors that loops over a loader were given, and whether the loader stacks the samples itself."""
    targets = [
        (tree.span(loop.node.target), loader.given("collate_fn", 6) is None and not loader.is_open)
        for loader in loaders(tree.course)
        for loop in loader.loops
        if isinstance(loop.node, ast.For)
    ]
    found: dict[int, bool] = {}
    for event in log.events if targets else ():
        if isinstance(event, Bound):
            stacks = [by_itself for at, by_itself in targets if at.covers(event.span)]
            if stacks:
                found.update((one.id, all(stacks)) for one in tensors(event.value))
    return found


def _named_so(tree: Tree, op: Op | None) -> bool:
    """Whether a tensor is made with sizes that are called batch and time, in this order."""
    call = None if op is None else tree.at(op.span, ast.Call)
    if call is None or op is None or not op.name.startswith("torch."):
        return False
    nodes: list[ast.expr] = list(call.args)
    nodes = next((list(one.elts) for one in nodes if isinstance(one, ast.Tuple)), nodes)
    names = [last_name(one) for one in nodes[:2]]
    return len(names) == 2 and bool(BATCH.match(names[0])) and bool(_TIME.match(names[1]))
