"""autocast asks for the kind of a device, not for one device."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import append
from ..edits.statements import replace, source
from ..program.devices import is_device
from ..program.folding import usual
from ..program.training import is_module
from ..program.values import Value, options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import argument_node, fix, found

RULE = "autocast-device-type"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every autocast given a text with a number, or a torch.device."""
    for event in tree.course.calls("torch.autocast"):
        node, given = event.node, event.argument("device_type", 0)
        if given is None or not isinstance(node, ast.Call):
            continue
        written = argument_node(node, "device_type", 0)
        one = next(
            (name for way in _ways(given) if (name := _one_device(usual(way) or way)) is not None), None
        )
        if one is not None:
            kind = one.partition(":")[0]
            if kind == "cuda" and _is_only_on_cpu(tree):
                kind = "cpu"
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
        elif (unknown := _no_device(given)) is not None and not _is_registered(tree, unknown):
            error = message = f"User specified an unsupported autocast device_type '{unknown}'"
            fixes = []
        elif is_device(given, event.in_forward):
            error = message = "Expected `device_type` of type `str`, got: `<class 'torch.device'>`"
            fixes = (
                [fix("its kind: .type", append(tree.text, written, ".type"), safe=True)] if written else []
            )
        elif given.const == "cuda" and _is_only_on_cpu(tree):
            error, fixes = None, []
            message = "all of this runs on the CPU, by the device that the file names: an autocast of cuda changes nothing there."
            if isinstance(written, ast.Constant):
                fixes = [fix("say 'cpu'", replace(tree.text, written, '"cpu"'), safe=True)]
        else:
            continue
        severity = "error" if error is not None else None
        yield found(RULE, tree, node, message, *fixes, torch_error=error, severity=severity)


def _ways(value: Value) -> Iterator[Value]:
    """All that it may be, what stands behind an `or` too: `given or "cuda:0"`."""
    for one in options_of(value):
        if one.by == "bool":
            for option in one.options:
                yield from _ways(option)
        else:
            yield one


def _is_only_on_cpu(tree: Tree) -> bool:
    """Whether models are moved to the CPU in so many words, and no other device is named but to autocast."""
    course = tree.course
    moved = [one for event in course.calls(".to") for one in event.args[:1] if is_module(event.on)]
    named = [one for one in moved if _kind(one) is not None]
    kinds = {_kind(event.value) for event in course.calls("torch.device") if event.value is not None}
    other = re.search(r"\.cuda\b|is_available|accelerator|\bmps\b", tree.text)
    return bool(named) and {*map(_kind, moved), *kinds} == {"cpu"} and other is None


def _kind(device: Value) -> object:
    """The text that names a device, or None."""
    name = device.args[0] if device.by == "torch.device" and device.args else device
    return name.const if isinstance(name.const, str) else None


def _no_device(value: Value) -> str | None:
    """The text that names no kind of device, if on one way it is one: `"gpu"`."""
    texts = [one.const for one in options_of(value) if isinstance(one.const, str)]
    return next((one for one in texts if one.isidentifier() and one not in _KINDS), None)


def _is_registered(tree: Tree, kind: str) -> bool:
    """Whether a package of that name, or the file, may bring a backend of its own."""
    imported = [
        name
        for node in tree.course.nodes(ast.Import, ast.ImportFrom)
        for name in [getattr(node, "module", None) or "", *(one.name for one in getattr(node, "names", ()))]
    ]
    return "privateuse1" in tree.text or any(kind in name for name in imported)


_KINDS = frozenset("cpu cuda xpu mps hpu mtia ipu maia xla meta vulkan opencl npu mlu privateuseone".split())


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
