"""Correct scripts with one thing broken in each: a width, a dim, a transpose, a kept dim, a dtype."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """A text, what was changed in it, and in which line (from 1)."""

    text: str
    kind: str
    line: int
    change: str


@dataclass(frozen=True)
class _Edit:
    node: ast.expr | ast.keyword
    new: str
    kind: str


_LAYERS = frozenset(
    "Linear Conv1d Conv2d ConvTranspose2d BatchNorm1d BatchNorm2d LayerNorm Embedding LSTM GRU".split()
)
_MADE = frozenset("randn rand zeros ones empty full randint".split())
_TURNS = frozenset("transpose permute t swapaxes".split())
_DIMS = frozenset("unsqueeze squeeze flatten".split())
_CASTS = frozenset("float long double".split())


def mutants(text: str, count: int, seed: int = 0) -> list[Mutant]:
    """Up to `count` of a text, kinds dealt evenly."""
    by_kind: dict[str, list[_Edit]] = {}
    for edit in _edits(ast.parse(text)):
        by_kind.setdefault(edit.kind, []).append(edit)
    chance = random.Random(seed)
    for edits in by_kind.values():
        chance.shuffle(edits)
    found: list[Mutant] = []
    kinds = sorted(by_kind)
    chance.shuffle(kinds)
    while len(found) < count and any(by_kind.values()):
        for kind in kinds:
            if by_kind[kind] and len(found) < count:
                mutant = _mutant(text, by_kind[kind].pop())
                if mutant is not None:
                    found.append(mutant)
    return found


def _edits(tree: ast.Module) -> Iterator[_Edit]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            if (
                isinstance(node, ast.Attribute)
                and node.attr in ("T", "mT")
                and isinstance(node.ctx, ast.Load)
            ):
                yield _Edit(node, ast.unparse(node.value), "transpose")
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        value = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name in _LAYERS:
            for arg in node.args[:2]:
                if not (isinstance(arg, ast.Constant) and type(arg.value) is not int):
                    yield _Edit(arg, f"({ast.unparse(arg)}) + 1", "width")
        if name in _MADE and len(node.args) > 1:
            for arg in node.args[1:]:
                if isinstance(arg, ast.Constant) and type(arg.value) is int:
                    yield _Edit(arg, str(arg.value + 1), "width")
        if value is not None and name in _TURNS and not _is_torch(value):
            yield _Edit(node, ast.unparse(value), "transpose")
        if value is not None and name in _DIMS and not _is_torch(value):
            yield _Edit(node, ast.unparse(value), "rank")
        if value is not None and name in _CASTS and not node.args and not _is_torch(value):
            yield _Edit(node, ast.unparse(value), "dtype")
        for keyword in node.keywords:
            if keyword.arg == "keepdim":
                yield _Edit(keyword, "keepdim=False", "keepdim")
            if keyword.arg == "dtype" and name in _MADE | {"tensor", "arange"}:
                other = "torch.float64" if "float" in ast.unparse(keyword.value) else "torch.float32"
                yield _Edit(keyword, f"dtype={other}", "dtype")
            if keyword.arg == "dim" and isinstance(keyword.value, (ast.Constant, ast.UnaryOp)):
                number = ast.literal_eval(keyword.value)
                if type(number) is int:
                    yield _Edit(keyword, f"dim={0 if number else 1}", "dim")


def _is_torch(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("torch", "F", "np", "nn")


def _mutant(text: str, edit: _Edit) -> Mutant | None:
    """The text with one edit made, if it still parses."""
    lines = text.split("\n")
    node = edit.node
    if node.lineno != node.end_lineno:
        return None
    raw = lines[node.lineno - 1].encode()
    old = raw[node.col_offset : node.end_col_offset].decode()
    lines[node.lineno - 1] = (
        raw[: node.col_offset] + edit.new.encode() + raw[node.end_col_offset :]
    ).decode()
    changed = "\n".join(lines)
    try:
        ast.parse(changed)
    except SyntaxError:
        return None
    return Mutant(changed, edit.kind, node.lineno, f"{old} -> {edit.new}")
