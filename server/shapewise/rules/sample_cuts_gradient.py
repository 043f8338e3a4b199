"""A draw without gradients from a distribution that the loss pulls towards another one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import replace_attribute
from ..program.course import Course
from ..program.modes import no_grad_around
from ..program.values import Value, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "sample-cuts-gradient"
_MODULE = "torch.distributions."
_REPARAMETERISED = frozenset(
    "Normal LogNormal Laplace MultivariateNormal LowRankMultivariateNormal Beta Gamma Dirichlet Independent".split()
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each `q.sample()` of what `kl_divergence` is told of, too, where nobody asks how likely the draw was."""
    course = tree.course
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
            *(
                [fix("draw with rsample", replace_attribute(tree.text, func, "rsample"))]
                if isinstance(func, ast.Attribute)
                else []
            ),
            related=[Related(tree.span(told.node), "the divergence of the same distribution")],
        )


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
