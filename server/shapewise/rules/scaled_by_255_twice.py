"""Pixels that are divided by 255, and then again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.values import Value, roots, within
from ..queries.lineage import Lineage, lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.loaders import loaders
from .asking.tree import Tree
from .telling.found import fix, found, found_at

RULE = "scaled-by-255-twice"
UNCALLED = True
_MOST = 255
_DIVIDES = frozenset("/ div div_ /=".split())
_TIMES = frozenset("* mul mul_ *=".split())
_KEEPS = frozenset(
    "float double half bfloat16 to clone detach contiguous permute transpose unsqueeze squeeze reshape view flatten [] cpu "
    "cuda flip interpolate pad stack cat normalize from_numpy type_as clamp".split()
)
_STEPS = 12


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each division by 255 of what is a quotient by 255 already, laid out otherwise or standardised since."""
    yield from _of_loaders(tree)
    lineage = lineage_of(log)
    for op in ops_of(log, _DIVIDES | _TIMES):
        if not _is_by_255(op):
            continue
        before = _before(lineage, op)
        if before is not None and before.span != op.span:
            yield found_at(
                RULE,
                op.span,
                "what is divided by 255 here was divided by it before: what is left of the pixels lies below 0.004, and is nearly the same for "
                "all.",
                related=[Related(before.span, "divided by 255 here")],
            )


def _of_loaders(tree: Tree) -> Iterator[Finding]:
    """`images / 255` in a loop over a data set of torchvision's, whose `ToTensor()` has divided them."""
    if "ToTensor" not in tree.text or "255" not in tree.text:
        return
    told: set[ast.AST] = set()
    for loader in loaders(tree.course):
        whole = loader.given("dataset", 0)
        scaled = [_scales(one) for one in roots(whole)] if whole is not None else []
        if not scaled or not all(scaled):
            continue
        for loop in loader.loops:
            if not isinstance(loop.node, ast.For) or loop.node in told:
                continue
            told.add(loop.node)
            node = _divided(loop.node)
            if node is not None:
                yield found(
                    RULE,
                    tree,
                    node,
                    "ToTensor() has divided the pictures by 255 already: what is left of the pixels lies below 0.004, and is nearly the same "
                    "for all.",
                    *_undivided(tree, node),
                    related=[Related(tree.span(loader.event.node), "loaded here")],
                )


def _scales(dataset: Value) -> bool:
    """Whether it is one of torchvision's, of pictures that `ToTensor()` makes tensors."""
    transform = dataset.kwargs.get("transform")
    if not (dataset.by or dataset.path).startswith("torchvision.datasets.") or transform is None:
        return False
    steps = [one.by or one.path for one in within(transform, 4)]
    plain = all(not one.endswith(("Lambda", "PILToTensor")) for one in steps)
    return plain and any(
        one.startswith("torchvision.transforms.") and one.endswith(".ToTensor") for one in steps
    )


def _divided(loop: ast.For) -> ast.BinOp | None:
    """Where the first thing of each batch is divided by 255, and no number of the loop takes it back."""
    target = loop.target
    while isinstance(target, ast.Tuple) and target.elts:
        pictures = [one for one in target.elts if not isinstance(one, ast.Name) or one is target.elts[0]]
        target = next((one for one in pictures if isinstance(one, ast.Tuple)), target.elts[0])
    within_loop = [one for statement in loop.body for one in ast.walk(statement)]
    if not isinstance(target, ast.Name) or any(
        isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult) and _is_255(one.right)
        for one in within_loop
    ):
        return None
    for one in within_loop:
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) and _is_255(one.right):
            left = one.left
            while isinstance(left, ast.Call) and isinstance(left.func, ast.Attribute):
                left = left.func.value
            if isinstance(left, ast.Name) and left.id == target.id:
                return one
    return None


def _is_255(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == _MOST


def _undivided(tree: Tree, node: ast.BinOp) -> Iterator[Fix]:
    yield fix("leave them as they are", replace(tree.text, node, source(tree.text, node.left)))


def _is_by_255(op: Op) -> bool:
    if len(op.args) != 2 or not isinstance(op.args[0], Tensor) or not isinstance(op.args[1], Scalar):
        return False
    value = op.args[1].value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if short(op.name) in _DIVIDES:
        return value == _MOST
    return abs(value * _MOST - 1) < 1e-6


def _before(lineage: Lineage, op: Op) -> Op | None:
    """The division by 255 behind the operand of another, where nothing but layout and standardising is between them."""
    value = op.args[0]
    for _ in range(_STEPS):
        maker = lineage.maker(value)
        if maker is None or not maker.args or maker is op:
            return None
        if _is_by_255(maker):
            return maker
        first = maker.args[0]
        is_standardising = short(maker.name) in ("-", "sub", "/", "div") and len(maker.args) == 2
        if short(maker.name) not in _KEEPS and not (is_standardising and _is_small(lineage, maker)):
            return None
        if not isinstance(first, Tensor):
            return None
        value = first
    return None


def _is_small(lineage: Lineage, op: Op) -> bool:
    """Whether the other operand is a mean or a deviation: one number, or one for each channel."""
    first, other = op.args
    if isinstance(other, Tensor) and isinstance(first, Tensor):
        return other.shape.count(1) >= len(other.shape) - 1
    return isinstance(other, Scalar) and isinstance(other.value, int | float) and abs(other.value) <= 1
