"""A warm-up and what follows it that do not meet."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.events import Event
from ..program.folding import usual_number
from ..program.values import NOTHING, Value, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import argument_node, fix, found

RULE = "scheduler-horizon-mismatch"
_COSINE = "torch.optim.lr_scheduler.CosineAnnealingLR"
_WARMUPS = ("torch.optim.lr_scheduler.LinearLR", "torch.optim.lr_scheduler.ConstantLR")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """A milestone that is not the end of the warm-up before it; a start factor of 0, which torch refuses."""
    for event in tree.course.calls("torch.optim.lr_scheduler.LinearLR"):
        start = usual_number(event.argument("start_factor", 1))
        if start is not None and not 0 < start <= 1:
            error = "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            yield found(RULE, tree, event.node, f"{error} Here it is {start:g}.", torch_error=error)
    for event in tree.course.calls("torch.optim.lr_scheduler.SequentialLR"):
        parts, milestones = event.argument("schedulers", 1), event.argument("milestones", 2)
        if parts is None or milestones is None:
            continue
        if parts.by != "list" or milestones.by != "list" or not parts.args or not milestones.args:
            continue
        late = _outlasts(tree, event, parts.args)
        if late is not None:
            yield found(
                RULE,
                tree,
                late.node or event.node,
                "T_max is no less than all steps of the training, of which the warm-up takes some: it ends before the cosine "
                "has come down. T_max is what is left after the warm-up.",
                *_less_the_warmup(tree, parts.args[0], late),
                related=[Related(tree.span(event.node), "it begins after the warm-up")],
            )
            continue
        first, milestone = parts.args[0], usual_number(milestones.args[0])
        early = _ends_early(tree, event, parts.args, milestone)
        if early is not None and (cosine := parts.args[1].node) is not None:
            yield found(
                RULE,
                tree,
                cosine,
                f"the cosine has come down after step {early[0]:g} of {early[1]:g}, and the rate climbs again from there. "
                "T_max is what is left after the warm-up.",
                related=[Related(tree.span(event.node), f"it begins at {milestone:g}")],
            )
            continue
        length = _length(first)
        if _is_multiple(first, milestones.args[0]):
            yield found(
                RULE,
                tree,
                event.node,
                "the warm-up takes a multiple of the steps after which the next schedule begins, as if those were epochs: "
                "the warm-up is cut off.",
                *_begins_at_its_end(tree, event, first),
                related=[Related(tree.span(first.node), "the warm-up")] if first.node is not None else [],
            )
            continue
        if length is None or milestone is None or length == milestone:
            continue
        if milestone > length and len(parts.args) > 1 and _decays(parts.args[1]):
            continue  # warm up, stay, decay
        ends = "is cut off" if milestone < length else "has long ended"
        yield found(
            RULE,
            tree,
            event.node,
            f"the warm-up takes {length:g} steps and the next schedule begins at {milestone:g}: the warm-up {ends}.",
            *_begins_at_its_end(tree, event, first),
            related=[Related(tree.span(first.node), "the warm-up")] if first.node is not None else [],
        )


def _begins_at_its_end(tree: Tree, made: Event, warmup: Value) -> tuple[Fix, ...]:
    """The next schedule begins when the warm-up ends, by the words in which that says how long it is."""
    call = made.node if isinstance(made.node, ast.Call) else None
    milestones = None if call is None else argument_node(call, "milestones", 2)
    length = _length_node(warmup)
    if not isinstance(milestones, ast.List) or length is None:
        return ()
    text = source(tree.text, length)
    return (fix(f"begin at {text}", replace(tree.text, milestones.elts[0], text)),)


def _less_the_warmup(tree: Tree, warmup: Value, cosine: Value) -> tuple[Fix, ...]:
    """What is left after the warm-up, by the words of both."""
    call = cosine.node if isinstance(cosine.node, ast.Call) else None
    whole = None if call is None else argument_node(call, "T_max", 1)
    length = _length_node(warmup)
    if whole is None or length is None:
        return ()
    taken = source(tree.text, length)
    text = f"{source(tree.text, whole)} - {taken if isinstance(length, ast.Name | ast.Attribute | ast.Constant) else f'({taken})'}"
    return (fix(f"T_max={text}", replace(tree.text, whole, text)),)


def _length_node(warmup: Value) -> ast.expr | None:
    place = 3 if warmup.by.endswith("LinearLR") else 2
    return argument_node(warmup.node, "total_iters", place) if isinstance(warmup.node, ast.Call) else None


def _decays(schedule: Value) -> bool:
    """Whether it goes down in a line from the full rate: it may begin wherever that was held long enough."""
    return (
        schedule.by == "torch.optim.lr_scheduler.LinearLR"
        and usual_number(schedule.argument("start_factor", 1)) == 1
    )


def _outlasts(tree: Tree, made: Event, parts: tuple[Value, ...]) -> Value | None:
    """The cosine after a warm-up that is as long as the one loop in which the schedule is stepped, or longer."""
    length = _cosine_after_warmup(made, parts)
    rounds = _rounds(tree, made)
    if length is None or not rounds:
        return None
    known = usual_number(length)
    steps = [usual_number(one) for one in rounds]
    alike = all(
        one is length or (known is not None and number is not None and number <= known)
        for one, number in zip(rounds, steps)
    )
    return parts[1] if alike else None


def _ends_early(
    tree: Tree, made: Event, parts: tuple[Value, ...], milestone: float | None
) -> tuple[float, float] | None:
    """The step at which a cosine after a warm-up has come down, and the steps that are made, if those are more."""
    length = usual_number(_cosine_after_warmup(made, parts))
    rounds = {usual_number(one) for one in _rounds(tree, made)}
    steps = rounds.pop() if len(rounds) == 1 else None
    if length is None or milestone is None or steps is None or steps <= milestone + length:
        return None
    return milestone + length, steps


def _cosine_after_warmup(made: Event, parts: tuple[Value, ...]) -> Value | None:
    """How long it is."""
    if made.value is None or len(parts) != 2 or parts[0].by not in _WARMUPS or parts[1].by != _COSINE:
        return None
    return parts[1].argument("T_max", 1)


def _rounds(tree: Tree, made: Event) -> list[Value]:
    """How often the loops go round in which a schedule is stepped, each of them the only one around; none if unknown."""
    steps = [one for one in tree.course.calls(".step") if one.on is not None and same(one.on, made.value)]
    if any(len(one.loops) != 1 or one.branches_in(one.loops[0]) for one in steps):
        return []
    overs = [one.loops[0].over for one in steps]
    rounds = [
        one.args[0] for one in overs if one is not None and one.by == "builtins.range" and len(one.args) == 1
    ]
    return rounds if len(rounds) == len(steps) else []


def _is_multiple(warmup: Value, milestone: Value) -> bool:
    """Whether a warm-up takes `epochs * steps` where the milestone is `epochs`."""
    given = warmup.argument("total_iters", 3 if warmup.by.endswith("LinearLR") else 2)
    if warmup.by not in _WARMUPS or given is None or given.by != "*" or milestone.const is not NOTHING:
        return False
    others = [one for one in given.args if one is not milestone]
    return len(others) == 1 and usual_number(others[0]) != 1


def _length(value: Value) -> float | None:
    if value.by not in _WARMUPS:
        return None
    given = value.argument("total_iters", 3 if value.by.endswith("LinearLR") else 2)
    return 5.0 if given is None else usual_number(given)
