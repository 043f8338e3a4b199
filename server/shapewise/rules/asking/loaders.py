"""Data loaders: what they were made with, and the loops that go over them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ...program.course import Course
from ...program.definitions import Function
from ...program.events import Event, Loop
from ...program.modes import no_grad_around
from ...program.training import Training
from ...program.values import Value, constant, function_of, join, open_ended, roots, same, within
from .tree import Tree

_CUDA = re.compile(r"^cuda")


@dataclass(frozen=True, slots=True)
class Loader:
    """A DataLoader that is made in the file. `loops`: those that go over it."""

    event: Event
    value: Value
    loops: tuple[Loop, ...]

    def given(self, name: str, position: int | None = None) -> Value | None:
        """An argument that it was made with."""
        return self.event.argument(name, position)

    @property
    def is_open(self) -> bool:
        """Whether more may have been given than is seen."""
        return "**" in self.event.kwargs or any(arg.spread for arg in self.event.args)


@lru_cache(maxsize=2)
def loaders(course: Course) -> tuple[Loader, ...]:
    """Every one, with the loops over it."""
    return tuple(_loaders(course)) if course.calls("torch.utils.data.DataLoader") else ()


def _loaders(course: Course) -> Iterator[Loader]:
    over: dict[int, list[Loop]] = {}
    told: set[int] = set()
    for event in course.events:
        for loop in (one for one in event.where if isinstance(one, Loop)):
            if id(loop) not in told and loop.over is not None:
                told.add(id(loop))
                for one in _gone_over(loop.over):
                    over.setdefault(id(one), []).append(loop)
    for event in course.calls("torch.utils.data.DataLoader"):
        if event.value is not None:
            yield Loader(event, event.value, tuple(over.get(id(event.value), ())))


def _gone_over(over: Value, depth: int = 4) -> Iterator[Value]:
    """What a loop goes over, as it is or through `enumerate`, `zip`, `tqdm` and the like; not the loader of whose data
    another one is made, nor one that is only counted.
    """
    yield over
    prepared = over.on if over.by == "item" and over.keys else None
    if prepared is not None and prepared.short() in ("setup_dataloaders", "prepare"):
        number = over.keys[0]
        if isinstance(number, int) and number < len(prepared.args):
            yield from _gone_over(prepared.args[number], depth - 1)
        return
    if depth and over.by not in ("torch.utils.data.DataLoader", "builtins.len"):
        for one in over.made_of():
            yield from _gone_over(one, depth - 1)


def trains(loader: Loader, training: Training) -> bool:
    """Whether a loop over it goes backward and steps."""
    return any(
        any(back.event.inside(loop) for back in training.backwards)
        and any(step.event.inside(loop) for step in training.steps)
        and not _is_another_phases(loader, loop)
        for loop in loader.loops
    )


def _is_another_phases(loader: Loader, loop: Loop) -> bool:
    """Whether a loop over `loaders[phase]` takes this one in a phase that is not called a training."""
    chosen = [one.on for one in within(loop.over, 2) if one.by == "[]"] if loop.over is not None else []
    return any(
        arg is loader.value and not str(key).startswith("train")
        for table in chosen
        if table is not None and len(table.args) > 1
        for key, arg in zip(table.keys, table.args)
    )


def training_loaders(tree: Tree) -> Iterator[tuple[Loader, ast.Call]]:
    """Every one that is trained on, where all that it is made with is seen, and the call that makes it."""
    for loader in loaders(tree.course):
        node = loader.event.node
        if not loader.is_open and isinstance(node, ast.Call) and trains(loader, tree.training):
            yield loader, node


def evaluates(loader: Loader, course: Course, training: Training) -> bool:
    """Whether it is gone over without gradients, and in no loop with them."""
    if not loader.loops or any(
        back.event.inside(loop) for loop in loader.loops for back in training.backwards
    ):
        return False
    return any(
        event.inside(loop) and no_grad_around(event) is not None
        for loop in loader.loops
        for event in course.calls("()")
    )


def to_cuda(loader: Loader, course: Course) -> list[Event]:
    """Where what it gives is moved to a GPU: the device surely is or may be one."""
    found = []
    for event in course.calls(".to", ".cuda"):
        if event.on is None or not any(event.inside(loop) for loop in loader.loops):
            continue
        if not any(one is loader.value for one in within(event.on, 6)):
            continue
        if event.name == ".cuda" or any(is_cuda(arg) for arg in event.args[:1]):
            found.append(event)
    return found


def is_cuda(value: Value) -> bool:
    """Whether a device is, or may be, a GPU by what is written."""
    return any(isinstance(constant(one), str) and _CUDA.match(one.const) for one in within(value, 4))


def dataset_kind(loader: Loader) -> set[str]:
    """What the data set is, by what made it; its class's bases where the file defines it."""
    found: set[str] = set()
    for root in roots(loader.given("dataset", 0)):
        found.add(root.by)
        if root.cls is not None:
            found |= root.cls.foreign()
    return found


def collate_function(loader: Loader) -> Function | None:
    """The function of the file that makes its batches: itself, the `__call__` of an object, or what a partial holds."""
    return function_of(loader.given("collate_fn", 6))


def batch_of(course: Course, value: Value) -> Value | None:
    """What the collate_fn of a loader returned, else the item of its data set, if a value is one of what a loop over it gives."""
    for loader in loaders(course):
        if value.by != "for" or not same(value.on, loader.value):
            continue
        function = collate_function(loader)
        if function is None and loader.given("collate_fn", 6) is None:
            sets = roots(loader.given("dataset", 0))
            function = (
                sets[0].cls.method("__getitem__") if len(sets) == 1 and sets[0].cls is not None else None
            )
        returns = [
            one for one in course.of_kind("return") if function is not None and one.function is function
        ]
        return returns[0].args[0] if len(returns) == 1 else None
    return None


def item_behind(course: Course, value: Value) -> Value | None:
    """What a data set gives for one item, if a value is that place of a batch which a loader puts together itself."""
    batch = value.on if value.by == "item" else None
    if batch is None or batch.by != "for" or not value.keys:
        return None
    for loader in loaders(course):
        sets = roots(loader.given("dataset", 0))
        if not same(batch.on, loader.value) or loader.given("collate_fn", 6) is not None or len(sets) != 1:
            continue
        number: int = value.keys[0]
        if sets[0].by == "torch.utils.data.TensorDataset" and not open_ended(sets[0]):
            return sets[0].args[number] if number < len(sets[0].args) else None
        item = sets[0].cls.method("__getitem__") if sets[0].cls is not None else None
        given = [one.args[0] for one in course.of_kind("return") if item is not None and one.function is item]
        if not given or any(one.by != "tuple" or number >= len(one.args) for one in given):
            return None
        return join([one.args[number] for one in given])
    return None


def collated(course: Course, value: Value) -> Value | None:
    """What the collate_fn of a loader returned, if a value is a batch that a loop was given, or the item of one."""
    batch, key = _batch_and_key(value)
    if batch is None or batch.by != "for":
        return None
    for loader in loaders(course):
        function = collate_function(loader)
        if function is None or not same(batch.on, loader.value):
            continue
        returns = [one for one in course.of_kind("return") if one.function is function]
        made = returns[0].args[0] if len(returns) == 1 and returns[0].args else None
        if made is None:
            continue
        if key is None:
            return made if made.by not in ("tuple", "list", "dict") else None
        if made.by == "tuple" and isinstance(key, int) and key < len(made.args):
            return made.args[key]
        if made.by == "dict" and key in made.keys:
            return made.args[made.keys.index(key)]
    return None


def _batch_and_key(value: Value) -> tuple[Value | None, object]:
    """A batch, and what is taken of it: `x` of `x, y = batch`, `batch["x"]`, nothing of `batch`."""
    if value.by == "item" and value.keys:
        return value.on, value.keys[0]
    if value.by == "[]" and len(value.args) == 1 and isinstance(key := constant(value.args[0]), str):
        return value.on, key
    return value, None
