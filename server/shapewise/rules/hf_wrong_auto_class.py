"""AutoModel, which has no head, asked for what only a head gives."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.values import roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.hugging import is_pretrained
from .asking.tree import Tree
from .telling.found import found

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
            )
