"""What rules look at beside the log: the syntax tree by the places that events name, and the course of the text."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from ...edits.text import text_map
from ...program.course import Course, course_of
from ...program.training import Training
from ...stale import look
from ...vocabulary.events import Log, Op
from ...vocabulary.span import Span
from .certain import certain

if TYPE_CHECKING:
    from ..mending.upstream import Mends

N = TypeVar("N", bound=ast.AST)


class Tree:
    """A parsed text whose nodes are found by their span. `text` is what fixes are written against.

    `tried`: the log with what happened on inputs that were made up, which other logs are without.
    """

    def __init__(self, text: str, tried: Log | None = None) -> None:
        self.text = text
        self.tried = tried
        self.mends: dict[Span, Mends] = {}
        """What may have been meant, by the place of a call that torch refuses."""
        self._nodes: dict[int, list[ast.expr | ast.stmt]] | None = None
        """By their first line: to turn the places of all into spans takes half a second for 5,000 lines."""

    @cached_property
    def course(self) -> Course:
        """Every call that is written, on which object, in which order."""
        return course_of(self.text)

    @cached_property
    def training(self) -> Training:
        """The calls of training loops: backward, step, zeroing."""
        return Training(self.course)

    @cached_property
    def made_up(self) -> Log | None:
        """What was tried on inputs that were made up, of functions that did not run otherwise; None if that is nothing.

        Without what depends on an input of which nobody knows the rank: another one may be meant.
        """
        log = self.tried
        if log is None or not any(frame.assumed for frame in log.frames):
            return None
        frames = {frame.id for frame in log.frames if frame.assumed and frame.file == log.file}
        ran = {log.frames[event.frame].scope for event in log.events if not log.frames[event.frame].assumed}
        events = tuple(
            certain(
                event
                for event in log.events
                if event.frame in frames and log.frames[event.frame].scope not in ran
            )
        )
        return replace(log, events=events) if events else None

    @cached_property
    def refused(self) -> Log | None:
        """What was tried on inputs that were made up, if torch refused some of it: whatever is given, then."""
        log = self.tried
        if log is None:
            return None
        made_up = {frame.id for frame in log.frames if frame.assumed and frame.file == log.file}
        events = tuple(event for event in log.events if event.frame in made_up)
        failed = any(isinstance(event, Op) and event.failure is not None for event in events)
        return replace(log, events=events) if failed else None

    def at(self, span: Span, kind: type[N]) -> N | None:
        """The node of a kind that stands exactly there. Raises Stale."""
        look()
        if self._nodes is None:
            self._nodes = {}
            for node in self.course.places.nodes:
                if isinstance(node, (ast.expr, ast.stmt)):
                    self._nodes.setdefault(node.lineno, []).append(node)
        places = text_map(self.text)
        for node in self._nodes.get(span.line, ()):
            if node.end_lineno == span.end_line and places.span(node) == span and isinstance(node, kind):
                return node
        return None

    def span(self, node: ast.AST) -> Span:
        """Where a node stands; of a function or class, its header's name line."""
        assert isinstance(node, (ast.expr, ast.stmt, ast.keyword, ast.arg, ast.alias))
        places = text_map(self.text)
        span = places.span(node)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            line = places.line(node.lineno)
            return Span(span.line, span.column, span.line, len(line.rstrip()))
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.If)):
            return Span(span.line, span.column, span.line, len(places.line(node.lineno).rstrip()))
        return span
