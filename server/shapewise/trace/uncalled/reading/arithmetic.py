"""Sums and products that are asked for what only tensors have: their terms are tensors."""

from __future__ import annotations

import ast
from collections.abc import Container


def is_term_of_a_tensor(use: ast.AST, name: str, asked: Container[str]) -> bool:
    """Whether a parameter is a term of what is asked as a tensor: `(logits / t).softmax(-1)`, `(a - b).pow(2)`.

    What is divided by, or multiplied with, may be a number.
    """
    return isinstance(use, ast.Attribute) and use.attr in asked and name in _terms(use.value)


def _terms(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.UnaryOp):
        return _terms(node.operand)
    if not isinstance(node, ast.BinOp):
        return set()
    both = isinstance(node.op, (ast.Add, ast.Sub))
    return _terms(node.left) | (_terms(node.right) if both else set())
