"""A plain number in a loss: it changes what is printed and nothing that is learned."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.values import Value, options_of, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "loss-nontensor-term"
_SUMS = ("+", "-", "+=", "-=")
_OF_WEIGHTS = (
    "()",
    ".parameters",
    ".named_parameters",
    "torch.nn.Linear",
    "torch.nn.Embedding",
    "torch.nn.Parameter",
)
"""What shows that a number was taken out of something that is learned."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every term of what is differentiated that is a number of numpy's, or was taken out of a tensor."""
    told: set[ast.AST] = set()
    for back in tree.training.backwards:
        if not any(option.by in _SUMS for option in options_of(back.loss)):
            continue
        for term, written in _terms(back.loss, None, 0):
            node = written or term.node
            if node is None or node in told or not _is_plain(term):
                continue
            told.add(node)
            yield found(
                RULE,
                tree,
                node,
                "this is a plain number: added to the loss it changes the value that is shown, and no gradient. What is to be "
                "learned from has to stay a tensor.",
                *_fixes(tree, node),
                related=[Related(tree.span(back.event.node), "differentiated here")],
            )


def _fixes(tree: Tree, node: ast.AST) -> list[Fix]:
    """`item()` left out."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "item":
        return []
    return [fix("keep it a tensor", replace(tree.text, node, source(tree.text, node.func.value)))]


def _is_plain(term: Value) -> bool:
    """Whether a term is what numpy or `item` gave, a method's result of that, or a sum or a multiple of such."""
    one: Value | None = term
    for _ in range(4):
        if one is None or one.by.startswith("numpy.") or one.by in (".item", ".numpy"):
            return one is not None
        if one.by == "builtins.float" and len(one.args) == 1:
            return any(inner.by in _OF_WEIGHTS for inner in within(one.args[0], 6))
        if one.by == "builtins.sum" and one.args and one.args[0].by in ("genexp", "listcomp"):
            one = one.args[0].args[0]
        elif one.by in ("*", "/") and any(map(_is_weight, one.args)):
            one = next((arg for arg in one.args if not _is_weight(arg)), None)
        else:
            one = one.on if one.by.startswith(".") and len(one.by) > 1 else None
    return False


def _terms(value: Value, written: ast.AST | None, depth: int) -> Iterator[tuple[Value, ast.AST | None]]:
    """What a sum is a sum of, what weights them taken off; and the call that stands for it in the sum."""
    for option in options_of(value):
        if option.by in _SUMS and depth < 12:
            for at, arg in enumerate(option.args):
                yield from _terms(arg, _operand(option.node, at), depth + 1)
        elif option.by == "*" and len(option.args) == 2 and any(map(_is_weight, option.args)):
            yield from ((arg, None) for arg in option.args if not _is_weight(arg))
        else:
            yield option, written


def _operand(node: ast.AST | None, at: int) -> ast.Call | None:
    """An operand as it is written, if it is a call."""
    side = (node.left, node.right)[at] if isinstance(node, ast.BinOp) else None
    return side if isinstance(side, ast.Call) else None


def _is_weight(value: Value) -> bool:
    """Whether a factor is a number that is set: a literal, a parameter's default, an option of the command line."""
    return all(
        option.by == "const"
        or (
            option.by == "."
            and option.on is not None
            and option.on.by in (".parse_args", ".parse_known_args")
        )
        for option in options_of(value)
    )
