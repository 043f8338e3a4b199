"""Gradients clipped where there are none yet, or when the step is already done."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..program.events import Entered, Event
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.gradients import CLIPS
from .asking.moving import moved
from .asking.tree import Tree
from .telling.found import found

RULE = "clip-wrong-place"
_METHODS = (".clip_grad_norm_", ".clip_grad_value_")
"""Of accelerate's, and of models whose parameters are spread over cards."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every clipping before the backward, or after the step, of its round."""
    training = tree.training
    for clip in tree.course.calls(*CLIPS, *_METHODS):
        protocol = [one.event for one in training.backwards] + [one.event for one in training.steps]
        backs = [back.event for back in training.backwards if _together(back.event, clip, protocol)]
        steps = [step.event for step in training.steps if _together(step.event, clip, protocol)]
        if not backs or not steps:
            continue
        earlier = [one for one in backs if one.index < clip.index]
        if not earlier and all(clip.index < one.index for one in steps):
            yield found(
                RULE,
                tree,
                _said(clip, steps[0]),
                "the gradients are clipped before backward has computed them: the step uses them unclipped. "
                "Clip between backward and step.",
                *moved(tree, "clip after backward", _said(clip, steps[0]), backs[-1].node, behind=True),
                related=[Related(tree.span(backs[0].node), "the gradients are computed here")],
            )
        elif earlier and all(one.index < clip.index for one in steps):
            if any(earlier[-1].index < one.index for one in steps):
                yield found(
                    RULE,
                    tree,
                    _said(clip, steps[-1]),
                    "the gradients are clipped after the step has used them. Clip between backward and step.",
                    *moved(tree, "clip before the step", _said(clip, steps[-1]), steps[0].node, behind=False),
                    related=[Related(tree.span(steps[-1].node), "the step")],
                )


def _said(clip: Event, step: Event) -> ast.AST:
    """Where the function that steps says it: the clipping itself, or the call of the helper that clips."""
    helper = next((one for one in clip.where if isinstance(one, Entered) and not step.inside(one)), None)
    return clip.node if helper is None or helper.site is None else helper.site


def _together(left: Event, clip: Event, protocol: list[Event]) -> bool:
    """Whether both are in one round of the same loop, and in one function or what it calls.

    The clipping may be in loops of its own, over modules or groups of parameters, in which nothing else happens.
    """
    around = left.loops
    own = clip.loops[len(around) :]
    if left.root != clip.root or [id(loop) for loop in around] != [
        id(loop) for loop in clip.loops[: len(around)]
    ]:
        return False
    if any(one.inside(loop) for loop in own for one in protocol):
        return False
    return left.function in (None, clip.function) or any(
        isinstance(one, Entered) and clip.inside(one) for one in left.where
    )
