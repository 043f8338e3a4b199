"""A whole hover of an op: the concepts, most telling first."""

from __future__ import annotations

from collections.abc import Sequence

from ...vocabulary.events import Tensor
from . import broadcasting, call, flops, holds, layout, memory, patterns, saved
from .run import Run

_RUNS = 64
"""Runs that are looked at; a loop may have had thousands."""

_CALLS = 3
"""Different calls that are shown."""


def card(runs: Sequence[Run]) -> list[str]:
    """What holds for every run of a place, as blocks of Markdown."""
    if any(not run.made_up for run in runs):
        runs = [run for run in runs if not run.made_up]
    every = [_blocks(run) for run in runs[:_RUNS]]
    calls = list(dict.fromkeys(blocks[0] for blocks in every))
    lines = calls if len(calls) == 1 else [call.replace("\n", " ") for call in calls[:_CALLS]]
    if len(calls) > _CALLS:
        lines.append(f"# and {len(calls) - _CALLS}{'' if len(runs) <= _RUNS else ' or more'} other calls")
    shown = [_fenced("\n".join(lines), "python")]
    first = every[0]
    shown += [block for block in first[1:] if block and all(block in blocks for blocks in every)]
    return shown


def _blocks(run: Run) -> list[str]:
    table = broadcasting.told(run)
    return [
        call.told(run),
        _fenced(table, "text") if table else "",
        patterns.told(run) or "",
        holds.told(run.weights) if run.weights is not None else "",
        memory.told(run) or "",
        _costs(run),
        saved.told(run) or "",
        _layout(run),
    ]


def _costs(run: Run) -> str:
    """FLOPs, bytes and whether a gradient flows, in one line."""
    result = run.result
    if result is None:
        return ""
    needs = ("requires grad, a leaf" if result.leaf else "requires grad") if result.requires_grad else ""
    return " · ".join(filter(None, (flops.told(run), memory.amount(run), needs)))


def _layout(run: Run) -> str:
    """How the result lies in memory, where its elements do not simply follow each other."""
    return "" if run.result is None or run.made_up else layout_block(run.result)


def layout_block(tensor: Tensor) -> str:
    """The picture under its strides; empty where the elements simply follow each other."""
    picture = layout.picture(tensor)
    if picture is None or tensor.stride is None:
        return ""
    return f"Where its elements lie in memory:\n{_fenced(picture, 'text')}"


def _fenced(text: str, language: str) -> str:
    return f"```{language}\n{text}\n```"
