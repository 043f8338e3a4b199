"""A model moved after DDP has taken it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.events import only_with
from ..program.values import options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "to-after-ddp"
_DDP = "torch.nn.parallel.DistributedDataParallel"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every move of what DDP gave."""
    for event in tree.course.calls(".to", ".cuda", ".half", ".bfloat16"):
        options = options_of(event.on) if event.on is not None else ()
        wrapped = next((one for one in options if one.by == _DDP), None)
        maker = next((one for one in tree.course.calls(_DDP) if one.value is wrapped), None)
        if wrapped is None or maker is None or maker.root != event.root:
            continue
        always = all(one.by == _DDP for one in options) and only_with(event, maker)
        if not always and not only_with(maker, event):
            continue
        made = wrapped.node
        yield found(
            RULE,
            tree,
            event.node,
            "DDP has looked at the parameters where they were, and made its buckets for them. Move the model first, then "
            "wrap it.",
            *_fixes(tree, event.node, made),
            related=[Related(tree.span(made), "wrapped here")]
            if made is not None and made is not event.node
            else [],
        )


def _fixes(tree: Tree, move: ast.AST | None, made: ast.AST | None) -> list[Fix]:
    """Where both are one expression, `DDP(model).to(device)`, or stand in one function."""
    if not isinstance(move, ast.Call) or not isinstance(move.func, ast.Attribute):
        return []
    if (
        not isinstance(made, ast.Call)
        or not made.args
        or not isinstance(made.args[0], (ast.Name, ast.Attribute))
    ):
        return []
    if move.func.value is not made:
        places = tree.course.places
        if places.function(move) is not places.function(made) or not isinstance(move.func.value, ast.Name):
            return []
        name = source(tree.text, move.func.value)
        moved = source(tree.text, made.args[0]) + source(tree.text, move).removeprefix(name)
        return [
            fix("move, then wrap", replace(tree.text, move, name), replace(tree.text, made.args[0], moved))
        ]
    wrap, model = source(tree.text, made), source(tree.text, made.args[0])
    moved = model + source(tree.text, move).removeprefix(wrap)
    at = wrap.index("(") + wrap[wrap.index("(") :].index(model)
    return [fix("move, then wrap", replace(tree.text, move, wrap[:at] + moved + wrap[at + len(model) :]))]
