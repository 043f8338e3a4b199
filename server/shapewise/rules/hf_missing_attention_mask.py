"""Padded input ids without the mask that says which are padding."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..edits.statements import source
from ..program.values import INSTANCE, Value, roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.hugging import encoding_of, padded
from .asking.tree import Tree
from .telling.found import argument_node, fix, found

RULE = "hf-missing-attention-mask"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every call of a model, or its generate, with the ids of a padded encoding and no mask."""
    for event in tree.course.calls("()", ".generate"):
        node = event.node
        if not isinstance(node, ast.Call) or "attention_mask" in event.kwargs or "**" in event.kwargs:
            continue
        encoding = encoding_of(event.argument("input_ids", 0), tree.course)
        if encoding is None or not padded(encoding) or len(event.args) > 1:
            continue
        if any(_takes_none(one) for one in roots(event.on)):
            continue
        written = argument_node(node, "input_ids", 0)
        fixes = []
        if written is not None:
            text = source(tree.text, written).replace("input_ids", "attention_mask")
            fixes = [fix("pass the mask", add_keyword(tree.text, node, f"attention_mask={text}"), safe=True)]
        yield found(
            RULE,
            tree,
            node,
            "the batch is padded, and without attention_mask the model takes the padding for text.",
            *fixes,
        )


def _takes_none(called: Value) -> bool:
    """Whether what is called knows no mask: a layer of torch's, or a module of the file."""
    return called.by.startswith("torch.nn.") or called.by == INSTANCE
