"""One model for all rounds of a cross-validation: from the second on it has been trained on what it is measured on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import source
from ..program.liveness import sets
from ..program.names import last_name
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "model-shared-by-folds"
_FOLDS = re.compile(r"k_?folds?\b|\bfolds?\b|\bcv\.split|\bskf\b|\bkf\b", re.IGNORECASE)
_ANEW = re.compile(
    r"reset_|deepcopy\((?![\w.]*\.state_dict)|\.apply\(|init_weights|set_weights|set_parameters|clone\(|re_?init|_init\("
)
_TRAINS = re.compile(r"^(train|fit|run_training)")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each loop over folds that makes an optimizer of a model from above the loop, and trains it."""
    if not _FOLDS.search(tree.text):
        return
    for loop in tree.course.nodes(ast.For):
        assert isinstance(loop, ast.For)
        if not _goes_over_folds(tree, loop) or _ANEW.search(source(tree.text, loop)):
            continue
        within = [node for one in loop.body for node in ast.walk(one)]
        for made in within:
            model = _model_of(made)
            if model is None or any(model in sets(one) for one in within if isinstance(one, ast.stmt)):
                continue
            born = _born(tree, loop, model)
            if born is None or not _trains(within, model) or _is_restored(within, model):
                continue
            yield found(
                RULE,
                tree,
                made,
                f"{model} is the same in each round: from the second fold on it has been trained on what it is measured on, and the scores "
                "get better from fold to fold. Make it anew in the loop.",
                related=[Related(tree.span(born), f"{model} is made here")],
            )
            break


def _goes_over_folds(tree: Tree, loop: ast.For) -> bool:
    """`for train, val in kf.split(x)`, `for fold in range(5)`, `val = folds[k]`."""
    head = f"{ast.unparse(loop.target)} in {ast.unparse(loop.iter)}"
    if _FOLDS.search(head):
        return True
    indexed = [
        last_name(node.value)
        for one in loop.body
        for node in ast.walk(one)
        if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == ast.unparse(loop.target)
    ]
    return any(_FOLDS.fullmatch(name) for name in indexed)


def _model_of(node: ast.AST) -> str | None:
    """The name of the model whose parameters an optimizer is made of."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    given = node.args[0]
    func = given.func if isinstance(given, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr != "parameters" or last_name(node.func)[:1].islower():
        return None
    return func.value.id if isinstance(func.value, ast.Name) else None


def _born(tree: Tree, loop: ast.For, model: str) -> ast.Assign | None:
    """Where the model is made, before the loop and in the same block or around it."""
    made = [
        one
        for one in tree.course.nodes(ast.Assign)
        if isinstance(one, ast.Assign) and model in sets(one) and isinstance(one.value, ast.Call)
    ]
    function = tree.course.places.function(loop)
    own = [one for one in made if tree.course.places.function(one) is function and one.lineno < loop.lineno]
    return own[0] if len(own) == len(made) == 1 else None


def _trains(within: list[ast.AST], model: str) -> bool:
    """Whether the round goes back through a loss, or hands the model to what trains."""
    return any(
        isinstance(one, ast.Call)
        and (
            (isinstance(one.func, ast.Attribute) and one.func.attr == "backward")
            or (
                _TRAINS.match(last_name(one.func)) is not None
                and any(isinstance(arg, ast.Name) and arg.id == model for arg in one.args)
            )
        )
        for one in within
    )


def _is_restored(within: list[ast.AST], model: str) -> bool:
    """Whether weights from above the loop are loaded: those that a round has kept itself do not count."""
    own = {name for one in within if isinstance(one, ast.stmt) for name in sets(one)}
    return any(
        isinstance(one, ast.Call)
        and isinstance(one.func, ast.Attribute)
        and one.func.attr == "load_state_dict"
        and not (one.args and isinstance(one.args[0], ast.Name) and one.args[0].id in own)
        for one in within
    )
