"""autocast asks for the kind of a device, not for one device."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..fixes.edits import append
from ..fixes.statements import replace, source
from ..program.devices import is_device
from ..program.values import Value
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import argument_node, fix, found
from .tree import Tree

RULE = "autocast-device-type"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every autocast given a text with a number, or a torch.device."""
    for event in tree.course.calls("torch.autocast"):
        node, given = event.node, event.argument("device_type", 0)
        if given is None or not isinstance(node, ast.Call):
            continue
        written = argument_node(node, "device_type", 0)
        one = _one_device(given)
        if one is not None:
            kind = one.partition(":")[0]
            error = None
            message = f"autocast asks for the kind of device: {one!r} names one device, and before torch 2.5 raises."
            fixes = []
            if isinstance(written, (ast.Constant, ast.JoinedStr)):
                fixes = [fix(f"say {kind!r}", replace(tree.text, written, f'"{kind}"'), safe=True)]
            elif isinstance(written, ast.Call) and given.by == "builtins.str":
                kind_of = f"{source(tree.text, written.args[0])}.type"
                fixes = [fix("its kind: .type", replace(tree.text, written, kind_of), safe=True)]
            elif isinstance(written, (ast.Name, ast.Attribute)):
                fixes = [fix("its kind", append(tree.text, written, '.split(":")[0]'), safe=True)]
        elif is_device(given, event.in_forward):
            error = message = "Expected `device_type` of type `str`, got: `<class 'torch.device'>`"
            fixes = (
                [fix("its kind: .type", append(tree.text, written, ".type"), safe=True)] if written else []
            )
        else:
            continue
        severity = "error" if error is not None else None
        yield found(RULE, tree, node, message, *fixes, torch_error=error, severity=severity)


def _one_device(value: Value) -> str | None:
    """The text with a number that it is, `cuda:0`; `cuda:...` where a text is made that begins so."""
    if isinstance(value.const, str):
        return value.const if ":" in value.const else None
    if value.by == "fstring" and isinstance(value.node, ast.JoinedStr) and value.node.values:
        first = value.node.values[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str) and ":" in first.value:
            return f"{first.value.partition(':')[0]}:..."
    if value.by in ("builtins.str", "fstring") and len(value.args) == 1:
        whole = not isinstance(value.node, ast.JoinedStr) or len(value.node.values) == 1
        return _with_a_number(value.args[0]) if whole else None
    return None


def _with_a_number(value: Value) -> str | None:
    """The text of a torch.device, if that is one with a number: `cuda:0`, or `cuda:...` where the number is not known."""
    if value.by != "torch.device" or not value.args:
        return None
    kind, at = value.args[0], value.argument("index", 1)
    if isinstance(kind.const, str) and at is not None and at.const is not None:
        return f"{kind.const}:{at.const if isinstance(at.const, int) else '...'}"
    return _one_device(kind)
