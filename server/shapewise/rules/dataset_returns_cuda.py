"""Items moved to the GPU in the workers of a loader."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword, remove_keyword
from ..edits.statements import replace, source
from ..program.course import Course
from ..program.definitions import Function
from ..program.events import Entered, Event
from ..program.folding import usual, usual_number
from ..program.values import CONST, INSTANCE, Value, constant, options_of, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.loaders import Loader, collate_function, loaders
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "dataset-returns-cuda"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every move to a GPU in __getitem__ of a data set, or in a collate function."""
    course = tree.course
    collates = [collate_function(one) for one in loaders(course)]
    workers = any(
        (usual_number(event.argument("num_workers", 5)) or 0) > 0
        for event in course.calls("torch.utils.data.DataLoader")
    )
    unloaded = _Unloaded(course)
    told: set[ast.AST] = set()
    for event in course.of_kind("call"):
        function = event.function
        if function is None or event.node in told or not _moves(event, workers):
            continue
        entered = [one.function for one in event.where if isinstance(one, Entered)]
        if not any(
            one in collates or (_gives_items(one) and not _gives_batches(one) and not unloaded.has(one))
            for one in entered
        ):
            continue
        told.add(event.node)
        yield found(
            RULE,
            tree,
            event.node,
            "this runs in the loader's worker processes, which cannot use CUDA after a fork, and moves item by item. "
            "Move the whole batch in the training step.",
            *_fixes(tree, event),
        )


def _fixes(tree: Tree, event: Event) -> list[Fix]:
    """The same on the CPU."""
    call = event.node
    if not isinstance(call, ast.Call):
        return []
    if event.name == "torch.load":
        return [fix("load to the CPU", add_keyword(tree.text, call, 'map_location="cpu"'))]
    if event.name not in (".cuda", ".to"):
        return [fix("make it on the CPU", remove_keyword(tree.text, call, "device"))]
    if not isinstance(call.func, ast.Attribute) or len(call.args) + len(call.keywords) > 1:
        return []
    return [fix("leave it on the CPU", replace(tree.text, call, source(tree.text, call.func.value)))]


def _gives_items(function: Function) -> bool:
    """Whether it is what a data set gives its items by."""
    named = "__iter__" if function.name == "__iter__" else "__getitem__"
    return (
        function.name == named
        and function.cls is not None
        and any(base.endswith(_BASES[named]) for base in function.cls.foreign())
    )


def _gives_batches(function: Function) -> bool:
    """Whether a data set puts its batches together itself, so that no loader needs to."""
    owner = function.cls
    return owner is not None and any(
        isinstance(node, ast.Attribute) and node.attr in ("batch_size", "num_batches")
        for node in ast.walk(owner.node)
    )


class _Unloaded:
    """The data sets that the file makes and gives to no loader, or to one that neither puts items together nor has workers."""

    def __init__(self, course: Course) -> None:
        self._made = {
            id(event.value.cls)
            for event in course.of_kind("call")
            if event.value is not None and event.value.by == INSTANCE
        }
        self._loaded = {
            id(owner)
            for loader in loaders(course)
            if not _gives_as_it_is(loader) and (given := loader.given("dataset", 0)) is not None
            for one in within(given)
            if one.cls is not None
            for owner in one.cls.ancestry()
        }

    def has(self, function: Function) -> bool:
        return id(function.cls) in self._made - self._loaded


def _gives_as_it_is(loader: Loader) -> bool:
    size, workers = loader.given("batch_size", 1), loader.given("num_workers", 5)
    return size is not None and size.by == CONST and constant(size) is None and workers is None


_BASES = {"__getitem__": "Dataset", "__iter__": "IterableDataset"}


def _moves(event: Event, workers: bool) -> bool:
    """Whether a call surely gives a tensor on a card; where there are workers, on one if there is one."""
    if event.name == ".cuda":
        return True
    if event.name == ".to":
        return _is_cuda(event.argument("device", 0), workers)
    if event.name == "torch.load":
        return _is_cuda(event.argument("map_location", 1), workers)
    return (
        event.name.startswith("torch.")
        and event.name.count(".") == 1
        and _is_cuda(event.kwargs.get("device"), workers)
    )


def _is_cuda(device: Value | None, if_any: bool) -> bool:
    """Whether it is a card: its text, or a torch.device of it. `if_any`: one that may be another device, too."""
    device = usual(device)
    if device is not None and device.by == "torch.device":
        device = device.argument("type", 0)
    texts = [constant(one) for one in options_of(device)] if device is not None else []
    cards = [text for text in texts if isinstance(text, str) and text.startswith("cuda")]
    return bool(cards) and (if_any or len(cards) == len(texts))
