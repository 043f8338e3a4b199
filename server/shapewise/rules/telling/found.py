"""How a rule says what it found: the severity stands on its page."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...edits.statements import source
from ...program.events import Entered, Event
from ...program.names import imported
from ...program.values import Value
from ...vocabulary.events import Failure, Log, Op
from ...vocabulary.findings import Edit, Finding, Fix, Related
from ...vocabulary.span import Span
from ..asking.tree import Tree
from .pages import pages


def found(
    rule: str,
    tree: Tree,
    node: ast.AST,
    message: str,
    *fixes: Fix,
    related: Iterable[Related] = (),
    torch_error: str | None = None,
    severity: str | None = None,
) -> Finding:
    """A finding at a node of the tree, as severe as its page says unless it is a lesser one."""
    return found_at(
        rule,
        tree.span(node),
        message,
        *fixes,
        related=related,
        torch_error=torch_error,
        severity=severity,
    )


def found_at(
    rule: str,
    span: Span,
    message: str,
    *fixes: Fix,
    related: Iterable[Related] = (),
    torch_error: str | None = None,
    severity: str | None = None,
) -> Finding:
    """The same at the place of an event. Of one rule, what is found first at a place is what is told."""
    return Finding(rule, span, severity or severity_of(rule), message, torch_error, tuple(related), fixes)


def severity_of(rule: str) -> str:
    """What the page says. Raises KeyError for a rule that has none."""
    return pages()[rule].severity


def fix(title: str, *edits: Edit, safe: bool = False) -> Fix:
    """A repair; one that may change what the code means unless `safe`."""
    return Fix(title, "safe" if safe else "unsafe", edits)


def text_of(tree: Tree, node: ast.AST | None) -> str:
    """A node as it is written, where it is one line; else empty."""
    if not isinstance(node, (ast.expr, ast.stmt, ast.keyword)):
        return ""
    text = source(tree.text, node)
    return "" if "\n" in text else text


def call_of(node: ast.AST | None) -> ast.Call | None:
    """The node, if it is a call."""
    return node if isinstance(node, ast.Call) else None


def keyword_of(call: ast.Call, name: str) -> ast.keyword | None:
    """A keyword argument of a call."""
    return next((one for one in call.keywords if one.arg == name), None)


def argument_node(call: ast.Call, name: str, position: int | None = None) -> ast.expr | None:
    """The expression given for an argument, by keyword or by place."""
    keyword = keyword_of(call, name)
    if keyword is not None:
        return keyword.value
    if position is not None and position < len(call.args):
        if not any(isinstance(arg, ast.Starred) for arg in call.args[: position + 1]):
            return call.args[position]
    return None


def said_at(tree: Tree, event: Event, given: Value | None) -> ast.AST:
    """The call that gives an option: the event's own, that of a helper which hands its arguments on, or a partial."""
    written = given.node if given is not None else None
    if isinstance(event.node, ast.expr) and isinstance(written, ast.expr):
        sites = [one.site for one in event.where if isinstance(one, Entered)]
        for site in (event.node, *reversed(sites)):
            if isinstance(site, ast.Call) and any(one is written for one in ast.walk(site)):
                return site
        for call in tree.course.places.above(written):
            if isinstance(call, ast.Call):
                return call if ast.unparse(call.func).endswith("partial") else event.node
    return event.node


def failures(log: Log, *beginnings: str) -> Iterable[tuple[Op, Failure]]:
    """The ops that torch refuses in these words, and that nothing catches."""
    for op in log.events:
        if isinstance(op, Op) and op.failure is not None and not op.failure.caught:
            if op.failure.message.startswith(beginnings):
                yield op, op.failure


def refused_calls(log: Log, tree: Tree, *beginnings: str) -> Iterable[tuple[ast.Call, Failure]]:
    """The same, by the calls of the text."""
    for op, failure in failures(log, *beginnings):
        node = tree.at(op.span, ast.Call)
        if node is not None:
            yield node, failure


def name_for(tree: Tree, path: str) -> str | None:
    """How the file itself would write a dotted path: `nn.Linear` where it says `from torch import nn`."""
    best: str | None = None
    for node in tree.course.tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for name, behind in imported(node).items():
                if path == behind:
                    return name
                if path.startswith(behind + "."):
                    written = name + path[len(behind) :]
                    best = written if best is None or len(written) < len(best) else best
    return best
