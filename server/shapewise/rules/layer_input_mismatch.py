"""A layer that is given another width, or other channels, than it was built for."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

from ..program.values import roots
from ..program.widths import taken, width_of
from ..queries.lineage import short, tensors
from ..queries.values import integer
from ..vocabulary.events import Group, Log, Op, Other, Size, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.refusals import Refusal, list_of, refusals
from .asking.tree import Tree
from .mending.widths import KINDS, Kind, other_number, other_source
from .telling.found import found

RULE = "layer-input-mismatch"
_PATTERNS = (
    re.compile(r"mat1 and mat2 shapes cannot be multiplied"),
    re.compile(r"Given (groups|transposed)=\d+, weight of size"),
    re.compile(r"Given normalized_shape="),
    re.compile(r"running_mean should contain \d+ elements"),
    re.compile(r"input\.size\(-1\) must be equal to input_size"),
    re.compile(r"was expecting embedding dimension of"),
    re.compile(r"Expected (number of channels|weight to be a vector of size equal)"),
    re.compile(r"Expected \dD \(unbatched\) or \dD \(batched\) input to conv"),
    re.compile(r"expected \dD( or \dD)? input \(got"),
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every layer that refuses its input for a size, underlined where it is called."""
    for refusal in refusals(log, tree, *_PATTERNS):
        layer = refusal.failure.layer
        kind = KINDS.get(layer.type.removeprefix("Parametrized")) if layer is not None else None
        if layer is not None and kind is not None and refusal.operands:
            yield _finding(refusal, layer, kind)
    yield from _written(log, tree)


def _written(log: Log, tree: Tree) -> Iterator[Finding]:
    """Where no run comes: a layer called on what another one gave, whose numbers the text says."""
    run = {op.span for one in (log, tree.tried) if one is not None for op in one.events if isinstance(op, Op)}
    told: set[ast.AST] = set()
    for event in tree.course.calls("()"):
        layers = roots(event.on)
        node = event.node
        if len(layers) != 1 or len(event.args) != 1 or node in told or tree.span(node) in run:
            continue
        wanted, given = taken(layers[0]), width_of(event.args[0])
        if (
            wanted is None
            or given is None
            or wanted.channels != given.channels
            or wanted.count == given.count
        ):
            continue
        if len(tree.course.alternatives(event)) > 1:
            continue  # it may be a call of another layer
        told.add(node)
        what = "channels" if wanted.channels else "features"
        built = layers[0].node
        yield found(
            RULE,
            tree,
            node,
            f"nn.{layers[0].short()} takes {wanted.count} {what}, and is given {given.count}.",
            related=[Related(tree.span(built), "the layer")] if built is not None else [],
        )


def _finding(refusal: Refusal, layer: Other, kind: Kind) -> Finding:
    given = next(_packed(refusal.op), refusal.operands[0])
    built = refusal.lineage.builder(layer)
    at = _dim(given, kind)
    wanted = None if built is None else _number(built, kind.takes, kind.place)
    if wanted is None and (told := _WIDTH.match(refusal.message)) is not None:
        wanted = int(told[1])  # of a layer that another one builds
    shown: list[str] = []
    related: list[Related] = []
    fixes: list[Fix] = []
    if built is not None and refusal.here(built):
        related.append(Related(built.span, f"the layer: {kind.takes}={'?' if wanted is None else wanted}"))
    if at is None and kind.dims == 2 and given.shape == (given.shape[0], wanted):
        fixes += refusal.behind(given, "[:, :, None, None]")
    if at is not None and wanted is not None and given.shape[at] != wanted:
        name = refusal.name_of(given)
        shown.append(
            f"nn.{layer.type.removeprefix('Parametrized')} takes {kind.takes}={wanted}; {name or 'its input'} is {list_of(given.shape)}, "
            f"with {given.shape[at]} in dim {at}."
        )
        related += refusal.born(given, at)
        fixes += [
            *_rearranged(refusal, given, kind, wanted),
            *other_number(refusal, built, kind.takes, kind.place, given.shape[at]),
            *other_source(refusal, given, at, wanted),
            *_layer_before(refusal, layer, given.shape[at], wanted),
        ]
    tied = _PRODUCT.match(refusal.message)
    if at is not None and tied is not None and given.shape[at] == wanted != int(tied[1]):
        fixes += other_source(refusal, given, at, int(tied[1]))  # a weight that was put in the layer's place
    return refusal.finding(RULE, shown, related, fixes)


_WIDTH = re.compile(r"was expecting embedding dimension of (\d+)")
_PRODUCT = re.compile(r"mat1 and mat2 shapes cannot be multiplied \(\d+x\d+ and (\d+)x\d+\)")


def _layer_before(refusal: Refusal, layer: Other, size: Size, wanted: int) -> Iterator[Fix]:
    """In a Sequential the layer before it that gives so many, built for as many as it takes."""
    whole = refusal.lineage.builder(refusal.op.args[0]) if refusal.op.args else None
    parts = [*(whole.args if whole is not None and short(whole.name) == "Sequential" else ())]
    at = next((place for place, part in enumerate(parts) if part == layer), 0)
    for part in reversed(parts[:at]):
        built = refusal.lineage.builder(part)
        kind = KINDS.get(short(built.name)) if built is not None else None
        if built is not None and kind is not None and kind.gives is not None:
            if _number(built, kind.gives, 1) == size:
                yield from other_number(refusal, built, kind.gives, 1, wanted)
            return


def _packed(op: Op) -> Iterator[Tensor]:
    """The steps of a packed sequence that a recurrent layer is given."""
    if len(op.args) > 1 and isinstance(op.args[1], Group):
        yield from tensors(op.args[1])


def _dim(given: Tensor, kind: Kind) -> int | None:
    """The dim of the input that the layer was built for."""
    rank = len(given.shape)
    if kind.dims is None:
        return rank - 1 if rank else None
    if kind.takes == "num_channels":
        return 1 if rank > 1 else None  # of any number of spatial dims
    at = rank - kind.dims - 1
    if kind.takes == "num_features" and kind.dims == 1:
        at = 1 if rank in (2, 3) else -1
    return at if at in (0, 1) else None


def _number(built: Op, name: str, position: int) -> int | None:
    """An integer that a layer was built with."""
    return integer(built.argument(name, at=position))


def _rearranged(refusal: Refusal, given: Tensor, kind: Kind, wanted: int) -> Iterator[Fix]:
    """The same numbers in another order, if they are just those that the layer takes."""
    shape = given.shape
    if None in shape:
        return
    if wanted == 1 and kind.takes == "in_features" and len(shape) == 1:
        yield from refusal.behind(given, ".unsqueeze(-1)")
    if wanted == 1 and kind.takes == "in_channels" and kind.dims is not None and len(shape) == kind.dims + 1:
        yield from refusal.behind(given, ".unsqueeze(1)")
    if kind.takes == "in_features" and len(shape) > 2 and math.prod(shape[1:]) == wanted:  # type: ignore[arg-type]
        yield from refusal.behind(given, ".flatten(1)")
    if kind.dims is not None and len(shape) == kind.dims + 2 and shape[-1] == wanted:
        order = [0, len(shape) - 1, *range(1, len(shape) - 1)]
        yield from refusal.behind(given, f".permute({', '.join(map(str, order))})")
    elif kind.takes == "normalized_shape" and len(shape) == 4 and shape[1] == wanted:
        yield from refusal.behind(given, ".permute(0, 2, 3, 1)")
    elif kind.dims is None and len(shape) >= 2 and shape[-2] == wanted:
        yield from refusal.behind(given, ".transpose(-2, -1)")
