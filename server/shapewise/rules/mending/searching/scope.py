"""The values that expressions and names had when a call was refused."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ....edits.text import text_map
from ....program.names import imported
from ....vocabulary.events import Bound, Event, Op, Other, Scalar, Tensor, Value
from ....vocabulary.span import Span

if TYPE_CHECKING:
    from ...asking.refusals import Refusal


@dataclass(frozen=True)
class Scope:
    """What is known of the values around a refused call."""

    refusal: Refusal

    @cached_property
    def _values(self) -> dict[Span, Value]:
        """By the place of an expression: the last before the refused call, in its file."""
        found = dict[Span, Value]()
        for event in self._events:
            found[event.span] = event.value if isinstance(event, Bound) else event.result
        return found

    @cached_property
    def _ops(self) -> dict[Span, Op]:
        """The calls by their places."""
        ops = [event for event in (*self._events, self.refusal.op) if isinstance(event, Op)]
        return {op.span: op for op in ops}

    @cached_property
    def _events(self) -> tuple[Event, ...]:
        """What happened in the file up to the refused call."""
        log, found = self.refusal.log, list[Event]()
        for event in log.events:
            if event is self.refusal.op:
                break
            if log.frames[event.frame].file == log.file:
                found.append(event)
        return tuple(found)

    @cached_property
    def names(self) -> dict[str, Value]:
        """The names of the function in which the call is refused."""
        mine = [one for one in self._events if isinstance(one, Bound) and one.frame == self.refusal.op.frame]
        return {one.name: one.value for one in mine if one.name.isidentifier()}

    @cached_property
    def tensors(self) -> dict[str, Tensor]:
        """The names that are tensors."""
        return {name: value for name, value in self.names.items() if isinstance(value, Tensor)}

    def value(self, node: ast.expr) -> Value | None:
        """The value of an expression, if it is known."""
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, bool, str)):
            return Scalar(node.value)
        found = self._values.get(text_map(self.refusal.tree.text).span(node))
        if found is None:
            found = self._as_argument(node)
        if found is None and isinstance(node, ast.Name):
            return self.names.get(node.id)
        return found

    def _as_argument(self, node: ast.expr) -> Value | None:
        """What a call was given for it."""
        call = self.refusal.tree.course.places.parent(node)
        op = (
            self._ops.get(text_map(self.refusal.tree.text).span(call)) if isinstance(call, ast.Call) else None
        )
        if not isinstance(call, ast.Call) or op is None or node not in call.args:
            return None
        at = call.args.index(node) - len(call.args)  # from the end: a method's first is what it is called on
        return op.args[at] if -at <= len(op.args) else None

    def op(self, call: ast.Call) -> Op | None:
        """What happened at a call, the last time before the refused one."""
        return self._ops.get(text_map(self.refusal.tree.text).span(call))

    def numbers(self, call: ast.Call) -> dict[str, int]:
        """The names that are whole numbers where a call stands."""
        op = self.op(call)
        mine = [
            one for one in self._events if op is not None and isinstance(one, Bound) and one.frame == op.frame
        ]
        return {
            one.name: one.value.value
            for one in mine
            if isinstance(one.value, Scalar) and type(one.value.value) is int and one.name.isidentifier()
        }

    @cached_property
    def modules(self) -> frozenset[str]:
        """The names that stand for modules, or for what is imported."""
        found = set[str]()
        for node in self.refusal.tree.course.places.nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                found.update(imported(node))
        return frozenset(found)

    def is_of_a_module(self, func: ast.expr) -> bool:
        """Whether a function is asked of a module, `F.relu`, and not of a value."""
        while isinstance(func, ast.Attribute):
            func = func.value
        return isinstance(func, ast.Name) and func.id in self.modules

    def given(self) -> list[tuple[ast.expr, Value]]:
        """The arguments of the refused call as they are written, keywords too, each with its value."""
        refusal = self.refusal
        found = list(zip(refusal.written, refusal.op.args)) if refusal.written else []
        call = refusal.tree.at(refusal.op.span, ast.Call)
        if call is not None:
            if not found and len(call.args) == len(refusal.op.args):
                found = list(zip(call.args, refusal.op.args))
            keywords = dict(refusal.op.kwargs)
            found += [(one.value, keywords[one.arg]) for one in call.keywords if one.arg in keywords]
        return found


def is_callable(value: Value | None) -> bool:
    """Whether a value is a function, a method or a class rather than what that gives."""
    kinds = ("method", "function", "builtin_function_or_method", "type", "method_descriptor")
    return isinstance(value, Other) and value.type in kinds
