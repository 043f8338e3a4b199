"""What the walk through a file writes down, and around what."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from .definitions import Function
from .values import Value, argument


@dataclass(eq=False, slots=True)
class Loop:
    """A loop around an event. `over`: what it goes over; None for a `while`."""

    node: ast.AST
    over: Value | None


@dataclass(eq=False, slots=True)
class Branch:
    """One way of several. Those of one `fork` exclude each other. `passed_over`: in this call another is taken.

    `taken`: in this call it is this one, by what is written.
    """

    fork: object
    arm: int
    node: ast.AST
    test: ast.expr | None = None
    passed_over: bool = False
    taken: bool = False


@dataclass(eq=False, slots=True)
class Within:
    """A `with` block, or the decorator of a function: what `value` switches on holds."""

    value: Value
    node: ast.AST


@dataclass(eq=False, slots=True)
class Entered:
    """A function of the file that was followed. `site`: the call, None where nothing in the file calls it."""

    function: Function
    site: ast.AST | None


Context = Loop | Branch | Within | Entered


@dataclass(eq=False, slots=True)
class Event:
    """One thing that the text does.

    `kind` and `name`:
    - `call`: a dotted path, `.method`, `()` for a value called as a layer is, `def` and `class` for what
      the file defines; `value` is the result, `on` the receiver;
    - `set`: attribute `name` of `on` is set to `args[0]`; `bind`: a variable `name` is;
    - `store`: `on[args[0]] = args[1]`; `augmented`: `on += args[0]`, with the new value in `value`;
    - `op`: an operator or comparison of `args`; `index`: `on[args[0]]` is read;
    - `return`, `yield`: of `args[0]`.
    `followed`: a function of the file, whose own events come next. `where`: what is around it, across
    calls, from outside. `root`: events of different roots have no order.
    """

    kind: str
    name: str
    node: ast.AST
    where: tuple[Context, ...]
    index: int
    root: int
    on: Value | None = None
    args: tuple[Value, ...] = ()
    kwargs: dict[str, Value] = field(default_factory=dict)
    value: Value | None = None
    followed: bool = False

    def argument(self, name: str, position: int | None = None) -> Value | None:
        """An argument by keyword or by place (from 0)."""
        return argument(self.args, self.kwargs, name, position)

    @property
    def loops(self) -> list[Loop]:
        """The loops around it, from outside. A comprehension is one for what it calls, not for what it says itself."""
        own = max((at for at, one in enumerate(self.where) if isinstance(one, Entered)), default=-1)
        return [
            one
            for at, one in enumerate(self.where)
            if isinstance(one, Loop) and (at < own or isinstance(one.node, _LOOPS))
        ]

    @property
    def function(self) -> Function | None:
        """The function in which it is written."""
        return next((one.function for one in reversed(self.where) if isinstance(one, Entered)), None)

    @property
    def in_forward(self) -> bool:
        """Whether it is written in the forward of a module."""
        function = self.function
        return (
            function is not None
            and function.name == "forward"
            and function.cls is not None
            and function.cls.is_module
        )

    def called_by(self, method: str) -> bool:
        """Whether it is written in a method of this name, or in one of the same class that such a method calls."""
        function = self.function
        return function is not None and any(
            isinstance(one, Entered)
            and one.function.name == method
            and one.function.cls is function.cls is not None
            for one in self.where
        )

    def inside(self, context: Context) -> bool:
        """Whether something is around it."""
        return any(one is context for one in self.where)

    @property
    def passed_over(self) -> bool:
        """Whether it is on a way that is not taken in this call, by what is written."""
        return any(isinstance(one, Branch) and one.passed_over for one in self.where)

    def branches_in(self, context: Context | None) -> list[Branch]:
        """The branches around it that lie within something."""
        around = self.where
        if context is not None:
            at = next((i for i, one in enumerate(around) if one is context), None)
            around = around if at is None else around[at + 1 :]
        return [one for one in around if isinstance(one, Branch)]

    def inputs(self) -> Iterator[Value]:
        """What a call is given: arguments, not the receiver."""
        yield from self.args
        yield from self.kwargs.values()


_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def exclusive(left: Event, right: Event) -> bool:
    """Whether two events can never both happen in one run of what is around both."""
    arms = {id(one.fork): one.arm for one in left.where if isinstance(one, Branch)}
    return any(isinstance(one, Branch) and arms.get(id(one.fork), one.arm) != one.arm for one in right.where)


def only_with(left: Event, right: Event) -> bool:
    """Whether what leads to one has led to the other: no branch is around the other that is not around it too."""
    mine = {(id(one.fork), one.arm) for one in left.where if isinstance(one, Branch)}
    return all((id(one.fork), one.arm) in mine for one in right.branches_in(None))


def common_loop(left: Event, right: Event) -> Loop | None:
    """The innermost loop around both."""
    mine = {id(one) for one in left.loops}
    return next((one for one in reversed(right.loops) if id(one) in mine), None)
