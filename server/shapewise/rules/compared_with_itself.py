"""Each with each was meant, and the two are turned the same way: every element meets itself."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Bound, Group, Log, Op, Other, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Related
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import found_at

RULE = "compared-with-itself"
UNCALLED = True
_COMPARES = frozenset(
    "+ add - sub subtract / div == != eq ne < > <= >= lt gt le ge cosine_similarity pairwise_distance".split()
)
_TURNS = frozenset("t T mT transpose permute swapaxes unsqueeze []".split())
_WRITES = frozenset("fill_diagonal_ masked_fill_ []= sub_ -= *= mul_ add_ +=".split())

Step = tuple[str, tuple[Value, ...]]


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each sum, difference or comparison of a tensor with itself, after a dim was added to both, or one of a single dim was turned."""
    lineage = lineage_of(log)
    yield from _own_classes(log, lineage)
    aliased: set[tuple[int, int]] | None = None
    found: dict[object, Finding | None] = {}
    for op in ops_of(log, _COMPARES):
        pair = [arg for arg in op.args if isinstance(arg, Tensor)]
        if len(pair) != 2:
            continue
        (one, steps), (other, others) = (_seen(lineage, tensor, op.frame) for tensor in pair)
        if one.id != other.id or _behind_new(steps) != _behind_new(others) or one.shape == (1,):
            found[op.span] = None
            continue
        added = next((step for step in (*steps, *others) if _adds(step)), None)
        turned = next((maker for tensor in pair if (maker := _turns_nothing(lineage, tensor))), None)
        if added is None and turned is None:
            continue
        aliased = _passed_twice(log) if aliased is None else aliased
        if (op.frame, one.id) in aliased:
            found[op.span] = None
            continue
        found.setdefault(op.span, _finding(lineage, op, pair, turned))
    yield from (finding for finding in found.values() if finding is not None)


def _own_classes(log: Log, lineage: Lineage) -> Iterator[Finding]:
    """Each cross entropy of the products of vectors with themselves whose classes are 0, 1, 2: each is to be likest itself."""
    written = {
        op.args[0].storage
        for op in ops_of(log, _WRITES)
        if op.args and isinstance(op.args[0], Tensor) and op.args[0].storage is not None
    }
    for op in ops_of(log, ("cross_entropy", "CrossEntropyLoss()")):
        given = [arg for arg in op.args if isinstance(arg, Tensor)]
        if len(given) < 2 or not _counts_up(lineage.maker(given[1])):
            continue
        scores = given[0]
        for _ in range(4):
            made = lineage.maker(scores)
            inner = [arg for arg in made.args if isinstance(arg, Tensor)] if made is not None else []
            if made is None or scores.storage in written:
                break
            if short(made.name) in ("@", "matmul", "mm") and len(inner) == 2:
                turned = lineage.maker(inner[1])
                if turned is not None and short(turned.name) in _TURNS and turned.args[:1] == (inner[0],):
                    yield found_at(
                        RULE,
                        op.span,
                        "the scores are products of the vectors with themselves, and class i of row i is the vector itself: that is "
                        "the largest whatever is learned. The class is the place of its other view, and the diagonal is left out.",
                        related=[Related(made.span, "each with each, and with itself")],
                    )
                break
            if short(made.name) not in ("/", "*", "div", "mul", "exp") or len(inner) != 1:
                break
            scores = inner[0]


def _counts_up(op: Op | None) -> bool:
    """`torch.arange(n)`"""
    return op is not None and short(op.name) == "arange" and len(op.args) == 1


def _finding(lineage: Lineage, op: Op, pair: list[Tensor], turned: Op | None) -> Finding:
    shape = list_of(pair[0].shape)
    why = (
        f"a tensor of one dim has no other to be turned into, so both sides are the same {shape}"
        if turned is not None
        else f"both sides are the same tensor, seen as {shape}"
    )
    maker = turned or lineage.maker(pair[1])
    return found_at(
        RULE,
        op.span,
        f"{why}: each element meets itself, and not each of the others. Add a dim at another place to each side: "
        "x.unsqueeze(0) and x.unsqueeze(1).",
        related=() if maker is None else (Related(maker.span, "seen so here"),),
    )


def _seen(lineage: Lineage, tensor: Tensor, frame: int) -> tuple[Tensor, tuple[Step, ...]]:
    """The tensor that one is a view of, made in this frame, and by which steps."""
    steps: list[Step] = []
    for _ in range(6):
        op = lineage.maker(tensor)
        inner = op.args[0] if op is not None and op.args else None
        if op is None or op.frame != frame or op.failure is not None or not isinstance(inner, Tensor):
            break
        if short(op.name) not in _TURNS or (short(op.name) == "[]" and not _only_adds(op.args[1])):
            break
        if not _turns_nothing(lineage, tensor):
            steps.append((short(op.name), (*op.args[1:], *(value for _, value in op.kwargs))))
        tensor = inner
    return tensor, tuple(steps)


def _turns_nothing(lineage: Lineage, tensor: Tensor) -> Op | None:
    """The `x.T` of a tensor of a single dim."""
    op = lineage.maker(tensor)
    return op if op is not None and short(op.name) in ("t", "T", "mT") and len(tensor.shape) == 1 else None


def _behind_new(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps before a dim was added in front of all others at last: broadcasting would have added it."""
    if not steps:
        return steps
    name, (given, *_) = steps[0] if steps[0][1] else (steps[0][0], (None,))
    items = given.items if isinstance(given, Group) and given.kind == "tuple" else (given,)
    in_front = name == "[]" and items[0] == Scalar(None) and Scalar(None) not in items[1:]
    return steps[1:] if in_front or (name == "unsqueeze" and given == Scalar(0)) else steps


def _adds(step: Step) -> bool:
    return step[0] in ("unsqueeze", "[]")


def _only_adds(index: Value) -> bool:
    """Whether an index is `None`, `[:, None]`, `[None, ...]`: all that was there, and a dim more."""
    items = index.items if isinstance(index, Group) and index.kind == "tuple" else (index,)
    nones = [item for item in items if isinstance(item, Scalar) and item.value is None]
    rest = [item for item in items if item not in nones]
    return bool(nones) and all(_is_all(item) for item in rest)


def _is_all(item: Value) -> bool:
    return item == Scalar("...") or (isinstance(item, Other) and item.text == "slice(None, None, None)")


def _passed_twice(log: Log) -> set[tuple[int, int]]:
    """Tensors that came into a frame under two names: what compares two is shown with one."""
    named: dict[tuple[int, int], set[str]] = {}
    for event in log.events:
        if isinstance(event, Bound) and isinstance(event.value, Tensor):
            named.setdefault((event.frame, event.value.id), set()).add(event.name)
    return {place for place, names in named.items() if len(names) > 1}
