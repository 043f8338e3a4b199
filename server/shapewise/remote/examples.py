"""A refuted fact as a minimal example: the statement, on tensors as they were there."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from .facts import JudgedFact

Places = Sequence[Mapping[str, Any]]


def example(judged: JudgedFact, text: str, places: Places) -> str:
    """A few lines that can be pasted into a report; what the statement needs besides tensors is named."""
    statement = _statement(text, judged.fact.span.line)
    if statement is None:
        return ""
    scope = judged.fact.scope
    code = textwrap.dedent(_lines(text, statement))
    lines = ["import torch", ""]
    missing = []
    for name in _names(statement):
        seen = _seen(name, scope, statement.lineno, judged.file, places)
        if seen is None:
            missing.append(name)
        else:
            lines.append(f"{name} = {_literal(seen)}")
    lines += [f"# and: {', '.join(missing)}"] if missing else []
    lines += [code, f"# {judged.fact.name}: {_said(judged)}, but {judged.why}"]
    return "\n".join(lines)


def _statement(text: str, line: int) -> ast.stmt | None:
    """The innermost statement on a line, without the block of one that has some."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max(found, key=lambda node: (node.lineno, -(node.end_lineno or 0)), default=None)


def _lines(text: str, statement: ast.stmt) -> str:
    last = statement.end_lineno or statement.lineno
    body = getattr(statement, "body", None)
    if body:
        last = max(statement.lineno, body[0].lineno - 1)
    return "\n".join(text.split("\n")[statement.lineno - 1 : last])


def _names(statement: ast.stmt) -> list[str]:
    """What is read in a statement: names, and attributes of `self`."""
    header = ast.copy_location(statement, statement)
    body = {id(one) for name in ("body", "orelse", "finalbody") for one in getattr(header, name, ())}
    found: list[str] = []
    inside: set[int] = set()
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop(0)
        if id(node) in body:
            continue
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "self"
            and isinstance(node.ctx, ast.Load)
        ):
            found.append(f"self.{node.attr}")
            inside.add(id(node.value))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in inside:
            found.append(node.id)
        waiting += ast.iter_child_nodes(node)
    return [name for name in dict.fromkeys(found) if name not in ("torch", "F", "nn")]


def _seen(name: str, scope: str, line: int, file: str, places: Places) -> Mapping[str, Any] | None:
    """What a name last held before a line, or anywhere in its scope."""
    own = [
        place
        for place in places
        if (place["file"], place["scope"], place["name"]) == (file, scope, name) and place["seen"]
    ]
    before = [place for place in own if place["line"] < line] or own
    if not before:
        return None
    seen: Mapping[str, Any] = max(before, key=lambda place: place["line"])["seen"][0]
    return seen if seen["type"] in ("tensor", "int") else None


def _literal(seen: Mapping[str, Any]) -> str:
    if seen["type"] == "int":
        return str(seen["value"])
    floats = "float" in seen["dtype"] or "complex" in seen["dtype"]
    grad = ", requires_grad=True" if seen["requires_grad"] and floats else ""
    if seen["contiguous"]:
        return f"torch.{'randn' if floats else 'zeros'}({seen['shape']}, dtype=torch.{seen['dtype']}{grad})"
    return f"torch.empty_strided({seen['shape']}, {seen['stride']}, dtype=torch.{seen['dtype']}{grad})"


def _said(judged: JudgedFact) -> str:
    value = judged.fact.value
    shape = getattr(value, "shape", None)
    if shape is None:
        return "stated otherwise"
    said = [f"shape {list(shape)}"]
    for key in ("dtype", "device", "stride", "contiguous", "requires_grad"):
        stated = getattr(value, key)
        if stated is not None:
            said.append(f"{key} {list(stated) if isinstance(stated, tuple) else stated}")
    return ", ".join(said)
