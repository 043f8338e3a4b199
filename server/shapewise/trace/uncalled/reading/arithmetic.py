"""Sums and products whose terms are tensors: they are asked for what only tensors have, or moved as only tensors are."""

from __future__ import annotations

import ast
from collections.abc import Container


def is_term_of_a_tensor(use: ast.AST, name: str, asked: Container[str]) -> bool:
    """Whether a parameter is a term of what is asked as a tensor: `(logits / t).softmax(-1)`, `(a - b).pow(2)`.

    What is divided by, or multiplied with, may be a number.
    """
    return isinstance(use, ast.Attribute) and use.attr in asked and name in _terms(use.value)


def is_moved_term(use: ast.AST, name: str, methods: Container[str]) -> bool:
    """Whether a parameter is computed with once it is brought to a device or a dtype: `pred - actual.to(pred.device)`."""
    return isinstance(use, ast.BinOp) and any(
        isinstance(side, ast.Call)
        and isinstance(side.func, ast.Attribute)
        and side.func.attr in methods
        and isinstance(side.func.value, ast.Name)
        and side.func.value.id == name
        for side in (use.left, use.right)
    )


def _terms(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.UnaryOp):
        return _terms(node.operand)
    if not isinstance(node, ast.BinOp):
        return set()
    both = isinstance(node.op, (ast.Add, ast.Sub))
    return _terms(node.left) | (_terms(node.right) if both else set())
