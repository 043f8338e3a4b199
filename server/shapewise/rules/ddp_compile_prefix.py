"""The state dict of a wrapper: its keys have a prefix that the model's do not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_before_dot
from ..program.values import Value, options_of, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

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
        for part in (one, *one.args)
        for inner in options_of(part)
    }
    for event in course.calls(".state_dict"):
        node = event.node
        if event.on is None or id(event.value) not in saved or not isinstance(node, ast.Call):
            continue
        options = [
            _moved(option)
            for other in course.calls(".state_dict")
            if other.node is node and other.where == event.where and other.on is not None
            for option in options_of(other.on)
        ]
        kinds = {option.by for option in options}
        wrapped = kinds & _PREFIX.keys()
        if (
            len(wrapped) != 1
            or _moved(event.on).by not in kinds & wrapped
            or not isinstance(node.func, ast.Attribute)
        ):
            continue
        prefix, attribute = _PREFIX[wrapped.pop()]
        at_times = len(kinds) > 1
        if at_times and (attribute in tree.text or f'"{attribute[1:]}' in tree.text or not _of_one(options)):
            continue
        yield found(
            RULE,
            tree,
            node,
            f"the keys of this state dict begin with {prefix!r}{' where it is wrapped' * at_times}: a model that is not "
            f"wrapped in the same way cannot load it. Save the inner model's, {attribute}.",
            *(
                []
                if at_times
                else [fix("save the inner model", insert_before_dot(tree.text, node.func, attribute))]
            ),
        )


def _of_one(options: list[Value]) -> bool:
    """Whether all of them are one model, wrapped or not."""
    return all(same(one, options[0]) for one in options)


def _moved(value: Value) -> Value:
    """What was moved or cast on the way."""
    while value.by in (".to", ".cuda", ".half", ".bfloat16", ".train", ".eval") and value.on is not None:
        value = value.on
    return value
