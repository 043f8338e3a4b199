"""The course of a file: all events, found by name, by loop, by object."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from ..parsing import parse
from .conditions import unsettled_names
from .definitions import Class, Function, Places
from .events import Entered, Event, Loop
from .keywords import changed_names
from .values import EITHER, GIVEN, INSTANCE, Value, contents, options_of, roots
from .walk import Walk


class Course:
    """What a text does, in order; and its tree. `whole`: every call of the file's own was followed."""

    def __init__(self, tree: ast.Module, about_training: bool = True) -> None:
        walk = Walk()
        if about_training:
            _all_ways(walk, tree)
        self.tree = tree
        self.places = Places(tree)
        self.events = walk.events
        self.whole = not walk.cut
        self.classes = [value.cls for value in walk.classes.values() if value.cls is not None]
        self.instances = walk.instances
        """By class, the first object of it: with real arguments where the file makes one."""
        self._by_name: dict[str, list[Event]] = defaultdict(list)
        self._by_kind: dict[str, list[Event]] = defaultdict(list)
        for event in walk.events:
            self._by_kind[event.kind].append(event)
            if event.kind == "call":
                self._by_name[event.name].append(event)
        self._uses: dict[int, list[Event]] | None = None
        self._in_loop: dict[int, list[Event]] = {}

    def calls(self, *names: str) -> list[Event]:
        """The calls of a dotted path or a `.method`, in order."""
        if len(names) == 1:
            return self._by_name.get(names[0], [])
        return sorted(
            (event for name in names for event in self._by_name.get(name, ())), key=lambda event: event.index
        )

    def alternatives(self, event: Event) -> list[Event]:
        """One execution of a call, once for each object that it may be a call of: `self.embed` of two ways of an `if`."""
        around = [id(one) for one in event.where]
        same_name = self.calls(event.name)
        return [one for one in same_name if one.node is event.node and [id(w) for w in one.where] == around]

    def made_at(self, event: Event) -> Value | None:
        """What a call makes on all ways that lead to it from one root: what comes of one may be used, of another replaced."""
        ways = [one for one in self.calls(event.name) if one.node is event.node and one.root == event.root]
        made = tuple(one.value for one in ways if one.value is not None)
        return Value(EITHER, options=made, name=made[0].name) if made else None

    def called(self) -> Iterator[tuple[str, list[Event]]]:
        """Every name that is called, with its calls."""
        yield from self._by_name.items()

    def of_kind(self, kind: str) -> list[Event]:
        """Events of a kind, in order."""
        return self._by_kind.get(kind, [])

    def attributes_made(self) -> Iterator[tuple[Event, Class, Value]]:
        """What the constructors of the file's modules set on them: the event, the class, the value.

        Private methods count where only constructors call them: one that is called later too sets a state.
        """
        helped: dict[ast.AST, list[Event]] = defaultdict(list)
        for event in self.of_kind("set"):
            owner, function = event.on, event.function
            if owner is None or owner.by != INSTANCE or owner.cls is None or not owner.cls.is_module:
                continue
            if function is not None and function.name == "__init__":
                yield event, owner.cls, event.args[0]
            elif function is not None and function.cls is owner.cls and function.name.startswith("_"):
                helped[event.node].append(event)
        for events in helped.values():
            called = [event for event in events if _comes_back(event)]
            if called and all(constructs(event) for event in called):
                event = called[0]
                assert event.on is not None and event.on.cls is not None
                yield event, event.on.cls, event.args[0]

    def nodes(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """The nodes of some kinds, in no order."""
        return (node for node in self.places.nodes if isinstance(node, kinds))

    def uses(self, value: Value) -> list[Event]:
        """The events that are given one of the objects that a value stands for, or that happen on it."""
        if self._uses is None:
            self._uses = defaultdict(list)
            for event in self.events:
                told: set[int] = set()
                inputs = [inner for one in event.inputs() for inner in contents(one)]
                for one in (*inputs, *((event.on,) if event.on is not None else ())):
                    for root in roots(one):
                        if id(root) not in told:
                            told.add(id(root))
                            self._uses[id(root)].append(event)
        found = {event.index: event for root in roots(value) for event in self._uses.get(id(root), ())}
        return [found[index] for index in sorted(found)]

    def in_loop(self, loop: Loop) -> list[Event]:
        """The events within one run of a loop."""
        known = self._in_loop.get(id(loop))
        if known is None:
            known = self._in_loop[id(loop)] = [event for event in self.events if event.inside(loop)]
        return known

    def escapes(self, value: Value) -> bool:
        """Whether an object gets where this file does not see it: another's call, a return, a store."""
        for event in self.uses(value):
            given = any(
                any(root is mine for mine in roots(value))
                for one in event.inputs()
                for inner in contents(one)
                for root in roots(inner)
            )
            if not given:
                continue
            if event.kind in ("return", "yield") and not _comes_back(event):
                return True
            if event.kind == "store":
                return True
            if event.kind == "set" and event.on is not None:
                if any(one.by != INSTANCE or _is_open(one) for one in options_of(event.on)):
                    return True
            if event.kind == "call" and not event.followed and not _keeps_to_itself(event):
                return True
        return False

    def is_foreign(self, value: Value) -> bool:
        """Whether it came from outside, so that others may hold it too."""
        return any(_from_outside(root) for root in roots(value))


def _is_open(value: Value) -> bool:
    """Whether an object of the file's has methods that the file does not show."""
    return value.cls is None or any(
        not base.startswith(("torch.", "builtins.", "abc.")) for base in value.cls.foreign()
    )


def _from_outside(value: Value) -> bool:
    while value.by in (".", "item", "[]", "for") and value.on is not None:
        value = value.on
    return value.by in (GIVEN, "", INSTANCE)


def constructs(event: Event) -> bool:
    """Whether it happens in a method that a constructor of the same class has called."""
    around = [one.function for one in event.where if isinstance(one, Entered)]
    return any(one.name == "__init__" and event.function and one.cls is event.function.cls for one in around)


def _comes_back(event: Event) -> bool:
    """Whether a return leads to a call in this file."""
    entered = next((one for one in reversed(event.where) if isinstance(one, Entered)), None)
    return entered is not None and entered.site is not None


_PLAIN = (
    "torch.",
    "builtins.",
    "numpy.",
    "math.",
    "time.",
    "tqdm.",
    "logging.",
    "os.",
    "copy.",
    "wandb.",
)


def _keeps_to_itself(event: Event) -> bool:
    """Whether a call is of a library that does with an object no more than its documentation says."""
    if event.name.startswith("."):
        return event.name[1:] in _METHODS or any(
            one.by.startswith("torch.") for one in (roots(event.on) if event.on is not None else ())
        )
    return event.name.startswith(_PLAIN) and not event.name.startswith("torch.multiprocessing")


_METHODS = frozenset(
    "format append info debug warning add_scalar write set_postfix set_description "
    "load_state_dict state_dict scale step unscale_ update zero_grad".split()
)


def _all_ways(walk: Walk, tree: ast.Module) -> None:
    """The top level first; then whatever nothing in the file calls."""
    walk.changed_names = changed_names(tree)
    walk.unsettled = unsettled_names(tree)
    walk.block(tree.body)
    for value in list(walk.classes.values()):
        cls = value.cls
        assert cls is not None
        if cls not in walk.instances:
            _run_makers(walk, value)
        if cls not in walk.instances:
            _construct(walk, cls)
    for value in list(walk.classes.values()):
        assert value.cls is not None
        _run_methods(walk, value.cls)
    while True:
        waiting = [
            value
            for node, value in walk.functions.items()
            if node not in walk.entered and not isinstance(node, ast.Lambda)
        ]
        if not waiting:
            return
        for value in waiting:
            if value.node in walk.entered:
                continue
            function = value.function
            assert function is not None
            if function.cls is not None:
                owner = walk.instances.get(function.cls) or walk.instance(function.cls, None)
                value = Value(
                    value.by,
                    node=value.node,
                    function=function,
                    scope=value.scope,
                    bound=owner,
                    name=value.name,
                )
            _enter_root(walk, value)


def _enter_root(walk: Walk, value: Value) -> None:
    function = value.function
    assert function is not None
    walk.root += 1
    if walk.can_enter(function):
        walk.enter(value, [], {}, None)
    walk.entered.add(function.node)


def _run_makers(walk: Walk, value: Value) -> None:
    """The classmethods that make an object, as `load(cls, path)` does: they know best what it is made with."""
    assert value.cls is not None
    for function in value.cls.methods.values():
        marks = {d.id for d in function.decorators if isinstance(d, ast.Name)}
        if "classmethod" in marks and function.node not in walk.entered and _calls_first(function):
            _enter_root(walk, walk.method(value, function.node, function.node))


def _calls_first(function: Function) -> bool:
    """Whether a function calls its first parameter."""
    first = next((arg.arg for arg in function.parameters()), None)
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == first
        for node in ast.walk(function.node)
    )


def _construct(walk: Walk, cls: Class) -> None:
    owner = walk.instance(cls, None)
    owner.name = "self"
    init = cls.method("__init__")
    if init is not None:
        _enter_root(walk, walk.method(owner, init.node, init.node))


def _run_methods(walk: Walk, cls: Class) -> None:
    """Methods that no method calls first: they lead to the others."""
    called = {
        node.func.attr
        for node in ast.walk(cls.node)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "self"
    }
    for first in (True, False):
        for name, function in cls.methods.items():
            if function.node in walk.entered or (first and name in called):
                continue
            marks = {d.id for d in function.decorators if isinstance(d, ast.Name)}
            plain = walk.functions[function.node]
            if "staticmethod" in marks:
                _enter_root(walk, plain)
            else:
                owner = walk.instances.get(cls) or walk.instance(cls, None)
                bound = Value(
                    plain.by, node=plain.node, function=function, scope=plain.scope, bound=owner, name=name
                )
                _enter_root(walk, bound)


_ABOUT = (
    "torch",
    "einops",
    "transformers",
    "lightning",
    "accelerate",
    "grad",
    "backward",
    "eval()",
    "hook",
    "model",
    ".data",
)
"""Of a file that says none of these words no rule asks for more than its tree."""


@lru_cache(maxsize=4)
def course_of(text: str) -> Course:
    """The course of a text that parses; the latest few are kept, because a fix is tried on the same one."""
    return Course(parse(text), any(word in text for word in _ABOUT))
