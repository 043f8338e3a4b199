"""A view or reshape to the same sizes in another order: the numbers stay where they were."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...edits.statements import replace, source
from ...queries.lineage import lineage_of, short, tensors
from ...queries.ops import ops_of
from ...queries.origins import origin
from ...queries.origins import source as first_of
from ...vocabulary.events import Log, Op, Scalar, Size, Sizes, Tensor
from ...vocabulary.findings import Finding, Fix, Related
from ..asking.named_dims import NamedDims
from ..asking.refusals import list_of
from ..asking.tree import Tree
from ..telling.found import found_at
from .across_dims import across, is_laid_out
from .enlarged import enlarged
from .flattened_unlike import flattened_unlike
from .heads_in_the_batch import heads_in_the_batch, heads_out_of_the_batch
from .states import states_as_rows

RULE = "view-used-as-transpose"
UNCALLED = True


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every view of three dims or more whose sizes are those of the tensor, in another order."""
    yield from flattened_unlike(log, tree)
    named: NamedDims | None = None
    told: set[Sizes] = set()
    cut: set[int] = set()  # what views made that were told
    for op in ops_of(log, ("view", "reshape")):
        given = op.args[0] if op.args else None
        made = op.result
        if not isinstance(given, Tensor) or not isinstance(made, Tensor):
            continue
        order = _order(given.shape, made.shape)
        if order is None:
            found = [
                *_points_of_a_grid(op, given, made, log),
                *enlarged(op, given, made, lineage_of(log)),
                *heads_in_the_batch(op, given, made, log, tree),
                *heads_out_of_the_batch(op, given, made, log, tree),
                *_split_before(op, given, made, log, tree),
                *_merged_before(op, given, made, log, tree),
                *_merged_backwards(op, given, made, log, tree),
                *states_as_rows(op, given, made, log, tree),
            ]
            named = named or NamedDims(log, lineage_of(log), tree)
            if not found and made.shape not in told and not lineage_of(log).comes_of(given, cut):
                found = list(across(op, given, made, log, tree, named))
            if found:
                told.add(made.shape)
                cut.add(made.id)
            yield from found
            continue
        if is_laid_out(lineage_of(log), given):
            continue
        turned = f"permute({', '.join(map(str, order))})"
        yield found_at(
            RULE,
            op.span,
            f"{short(op.name)} from {list_of(given.shape)} to {list_of(made.shape)} swaps the sizes and not the dims: "
            f"the numbers are dealt out anew in the order of memory. To swap the dims: {turned}.",
            *_fixes(op, tree, turned),
        )


def _points_of_a_grid(op: Op, given: Tensor, made: Tensor, log: Log) -> Iterator[Finding]:
    """`torch.stack(torch.meshgrid(x, y)).view(-1, 2)`: points of two numbers, both of one coordinate."""
    lineage = lineage_of(log)
    stack = lineage.maker(given)
    if stack is None or short(stack.name) != "stack" or not stack.args or len(made.shape) != 2:
        return
    axes = tuple(tensors(stack.args[0]))
    makers = [lineage.maker(one) for one in axes]
    if len(axes) < 2 or any(maker is None or short(maker.name) != "meshgrid" for maker in makers):
        return
    dim = stack.argument("dim", at=1) or Scalar(0)
    if not isinstance(dim, Scalar) or type(dim.value) is not int or made.shape[-1] != len(axes):
        return
    if dim.value % len(given.shape) == len(given.shape) - 1:
        return
    yield found_at(
        RULE,
        op.span,
        f"{short(op.name)} from {list_of(given.shape)} to {list_of(made.shape)} reads in the order of memory: each row is "
        f"made of neighbours of one axis, not of the {len(axes)} coordinates of one point. Stack the axes last: "
        "torch.stack(..., dim=-1).",
        related=[Related(stack.span, f"the axes are stacked along dim {dim.value} here")],
    )


def _split_before(op: Op, given: Tensor, made: Tensor, log: Log, tree: Tree) -> Iterator[Finding]:
    """`(B, N, H * D)` seen as `(B, H, N, D)`: the heads stand before the steps, and each gets pieces of several steps.

    Only where the last dim is the width of a layer, of which the heads are a part.
    """
    whole, parts = given.shape, made.shape
    if len(whole) < 2 or len(parts) != len(whole) + 1 or None in whole or None in parts:
        return
    if whole[:-2] != parts[:-3]:
        return
    steps, width = whole[-2:]
    heads, moved, each = parts[-3:]
    if moved != steps or not _are_parts(heads, each, width) or heads == steps or 1 in (heads, steps):
        return
    if steps == each:
        return
    found = origin(lineage_of(log), given, len(whole) - 1)
    if found is None or found.op.name != "nn.Linear()" or found.dim != len(found.tensor.shape) - 1:
        return
    lead = ", ".join(map(str, parts[:-3]))
    kept = f"{lead}{', ' if lead else ''}{steps}, {heads}, {each}"
    yield found_at(
        RULE,
        op.span,
        f"{short(op.name)} from {list_of(whole)} to {list_of(parts)} deals the numbers out in the order of memory: each of "
        f"the {heads} gets pieces of several of the {steps}, not its share of each. First split the last dim, "
        f"{short(op.name)}({kept}), then turn: transpose(-3, -2).",
        *_split_fixes(op, tree),
        related=[Related(found.op.span, f"the last dim is the width {width} of this layer")],
    )


def _are_parts(heads: Size, each: Size, width: Size) -> bool:
    """Whether so many of that size make up a width; where sizes have words, the rest of the shape says so."""
    if isinstance(heads, int) and isinstance(each, int) and isinstance(width, int):
        return heads * each == width
    return any(isinstance(one, str) for one in (heads, each, width))


def _split_fixes(op: Op, tree: Tree) -> tuple[Fix, ...]:
    """The last three sizes in another order, and turned."""
    call = tree.at(op.span, ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or call.keywords or len(call.args) < 3:
        return ()
    if len(call.args) != len(op.args) - 1 or any(isinstance(arg, ast.Starred) for arg in call.args):
        return ()
    written = [source(tree.text, arg) for arg in call.args]
    written[-3:-1] = written[-2], written[-3]
    text = f"{source(tree.text, call.func)}({', '.join(written)}).transpose(-3, -2)"
    return (Fix("split the last dim, then turn", "unsafe", (replace(tree.text, call, text),)),)


def _merged_before(op: Op, given: Tensor, made: Tensor, log: Log, tree: Tree) -> Iterator[Finding]:
    """`(B, H, N, D)` seen as `(B, N, H * D)`: each step gets what belongs to several.

    Only of what a product of matrices gave, as attention does.
    """
    parts, whole = given.shape, made.shape
    if len(parts) < 3 or len(whole) != len(parts) - 1 or None in whole or None in parts:
        return
    if len(parts) == 3 and (len(op.args) < 3 or op.args[1] == Scalar(-1)):
        return  # as many rows as there are
    if whole[:-2] != parts[:-3]:
        return
    heads, steps, each = parts[-3:]
    kept, width = whole[-2:]
    if kept != steps or not _are_parts(heads, each, width) or heads == steps or 1 in (heads, steps):
        return
    if steps == width:
        return
    makers = [maker for _, maker in lineage_of(log).behind(given) if maker is not None]
    product = next((maker for maker in makers if short(maker.name) in _PRODUCTS), None)
    if product is None:
        return
    node = tree.at(op.span, ast.Call)
    fixes: tuple[Fix, ...] = ()
    if (
        node is not None
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, (ast.Name, ast.Call))
    ):
        written = source(tree.text, node.func.value)
        if written != "torch":
            at = node.func.value
            text = source(tree.text, node).removeprefix(written).removeprefix(f".{node.func.attr}")
            if text.startswith("("):
                turned = f"{source(tree.text, at)}.transpose(-3, -2).reshape{text}"
                fixes = (Fix("turn the dims first", "unsafe", (replace(tree.text, node, turned),)),)
    yield found_at(
        RULE,
        op.span,
        f"{short(op.name)} from {list_of(parts)} to {list_of(whole)} puts together what stands side by side in memory, and "
        f"that is not the {heads} parts of one of the {steps}. Turn the dims first: transpose(-3, -2).",
        *fixes,
        related=[Related(product.span, "made here")],
    )


def _merged_backwards(op: Op, given: Tensor, made: Tensor, log: Log, tree: Tree) -> Iterator[Finding]:
    """Heads that were split as `(H, D)` and are put together as `(D, H)`, behind a product of matrices, as in attention."""
    parts, whole, lineage = given.shape, made.shape, lineage_of(log)
    if len(parts) < 3 or parts[:-2] != whole[:-1] or len(whole) != len(parts) - 1 or parts[-1] == parts[-2]:
        return
    turn = lineage.maker(given)
    while turn is not None and short(turn.name) in ("contiguous", "clone") and turn.args:
        turn = lineage.maker(turn.args[0])
    product = None if turn is None or not turn.args else lineage.maker(turn.args[0])
    if (
        turn is None
        or short(turn.name) not in _TURNED
        or product is None
        or short(product.name) not in _PRODUCTS
    ):
        return
    sides = [first_of(lineage, given, len(parts) + at) for at in (-2, -1)]
    splits = [(lineage.maker(tensor), tensor, dim) for tensor, dim in sides]
    (each, one, at_each), (heads, other, at_heads) = splits
    if each is None or heads is None or short(each.name) not in _SPLITS or short(heads.name) not in _SPLITS:
        return
    if (
        one.shape[-2:] != other.shape[-2:]
        or at_each != len(one.shape) - 1
        or at_heads != len(other.shape) - 2
    ):
        return
    yield found_at(
        RULE,
        op.span,
        f"{short(op.name)} from {list_of(parts)} to {list_of(whole)} puts together {parts[-2]} x {parts[-1]}, and it was split into "
        f"{parts[-1]} x {parts[-2]}: each part gets a number of every other. Turn them first so that they stand as they were split.",
        *(_last_two_swapped(turn, tree) if log.frames[turn.frame].file == log.file else ()),
        related=[
            Related(turn.span, f"{short(turn.name)} turns them here"),
            Related(heads.span, "split here"),
        ],
    )


def _last_two_swapped(turn: Op, tree: Tree) -> tuple[Fix, ...]:
    """A permute that leaves the last two dims in each other's place."""
    call = tree.at(turn.span, ast.Call)
    if call is None or short(turn.name) != "permute" or len(call.args) < 3:
        return ()
    one, other = (source(tree.text, node) for node in call.args[-2:])
    edits = replace(tree.text, call.args[-2], other), replace(tree.text, call.args[-1], one)
    return (Fix(f"swap {one} and {other} in permute", "unsafe", edits),)


_TURNED = frozenset("permute transpose swapaxes mT movedim".split())
_SPLITS = frozenset("view reshape unflatten".split())
_PRODUCTS = frozenset("@ matmul bmm einsum scaled_dot_product_attention".split())


def _order(given: Sizes, made: Sizes) -> tuple[int, ...] | None:
    """The permutation that would give these sizes, if it is the only one and moves a dim that is larger than one."""
    if len(given) < 3 or len(given) != len(made) or None in given:
        return None
    if len(set(given)) != len(given):
        return _of_an_image(given, made)
    alike = sorted(given, key=str) == sorted(made, key=str)  # words among the sizes
    if not alike or [s for s in given if s != 1] == [s for s in made if s != 1]:
        return None
    return tuple(given.index(size) for size in made)


_COLOURS = (3, 4)


def _of_an_image(given: Sizes, made: Sizes) -> tuple[int, ...] | None:
    """The permutation between channels last and channels first, of images that may be square."""
    rank = len(given)
    lead = tuple(range(rank - 3))
    for order in ((*lead, rank - 1, rank - 3, rank - 2), (*lead, rank - 2, rank - 1, rank - 3)):
        colours = given[-1] if order[-1] == rank - 2 else given[-3]
        if made == tuple(given[at] for at in order) != given and colours in _COLOURS:
            if given.count(colours) == 1:
                return order
    return None


def _fixes(op: Op, tree: Tree, turned: str) -> tuple[Fix, ...]:
    call = tree.at(op.span, ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute) or isinstance(call.func.value, ast.BinOp):
        return ()
    if op.args and len(call.args) not in (len(op.args) - 1, 1):
        return ()
    written = source(tree.text, call.func.value)
    if written == "torch":
        return ()
    return (Fix(f"use {turned}", "unsafe", (replace(tree.text, call, f"{written}.{turned}"),)),)
