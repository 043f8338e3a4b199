"""A whole hover of an op: the concepts, most telling first."""

from __future__ import annotations

from collections.abc import Sequence

from ...vocabulary.events import Tensor
from . import broadcasting, call, flops, holds, layout, memory, patterns, saved
from .run import Run
from .words import strides

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
        more = len(calls) - _CALLS
        least = "at least " if len(runs) > _RUNS else ""
        lines.append(f"# and {least}{more} other {'call' if more == 1 else 'calls'}")
    table, *others = [block if all(block in blocks for blocks in every) else "" for block in every[0][1:]]
    if table:
        lines += ["", table]
    return [_fenced("\n".join(lines), "python"), *filter(None, others)]


def _blocks(run: Run) -> list[str]:
    return [
        call.told(run),
        broadcasting.told(run) or "",
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
    costs = [words for words in (flops.told(run), memory.amount(run)) if words]
    if costs and result.requires_grad:
        costs.append("requires grad, a leaf" if result.leaf else "requires grad")
    return " · ".join(costs)


def _layout(run: Run) -> str:
    """How the result lies in memory, where its elements do not simply follow each other."""
    result = run.result
    if result is None or result.stride is None or run.made_up:
        return ""
    return layout_block(result, f"Strides {strides(result.stride)}: where its first elements lie in memory")


def layout_block(tensor: Tensor, title: str = "Where its first elements lie in memory") -> str:
    """The picture under a title; empty where the elements simply follow each other."""
    picture = layout.picture(tensor)
    return f"{title}:\n{_fenced(picture, 'text')}" if picture is not None else ""


def _fenced(text: str, language: str) -> str:
    return f"```{language}\n{text}\n```"
