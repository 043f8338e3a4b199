"""The state dict of a wrapper: its keys have a prefix that the model's do not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.statements import insert_before_dot
from ..program.values import Value, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import fix, found
from .tree import Tree

RULE = "ddp-compile-prefix"
_PREFIX = {
    "torch.nn.parallel.DistributedDataParallel": ("module.", ".module"),
    "torch.nn.DataParallel": ("module.", ".module"),
    "torch.compile": ("_orig_mod.", "._orig_mod"),
}


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every state_dict of what DDP or compile has wrapped that is saved."""
    course = tree.course
    saved = {
        id(inner)
        for event in course.calls("torch.save", "safetensors.torch.save_file")
        for one in event.inputs()
        for inner in (one, *one.args)
    }
    for event in course.calls(".state_dict"):
        node = event.node
        if event.on is None or id(event.value) not in saved or not isinstance(node, ast.Call):
            continue
        kinds = {_moved(option).by for option in options_of(event.on)}
        if len(kinds) != 1 or not (kinds & _PREFIX.keys()) or not isinstance(node.func, ast.Attribute):
            continue
        prefix, attribute = _PREFIX[kinds.pop()]
        yield found(
            RULE,
            tree,
            node,
            f"the keys of this state dict begin with {prefix!r}: a model that is not wrapped in the same way cannot load "
            f"it. Save the inner model's, {attribute}.",
            fix("save the inner model", insert_before_dot(tree.text, node.func, attribute)),
        )


def _moved(value: Value) -> Value:
    """What was moved or cast on the way."""
    while value.by in (".to", ".cuda", ".half", ".bfloat16", ".train", ".eval") and value.on is not None:
        value = value.on
    return value
