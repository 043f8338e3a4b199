"""Correct files with one thing broken in each.

| kind | what is broken |
|---|---|
| width | one more feature, channel, row: of a layer that is built, or a tensor that is made |
| dim | another dim in `softmax`, `mean`, `argmax`, `cat`, ... |
| keepdim | a kept dim is dropped |
| transpose | a transpose, a permute is left out |
| order | two neighbours change places in `view`, `reshape`, `permute` |
| rank | `unsqueeze`, `squeeze`, `flatten` is left out |
| dtype | a cast is left out, or another dtype is asked for |
| batch_first | a layer takes the batch for time |
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass

KINDS = ("width", "dim", "keepdim", "transpose", "order", "rank", "dtype", "batch_first")


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
    "Linear Conv1d Conv2d ConvTranspose1d ConvTranspose2d BatchNorm1d BatchNorm2d LayerNorm Embedding LSTM GRU".split()
)
_RANDOM = frozenset("randn rand".split())
_MADE = _RANDOM | frozenset("zeros ones empty full randint".split())
_TURNS = frozenset("transpose permute t swapaxes".split())
_RANKS = frozenset("unsqueeze squeeze flatten".split())
_CASTS = frozenset("float long double".split())
_ALONG = frozenset(
    "softmax log_softmax mean sum std var max min argmax argmin amax amin norm normalize logsumexp cumsum cumprod cat "
    "stack sort topk chunk split prod any all Softmax LogSoftmax".split()
)
_CUTS = frozenset("view reshape permute".split())


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
        turned = (
            isinstance(node, ast.Attribute) and node.attr in ("T", "mT") and isinstance(node.ctx, ast.Load)
        )
        if turned and ast.unparse(node.value) != "self":  # a number of the object's own, T steps
            yield _Edit(node, ast.unparse(node.value), "transpose")
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield from _in_arguments(node, name)
            if isinstance(node.func, ast.Attribute):
                yield from _in_a_chain(node, name, node.func.value)


def _in_arguments(node: ast.Call, name: str) -> Iterator[_Edit]:
    if name in _LAYERS:
        for arg in node.args[:2]:
            if not (isinstance(arg, ast.Constant) and type(arg.value) is not int):
                yield _Edit(arg, f"({ast.unparse(arg)}) + 1", "width")
    if name in _MADE and len(node.args) > 1:
        for arg in node.args[1:]:
            if isinstance(arg, ast.Constant) and type(arg.value) is int:
                yield _Edit(arg, str(arg.value + 1), "width")
    for keyword in node.keywords:
        if keyword.arg in ("keepdim", "keepdims") and _constant(keyword.value) is True:
            yield _Edit(keyword, f"{keyword.arg}=False", "keepdim")
        if keyword.arg == "batch_first" and _constant(keyword.value) is True:
            yield _Edit(keyword, "batch_first=False", "batch_first")
        if keyword.arg == "dtype" and name in _MADE | {"tensor", "arange"}:
            other = "torch.float64" if "float" in ast.unparse(keyword.value) else "torch.float32"
            yield _Edit(keyword, f"dtype={other}", "dtype")
        if keyword.arg in ("dim", "axis") and name in _ALONG:
            for other_dim in _beside(_constant(keyword.value)):
                yield _Edit(keyword, f"{keyword.arg}={other_dim}", "dim")


def _in_a_chain(node: ast.Call, name: str, value: ast.expr) -> Iterator[_Edit]:
    """What a call does to the value that it is made on, or to the first argument of a function of torch."""
    of_torch = _is_torch(value)
    given = node.args[0] if of_torch and node.args else value
    rest = node.args[1:] if of_torch else node.args
    if of_torch and (not node.args or isinstance(given, ast.Starred)):
        return
    if name in _TURNS:
        yield _Edit(node, ast.unparse(given), "transpose")
    if name in _RANKS:
        yield _Edit(node, ast.unparse(given), "rank")
    if name in _CASTS and not node.args:
        yield _Edit(node, ast.unparse(given), "dtype")
    if name in _ALONG and rest and name not in ("cat", "stack", "chunk", "split", "norm", "topk"):
        for other_dim in _beside(_constant(rest[0])):
            yield _Edit(rest[0], str(other_dim), "dim")
    if name in _CUTS and len(rest) > 1:
        for i in range(len(rest) - 1):
            one, other = ast.unparse(rest[i]), ast.unparse(rest[i + 1])
            parts = [ast.unparse(arg) for arg in node.args]
            at = i + len(node.args) - len(rest)
            parts[at], parts[at + 1] = other, one
            if one != other:
                yield _Edit(node, f"{ast.unparse(node.func)}({', '.join(parts)})", "order")


def _constant(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _beside(dim: object) -> tuple[int, ...]:
    """Dims that somebody might write in the place of this one."""
    return _OTHERS.get(dim, ()) if type(dim) is int else ()


_OTHERS = {-1: (-2, 1, 0), 1: (0, 2), 0: (1,), 2: (1,), -2: (-1,), 3: (2,)}


def _is_torch(node: ast.expr) -> bool:
    return ast.unparse(node) in ("torch", "F", "np", "nn", "torch.nn", "torch.nn.functional")


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
