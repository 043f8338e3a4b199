"""Two shares that make up one, of the very same thing: `lam * loss(out, y) + (1 - lam) * loss(out, y)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import source
from ..program.liveness import reads, sets
from ..program.names import last_name
from ..program.values import number
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "blend-with-itself"
_DRAWN = re.compile(r"rand|sample|noise|normal|drop|next\(|draw|augment|mask", re.IGNORECASE)
"""What may be another thing each time."""
_LOSS = re.compile(r"loss|criteri|crit$|entropy|^(mse|mae|bce|ce|nll|kl)$|^kl_", re.IGNORECASE)
_SAME = frozenset(
    "mean sum float long double to detach view reshape flatten unsqueeze squeeze expand size item exp log abs clone".split()
)
"""Methods that give the same each time."""
_FIGURES = frozenset("mean std var amax amin max min sum median".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each sum of `a * x` and `(1 - a) * x` whose x is written twice alike, and each residual of a result with itself."""
    yield from _residuals(tree)
    yield from _added_twice(tree)
    yield from _joined_twice(tree)
    yield from _counted_twice(tree)
    if not any(words in tree.text for words in ("(1 -", "(1-", "(1.")):
        return
    for node in tree.course.places.nodes:
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
            continue
        what = _shared(node)
        if what is None:
            continue
        whole = source(tree.text, what)
        if _DRAWN.search(whole) or not _is_the_same_each_time(what):
            continue
        yield found(
            RULE,
            tree,
            node,
            f"both shares are of the same {whole}: together they are that, whatever the share. What it is to be blended with is missing.",
        )


def _added_twice(tree: Tree) -> Iterator[Finding]:
    """`cross_entropy(logits, y) + cross_entropy(logits, y)`, where one of them is to be of something else."""
    for node in tree.course.nodes(ast.BinOp):
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
            continue
        one, other = node.left, node.right
        if not isinstance(one, ast.Call) or len(one.args) < 2 or ast.dump(one) != ast.dump(other):
            continue
        if _LOSS.search(last_name(one.func)) and _is_the_same_each_time(one):
            whole = source(tree.text, one)
            if not _DRAWN.search(whole) and not any(
                isinstance(each, ast.Call) for arg in one.args for each in ast.walk(arg)
            ):
                yield found(
                    RULE,
                    tree,
                    node,
                    f"both terms are {whole}: what the second is to compare instead is missing.",
                )


def _counted_twice(tree: Tree) -> Iterator[Finding]:
    """`m.sum(1) + m.sum(1) - m.diag()`, `sq + sq - 2 * a @ a.T`: the one is to be of another dim, or of another thing."""
    for node in tree.course.nodes(ast.BinOp):
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
            continue
        total = node.left
        if not isinstance(total, ast.BinOp) or not isinstance(total.op, ast.Add):
            continue
        one, other = total.left, total.right
        if ast.dump(one) != ast.dump(other) or ast.dump(one) == ast.dump(node.right):
            continue
        is_figure = isinstance(one, ast.Call) and _is_figure(one)
        if is_figure or (isinstance(one, ast.Name) and _is_a_product(node.right)):
            whole = source(tree.text, one)
            yield found(
                RULE,
                tree,
                total,
                f"both terms are {whole}: what belongs to the other side, or to the other dim, is missing.",
            )


def _is_figure(call: ast.Call) -> bool:
    """Whether it is a reduction of a tensor along a dim: `m.sum(1)`, `x.pow(2).sum(-1, keepdim=True)`."""
    return (
        isinstance(call.func, ast.Attribute)
        and call.func.attr in _FIGURES
        and bool(call.args or call.keywords)
    )


def _is_a_product(node: ast.expr) -> bool:
    """Whether it is `2 * a @ b`, as in the square of a difference."""
    return any(
        isinstance(one, ast.BinOp) and isinstance(one.op, ast.MatMult) for one in ast.walk(node)
    ) or any(
        isinstance(one, ast.Call) and last_name(one.func) in ("mm", "matmul", "bmm", "einsum")
        for one in ast.walk(node)
    )


def _joined_twice(tree: Tree) -> Iterator[Finding]:
    """`torch.cat([h[0], h[0]], -1)`, `torch.cat([x.mean(-1), x.mean(-1)], 1)`: the same part, or figure, beside itself."""
    for event in tree.course.calls("torch.cat", "torch.concat"):
        call = event.node
        given = call.args[0] if isinstance(call, ast.Call) and call.args else None
        if not isinstance(given, ast.List | ast.Tuple) or len(given.elts) != 2:
            continue
        one, other = given.elts
        dim = number(event.argument("dim", 1))
        if ast.dump(one) != ast.dump(other) or dim in (None, 0):
            continue  # along dim 0 a batch is doubled
        is_part = isinstance(one, ast.Subscript) and ast.unparse(one.slice).lstrip("-").isdigit()
        is_figure = isinstance(one, ast.Call) and _is_figure(one)
        if is_part or is_figure:
            whole = source(tree.text, one)
            yield found(RULE, tree, call, f"both parts are {whole}: what is to stand beside it is missing.")


def _residuals(tree: Tree) -> Iterator[Finding]:
    """`x = x + x` in a forward, right where a layer has set x anew: the x that was to be added is gone."""
    places = tree.course.places
    for cls in tree.course.classes:
        for name, method in cls.methods.items() if cls.is_module else ():
            if not name.startswith("forward"):
                continue
            for one in ast.walk(method.node):
                doubled = _doubled(one)
                if doubled is None or not isinstance(one, ast.stmt):
                    continue
                block = places.block(one)
                made = [
                    before
                    for before in block[: block.index(one)]
                    if isinstance(before, ast.Assign)
                    and doubled in sets(before)
                    and isinstance(before.value, ast.Call)
                ]
                if made and doubled in reads(made[-1].value):
                    yield found(
                        RULE,
                        tree,
                        one,
                        f"{doubled} is added to itself: what it was before the layer, which a residual adds, is gone since line "
                        f"{made[-1].lineno}.",
                        related=[Related(tree.span(made[-1]), f"{doubled} is set anew here")],
                    )


def _doubled(one: ast.AST) -> str | None:
    """The variable that a statement adds to itself."""
    target: ast.expr
    if isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Add):
        target, parts = one.target, [one.target, one.value]
    elif isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.value, ast.BinOp):
        target, parts = one.targets[0], [one.value.left, one.value.right]
        if not isinstance(one.value.op, ast.Add):
            return None
    else:
        return None
    alike = isinstance(target, ast.Name) and all(
        isinstance(part, ast.Name) and part.id == target.id for part in parts
    )
    return target.id if alike and isinstance(target, ast.Name) else None


def _shared(total: ast.BinOp) -> ast.expr | None:
    """What both shares are of, if it is one thing."""
    for share, what in _shares(total.left):
        for rest, other in _shares(total.right):
            if (_is_rest(share, rest) or _is_rest(rest, share)) and ast.dump(what) == ast.dump(other):
                return None if isinstance(what, ast.Constant) else what
    return None


def _is_the_same_each_time(what: ast.AST) -> bool:
    """Whether nothing is called but a loss and what gives the same of the same: a layer may drop, a loader goes on."""
    if not isinstance(what, ast.Call):
        return all(map(_is_the_same_each_time, ast.iter_child_nodes(what)))
    if isinstance(what.func, ast.Attribute):
        if _LOSS.search(what.func.attr):
            return True
        return what.func.attr in _SAME and all(map(_is_the_same_each_time, (what.func.value, *what.args)))
    return isinstance(what.func, ast.Name) and _LOSS.search(what.func.id) is not None


def _shares(side: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """A share and what it is of, either way round: `lam * x`, `x * lam`."""
    if isinstance(side, ast.BinOp) and isinstance(side.op, ast.Mult):
        yield side.left, side.right
        yield side.right, side.left


def _is_rest(share: ast.expr, rest: ast.expr) -> bool:
    return (
        isinstance(rest, ast.BinOp)
        and isinstance(rest.op, ast.Sub)
        and isinstance(rest.left, ast.Constant)
        and rest.left.value == 1
        and ast.dump(rest.right) == ast.dump(share)
    )
