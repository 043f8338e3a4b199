"""Noise that is drawn once for all samples of a batch, of which a network is to tell each sample's own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..queries.lineage import lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import fix, found_at

RULE = "noise-of-one-sample"
_COMPARED = (
    "-",
    "sub",
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "MSELoss()",
    "L1Loss()",
    "SmoothL1Loss()",
)
_DRAWN = frozenset("randn rand randn_like rand_like".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each draw without the dim of the batch that a prediction, which was computed from it, is compared with."""
    lineage = lineage_of(log)
    for op in ops_of(log, _COMPARED):
        given = [one for one in op.args if isinstance(one, Tensor)]
        for guess, noise in (given[:2], given[1::-1]) if len(given) == 2 else ():
            drawn = lineage.maker(noise)
            if drawn is None or short(drawn.name) not in _DRAWN or guess.requires_grad is not True:
                continue
            if not _is_of_one(guess, noise) or not lineage.comes_of(guess, {noise.id}):
                continue
            yield found_at(
                RULE,
                drawn.span,
                f"noise {list_of(noise.shape)} is drawn once and added to every sample of a batch {list_of(guess.shape)}, of which the noise of "
                "each is to be told: all samples have the same. Draw one for each.",
                *_fixes(tree, drawn),
                related=[Related(op.span, "compared with what was predicted of each sample")],
            )
            break


def _is_of_one(guess: Tensor, noise: Tensor) -> bool:
    """Whether the noise has all dims of what is predicted but the first, which is a batch."""
    shape = noise.shape[1:] if len(noise.shape) == len(guess.shape) and noise.shape[0] == 1 else noise.shape
    return len(shape) > 0 and shape == guess.shape[1:] and guess.shape[0] != 1 and noise.shape != guess.shape


def _fixes(tree: Tree, drawn: Op) -> list[Fix]:
    """`randn_like(x)` for `randn(x.shape[1:])`."""
    node = tree.at(drawn.span, ast.Call)
    func = node.func if node is not None else None
    if node is None or not isinstance(func, ast.Attribute) or len(node.args) != 1:
        return []
    part = node.args[0]
    if (
        not isinstance(part, ast.Subscript)
        or not isinstance(part.value, ast.Attribute)
        or part.value.attr != "shape"
    ):
        return []
    cut = part.slice
    if not isinstance(cut, ast.Slice) or cut.upper is not None or not isinstance(cut.lower, ast.Constant):
        return []
    if cut.lower.value != 1 or func.attr not in ("randn", "rand"):
        return []
    module, like = source(tree.text, func.value), source(tree.text, part.value.value)
    return [fix("draw one for each sample", replace(tree.text, node, f"{module}.{func.attr}_like({like})"))]
