"""Noise that is given a covariance by its Cholesky factor, and the factor is turned the wrong way."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..queries.lineage import PRODUCTS, Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..queries.origins import equation
from ..vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import found_at

RULE = "cholesky-factor-turned"
UNCALLED = True
_NOISE = frozenset("randn randn_like normal normal_".split())
_TURNS = frozenset("t T mT mH transpose".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each product of rows of fresh noise with a lower factor as it is, and of a turned one with columns."""
    lineage = lineage_of(log)
    for op in ops_of(log):
        if short(op.name) == "einsum":
            summed = _summed_by_rows(lineage, op)
            if summed is not None:
                yield summed
            continue
        if short(op.name) not in PRODUCTS or len(op.args) != 2:
            continue
        left, right = op.args
        factor, turned = (right, False) if _is_noise(lineage, left) else (left, True)
        noise = right if turned else left
        made = _factor(lineage, factor, turned) if _is_noise(lineage, noise) else None
        if made is None or not isinstance(noise, Tensor) or len(noise.shape) < 2:
            continue
        rows = "columns" if turned else "rows"
        yield found_at(
            RULE,
            op.span,
            f"{rows} of noise {list_of(noise.shape)} times a lower Cholesky factor L {'turned ' if turned else ''}have the covariance "
            f"L.mT @ L, and the factor is that of L @ L.mT. {'L @ z' if turned else 'z @ L.mT'} was meant.",
            *(() if turned else _fixes(op, tree)),
            related=[Related(made.span, "the factor is made here")],
        )


def _summed_by_rows(lineage: Lineage, op: Op) -> Finding | None:
    """An einsum of noise and a lower factor that sums over the rows of the factor: `"bi,bij->bj"`."""
    found = equation(op)
    if found is None or len(found.operands) != 2:
        return None
    for at, (noise, factor) in enumerate((found.operands, found.operands[::-1])):
        made = _factor(lineage, factor, False) if _is_noise(lineage, noise) else None
        gone = [word for word in found.terms[at] if word not in found.output]
        term = found.terms[1 - at]
        if made is None or len(gone) != 1 or gone[0] != term[-2] or term[-1] not in found.output:
            continue
        return found_at(
            RULE,
            op.span,
            f"sums over the rows ({gone[0]}) of a lower Cholesky factor L: noise gets the covariance L.mT @ L by that, and the "
            f"factor is that of L @ L.mT. Sum over its columns ({term[-1]}).",
            related=[Related(made.span, "the factor is made here")],
        )
    return None


def _is_noise(lineage: Lineage, value: Value) -> bool:
    """Whether these are independent numbers that were just drawn."""
    maker = lineage.maker(value)
    return maker is not None and short(maker.name) in _NOISE


def _factor(lineage: Lineage, value: Value, turned: bool) -> Op | None:
    """The `cholesky` that gave a lower factor; `turned`: that was transposed since."""
    maker = lineage.maker(value)
    if turned:
        if maker is None or short(maker.name) not in _TURNS:
            return None
        maker = lineage.maker(maker.args[0])
    if maker is None or short(maker.name) != "cholesky":
        return None
    upper = maker.argument("upper", at=1) or Scalar(False)
    return maker if upper == Scalar(False) else None


def _fixes(op: Op, tree: Tree) -> tuple[Fix, ...]:
    node = tree.at(op.span, ast.expr)
    factor = node.right if isinstance(node, ast.BinOp) else None
    if isinstance(node, ast.Call) and node.args:
        factor = node.args[-1]
    if not isinstance(factor, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        return ()
    return (
        Fix("turn the factor", "unsafe", (replace(tree.text, factor, f"{source(tree.text, factor)}.mT"),)),
    )
