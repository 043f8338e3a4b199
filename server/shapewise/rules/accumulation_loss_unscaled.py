"""Gradients of several batches added up, and the loss not divided by how many they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace
from ..program.events import Branch, Context, Entered, Event, Loop, common_loop
from ..program.ops import is_loss
from ..program.training import Backward, Step, Training
from ..program.values import GIVEN, Value, options_of, roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.rounds import every_few
from .asking.tree import Tree
from .telling.found import fix, found, text_of

RULE = "accumulation-loss-unscaled"
_CRITERIA = frozenset("criterion loss_fn loss_func loss_function".split())
"""Words for the argument that is a loss."""
_MICRO = re.compile(r"accum|micro", re.IGNORECASE)
"""Words for the parts of one batch."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every backward of each batch with a step every few, of a mean that is not scaled."""
    training = tree.training
    if training.managed:
        return
    for step in training.steps:
        for back in training.backwards:
            loop = common_loop(back.event, step.event)
            if back.event.root != step.event.root:
                continue
            inner = _of_micro_batches(tree, back.event, step.event) or _draws(tree, back.event, step.event)
            if inner and (is_loss(back.loss) or _is_called_so(back.loss)) and not _scaled(back.loss):
                yield _found(tree, back.event, step.event)
                return
            around = loop or _method(back.event, step.event)
            if around is None or back.event.branches_in(around) or _has_its_own(training, back, step, around):
                continue
            counted = [
                b.test
                for b in step.event.branches_in(around)
                if b.arm == 0 and (every_few(tree, b.test) or _counts_up(b))
            ]
            counted += _skipped(tree, loop, back.event, step.event) if loop is not None else []
            if counted and (is_loss(back.loss) or _is_called_so(back.loss)) and not _scaled(back.loss):
                yield _found(tree, back.event, step.event, *_fixes(tree, back.event.node, counted[0]))
                return


def _found(tree: Tree, back: Event, step: Event, *fixes: Fix) -> Finding:
    return found(
        RULE,
        tree,
        back.node,
        "the gradients of several batches are added up, and each loss is a mean over one batch: "
        "divide the loss by the number of batches, or the step is that many times as large.",
        *fixes,
        related=[Related(tree.span(step.node), "the step of several batches")],
    )


def _has_its_own(training: Training, back: Backward, step: Step, around: Context) -> bool:
    """Whether each of its gradients goes into another step right away: of a critic whose actor is updated every second time."""
    return any(
        back.event.index < other.event.index < step.event.index
        and other.event.root == back.event.root
        and not other.event.branches_in(around)
        for other in training.steps
    )


def _of_micro_batches(tree: Tree, back: Event, step: Event) -> bool:
    """Whether the innermost loop around a backward is one of micro-batches by its own words, and the step comes after it."""
    loop = back.loops[-1] if back.loops else None
    if loop is None or step.inside(loop) or step.index < back.index or back.branches_in(loop):
        return False
    over = loop.node.iter if isinstance(loop.node, ast.For) else None
    return over is not None and _MICRO.search(text_of(tree, over)) is not None


def _draws(tree: Tree, back: Event, step: Event) -> bool:
    """Whether the innermost loop around a backward counts rounds and takes a batch in each, and the step comes after it."""
    loop = back.loops[-1] if back.loops else None
    if loop is None or loop.over is None or loop.over.by != "builtins.range" or back.branches_in(loop):
        return False
    after = step.index > back.index and [id(one) for one in step.loops] == [
        id(one) for one in back.loops[:-1]
    ]
    return after and any(one.inside(loop) for one in tree.course.calls("builtins.next"))


def _method(back: Event, step: Event) -> Entered | None:
    """The method, called for each batch, that goes backward and counts until it steps."""
    entered = [[one for one in event.where if isinstance(one, Entered)][-1:] for event in (back, step)]
    if entered[0] != entered[1] or not entered[0] or back.loops or step.loops or step.index < back.index:
        return None
    return entered[0][0] if entered[0][0].function.cls is not None else None


def _fixes(tree: Tree, backward: ast.AST | None, test: ast.expr | None) -> list[Fix]:
    """`(loss / 4).backward()` where the step is asked for by `(i + 1) % 4 == 0`."""
    if not isinstance(backward, ast.Call) or not isinstance(backward.func, ast.Attribute) or test is None:
        return []
    counts = [
        node.right for node in ast.walk(test) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)
    ]
    loss = backward.func.value
    text, count = text_of(tree, loss), text_of(tree, counts[0]) if counts else ""
    simple = isinstance(loss, (ast.Name, ast.Attribute, ast.Call))
    if len(counts) != 1 or not isinstance(counts[0], (ast.Name, ast.Attribute, ast.Constant)) or not simple:
        return []
    return (
        [fix("divide by the number of batches", replace(tree.text, loss, f"({text} / {count})"))]
        if text
        else []
    )


def _counts_up(branch: Branch) -> bool:
    """Whether a branch is taken when a counter has come to a number, and begins it anew."""
    if not isinstance(branch.test, ast.Compare) or not isinstance(branch.node, ast.If):
        return False
    compared = {ast.unparse(one) for one in (branch.test.left, *branch.test.comparators)}
    return any(
        isinstance(one, ast.Assign)
        and isinstance(one.value, ast.Constant)
        and one.value.value == 0
        and any(ast.unparse(target) in compared for target in one.targets)
        for one in branch.node.body
    )


def _skipped(tree: Tree, loop: Loop, back: Event, step: Event) -> list[ast.expr | None]:
    """What is asked between a backward and a step by `if (i + 1) % n != 0: continue`."""
    first, last = getattr(back.node, "lineno", 0), getattr(step.node, "lineno", 0)
    return [
        one.test
        for one in getattr(loop.node, "body", ())
        if isinstance(one, ast.If) and isinstance(one.body[-1], ast.Continue) and every_few(tree, one.test)
        if first < one.lineno < last
    ]


def _is_called_so(loss: Value) -> bool:
    """Whether it is what an argument gives that is named as losses are: `criterion(model(x), y)`."""
    return all(
        one.by == "()" and one.on is not None and one.on.by == GIVEN and one.on.name in _CRITERIA
        for one in options_of(loss)
    )


def _scaled(loss: Value) -> bool:
    """Whether a loss is multiplied or divided after it was taken, or is no mean; what it is taken of does not count."""
    for one in options_of(loss):
        if one.by in ("/", "*", "/=", "*=", ".div", ".mul", ".div_", ".mul_", "torch.div", ".sum"):
            return True
        if one.by in ("+", "-", "+="):
            if any(_scaled(arg) for arg in one.args):
                return True
        elif one.by == ".mean" and one.on is not None:
            if _scaled(one.on):
                return True
        else:
            made = roots(one.on) if one.by == "()" else (one,)
            given = [reduction for by in made if (reduction := by.argument("reduction")) is not None]
            if any(reduction.const != "mean" for reduction in given):
                return True
    return False
