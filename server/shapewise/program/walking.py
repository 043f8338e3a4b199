"""What a walk holds: the names of each scope, the events so far, and where in the text it is."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from .definitions import Class, Function
from .events import Context, Event
from .values import Value

STEPS = 20_000
"""Statements that are walked before functions are no longer followed."""


@dataclass(eq=False, slots=True)
class Scope:
    """The names of one run of a function, of a class body or of the module."""

    names: dict[str, Value]
    parent: Scope | None = None
    function: Function | None = None
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    left: bool = False
    """Whether it has surely returned, or does not come here: what follows gives nothing back."""

    at_yield: Callable[[Value], None] | None = None
    """What happens where it yields."""

    def module(self) -> Scope:
        """The outermost one."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


class Walking:
    """The state of a walk. Its four gaps are filled by those above it."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.where: list[Context] = []
        self.root = 0
        self.module_scope = Scope({})
        self.scope = self.module_scope
        self.functions: dict[ast.AST, Value] = {}
        """Every function of the file that was defined on the way, by its node."""
        self.classes: dict[ast.AST, Value] = {}
        self.entered: set[ast.AST] = set()
        self.instances: dict[Class, Value] = {}
        self.changed: set[int] = set()
        """Dicts (by `id`) into which something was written so far."""
        self.changed_names: frozenset[str] = frozenset()
        """The names under which the text may write into a dict."""
        self.unsettled: frozenset[str] = frozenset()
        """The names and attributes that may become another value."""
        self.options: dict[int, dict[str, Value]] = {}
        """By parser of the command line (its `id`): what its options are unless somebody says so."""
        self.cut = False
        """Whether calls were no longer followed from some point on."""
        self._steps = 0
        self._active: list[ast.AST] = []

    # ------------------------------------------------------------ given by those above

    def value(self, node: ast.expr | None) -> Value:
        """The value of an expression."""
        raise NotImplementedError

    def attribute(self, owner: Value, name: str, node: ast.AST) -> Value:
        """What an attribute of a value is."""
        raise NotImplementedError

    def merged(self, left: Value, right: Value, node: ast.AST) -> Value | None:
        """Two dicts in one, where both are known."""
        raise NotImplementedError

    def method(self, owner: Value, definition: ast.AST, node: ast.AST) -> Value:
        """A method of an object, bound to it."""
        raise NotImplementedError

    def statement(self, node: ast.stmt) -> bool:
        """Walk a statement. Whether it surely leaves."""
        raise NotImplementedError

    def block(self, statements: Sequence[ast.stmt]) -> bool:
        """Walk statements. Whether they surely leave."""
        raise NotImplementedError

    # ------------------------------------------------------------ events and contexts

    def note(self, kind: str, name: str, node: ast.AST, **more: object) -> Event:
        """Write an event down."""
        event = Event(kind, name, node, tuple(self.where), len(self.events), self.root, **more)  # type: ignore[arg-type]
        self.events.append(event)
        return event

    @contextmanager
    def around(self, *contexts: Context) -> Iterator[None]:
        """Walk something within contexts."""
        depth = len(self.where)
        self.where += contexts
        try:
            yield
        finally:
            del self.where[depth:]
