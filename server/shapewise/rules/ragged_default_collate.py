"""Items of different lengths, and a loader that can only stack."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..program.course import Course
from ..program.definitions import Class
from ..program.events import Event, Loop
from ..program.names import last_name
from ..program.tensors import is_tensor
from ..program.values import GIVEN, Value, constant, contents, options_of, roots, within
from ..queries.lineage import lineage_of
from ..queries.ops import ops_of
from ..queries.origins import source
from ..vocabulary.events import Bound, Group, Log, Scalar, Sizes, Tensor
from ..vocabulary.events import Value as Traced
from ..vocabulary.findings import Finding, Fix, Related
from ..vocabulary.span import Span
from .asking.loaders import loaders
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "ragged-default-collate"
_FROM_LISTS = ("torch.tensor", "torch.as_tensor", "torch.LongTensor")
_LENGTHENS = (".append", ".extend", ".insert")
_MAKERS = frozenset("rand randn randint zeros ones full arange".split())
_RANDOM = frozenset("randint randrange choice integers poisson randperm random".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every loader without a collate_fn over a data set of the file whose items have no common shape."""
    for loader in loaders(tree.course):
        if (
            loader.is_open
            or loader.given("collate_fn", 6) is not None
            or loader.given("batch_sampler", 4) is not None
        ):
            continue
        size = loader.given("batch_size", 1)
        if size is None or constant(size) in (None, 1):
            continue
        listed = _listed(log, tree, loader.event.node)
        if listed is not None:
            yield found(
                RULE,
                tree,
                loader.event.node,
                f"the items of this list have different shapes ({listed}), and the loader stacks the items of a batch: "
                "it raises at the first batch of two lengths. Give it a collate_fn that pads.",
            )
            continue
        for dataset in roots(loader.given("dataset", 0)):
            if dataset.cls is None or "__getitem__" not in dataset.cls.methods:
                continue
            scope = f"{dataset.cls.node.name}.__getitem__"
            ragged = _ragged(log, tree, scope) or _filled(tree, dataset.cls)
            if ragged is not None:
                said, where = ragged
                yield found(
                    RULE,
                    tree,
                    loader.event.node,
                    f"the items of this data set have different shapes ({said}), and the loader stacks the items of a batch: "
                    "it raises at the first batch of two lengths. Give it a collate_fn that pads.",
                    *_fixes(log, tree, loader.event.node, scope),
                    related=[Related(where, "returned here")],
                )


def _listed(log: Log, tree: Tree, loader: ast.AST) -> str | None:
    """Two shapes that the items of a list have, which a loader is given as it is, at the same place."""
    span = tree.span(loader)
    for op in ops_of(log, ("DataLoader",)):
        given = op.argument("dataset", at=0)
        if op.span != span or not isinstance(given, Group):
            continue
        seen: dict[int, Sizes] = {}
        for item in given.items:
            for place, part in enumerate(item.items if isinstance(item, Group) else (item,)):
                shape = part.shape if isinstance(part, Tensor) else None
                if shape is not None and seen.setdefault(place, shape) != shape:
                    if None not in (*shape, *seen[place]):
                        return f"{list_of(seen[place])}, {list_of(shape)}"
    return None


def _fixes(log: Log, tree: Tree, loader: ast.AST, scope: str) -> Iterator[Fix]:
    """A `collate_fn` that pads what is ragged in its first dim, and puts numbers beside it into one tensor."""
    pad, tensor = name_for(tree, "torch.nn.utils.rnn.pad_sequence"), name_for(tree, "torch.tensor")
    items = [
        event.value.items if isinstance(event.value, Group) else (event.value,)
        for event in log.events
        if isinstance(event, Bound) and event.kind == "return" and log.frames[event.frame].scope == scope
    ]
    if (
        pad is None
        or tensor is None
        or not isinstance(loader, ast.Call)
        or len({len(one) for one in items}) != 1
    ):
        return
    if len(items[0]) == 1:
        made = f"{pad}(batch, batch_first=True)" if _is_of_tensors([one[0] for one in items]) else None
    elif len(items[0]) == 2 and _is_of_tensors([one[0] for one in items]):
        padded = f"{pad}([x for x, _ in batch], batch_first=True)"
        second = [one[1] for one in items]
        beside = (
            f"{tensor}([y for _, y in batch])"
            if all(isinstance(one, Scalar) for one in second)
            else f"{pad}([y for _, y in batch], batch_first=True)"
            if _is_of_tensors(second)
            else None
        )
        made = f"({padded}, {beside})" if beside is not None else None
    else:
        made = None
    if made is not None:
        yield fix(
            "pad the items of a batch", add_keyword(tree.text, loader, f"collate_fn=lambda batch: {made}")
        )


def _is_of_tensors(values: list[Traced]) -> bool:
    return all(isinstance(one, Tensor) and one.shape != () for one in values)


def _ragged(log: Log, tree: Tree, scope: str) -> tuple[str, Span] | None:
    """Two shapes that items have at the same place, and where they are returned. None if they may all be equal."""
    seen: dict[int, Sizes] = {}
    for event in log.events:
        if not isinstance(event, Bound) or event.kind != "return" or log.frames[event.frame].scope != scope:
            continue
        items = event.value.items if isinstance(event.value, Group) else (event.value,)
        for place, item in enumerate(items):
            if not isinstance(item, Tensor):
                continue
            before = seen.setdefault(place, item.shape)
            if None not in (*before, *item.shape) and before != item.shape:
                return f"{list_of(before)}, {list_of(item.shape)}", event.span
            if any(size is None and _drawn(log, tree, item, dim) for dim, size in enumerate(item.shape)):
                return f"{list_of(item.shape)}, with lengths drawn one by one", event.span
    return None


def _filled(tree: Tree, cls: Class) -> tuple[str, Span] | None:
    """An item out of a list that was filled with tensors of lengths drawn one by one, and where it is returned."""
    course = tree.course
    made_at = {id(event.value): event for event in course.of_kind("call") if event.value is not None}
    for event in course.of_kind("return"):
        if event.function is not cls.method("__getitem__"):
            continue
        for item in contents(event.args[0]):
            if _of_listed_length(item):
                return "each has the length that was drawn for it", tree.span(event.node)
            if _of_words(course, item):
                return "each is as long as its text", tree.span(event.node)
            held = item.on if item.by == "[]" else None
            made = [one for arg in held.args for one in options_of(arg)] if held is not None else []
            if held is None or held.by not in ("list", "listcomp") or not made:
                continue
            if all(_of_drawn_length(one, made_at) for one in made):
                return "their lengths are drawn one by one", tree.span(event.node)
            if all(_of_words(course, one) for one in made):
                return "each is as long as its text", tree.span(event.node)
    return None


def _of_words(course: Course, value: Value) -> bool:
    """Whether a value is a tensor of the words of a text, looked up one by one, with nothing put behind them."""
    if value.by not in _FROM_LISTS or not value.args:
        return False
    *lists, held = _cut_from(value.args[0])
    words, found = held.on, held.args
    if held.by != "listcomp" or words is None:
        return False
    lists.append(held)
    *_, words = _cut_from(words)
    if words.by != ".split" or words.args or words.kwargs:
        return False
    looked_up = found and all(
        one.by in ("[]", ".get", ".setdefault", ".index") and not any(arg.by == "[]" for arg in one.args)
        for one in options_of(found[0])
    )
    return bool(looked_up) and not any(
        event.on is one and (event.kind in ("augmented", "store") or event.name in _LENGTHENS)
        for one in lists
        for event in course.uses(one)
    )


def _cut_from(part: Value) -> list[Value]:
    """A list and what it is the beginning, the end or a part of, the whole last."""
    found = [part]
    while found[-1].by == "[]" and found[-1].on is not None and found[-1].args[:1]:
        if found[-1].args[0].by != "slice":
            break
        found.append(found[-1].on)
    return found


def _made_with(value: Value) -> tuple[Value, list[Value]]:
    """The call that made a tensor, methods on it taken off, and what its sizes were computed from."""
    made = value
    while made.by.startswith(".") and len(made.by) > 1 and made.on is not None:
        made = made.on
    if not is_tensor(value) or made.short() not in _MAKERS:
        return made, []
    return made, [size for arg in made.args for one in contents(arg) for size in within(one, 4)]


def _of_listed_length(value: Value) -> bool:
    """Whether a value is a tensor made with a size that is one of many random numbers, picked by a parameter."""
    return any(
        size.by == "[]" and size.on is not None and size.on.short() in _RANDOM and size.args[0].by == GIVEN
        for size in _made_with(value)[1]
    )


def _of_drawn_length(value: Value, made_at: dict[int, Event]) -> bool:
    """Whether a value is a tensor made with a size that is drawn for it alone: in the round that makes it."""
    made, sizes = _made_with(value)
    maker = made_at.get(id(made))
    rounds = [one for one in maker.where if isinstance(one, Loop)] if maker is not None else []
    if not rounds:
        return False
    drawn = [made_at.get(id(size)) for size in sizes if size.short() in _RANDOM]
    return any(one is not None and one.inside(rounds[-1]) for one in drawn)


def _drawn(log: Log, tree: Tree, tensor: Tensor, dim: int) -> bool:
    """Whether the size of a dim is drawn where this one tensor is made."""
    lineage = lineage_of(log)
    made = lineage.maker(source(lineage, tensor, dim)[0])
    call = None if made is None else tree.at(made.span, ast.Call)
    if made is None or call is None:
        return False
    sizes = [part for arg in call.args for part in ast.walk(arg)]
    if log.frames[made.frame].scope.endswith(".__getitem__"):
        names = {part.id for part in sizes if isinstance(part, ast.Name)}
        function = tree.course.places.function(call)
        for node in ast.walk(function) if function is not None else ():
            if isinstance(node, ast.Assign) and any(
                isinstance(t, ast.Name) and t.id in names for t in node.targets
            ):
                sizes += ast.walk(node.value)
    return any(isinstance(part, ast.Call) and _called(part) in _RANDOM for part in sizes)


def _called(call: ast.Call) -> str:
    return last_name(call.func)
