"""`F.dropout(x)` in a module: it does not know of train and eval."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..edits.statements import replace, source
from ..program.events import Branch, Entered, Event
from ..program.values import CONST, GIVEN, Value, number, open_ended, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import argument_node, fix, found

RULE = "functional-dropout-always-on"
_DROPOUTS = tuple(f"torch.nn.functional.dropout{kind}" for kind in ("", "1d", "2d", "3d"))


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every functional dropout in a method of a module that is not told the mode."""
    told: set[ast.AST] = set()
    for event in tree.course.calls(*_DROPOUTS):
        function, node = event.function, event.node
        if not isinstance(node, ast.Call) or event.argument("training", 2) is not None:
            continue
        if function is None or event.value is None or open_ended(event.value):
            continue
        if _guarded(event.branches_in(None)):
            continue
        if function.cls is None and node not in told and _of_a_module(event):
            told.add(node)
            yield found(
                RULE,
                tree,
                node,
                "functional dropout is on unless it is told otherwise, and a module's forward leads here: model.eval() does "
                "not switch it off. Give it training=self.training, or an nn.Dropout.",
            )
        if function.cls is None or not function.cls.is_module:
            continue
        parameters = function.parameters()
        if not parameters or parameters[0].arg != "self":
            continue
        rate = argument_node(node, "p", 1)
        if isinstance(rate, ast.Name) and any(rate.id == one.arg for one in parameters):
            continue  # whoever calls the method may give it 0
        yield found(
            RULE,
            tree,
            node,
            "functional dropout is on unless it is told otherwise: model.eval() does not switch it off.",
            fix(
                "follow the module's mode", add_keyword(tree.text, node, "training=self.training"), safe=True
            ),
        )
    for event in tree.course.calls("torch.nn.functional.scaled_dot_product_attention"):
        function, node = event.function, event.node
        if not isinstance(node, ast.Call) or function is None or _guarded(event.branches_in(None)):
            continue
        given = argument_node(node, "dropout_p", 4)
        if given is None or not _is_always_positive(given, event.argument("dropout_p", 4)):
            continue
        if function.cls is not None and function.cls.is_module:
            text = f"{source(tree.text, given)} if self.training else 0.0"
            yield found(
                RULE,
                tree,
                node,
                "the dropout of attention is on whatever the mode: model.eval() does not switch it off.",
                fix("follow the module's mode", replace(tree.text, given, text), safe=True),
            )


def _of_a_module(event: Event) -> bool:
    """Whether a function of the file is entered from the forward of a module, with a rate above 0 that no mode decides."""
    rate = event.argument("p", 1)
    if rate is not None and any(number(one) == 0 or one.by not in (CONST, GIVEN) for one in options_of(rate)):
        return False
    around = [one.function for one in event.where if isinstance(one, Entered)]
    return any(
        one.name == "forward" and one.cls is not None and one.cls.is_module for one in around
    ) and not any("training" in (arg.arg for arg in one.parameters()) for one in around)


def _is_always_positive(node: ast.expr, value: Value | None) -> bool:
    """Whether a rate is a number above 0 in the call, or one that the constructor was given."""
    if value is None or not isinstance(node, (ast.Constant, ast.Attribute)):
        return False
    if value.by == GIVEN:
        value = value.default if value.default is not None else value
        return value.by == GIVEN or (number(value) or 0) > 0
    return (number(value) or 0) > 0


def _guarded(branches: list[Branch]) -> bool:
    tests = [branch.test for branch in branches]
    return any(test is not None and "training" in ast.dump(test) for test in tests)
