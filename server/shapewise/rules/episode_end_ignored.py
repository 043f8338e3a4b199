"""Targets of temporal differences that count on a next step where the episode has ended."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.liveness import reads
from ..program.names import last_name
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "episode-end-ignored"
_END = re.compile(
    r"^(b_|batch_|mb_)?(dones?|terminals?|terminateds?|terminations?)(_batch|_b|_t)?$", re.IGNORECASE
)
_REWARD = re.compile(r"^(b_|batch_|mb_)?(rewards?|rews?|rs?)(_batch|_b|_t)?$", re.IGNORECASE)
_DISCOUNT = re.compile(r"gamma|discount", re.IGNORECASE)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each `reward + gamma * next_value` where the end of the episode came with the reward, and is never read."""
    if "gamma" not in tree.text.lower() and "discount" not in tree.text.lower():
        return
    places = tree.course.places
    for one in tree.course.nodes(ast.Assign):
        assert isinstance(one, ast.Assign)
        parts = one.targets[0].elts if len(one.targets) == 1 and isinstance(one.targets[0], ast.Tuple) else []
        names = [part.id for part in parts if isinstance(part, ast.Name)]
        ends = [name for name in names if _END.match(name)]
        rewards = [name for name in names if _REWARD.match(name)]
        if len(ends) != 1 or len(rewards) != 1 or len(names) < 4:
            continue
        around = places.function(one)
        own = list(ast.walk(around if around is not None else tree.course.tree))
        if any(
            isinstance(node, ast.Name) and node.id == ends[0] and isinstance(node.ctx, ast.Load)
            for node in own
        ):
            continue
        for node in own:
            if (
                isinstance(node, ast.BinOp)
                and isinstance(node.op, ast.Add)
                and rewards[0] in reads(node.left)
            ):
                if (
                    isinstance(node.left, ast.Name)
                    and _is_discounted(node.right)
                    and node.lineno > one.lineno
                ):
                    yield found(
                        RULE,
                        tree,
                        node,
                        f"{ends[0]} came with the reward and is never read: where an episode has ended nothing follows, and the target is the "
                        f"reward alone. Multiply what follows by 1 - {ends[0]}.",
                        *_fixes(tree, node, ends[0]),
                        related=[Related(tree.span(one), f"{ends[0]} is taken out of the batch here")],
                    )


def _is_discounted(node: ast.expr) -> bool:
    """Whether it is a discount times something, and nothing that stands for what is masked."""
    names = [last_name(one) for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute)]
    is_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    return (
        is_product
        and any(_DISCOUNT.search(name) for name in names)
        and not any("mask" in name for name in names)
    )


def _fixes(tree: Tree, node: ast.BinOp, end: str) -> list[Fix]:
    text = f"{source(tree.text, node.right)} * (1 - {end})"
    return [fix(f"times 1 - {end}", replace(tree.text, node.right, text))]
