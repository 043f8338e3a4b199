"""Layers and tensors that would have to be made with another size, in the words of the code around them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...edits.statements import replace, source
from ...queries.lineage import short
from ...queries.origins import origin
from ...vocabulary.events import Bound, Op, Scalar, Size, Tensor, Value
from ...vocabulary.findings import Fix
from ..telling.found import argument_node

if TYPE_CHECKING:
    from ..asking.refusals import Refusal


@dataclass(frozen=True)
class Kind:
    """How a layer is built: the argument that says what it takes, the one that says what it gives.

    `dims`: the spatial dims of its input behind the channels, where it has channels; else what it
    takes is the last dim. `place`: of the first argument among the positional ones.
    """

    takes: str
    gives: str | None = None
    dims: int | None = None
    place: int = 0


KINDS = {
    "Linear": Kind("in_features", "out_features"),
    "Conv1d": Kind("in_channels", "out_channels", 1),
    "Conv2d": Kind("in_channels", "out_channels", 2),
    "Conv3d": Kind("in_channels", "out_channels", 3),
    "ConvTranspose1d": Kind("in_channels", "out_channels", 1),
    "ConvTranspose2d": Kind("in_channels", "out_channels", 2),
    "BatchNorm1d": Kind("num_features", None, 1),
    "BatchNorm2d": Kind("num_features", None, 2),
    "BatchNorm3d": Kind("num_features", None, 3),
    "InstanceNorm2d": Kind("num_features", None, 2),
    "GroupNorm": Kind("num_channels", None, 2, place=1),
    "LayerNorm": Kind("normalized_shape"),
    "RNN": Kind("input_size", "hidden_size"),
    "LSTM": Kind("input_size", "hidden_size"),
    "GRU": Kind("input_size", "hidden_size"),
    "MultiheadAttention": Kind("embed_dim"),
    "Embedding": Kind("num_embeddings", "embedding_dim"),
}
"""Torch's layers by their names."""

_MAKERS = frozenset("randn rand zeros ones empty randint full normal".split())
_LONGEST = 28
"""Characters of an expression that stands for a number."""


def other_number(refusal: Refusal, built: Op | None, name: str, position: int, number: Size) -> Iterator[Fix]:
    """Build a layer for what it is given, or for what is asked of it: by a name where the code has one, else by the number."""
    if built is None or not isinstance(number, int) or not refusal.here(built):
        return
    call = refusal.tree.at(built.span, ast.Call)
    node = None if call is None else argument_node(call, name, position)
    if node is None:
        return
    words = [] if isinstance(node, ast.Constant) else [*words_for(refusal, built, number)]
    words = sorted(words, key=lambda text: " " in text)[:1]
    for text in words:
        yield Fix(f"{name}={text}", "unsafe", (replace(refusal.tree.text, node, text),))
    if not words:
        yield from _where_it_is_given(refusal, built, node, number)
        yield Fix(f"{name}={number}", "unsafe", (replace(refusal.tree.text, node, str(number)),))


def _where_it_is_given(refusal: Refusal, built: Op, node: ast.expr, number: int) -> Iterator[Fix]:
    """The number for a parameter of the constructor around a layer, where the call of that says another one itself."""
    frame = refusal.log.frames[built.frame]
    call = refusal.tree.at(frame.site, ast.Call) if frame.site is not None else None
    if call is None or not isinstance(node, ast.Name) or not _is_of_the_file(refusal, frame.parent):
        return
    above = refusal.tree.course.places.above(node)
    function = next((one for one in above if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))), None)
    names = [] if function is None else [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    names = [name for name in names if name not in ("self", "cls")]
    given = argument_node(call, node.id, names.index(node.id)) if node.id in names else None
    if isinstance(given, ast.Constant) and type(given.value) is int:
        yield Fix(f"{node.id}={number}", "unsafe", (replace(refusal.tree.text, given, str(number)),))


def _is_of_the_file(refusal: Refusal, frame: int | None) -> bool:
    return frame is not None and refusal.log.frames[frame].file == refusal.log.file


def one_more(refusal: Refusal, built: Op, name: str, position: int) -> Iterator[Fix]:
    """Build a layer with one more of something, where it is not a bare number that says how many."""
    call = refusal.tree.at(built.span, ast.Call) if refusal.here(built) else None
    node = None if call is None else argument_node(call, name, position)
    if node is None:
        return
    text = source(refusal.tree.text, node)
    new = f"{text} + 1"
    if isinstance(node, ast.Constant) and type(node.value) is int:
        new = str(node.value + 1)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and ast.unparse(node.right) == "1":
        new = source(refusal.tree.text, node.left)
    yield Fix(f"{name}={new}", "unsafe", (replace(refusal.tree.text, node, new),))


def other_source(refusal: Refusal, given: Tensor, at: int, wanted: Size) -> Iterator[Fix]:
    """Let the layer, or the constructor, that a dim (from 0) comes from give another size."""
    found = origin(refusal.lineage, given, at)
    if found is None or not isinstance(wanted, int):
        return
    if found.built is not None:
        kind = KINDS.get(short(found.built.name))
        last = len(found.tensor.shape) - 1
        if kind is not None and kind.gives is not None and found.dim == (last if kind.dims is None else 1):
            yield from other_number(refusal, found.built, kind.gives, 1, wanted)
    elif short(found.op.name) in _MAKERS and refusal.here(found.op) and found.op.span != refusal.op.span:
        yield from _other_size(refusal, found.op, found.dim, wanted)


def clash(refusal: Refusal, one: tuple[Tensor, int], other: tuple[Tensor, int]) -> Iterator[Fix]:
    """Two dims (each of a tensor, from 0) that have to agree: either as large as the other, what is given last first."""
    sizes = one[0].shape[one[1]], other[0].shape[other[1]]
    yield from other_source(refusal, *other, sizes[0])
    yield from other_source(refusal, *one, sizes[1])


def _other_size(refusal: Refusal, maker: Op, dim: int, wanted: int) -> Iterator[Fix]:
    call = refusal.tree.at(maker.span, ast.Call)
    nodes: list[ast.expr] = [] if call is None else list(call.args)
    nodes = next((list(one.elts) for one in nodes if isinstance(one, (ast.Tuple, ast.List))), nodes)
    if dim < len(nodes) and isinstance(nodes[dim], ast.Constant):
        title = f"{wanted} in dim {dim} of {short(maker.name)}"
        yield Fix(title, "unsafe", (replace(refusal.tree.text, nodes[dim], str(wanted)),))


def words_for(refusal: Refusal, built: Op, number: int) -> Iterator[str]:
    """What the constructor around a layer writes for a number: in the calls nearest to it, then as a parameter."""
    wanted = Scalar(number)
    others = [event for event in refusal.log.events if isinstance(event, Op) and event.frame == built.frame]
    others.sort(key=lambda op: abs(op.span.line - built.span.line))
    for op in others:
        call = refusal.tree.at(op.span, ast.Call) if wanted in (*op.args, *dict(op.kwargs).values()) else None
        if call is not None:
            for node, value in _arguments(call, op):
                text = source(refusal.tree.text, node)
                if value == wanted and not isinstance(node, ast.Constant) and len(text) <= _LONGEST:
                    yield text
    for event in refusal.log.events:
        if isinstance(event, Bound) and event.frame == built.frame and event.kind == "parameter":
            if event.value == wanted:
                yield event.name


def _arguments(call: ast.Call, op: Op) -> Iterator[tuple[ast.expr, Value]]:
    if len(call.args) == len(op.args):
        yield from zip(call.args, op.args)
    given = dict(op.kwargs)
    yield from ((one.value, given[one.arg]) for one in call.keywords if one.arg in given)
