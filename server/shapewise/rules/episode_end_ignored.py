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

_GOES_ON = re.compile(
    r"^(alive|not_?(done|terminal)|non_?(done|terminal)|next_?non_?terminal|continues?)s?$", re.IGNORECASE
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each `reward + gamma * next_value` where the end of the episode came with the reward, and is never read, or is a factor as it is."""
    yield from _turned(tree)
    yield from _called_its_opposite(tree)
    if "gamma" not in tree.text.lower() and "discount" not in tree.text.lower():
        return
    yield from _fields(tree)
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


def _fields(tree: Tree) -> Iterator[Finding]:
    """`batch.reward + gamma * next_value`, where the steps have an end among their fields that the file never reads."""
    for cls, called, names in _steps(tree):
        ends = [name for name in names if _END.match(name)]
        rewards = [name for name in names if _REWARD.match(name)]
        if len(ends) != 1 or len(rewards) != 1 or len(names) < 4 or _may_be_read(tree, ends[0], called):
            continue
        for node in tree.course.nodes(ast.BinOp):
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
                continue
            reward = node.left
            if isinstance(reward, ast.Attribute) and reward.attr == rewards[0] and _is_discounted(node.right):
                end = f"{source(tree.text, reward.value)}.{ends[0]}"
                yield found(
                    RULE,
                    tree,
                    node,
                    f"{ends[0]} is kept with the reward and is never read: where an episode has ended nothing follows, and the target is the "
                    f"reward alone. Multiply what follows by 1 - {end}.",
                    *_fixes(tree, node, end),
                    related=[Related(tree.span(cls), f"{ends[0]} is a field of a step")],
                )


def _steps(tree: Tree) -> Iterator[tuple[ast.AST, str, list[str]]]:
    """Each named tuple and data class of the file, with its name and its fields."""
    for call in tree.course.nodes(ast.Call):
        if isinstance(call, ast.Call) and last_name(call.func) == "namedtuple" and len(call.args) == 2:
            given = call.args[1]
            listed = given.elts if isinstance(given, ast.List | ast.Tuple) else [given]
            texts = [
                one.value for one in listed if isinstance(one, ast.Constant) and isinstance(one.value, str)
            ]
            yield (
                call,
                ast.unparse(call.args[0]).strip("'"),
                [name for text in texts for name in text.replace(",", " ").split()],
            )
    for cls in tree.course.nodes(ast.ClassDef):
        assert isinstance(cls, ast.ClassDef)
        yield (
            cls,
            cls.name,
            [
                one.target.id
                for one in cls.body
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
            ],
        )


def _may_be_read(tree: Tree, field: str, called: str) -> bool:
    """Whether the file reads a field, other than to make a step of it again, or takes steps apart."""
    stem, places = _stem(field), tree.course.places
    for one in places.nodes:
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load) and _stem(one.attr) == stem:
            if not any(isinstance(up, ast.Call) and last_name(up.func) == called for up in places.above(one)):
                return True
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Tuple):
            taken = one.targets[0].elts
            if len(taken) > 3 and isinstance(
                one.value, ast.Name | ast.Attribute | ast.Subscript | ast.Starred
            ):
                return True
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and _stem(one.value) == stem:
            listed = places.parent(one)
            if not (isinstance(listed, ast.List | ast.Tuple) and len(listed.elts) > 3):
                return True
    return False


def _turned(tree: Tree) -> Iterator[Finding]:
    """Each `reward + gamma * done * next_value`: it counts on a next step where there is none, and there alone."""
    turned: set[str] | None = None
    for node in tree.course.nodes(ast.BinOp):
        assert isinstance(node, ast.BinOp)
        if not isinstance(node.op, ast.Add) or not any(_REWARD.match(one) for one in _named(node.left)):
            continue
        factors = _factors(node.right)
        ends = [one for one in factors if _END.match(_name(one))]
        if len(factors) < 3 or len(ends) != 1 or not any(map(_is_discount, factors)):
            continue
        turned = _set_turned(tree) if turned is None else turned
        end = ends[0]
        if _stem(_name(end)) in turned:
            continue
        yield found(
            RULE,
            tree,
            node,
            f"{source(tree.text, end)} is 1 where the episode has ended: what follows is counted there, where nothing follows, and nowhere "
            f"else. Multiply it by 1 - {source(tree.text, end)}.",
            fix("1 - the end", replace(tree.text, end, f"(1 - {source(tree.text, end)})")),
        )


def _called_its_opposite(tree: Tree) -> Iterator[Finding]:
    """`alive = dones[t]`: what is 1 where the episode has ended, under the name of what is 0 there."""
    for one in tree.course.nodes(ast.Assign):
        assert isinstance(one, ast.Assign)
        target = one.targets[0]
        if isinstance(target, ast.Name) and _GOES_ON.match(target.id) and _END.match(_name(one.value)):
            written = source(tree.text, one.value)
            yield found(
                RULE,
                tree,
                one,
                f"{written} is 1 where the episode has ended, and {target.id} is to be 0 there. Take 1 - {written}.",
                fix("1 - the end", replace(tree.text, one.value, f"1 - {written}")),
            )


def _set_turned(tree: Tree) -> set[str]:
    """The names under which the opposite may be kept: what is bound to, or handed over as, `1 - done`, `~done`, `not done`."""
    found: set[str] = set()
    for node in tree.course.places.nodes:
        if (
            isinstance(node, ast.Assign | ast.AnnAssign)
            and node.value is not None
            and _is_opposite(node.value)
        ):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {
                _name(one) for target in targets for one in ast.walk(target) if isinstance(one, ast.expr)
            }
        elif isinstance(node, ast.Call) and any(map(_is_opposite, node.args)):
            found |= {name for one in node.args for name in _named(one)}
        elif isinstance(node, ast.keyword) and node.arg is not None and _is_opposite(node.value):
            found.add(node.arg)
    return {_stem(name) for name in found}


def _stem(name: str) -> str:
    """`done` for `dones`, `batch_done`, `done_t`."""
    match = _END.match(name)
    return name if match is None else match[2].rstrip("s")


def _is_opposite(value: ast.expr) -> bool:
    return any(
        (isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub) and ast.unparse(one.left) in ("1", "1.0"))
        or (isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Invert | ast.Not))
        or (isinstance(one, ast.Call) and ast.unparse(one.func).endswith(("logical_not", "bitwise_not")))
        for one in ast.walk(value)
    )


def _named(node: ast.expr) -> list[str]:
    return [last_name(one) for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute)]


def _name(node: ast.expr) -> str:
    """What a value is called: `done`, `batch.done`, `dones[t]`, `batch["done"]`, `done.float()`."""
    while isinstance(node, ast.Subscript | ast.Call):
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Attribute):
                return ""
            node = node.func.value
        elif isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return node.slice.value
        else:
            node = node.value
    return last_name(node) if isinstance(node, ast.Name | ast.Attribute) else ""


def _factors(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [*_factors(node.left), *_factors(node.right)]
    return [node]


def _is_discount(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float) and 0.8 <= node.value < 1
    return _DISCOUNT.search(_name(node)) is not None


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
