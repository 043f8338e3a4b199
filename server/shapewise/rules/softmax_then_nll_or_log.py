"""The log of a softmax in two steps, or a softmax where its log is wanted."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword, replace_attribute
from ..edits.statements import replace, source
from ..edits.text import text_map
from ..program.ops import Loss, also_used, given_to, losses, numbers_of, op_of, surely
from ..program.values import Value, number, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Edit, Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "softmax-then-nll-or-log"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """nll_loss of probabilities; log of a softmax."""
    for loss, _, node in given_to(tree.course, ("nll_loss",), "softmax"):
        yield found(
            RULE,
            tree,
            node,
            "nll_loss wants log-probabilities. Of probabilities it takes the mean of -p, whose gradient is the "
            "smaller the worse the prediction is. Use log_softmax.",
            *_logged(tree, node),
            related=[Related(tree.span(loss.event.node), "the loss")],
        )
    yield from _no_log_at_all(tree)
    for event in tree.course.calls("torch.log", ".log"):
        logged = op_of(event.value) if event.value is not None else None
        if logged is None or logged.operand is None:
            continue
        if not isinstance(event.node, ast.Call) or _is_chosen(tree, event.node):
            continue
        operand = logged.operand
        if _is_scored(tree, event.value):
            operand = _kept_above_0(operand)
        inner = [op_of(one) for one in options_of(operand)]
        if inner and all(one is not None and one.name == "softmax" for one in inner):
            yield found(
                RULE,
                tree,
                event.node,
                "a softmax that underflows to 0 has the log -inf, and nan gradients. log_softmax computes the same "
                "without that.",
                *_fixes(tree, event.node),
            )


def _whole_loss(tree: Tree, node: ast.AST) -> tuple[Fix, ...]:
    """cross_entropy in the place of the function nll_loss."""
    function = node.func if isinstance(node, ast.Call) else None
    if not isinstance(function, ast.Attribute) or function.attr != "nll_loss":
        return ()
    return (fix("cross_entropy", replace_attribute(tree.text, function, "cross_entropy")),)


def _logged(tree: Tree, node: ast.AST | None) -> tuple[Fix, ...]:
    """The log of a softmax in its place."""
    if (
        not isinstance(node, ast.Call)
        or not isinstance(node.func, ast.Attribute)
        or node.func.attr != "softmax"
    ):
        return ()
    edit = replace_attribute(tree.text, node.func, "log_softmax")
    return (fix("take the log as well: log_softmax", edit),)


def _is_chosen(tree: Tree, log: ast.Call) -> bool:
    """Whether it is taken only where there is something to take it of: `torch.where(p > 0, p * p.log(), 0)`."""
    given = (
        log.func.value
        if isinstance(log.func, ast.Attribute) and not log.args
        else log.args[0]
        if log.args
        else log
    )
    for above in tree.course.places.above(log):
        if isinstance(above, ast.stmt):
            break
        test = above.args[0] if isinstance(above, ast.Call) and above.args else None
        if isinstance(test, ast.Compare) and ast.unparse(above.func).endswith("where"):  # type: ignore[attr-defined]
            return ast.dump(test.left) == ast.dump(given)
    return False


def _is_scored(tree: Tree, logs: Value | None) -> bool:
    """Whether nll_loss is given them."""
    scored = [loss.input for loss in losses(tree.course) if loss.name == "nll_loss"]
    return any(one is logs for given in scored for one in numbers_of(given))


def _kept_above_0(value: Value) -> Value:
    """What a tiny number was added to: its logarithm is finite, and as far off where it matters."""
    if value.by == "+" and any((number(one) or 1) < 1e-4 for one in value.args):
        return next((one for one in value.args if number(one) is None), value)
    return value


def _no_log_at_all(tree: Tree) -> Iterator[Finding]:
    """nll_loss of what a linear layer gives; kl_div of probabilities."""
    all_losses = list(losses(tree.course))
    told = {loss.event.node for loss in all_losses if loss.option("log_target") is not None}
    # of several layers that a call may be of, one takes logarithms
    for loss in all_losses:
        if loss.name == "nll_loss" and surely(loss.input, "linear"):
            yield found(
                RULE,
                tree,
                loss.event.node,
                "nll_loss wants log-probabilities, and takes what this linear layer gives for them: it falls without "
                "end. cross_entropy takes the log-softmax itself.",
                *_whole_loss(tree, loss.event.node),
            )
        elif loss.name == "kl_div" and loss.event.node not in told and _is_log_against_log(loss):
            call = loss.event.node if loss.event.name != "()" else None
            edits = [add_keyword(tree.text, call, "log_target=True")] if isinstance(call, ast.Call) else []
            yield found(
                RULE,
                tree,
                loss.event.node,
                "kl_div wants probabilities as its target, and is given their logarithms: what it gives is no divergence, and may "
                "fall without end. Say log_target=True.",
                *(fix("log_target=True", edit) for edit in edits),
            )
        elif loss.name == "kl_div" and surely(loss.input, "softmax"):
            made = next(
                (
                    node
                    for one, op, node in given_to(tree.course, ("kl_div",), "softmax")
                    if one.event is loss.event and not also_used(tree.course, op, one)
                ),
                None,
            )
            yield found(
                RULE,
                tree,
                loss.event.node,
                "kl_div wants log-probabilities as its first argument, and is given probabilities. Use log_softmax there.",
                *_logged(tree, made),
                related=[Related(tree.span(made), "the softmax")] if made is not None else (),
            )


def _is_log_against_log(loss: Loss) -> bool:
    """Whether the target of a divergence is logarithms, and it is not told so."""
    if loss.target is None or loss.option("log_target") is not None:
        return False
    return bool(surely(loss.input, "log_softmax") and surely(loss.target, "log_softmax"))


def _fixes(tree: Tree, node: ast.Call) -> tuple[Fix, ...]:
    """Where the softmax stands within the log."""
    assert isinstance(node.func, ast.Attribute)
    inner = node.args[0] if node.args else node.func.value
    if not isinstance(inner, ast.Call) or not isinstance(inner.func, ast.Attribute):
        return ()
    if inner.func.attr != "softmax":
        return ()
    edit = replace_attribute(tree.text, inner.func, "log_softmax")
    places = text_map(tree.text)
    start, end = places.offsets(places.span(inner))
    at, stop = places.offsets(edit.span)
    text = source(tree.text, inner)
    merged = text[: at - start] + edit.text + text[stop - start :]
    assert end >= stop
    return (Fix("use log_softmax", "safe", (Edit(replace(tree.text, node, "").span, merged),)),)
