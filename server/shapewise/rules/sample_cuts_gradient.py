"""A draw without gradients from a distribution that the loss pulls towards another one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import replace_attribute
from ..edits.statements import replace, source
from ..program.course import Course
from ..program.modes import no_grad_around
from ..program.values import Value, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "sample-cuts-gradient"
_MODULE = "torch.distributions."
_REPARAMETERISED = frozenset(
    "Normal LogNormal Laplace MultivariateNormal LowRankMultivariateNormal Beta Gamma Dirichlet Independent".split()
)


_CONSTANT = ("torch.zeros", "torch.zeros_like", "const")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each `q.sample()` of what `kl_divergence` is told of, too, where nobody asks how likely the draw was; draws of a `reparameterize`."""
    course = tree.course
    yield from _reparameterised(tree)
    yield from _of_an_actor(tree)
    divergences = course.calls("torch.distributions.kl_divergence", "torch.distributions.kl.kl_divergence")
    for event in course.calls(".sample") if divergences else ():
        drawn, node = event.on, event.node
        if drawn is None or not _has_gradients(drawn) or no_grad_around(event) is not None:
            continue
        told = next((one for one in divergences if any(same(arg, drawn) for arg in one.args[:1])), None)
        if told is None or _is_asked(course, drawn):
            continue
        func = node.func if isinstance(node, ast.Call) else None
        yield found(
            RULE,
            tree,
            node,
            "sample() draws without gradients: what is made of the draw teaches the network nothing about this distribution, and only the "
            "divergence does, which pulls it to the other one. rsample() lets gradients through.",
            *([_with_gradients(tree, func)] if isinstance(func, ast.Attribute) else []),
            related=[Related(tree.span(told.node), "the divergence of the same distribution")],
        )


def _reparameterised(tree: Tree) -> Iterator[Finding]:
    """`torch.normal(mean, std)` and `Normal(mean, std).sample()` in a function that says by its name that gradients come through."""
    told: set[ast.AST] = set()
    for event in tree.course.calls("torch.normal", ".sample"):
        node, function = event.node, event.function
        if (
            function is None
            or "reparam" not in function.name.lower()
            or node in told
            or not isinstance(node, ast.Call)
        ):
            continue
        if no_grad_around(event) is not None or event.branches_in(None):
            continue
        if event.name == ".sample":
            if event.on is None or not _has_gradients(event.on) or _is_asked(tree.course, event.on):
                continue
            fixes = [_with_gradients(tree, node.func)] if isinstance(node.func, ast.Attribute) else []
        else:
            mean, std = event.argument("mean", 0), event.argument("std", 1)
            if (
                mean is None
                or std is None
                or mean.by in _CONSTANT
                or std.by == "const"
                or len(node.args) != 2
            ):
                continue
            fixes = _by_hand(tree, node)
        told.add(node)
        yield found(
            RULE,
            tree,
            node,
            f"{event.name.removeprefix('.')}() draws without gradients: the mean and the deviation learn nothing of what is made of the draw. "
            "A draw that they can learn from is mean + std * torch.randn_like(std).",
            *fixes,
        )


def _of_an_actor(tree: Tree) -> Iterator[Finding]:
    """`u = d.sample()` of an action that is squashed and judged by a critic, whose loss `alpha * log_prob - value` the actor learns by."""
    if not any(_is_soft(one) for one in tree.course.nodes(ast.BinOp)):
        return
    for event in tree.course.calls(".sample"):
        function, node = event.function, event.node
        if (
            function is None
            or event.on is None
            or not isinstance(node, ast.Call)
            or not _has_gradients(event.on)
        ):
            continue
        draws = [
            one for one in ast.walk(function.node) if isinstance(one, ast.Attribute) and one.attr == "rsample"
        ]
        squashes = any(_is_squashed(one) for one in ast.walk(function.node))
        if draws or not squashes or no_grad_around(event) is not None or event.branches_in(None):
            continue
        fixes = [_with_gradients(tree, node.func)] if isinstance(node.func, ast.Attribute) else []
        yield found(
            RULE,
            tree,
            node,
            "sample() draws without gradients: what the critic says of the action teaches the actor nothing. rsample() lets gradients "
            "through.",
            *fixes,
        )
        return


def _is_soft(node: ast.AST) -> bool:
    """`alpha * log_prob - value`"""
    weighed = node.left if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) else None
    if not isinstance(weighed, ast.BinOp) or not isinstance(weighed.op, ast.Mult):
        return False
    words = ast.unparse(weighed).lower()
    return "alpha" in words and "log" in words


def _is_squashed(node: ast.AST) -> bool:
    """`1 - a.pow(2)`, as the probability of a squashed action has it."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
        return False
    return isinstance(node.left, ast.Constant) and node.left.value == 1 and _is_square(node.right)


def _is_square(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _is_square(node.left)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return True
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("pow", "square")
    )


def _with_gradients(tree: Tree, func: ast.Attribute) -> Fix:
    return fix("draw with rsample", replace_attribute(tree.text, func, "rsample"))


def _by_hand(tree: Tree, call: ast.Call) -> list[Fix]:
    name = name_for(tree, "torch.randn_like")
    mean, std = (source(tree.text, one) for one in call.args)
    if name is None or not all(isinstance(one, ast.Name | ast.Attribute | ast.Call) for one in call.args):
        return []
    new = f"{mean} + {std} * {name}({std})"
    return [fix(new, replace(tree.text, call, new))]


def _has_gradients(drawn: Value) -> bool:
    """Whether a distribution surely is one that can be drawn from with gradients, and of which not all is a number."""
    made = roots(drawn)
    return bool(made) and all(
        one.by.startswith(_MODULE)
        and one.by.rsplit(".", 1)[-1] in _REPARAMETERISED
        and any(arg.by != "const" for arg in one.args)
        for one in made
    )


def _is_asked(course: Course, drawn: Value) -> bool:
    """Whether it is drawn with gradients elsewhere, or learns by how likely the draw was."""
    return any(same(one.on, drawn) for one in course.calls(".rsample", ".log_prob"))
