"""The divergence of a Gaussian from the standard one, as variational autoencoders have it, written with a slip."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..edits.statements import replace, source
from ..program.names import word_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "kl-term-miswritten"
_MEAN = re.compile(r"(^|_)(mu|mean|means|loc)(_|\d|$)", re.IGNORECASE)
_SPREAD = re.compile(r"log|var|sig|std", re.IGNORECASE)
"""Names of a logarithm of a variance: sums of the same form stand in polynomials and residuals, too."""
_LOSSES = frozenset(
    "binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss smooth_l1_loss cross_entropy".split()
)
_SUMS = frozenset("sum mean".split())
_NAMED = (ast.Name, ast.Attribute, ast.Subscript)


class _Term(NamedTuple):
    """One of the terms of a sum: `kind` is one, plain, exp, log or square; `of`: what it is of, and how many `times`."""

    sign: int
    kind: str
    of: ast.expr
    node: ast.expr
    times: float = 1.0


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each sum of 1, a logarithm of a variance, a squared mean and a variance in which one is not as it has to be."""
    if not any(words in tree.text for words in ("pow(", "** 2", "**2", "square(", "exp(")):
        return
    for node in tree.course.places.nodes:
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Add, ast.Sub)):
            continue
        terms = [_term(sign, one) for sign, one in _flat(node, 1)]
        if len(terms) != 4 or any(term is None for term in terms):
            continue
        whole = [term for term in terms if term is not None]
        ones, rest = [t for t in whole if t.kind == "one"], [t for t in whole if t.kind != "one"]
        if len(ones) != 1:
            continue
        slip = _slip(rest)
        if slip is not None:
            said, edits = slip
            fixes = [
                Fix(title, "unsafe", (replace(tree.text, old, new.format(source(tree.text, old))),))
                for title, old, new in edits
            ]
            yield found(RULE, tree, node, said, *fixes)
            continue
        sign = _orientation(rest)
        if sign is not None:
            yield from _subtracted(tree, node, sign)


def _flat(node: ast.expr, sign: int) -> Iterator[tuple[int, ast.expr]]:
    """The terms of a sum, with their signs."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        yield from _flat(node.left, sign)
        yield from _flat(node.right, -sign if isinstance(node.op, ast.Sub) else sign)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield from _flat(node.operand, -sign)
    else:
        yield sign, node


def _term(sign: int, node: ast.expr) -> _Term | None:
    if isinstance(node, ast.Constant):
        return _Term(sign, "one", node, node) if node.value in (1, 1.0) and node.value is not True else None
    if isinstance(node, _NAMED):
        return _Term(sign, "plain", node, node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        is_two = isinstance(node.right, ast.Constant) and node.right.value in (2, 2.0)
        return _Term(sign, "square", node.left, node) if is_two else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        if ast.dump(node.left) == ast.dump(node.right):
            return _Term(sign, "square", node.left, node)
        times, of = _times(node)
        return _Term(sign, "plain", of, node, times) if isinstance(of, _NAMED) and times != 1 else None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    of_torch = isinstance(node.func.value, ast.Name) and node.func.value.id in ("torch", "np", "math", "tf")
    given = [*node.args] if of_torch else [node.func.value, *node.args]
    name = node.func.attr
    if name in ("exp", "log", "square") and len(given) == 1:
        times, of = _times(given[0])
        return _Term(sign, name, of, node, times) if name == "exp" else _Term(sign, name, given[0], node)
    if name == "pow" and len(given) == 2 and isinstance(given[1], ast.Constant) and given[1].value == 2:
        return _Term(sign, "square", given[0], node)
    return None


def _times(node: ast.expr) -> tuple[float, ast.expr]:
    """The number in `2 * log_std`, and what it is a multiple of."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, ast.Constant) and isinstance(one.value, (int, float)):
                return float(one.value), other
    return 1.0, node


def _slip(rest: Sequence[_Term]) -> tuple[str, list[tuple[str, ast.expr, str]]] | None:
    """What is wrong with the three terms beside the 1, and what mends it: title, old, new."""
    kinds = sorted(term.kind for term in rest)
    by = {term.kind: term for term in rest}
    if not any(term.kind == "plain" and _SPREAD.search(word_of(term.of)) for term in rest):
        return None
    if any(term.times != 1 for term in rest):
        return _other_times(by) if kinds == ["exp", "plain", "square"] else None
    right = "The divergence is -0.5 * sum(1 + logvar - mu**2 - exp(logvar))"
    if kinds == ["plain", "plain", "square"]:
        first, second = (term for term in rest if term.kind == "plain")
        if ast.dump(first.of) == ast.dump(second.of) and first.sign == -second.sign == -by["square"].sign:
            return (
                f"{ast.unparse(first.of)} is added and taken away again, so that nothing is left of it. {right}: the last one is "
                "its exponential.",
                [("its exponential", second.node, "{}.exp()")],
            )
        if ast.dump(first.of) == ast.dump(second.of) and second.sign == -first.sign == -by["square"].sign:
            return (
                f"{ast.unparse(first.of)} is added and taken away again, so that nothing is left of it. {right}: the last one is "
                "its exponential.",
                [("its exponential", first.node, "{}.exp()")],
            )
    if kinds == ["exp", "plain", "plain"]:
        plain = [term for term in rest if term.kind == "plain"]
        logs = [term for term in plain if ast.dump(term.of) == ast.dump(by["exp"].of)]
        means = [term for term in plain if term not in logs and _MEAN.search(word_of(term.of))]
        if len(logs) == len(means) == 1 and means[0].sign == by["exp"].sign == -logs[0].sign:
            return f"{ast.unparse(means[0].of)} is not squared. {right}.", [
                ("squared", means[0].node, "{}.pow(2)")
            ]
    if kinds == ["exp", "plain", "square"] and ast.dump(by["exp"].of) == ast.dump(by["plain"].of):
        if (
            _MEAN.search(word_of(by["square"].of))
            and not by["exp"].sign == by["square"].sign == -by["plain"].sign
        ):
            return (
                f"the squared mean and the variance both have the other sign than the logarithm. {right}.",
                [],
            )
    return None


def _other_times(by: dict[str, _Term]) -> tuple[str, list[tuple[str, ast.expr, str]]] | None:
    """`1 + 2 * log_std - mu**2 - log_std.exp()`: the variance is the exponential of what is added."""
    plain, exp = by["plain"], by["exp"]
    signs_fit = exp.sign == by["square"].sign == -plain.sign
    if ast.dump(plain.of) != ast.dump(exp.of) or plain.times == exp.times or not signs_fit:
        return None
    if not _MEAN.search(word_of(by["square"].of)) or {plain.times, exp.times} - {1.0, 2.0}:
        return None
    of = ast.unparse(plain.of)
    shown = f"{plain.times:g} times {of}" if plain.times != 1 else of
    return (
        f"what is added is {shown}, and the exponential is of {f'{exp.times:g} times that' if plain.times == 1 else of}: both are of the "
        f"logarithm of the variance, which is 2 * {of} if that is a deviation's.",
        [],
    )


def _orientation(rest: Sequence[_Term]) -> int | None:
    """The sign of the whole where all is right: that of the variance."""
    by = {term.kind: term for term in rest}
    if sorted(by) == ["exp", "plain", "square"] and ast.dump(by["exp"].of) == ast.dump(by["plain"].of):
        return by["exp"].sign if by["exp"].times == by["plain"].times else None
    return None


def _subtracted(tree: Tree, node: ast.expr, sign: int) -> Iterator[Finding]:
    """A divergence that is taken away from a loss, which is to fall: it is made larger and larger."""
    at: ast.AST = node
    while True:
        above = tree.course.places.parent(at)
        if isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.USub):
            sign = -sign
        elif isinstance(above, ast.BinOp) and isinstance(above.op, (ast.Mult, ast.Div)):
            factor = above.right if above.left is at else above.left
            number = _number(factor)
            if number is None or number == 0 or (isinstance(above.op, ast.Div) and above.right is at):
                return
            sign = sign if number > 0 else -sign
        elif isinstance(above, ast.Attribute) and above.attr in _SUMS:
            above = tree.course.places.parent(above)
            if not isinstance(above, ast.Call):
                return
        elif not (isinstance(above, ast.Call) and word_of(above.func) in _SUMS):
            break
        at = above
    if (
        not isinstance(above, ast.Assign)
        or len(above.targets) != 1
        or not isinstance(above.targets[0], ast.Name)
    ):
        return
    name = above.targets[0].id
    function = tree.course.places.parent(above)
    while function is not None and not isinstance(function, (ast.FunctionDef, ast.Module)):
        function = tree.course.places.parent(function)
    if function is None:
        return
    inside = list(ast.walk(function))
    stores = [
        one
        for one in inside
        if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store)
    ]
    if len(stores) != 1:
        return
    losses = {
        one.targets[0].id
        for one in inside
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and _is_loss(one.value)
    }
    for total in inside:
        if not isinstance(total, ast.BinOp) or not _is_a_loss_of_its_own(total, tree):
            continue
        terms = list(_flat(total, 1))
        mine = [one for one, term in terms if _names(term) == name]
        theirs = [one for one, term in terms if _is_loss(term) or _names(term) in losses]
        if (
            len(mine) == 1
            and theirs
            and all(one == theirs[0] for one in theirs)
            and mine[0] * sign != theirs[0]
        ):
            yield found(
                RULE,
                tree,
                node,
                "a divergence is added to a loss, so that it gets small, too: here its sign is turned round, and training makes it "
                "larger and larger. It is -0.5 * sum(1 + logvar - mu**2 - exp(logvar)).",
                related=[Related(tree.span(total), "this loss falls as the divergence grows")],
            )
            return


def _is_a_loss_of_its_own(total: ast.BinOp, tree: Tree) -> bool:
    """Whether a sum is what is given back, or named, and no figure of a report."""
    at = tree.course.places.parent(total)
    while isinstance(at, ast.Attribute) or (isinstance(at, ast.Call) and word_of(at.func) in _SUMS):
        at = tree.course.places.parent(at)
    if isinstance(at, ast.Tuple):
        at = tree.course.places.parent(at)
    return isinstance(at, (ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign)) or (
        isinstance(at, ast.Call) and word_of(at.func) == "backward"
    )


def _number(node: ast.expr) -> float | None:
    """A number that is written, sign and all; what has a name is taken to be above 0."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant):
        return float(node.value) if isinstance(node.value, (int, float)) else None
    return 1.0 if isinstance(node, (ast.Name, ast.Attribute)) else None


def _names(term: ast.expr) -> str | None:
    """The name in `kld` and `beta * kld`."""
    if isinstance(term, ast.BinOp) and isinstance(term.op, ast.Mult):
        for one, other in ((term.left, term.right), (term.right, term.left)):
            if isinstance(one, ast.Name) and (_number(other) or 0) > 0:
                if isinstance(other, ast.Name) and one is term.left:
                    continue  # `beta * kld`: the weight comes first
                return one.id
    return term.id if isinstance(term, ast.Name) else None


def _is_loss(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and word_of(node.func) in _LOSSES
