"""Views that cut across dims, for `view-used-as-transpose`.

Whatever a view is meant to do is a merge of dims that stand side by side, a split of one, or both: `(B, T, C)` to
`(B * T, C)`, `(B, T, H * D)` to `(B, T, H, D)`. Seen from the right, each size of the result then ends where a dim
ends or within one: the products of the sizes, those of both shapes together, divide each other in turn. Where they
do not, an element of the result is put together of the end of one row and the beginning of the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...queries.lineage import Lineage, lineage_of, short
from ...vocabulary.events import Log, Op, Other, Sizes, Tensor
from ...vocabulary.findings import Finding
from ..asking.named_dims import NamedDims, Names, asked
from ..asking.refusals import list_of
from ..asking.tree import Tree
from ..telling.found import found_at

RULE = "view-used-as-transpose"
_MEANT = frozenset(
    "@ matmul mm bmm einsum linear conv1d conv2d conv3d embedding scaled_dot_product_attention transpose permute T mT "
    "swapaxes movedim unfold grad".split()
)
"""Ops that give dims a meaning of their own."""
_LAID_OUT = frozenset("cat concat pad as_strided stack expand repeat repeat_interleave tile".split())
"""Ops whose result may be laid out for a view on purpose, as for relative positions."""
_SEEN = frozenset("view reshape".split())


def across(op: Op, given: Tensor, made: Tensor, log: Log, tree: Tree, named: NamedDims) -> Iterator[Finding]:
    """A view whose result is made of parts of several dims, or calls a dim what another one was."""
    whole, parts = _large(given.shape), _large(made.shape)
    if whole is None or parts is None or not _has_meaning(lineage_of(log), given, op):
        return
    cut = _cut(whole, parts)
    moved = _moved(named.of(given), given.shape, asked(op, tree), made.shape)
    if cut is not None:
        before, after = cut
        why = f"cuts across dims: {list_of(before)} become {list_of(after)} in the order of memory, and neither is made of whole parts of the other."
    elif moved is not None:
        name, was, now = moved
        why = f"leaves the numbers where they are: {name} was dim {was}, and what is dim {now} now is something else."
    else:
        return
    yield found_at(
        RULE,
        op.span,
        f"{short(op.name)} from {list_of(given.shape)} to {list_of(made.shape)} {why} Turn the dims first, so that those "
        "that belong together stand side by side.",
    )


def _moved(were: Names, given: Sizes, are: Names, made: Sizes) -> tuple[str, int, int] | None:
    """The name of a dim that does not step through memory as the dim of that name did, and both dims (from 0)."""
    for now, words in enumerate(are):
        for name in sorted(words):
            whole = _merged(name, were, given)
            if whole is not None and sum(name in names for names in are) == 1:
                first, last = whole
                inner, outer = _large(given[last + 1 :]), _large(made[now + 1 :])
                sizes = _large(given[first : last + 1])
                if inner is not None and outer is not None and sizes is not None and len(sizes) > 1:
                    if _product(sizes) == made[now] and _product(inner) != _product(outer):
                        return name, first, now
                continue
            places = [dim for dim, names in enumerate(were) if name in names]
            if len(places) != 1 or sum(name in names for names in are) != 1:
                continue
            was = places[0]
            inner, outer = _large(given[was + 1 :]), _large(made[now + 1 :])
            if given[was] == made[now] != 1 and inner is not None and outer is not None:
                if _product(inner) != _product(outer):
                    return name, was, now
    return None


def _merged(name: str, were: Names, given: Sizes) -> tuple[int, int] | None:
    """The first and the last of the dims side by side that a product of names (`h * w`) makes one of."""
    factors = name.split(" * ")
    if len(factors) < 2:
        return None
    places = [[dim for dim, names in enumerate(were) if factor in names] for factor in factors]
    if any(len(dims) != 1 for dims in places):
        return None
    dims = [dim for (dim,) in places]
    return (dims[0], dims[-1]) if dims == list(range(dims[0], dims[0] + len(dims))) else None


def _large(shape: Sizes) -> tuple[int, ...] | None:
    """The sizes but for those of one, if all are known."""
    known = tuple(size for size in shape if isinstance(size, int))
    return tuple(size for size in known if size != 1) if len(known) == len(shape) and 0 not in known else None


def _cut(whole: Sequence[int], parts: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The sizes, of both shapes, of the first dims that are cut across; None where no dim is."""
    one, other = list(whole), list(parts)
    while one and other:
        left, right = [one.pop()], [other.pop()]
        while (mine := _product(left)) != (theirs := _product(right)):
            if mine < theirs and one:
                left.append(one.pop())
            elif theirs < mine and other:
                right.append(other.pop())
            else:
                return None
        ends = sorted({*_ends(left), *_ends(right)})
        if any(larger % smaller for smaller, larger in pairwise(ends)):
            return tuple(reversed(left)), tuple(reversed(right))
    return None


def _product(sizes: Sequence[int]) -> int:
    total = 1
    for size in sizes:
        total *= size
    return total


def _ends(sizes: Sequence[int]) -> Iterator[int]:
    """How many elements lie before the end of each dim, counted from the right."""
    total = 1
    for size in sizes:
        total *= size
        yield total


def is_laid_out(lineage: Lineage, tensor: Tensor) -> bool:
    """Whether a tensor was just padded or put together; or cut out of a view of that, by which rows are shifted."""
    op = lineage.maker(tensor)
    if op is not None and short(op.name) == "[]" and isinstance(op.args[0], Tensor):
        op = lineage.maker(op.args[0])
        seen = op.args[0] if op is not None and short(op.name) in _SEEN and op.args else None
        op = lineage.maker(seen) if isinstance(seen, Tensor) else None
    return op is not None and short(op.name) in _LAID_OUT


def _has_meaning(lineage: Lineage, tensor: Tensor, view: Op) -> bool:
    """Whether the dims come from a layer, a product, a turn, or from outside the function; not from a demonstration."""
    if len([size for size in tensor.shape if size != 1]) < 2 or (tensor.leaf and tensor.requires_grad):
        return False
    for _ in range(24):
        op = lineage.maker(tensor)
        if op is None:
            return not (tensor.leaf and tensor.requires_grad)
        name = short(op.name)
        if name in _LAID_OUT:
            return False
        if name in _MEANT or (op.name.startswith("nn.") and op.name.endswith("()")):
            return True
        if op.args and isinstance(op.args[0], Other) and op.args[0].id is not None:
            return True  # a layer that is not followed, or a method of one
        inner = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
        if inner is None:
            return op.frame != view.frame
        tensor = inner
    return False
