"""A learning rate that waits for a score to fall which is to rise, or for a loss to rise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..edits.statements import replace
from ..program.names import word_of
from ..program.values import Value, constant, options_of, roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import argument_node, fix, found

RULE = "plateau-mode-mismatch"
_PLATEAU = "torch.optim.lr_scheduler.ReduceLROnPlateau"
_RISES = re.compile(
    r"(^|_)(acc|accuracy|f1|auc|auroc|m?iou|dice|precision|recall|bleu|rouge|psnr|ssim)(_|\d|$)",
    re.IGNORECASE,
)
_FALLS = re.compile(
    r"loss|(^|_)(err|error|mse|mae|rmse|ppl|perplexity|nll|wer|cer|fid)(_|\d|$)", re.IGNORECASE
)
_TURNED = re.compile(
    r"(^|_)(neg|negative|minus|inv|inverse|gap|drop|diff|delta|regret)(_|\d|$)", re.IGNORECASE
)
_WRAPS = frozenset("item mean float cpu detach numpy".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every step of a `ReduceLROnPlateau` with what by its name goes the other way than the mode says."""
    for event in tree.course.calls(".step"):
        made = roots(event.on)
        if not made or any(one.by != _PLATEAU for one in made) or not isinstance(event.node, ast.Call):
            continue
        modes = {_mode(one) for one in made}
        given = argument_node(event.node, "metrics", 0)
        name = _name(given)
        rises, falls = bool(_RISES.search(name)), bool(_FALLS.search(name))
        mode = modes.pop() if len(modes) == 1 else None
        if given is None or rises == falls or mode != ("min" if rises else "max"):
            continue
        if _TURNED.search(name) or _is_turned(event.argument("metrics", 0), _RISES if rises else _FALLS):
            continue
        right = "max" if rises else "min"
        yield found(
            RULE,
            tree,
            event.node,
            f"by its name {ast.unparse(given)} is to {'rise' if rises else 'fall'}, and the scheduler waits for it to "
            f"{'fall' if rises else 'rise'} (mode={mode!r}{', the default' if made[0].argument('mode', 1) is None else ''}): "
            f"it lowers the rate while things get better. mode={right!r}.",
            *_fixes(tree, made[0].node, right),
            related=[Related(tree.span(made[0].node), "made here")] if made[0].node is not None else [],
        )


def _is_turned(value: Value | None, kind: re.Pattern[str]) -> bool:
    """Whether it is the negative of what is called so, or how far that is from something: `acc_left = 1 - acc`."""
    return value is not None and any(
        one.by == "-" and any(kind.search(part.name) for part in one.args) for one in options_of(value)
    )


def _mode(made: Value) -> object:
    given = made.argument("mode", 1)
    return "min" if given is None and "**" not in made.kwargs else constant(given)


def _name(node: ast.AST | None) -> str:
    """What it is called, reads of its number taken off; empty for what is computed of several things."""
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _WRAPS and not node.args:
            node = node.func.value
        elif len(node.args) == 1 and word_of(node.func) in ("mean", "float"):
            node = node.args[0]
        else:
            return ""
    return word_of(node)


def _fixes(tree: Tree, made: ast.AST | None, mode: str) -> tuple[Fix, ...]:
    if not isinstance(made, ast.Call):
        return ()
    node = argument_node(made, "mode", 1)
    edit = (
        add_keyword(tree.text, made, f'mode="{mode}"')
        if node is None
        else replace(tree.text, node, f'"{mode}"')
    )
    return (fix(f"mode={mode!r}", edit),)
