"""Names that a broken line would have bound: made unknown where the line stands, not left stale."""

from __future__ import annotations

import ast
import bisect

from ...vocabulary.blocks import first_line

_ATTRIBUTE = "_shapewise_poison"


def plant(tree: ast.Module, broken: dict[int, tuple[str, ...]]) -> None:
    """Put a marked statement for each broken line into the block that the line stands in."""
    for line, names in broken.items():
        if names:
            block, index = _place(tree.body, line, names)
            marker = ast.Expr(ast.Constant(0))
            neighbour = block[min(index, len(block) - 1)] if block else None
            marker = ast.copy_location(marker, neighbour) if neighbour is not None else marker
            ast.fix_missing_locations(marker)
            setattr(marker, _ATTRIBUTE, names)
            block.insert(index, marker)


def poisoned_names(node: ast.stmt) -> tuple[str, ...] | None:
    """The names of a planted statement, or None for any other."""
    return getattr(node, _ATTRIBUTE, None)


def _place(block: list[ast.stmt], line: int, names: tuple[str, ...]) -> tuple[list[ast.stmt], int]:
    """The innermost block around a line, and the index at which its poison goes.

    A definition whose own header is broken is poisoned behind it: what it defines
    is not what was meant.
    """
    index = bisect.bisect_left(block, line, key=first_line)
    above = index - 1
    while above > 0 and poisoned_names(block[above]) is not None:
        above -= 1
    if above >= 0 and (block[above].end_lineno or block[above].lineno) >= line:
        inner = _inner(block[above], line)
        return (block, index) if inner is None else _place(inner, line, names)
    if index < len(block) and getattr(block[index], "name", None) in names:
        return block, index + 1
    return block, index


def _inner(node: ast.stmt, line: int) -> list[ast.stmt] | None:
    """The block of a compound statement that a line stands in."""
    blocks = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
    blocks += [handler.body for handler in getattr(node, "handlers", ())]
    blocks += [case.body for case in getattr(node, "cases", ())]
    holding = [block for block in blocks if block and first_line(block[0]) <= line]
    return max(holding, key=lambda block: first_line(block[0])) if holding else None
