"""How the text names what an op is given."""

from __future__ import annotations

import ast


def operands(expression: str, name: str) -> tuple[str, ...]:
    """The texts of an op's arguments, what it is called on first; empty where that cannot be told.

    `expression` is the text of the op alone: a call, an operator, an index, an attribute, `x += y`. `name`
    is what the log calls it: a function (`torch.cat`), a layer (`nn.Linear()`), else a method.
    """
    for mode, text in (("eval", f"({expression}\n)"), ("exec", expression)):
        try:
            tree = ast.parse(text, mode=mode)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        node: ast.AST = tree.body if isinstance(tree, ast.Expression) else tree.body[0]  # type: ignore[attr-defined]
        return tuple(ast.get_source_segment(text, one) or "" for one in _operands(node, name))
    return ()


def _operands(node: ast.AST, name: str) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        if any(isinstance(arg, ast.Starred) for arg in node.args):
            return []
        if name.endswith("()"):
            return [node.func, *node.args]
        is_method = isinstance(node.func, ast.Attribute) and "." not in name
        return [node.func.value, *node.args] if is_method else node.args  # type: ignore[attr-defined]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Subscript):
        return [node.value, node.slice]
    if isinstance(node, ast.Attribute):
        return [node.value]
    return [node.operand] if isinstance(node, ast.UnaryOp) else []
