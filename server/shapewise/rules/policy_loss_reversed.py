"""The loss of a policy that goes down where returns are high, or clips where it must not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.names import last_name
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .asking.gradients import gradients_are_changed
from .asking.tree import Tree
from .telling.found import found_at

RULE = "policy-loss-reversed"
_GAIN = re.compile(
    r"(^|_)(returns?|rets?|rewards?|rews?|advantages?|advs?|rtg|gae)(_|s?$)|^[RGA]$", re.IGNORECASE
)
_LARGER = frozenset("max maximum".split())
_REDUCES = frozenset("mean sum squeeze".split())
_SHAPES = frozenset("unsqueeze squeeze view reshape flatten sum".split())
_NEAR = 8
_LESS = re.compile(
    r"\btours?\b|tour_|\bcosts?\b|distance|makespan|regret|travel|minimi[sz]|maximize", re.IGNORECASE
)
"""Words of a file in which what is called a reward may be a length that is to get small, or the optimizer goes up."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each clipped surrogate of which the larger is taken and then negated, and each `log_prob * returns` that a backward makes small."""
    lineage = lineage_of(log)
    clipped = {
        op.result.id: op
        for op in ops_of(log, _LARGER)
        if isinstance(op.result, Tensor) and _is_clipped(lineage, op)
    }
    for op in ops_of(log, ("-", "neg")):
        larger = _behind(lineage, op.args[0], clipped) if len(op.args) == 1 else None
        if larger is not None:
            yield found_at(
                RULE,
                larger.span,
                "of the two surrogates PPO takes the smaller one, which it then negates: of the larger one nothing is clipped where the "
                "policy has gone too far. Take torch.min.",
                *_smaller(larger, tree),
                related=[Related(op.span, "negated here")],
            )
    for op in ops_of(log, ("backward",)):
        is_whole = len(op.args) == 1 and not op.kwargs  # a gradient that is handed in may turn the sign
        added = _added_entropy(log, lineage, op.args[0]) if is_whole and _goes_down(tree) else None
        if added is not None:
            yield found_at(
                RULE,
                added.span,
                "this falls where the entropy of the policy falls: it is driven to one action, and explores nothing. A bonus for entropy "
                "is taken away from a loss that is made small.",
                related=[Related(op.span, "made small here")],
            )
        product = _weighed(lineage, op.args[0], tree) if is_whole and _goes_down(tree) else None
        if product is not None:
            yield found_at(
                RULE,
                product.span,
                "this falls where the log probabilities of what was rewarded fall: the policy learns to avoid it. Optimizers make a loss "
                "small, so that it has to be negated.",
                *_negated(product, tree),
                related=[Related(op.span, "made small here")],
            )


def _added_entropy(log: Log, lineage: Lineage, loss: Value) -> Op | None:
    """The entropy of a distribution that a loss adds, beside what weighs log probabilities of actions."""
    terms = list(_terms(lineage, loss, 1, _NEAR))
    added = [made for made, sign in terms if short(made.name) == "entropy" and sign > 0]
    if len(added) != 1 or any(short(made.name) == "entropy" and sign < 0 for made, sign in terms):
        return None
    others = [made.result for made, _ in terms if made is not added[0]]
    acted = {one.result.id for one in ops_of(log, ("log_prob",)) if isinstance(one.result, Tensor)}
    weighs = any(isinstance(one, Tensor) and lineage.comes_of(one, acted) for one in others)
    return added[0] if weighs else None


def _terms(lineage: Lineage, value: Value, sign: int, left: int) -> Iterator[tuple[Op, int]]:
    """The ops whose results a loss adds up, each with the sign that it has there; what nobody knows the sign of is left out."""
    made = lineage.maker(value)
    if made is None or not left:
        return
    name = short(made.name)
    if name in _REDUCES and len(made.args) >= 1:
        yield from _terms(lineage, made.args[0], sign, left - 1)
    elif name in ("+", "add", "+=", "-", "sub", "-=") and len(made.args) == 2:
        yield from _terms(lineage, made.args[0], sign, left - 1)
        yield from _terms(lineage, made.args[1], sign if "+" in name or name == "add" else -sign, left - 1)
    elif name in ("-", "neg") and len(made.args) == 1:
        yield from _terms(lineage, made.args[0], -sign, left - 1)
    elif name in ("*", "mul", "/", "div") and len(made.args) == 2:
        numbers = [
            one.value for one in made.args if isinstance(one, Scalar) and isinstance(one.value, int | float)
        ]
        inner = [one for one in made.args if isinstance(one, Tensor)]
        if len(numbers) == len(inner) == 1:
            yield from _terms(lineage, inner[0], sign if numbers[0] > 0 else -sign, left - 1)
        elif len(inner) == 2:
            yield made, sign
    else:
        yield made, sign


def _goes_down(tree: Tree) -> bool:
    """Whether an optimizer makes the loss small: nobody goes up by hand, nor turns the gradients."""
    return _LESS.search(tree.text) is None and not gradients_are_changed(tree)


def _is_clipped(lineage: Lineage, op: Op) -> bool:
    """`max(ratio * a, clamp(ratio, 1 - eps, 1 + eps) * a)`"""
    pair = [arg for arg in op.args if isinstance(arg, Tensor)]
    makers = [lineage.maker(one) for one in pair]
    if len(pair) != 2 or any(made is None or short(made.name) not in ("*", "mul") for made in makers):
        return False
    first, second = (
        [arg for arg in made.args if isinstance(arg, Tensor)] for made in makers if made is not None
    )
    for whole, other in ((first, second), (second, first)):
        for one in other:
            made = lineage.maker(one)
            if (
                made is not None
                and short(made.name) in ("clamp", "clip")
                and isinstance(made.args[0], Tensor)
            ):
                ratio = made.args[0]
                grown = lineage.maker(ratio)
                if (
                    any(arg.id == ratio.id for arg in whole)
                    and grown is not None
                    and short(grown.name) == "exp"
                ):
                    return True
    return False


def _behind(lineage: Lineage, value: Value, clipped: dict[int, Op]) -> Op | None:
    for _ in range(_NEAR):
        if not isinstance(value, Tensor):
            return None
        if value.id in clipped:
            return clipped[value.id]
        made = lineage.maker(value)
        if made is None or short(made.name) not in _REDUCES:
            return None
        value = made.args[0]
    return None


def _weighed(lineage: Lineage, loss: Value, tree: Tree) -> Op | None:
    """The product of log probabilities and a gain that a loss, or a term of it, is the mean or the sum of, with nothing negated."""
    for _ in range(_NEAR):
        made = lineage.maker(loss)
        if made is None:
            return None
        if short(made.name) in ("*", "mul") and len(made.args) == 2:
            return made if _is_weighed(lineage, made, tree) else None
        if short(made.name) in ("+", "add", "-", "sub") and len(made.args) == 2:
            terms = made.args if short(made.name) in ("+", "add") else made.args[:1]
            return next((one for term in terms if (one := _weighed(lineage, term, tree)) is not None), None)
        if short(made.name) not in _REDUCES:
            return None
        loss = made.args[0]
    return None


def _is_weighed(lineage: Lineage, product: Op, tree: Tree) -> bool:
    node = tree.at(product.span, ast.BinOp)
    if node is None:
        return False
    for likely, gain, written in (
        (product.args[0], product.args[1], node.right),
        (product.args[1], product.args[0], node.left),
    ):
        is_call = isinstance(written, ast.Call) and isinstance(written.func, ast.Attribute)
        named = written.func.value if is_call else written  # type: ignore[attr-defined]
        if _GAIN.search(last_name(named)) and _is_likely(lineage, likely) and not _is_negated(lineage, gain):
            return True
    return False


def _is_likely(lineage: Lineage, value: Value) -> bool:
    """Whether it is a log probability as it is."""
    for _ in range(_NEAR):
        made = lineage.maker(value)
        if made is None:
            return False
        if short(made.name) == "log_prob":
            return True
        if short(made.name) not in _SHAPES:
            return False
        value = made.args[0]
    return False


def _is_negated(lineage: Lineage, gain: Value) -> bool:
    """Whether there is anything in how it was made that turns its sign: a cost, `value - return`."""
    for _ in range(_NEAR):
        made = lineage.maker(gain)
        if made is None:
            return False
        if short(made.name) in ("-", "neg", "sub") and len(made.args) == 1:
            return True
        if any(
            isinstance(arg, Scalar) and isinstance(arg.value, int | float) and arg.value < 0
            for arg in made.args
        ):
            return short(made.name) in ("*", "mul", "/", "div")
        gain = made.args[0] if made.args else gain
    return False


def _smaller(op: Op, tree: Tree) -> Iterator[Fix]:
    call = tree.at(op.span, ast.Call)
    if call is not None and isinstance(call.func, ast.Attribute) and len(call.args) == 2:
        name = {"max": "min", "maximum": "minimum"}.get(call.func.attr)
        if name is not None:
            text = f"{source(tree.text, call.func.value)}.{name}"
            yield Fix("take the smaller one", "unsafe", (replace(tree.text, call.func, text),))


def _negated(product: Op, tree: Tree) -> Iterator[Fix]:
    node = tree.at(product.span, ast.BinOp)
    if node is not None:
        left = source(tree.text, node.left)
        if isinstance(node.left, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
            yield Fix("negate it", "unsafe", (replace(tree.text, node.left, f"-{left}"),))
