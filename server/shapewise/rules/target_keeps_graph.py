"""A target made of what the network itself says of the next step, through which the loss pulls it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Group, Log, Op, Other, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import found_at

RULE = "target-keeps-graph"
_LOSSES = frozenset(
    "mse_loss smooth_l1_loss huber_loss l1_loss MSELoss() SmoothL1Loss() HuberLoss() L1Loss()".split()
)
_SQUARED = frozenset("pow ** square abs".split())
_TURNED = frozenset("unsqueeze squeeze view reshape float to flatten [] mean min max amax gather".split())
_NEAR = 12


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each loss of values against a reward and a part of the values of the same network, of which a gradient is taken."""
    lineage = lineage_of(log)
    for op in ops_of(log, _LOSSES | _SQUARED):
        for target, values in _pairs(lineage, op):
            added = _added(lineage, target)
            if added is None or not values.requires_grad:
                continue
            made, following = added
            called = _modules(lineage, following)
            if called and called & _modules(lineage, values):
                yield found_at(
                    RULE,
                    made.span,
                    "this target is made of what the network says of the next step, and the loss takes its gradient, too: it pulls the "
                    "next value towards this one. A target is held fast: detach it, or compute it under no_grad.",
                    *_fixes(made, tree),
                    related=[Related(op.span, "the loss")],
                )


def _pairs(lineage: Lineage, op: Op) -> Iterator[tuple[Tensor, Tensor]]:
    """What is compared, either way round: the arguments of a loss, the sides of a difference that is squared."""
    compared: Op | None = op
    if short(op.name) in _SQUARED:
        compared = lineage.maker(op.args[0]) if op.args else None
        if compared is None or short(compared.name) not in ("-", "sub"):
            return
    assert compared is not None
    given = [arg for arg in compared.args if isinstance(arg, Tensor)]
    if len(given) == 2:
        yield given[1], given[0]
        yield given[0], given[1]


def _added(lineage: Lineage, target: Tensor) -> tuple[Op, Tensor] | None:
    """`reward + 0.99 * following`: where it is added up, and what follows. The reward has no gradient."""
    for _ in range(_NEAR):
        op = lineage.maker(target)
        if op is None or not target.requires_grad:
            return None
        given = [arg for arg in op.args if isinstance(arg, Tensor)]
        if short(op.name) in ("+", "add") and len(given) == 2:
            for reward, later in (given, given[::-1]):
                if not reward.requires_grad and later.requires_grad:
                    return (op, later) if _is_discounted(lineage, later) else None
            return None
        if short(op.name) not in _TURNED or not given:
            return None
        target = given[0]
    return None


def _is_discounted(lineage: Lineage, later: Tensor) -> bool:
    """Whether it is multiplied with a number somewhat below one."""
    for _ in range(_NEAR):
        op = lineage.maker(later)
        if op is None or short(op.name) not in ("*", "mul"):
            return False
        factors = [
            *op.args,
            *(one for arg in op.args if (maker := lineage.maker(arg)) is not None for one in maker.args),
        ]
        if any(isinstance(one, Scalar) and _is_share(one.value) for one in factors):
            return True
        inner = [arg for arg in op.args if isinstance(arg, Tensor) and arg.requires_grad]
        if len(inner) != 1:
            return False
        later = inner[0]
    return False


def _is_share(number: object) -> bool:
    return isinstance(number, float) and 0.5 <= number < 1.0


def _modules(lineage: Lineage, tensor: Tensor) -> set[int]:
    """The layers whose calls a tensor comes of, by what keeps a gradient."""
    found, seen, waiting = set[int](), set[int](), [tensor]
    while waiting and len(seen) < _NEAR * 2:
        one = waiting.pop(0)
        op = lineage.maker(one)
        if op is None or one.id in seen:
            continue
        seen.add(one.id)
        if op.name.endswith("()") and op.args and isinstance(op.args[0], Other) and op.args[0].id is not None:
            found.add(op.args[0].id)
            continue
        waiting += [inner for arg in op.args for inner in _tensors(arg) if inner.requires_grad]
    return found


def _tensors(value: Value) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Group):
        yield from (one for one in value.items if isinstance(one, Tensor))


def _fixes(made: Op, tree: Tree) -> tuple[Fix, ...]:
    node = tree.at(made.span, ast.BinOp)
    if node is None:
        return ()
    text = f"({source(tree.text, node)}).detach()"
    return (Fix("hold the target fast: .detach()", "unsafe", (replace(tree.text, node, text),)),)
