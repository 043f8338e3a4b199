"""A node is found by the span that an event names."""

from __future__ import annotations

import ast

from shapewise.rules.asking.tree import Tree
from shapewise.vocabulary.span import Span

TEXT = 'say("ä𝄞"); y = f(\n    "ö", g(1),\n)\n'


def test_nodes_are_found_by_columns_in_characters() -> None:
    tree = Tree(TEXT)
    for node in ast.walk(ast.parse(TEXT)):
        if isinstance(node, (ast.expr, ast.stmt)):
            found = tree.at(tree.span(node), type(node))
            assert found is not None and ast.dump(found) == ast.dump(node)
    assert isinstance(tree.at(Span(1, 15, 3, 1), ast.Call), ast.Call)


def test_nothing_stands_elsewhere_or_is_of_another_kind() -> None:
    tree = Tree(TEXT)
    assert tree.at(Span(1, 15, 3, 2), ast.Call) is None
    assert tree.at(Span(1, 15, 3, 1), ast.Name) is None
