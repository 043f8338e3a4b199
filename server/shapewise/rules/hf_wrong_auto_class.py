"""AutoModel, which has no head, asked for what only a head gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import replace_attribute
from ..edits.statements import replace
from ..program.values import roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Edit, Finding, Fix, Related
from .asking.hugging import is_pretrained
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "hf-wrong-auto-class"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every logits, loss or generate of a plain AutoModel."""
    course = tree.course
    otherwise = {
        event.node for event in course.calls("()", ".generate") if not is_pretrained(event.on, "AutoModel.")
    }
    for event in course.calls(".generate"):
        if is_pretrained(event.on, "AutoModel.") and event.node not in otherwise:
            made = roots(event.on)[0].node
            yield found(
                RULE,
                tree,
                event.node,
                "AutoModel has no head, and cannot generate. Load it with AutoModelForCausalLM or the like.",
                *_fixes(tree, made, "AutoModelForCausalLM", "AutoModelForSeq2SeqLM"),
                related=[Related(tree.span(made), "loaded here")] if made is not None else [],
            )
    for event in course.calls("()"):
        if event.node in otherwise or event.value is None:
            continue  # it may be a model of another class
        for name in ("logits", "loss"):
            read = event.value.attrs.get(name)
            if read is None or read.node is None:
                continue
            yield found(
                RULE,
                tree,
                read.node,
                f"AutoModel gives hidden states and no {name}: it has no head. Load it with the class for the task, such as "
                "AutoModelForSequenceClassification.",
                *_fixes(
                    tree,
                    roots(event.on)[0].node,
                    "AutoModelForSequenceClassification",
                    "AutoModelForCausalLM",
                ),
            )


def _fixes(tree: Tree, made: ast.AST | None, *names: str) -> list[Fix]:
    """Another class, and its import, where the file uses this one once."""
    nodes = tree.course.places.nodes
    load = made.func.value if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) else None
    if isinstance(load, ast.Attribute):
        return [fix(f"load it as {name}", replace_attribute(tree.text, load, name)) for name in names]
    uses = [one for one in nodes if isinstance(one, ast.Name) and one.id == "AutoModel"]
    imports = [
        one for one in nodes if isinstance(one, ast.alias) and one.name == "AutoModel" and one.asname is None
    ]
    taken = {one.name for one in nodes if isinstance(one, ast.alias)}
    if uses != [load] or len(imports) != 1:
        return []
    span = tree.span(imports[0])
    return [
        fix(
            f"load it as {name}",
            replace(tree.text, uses[0], name),
            *([Edit(span, name)] if name not in taken else []),
        )
        for name in names
    ]
