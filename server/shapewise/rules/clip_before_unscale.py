"""Gradients clipped while they are still scaled."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_before
from ..program.course import Course
from ..program.events import Event, exclusive
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.gradients import CLIPS
from .asking.tree import Tree
from .telling.found import fix, found, text_of

RULE = "clip-before-unscale"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every clipping between a scaled backward and the scaler's step, without unscale_ in between."""
    training, course = tree.training, tree.course
    for clip in (*course.calls(*CLIPS), *_by_hand(course)):
        scaled = [
            back.event
            for back in training.backwards
            if back.scaler is not None and back.event.index < clip.index and back.event.root == clip.root
        ]
        steps = [
            step
            for step in training.steps
            if step.scaler is not None and step.event.index > clip.index and step.event.root == clip.root
        ]
        if not scaled or not steps:
            continue
        back, step = scaled[-1], steps[0]
        if exclusive(back, clip) or exclusive(step.event, clip):
            continue
        if any(back.index < one.index < clip.index for one in course.calls(".unscale_")):
            continue
        statement = course.places.statement(clip.node)
        call = step.event.node
        fixes = []
        if statement is not None and isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            scaler, optimizer = text_of(tree, call.func.value), text_of(tree, call.args[0])
            if scaler and optimizer and clip.function is step.event.function:
                edit = insert_before(tree.text, statement, f"{scaler}.unscale_({optimizer})")
                fixes = [fix(f"unscale first: {scaler}.unscale_({optimizer})", edit, safe=True)]
        yield found(
            RULE,
            tree,
            clip.node,
            "the gradients are still multiplied by the loss scale, often 65536: almost every one is above the limit, "
            "and is clipped to next to nothing. Call unscale_ before.",
            *fixes,
            related=[Related(tree.span(back.node), "scaled here")],
        )


def _by_hand(course: Course) -> list[Event]:
    """The gradients that are clamped one by one: `p.grad.clamp_(-1, 1)`."""
    return [
        event
        for event in course.calls(".clamp_", ".clip_")
        if event.on is not None
        and any(one.by == "." and one.name == "grad" for one in (event.on, event.on.on) if one)
    ]
