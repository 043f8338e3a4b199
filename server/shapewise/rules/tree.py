"""The syntax tree that rules look at, by the places that events name."""

from __future__ import annotations

import ast
from typing import TypeVar

from ..fixes.text import text_map
from ..vocabulary.span import Span

N = TypeVar("N", bound=ast.AST)


class Tree:
    """A parsed text whose nodes are found by their span. `text` is what fixes are written against."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._nodes: dict[Span, list[ast.AST]] | None = None

    def at(self, span: Span, kind: type[N]) -> N | None:
        """The node of a kind that stands exactly there."""
        if self._nodes is None:
            places = text_map(self.text)
            self._nodes = {}
            for node in ast.walk(ast.parse(self.text)):
                if isinstance(node, (ast.expr, ast.stmt)):
                    self._nodes.setdefault(places.span(node), []).append(node)
        return next((node for node in self._nodes.get(span, ()) if isinstance(node, kind)), None)

    def span(self, node: ast.expr | ast.stmt) -> Span:
        """Where a node stands."""
        return text_map(self.text).span(node)
