"""A division by a spread that may be 0, a logarithm of what may be 0."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import append
from ..edits.statements import replace, source
from ..program.events import Event
from ..program.ops import numbers_of, op_of, surely
from ..program.tensors import is_tensor
from ..program.values import Value, number, options_of, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "log-div-sqrt-unguarded"
_OTHERS = re.compile(r"^\s*(import|from) (numpy|pandas|scipy|jax)\b", re.MULTILINE)
_SPREADS = (".std", ".var", "torch.std", "torch.var")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Divisions by a std or its square as it comes; logarithms of a sigmoid, of 1 minus one, of a relu."""
    for event in tree.course.of_kind("op"):
        if event.name == "/" and isinstance(event.node, ast.BinOp) and len(event.args) == 2:
            below = event.args[1]
            if _all(below, _SPREADS) and _is_torchs(below, tree):
                written = source(tree.text, event.node.right)
                yield found(
                    RULE,
                    tree,
                    event.node,
                    "where all values are equal this divides by 0, and nan spreads from there through loss and weights.",
                    fix("add 1e-8", replace(tree.text, event.node.right, f"({written} + 1e-8)")),
                )
    for event in tree.course.calls("torch.log", ".log"):
        given = event.on if event.name == ".log" else event.argument("input", 0)
        call = event.node
        if given is None or not isinstance(call, ast.Call):
            continue
        if _sigmoid(given):
            message = (
                "a sigmoid rounds to 0 and to 1 for large inputs, and the logarithm is then -inf, with nan gradients. Use "
                "F.logsigmoid on the logits, or clamp first."
            )
        elif _cut_at_0(given) and not _chosen_from(event, tree):
            message = (
                "what is below 0 was made 0 here, and its logarithm is -inf, with nan gradients. Clamp first."
            )
        elif _counted(given) and not _chosen_from(event, tree):
            message = (
                "a class that never comes has a share of 0, its logarithm is -inf, and 0 times that is nan. Clamp first, "
                "or use torch.special.entr."
            )
        else:
            continue
        node = (
            call.func.value if event.name == ".log" and isinstance(call.func, ast.Attribute) else call.args[0]
        )
        yield found(
            RULE,
            tree,
            call,
            message,
            fix("clamp first", append(tree.text, node, ".clamp_min(1e-12)")),
        )


def _all(value: Value, names: tuple[str, ...]) -> bool:
    options = options_of(value)
    return bool(options) and all(one.by in names for one in options)


def _is_torchs(value: Value, tree: Tree) -> bool:
    """Whether torch computes it: arrays and frames have such methods as well."""
    if value.by.startswith("torch.") or "dim" in value.kwargs or "keepdim" in value.kwargs:
        return True
    return (value.on is not None and is_tensor(value.on)) or not _OTHERS.search(tree.text)


def _cut_at_0(value: Value) -> bool:
    """Whether it is surely exactly 0 wherever something was negative: a relu, or a part or share of one."""
    made = list(numbers_of(value))
    return bool(made) and all(_is_cut(one) for one in made)


def _is_cut(value: Value) -> bool:
    if value.by in ("/", "*") and len(value.args) == 2:
        return _cut_at_0(value.args[0]) or (value.by == "*" and _cut_at_0(value.args[1]))
    op = op_of(value)
    if op is None:
        return False
    least = value.argument("min", 0 if value.by.startswith(".") else 1)
    return op.name == "relu" or (op.name in ("clamp", "clamp_min") and number(least) == 0)


def _counted(value: Value) -> bool:
    """Whether these are counts or shares of classes: 0 for each that never comes."""
    made = list(numbers_of(value))
    return bool(made) and all(map(_is_count, made))


def _is_count(value: Value) -> bool:
    if value.by == "/" and len(value.args) == 2:
        return _counted(value.args[0])
    op = op_of(value)
    if op is None:
        return False
    return op.name in ("bincount", "histc", "one_hot") or (
        op.name in ("mean", "sum") and op.operand is not None and _counted(op.operand)
    )


def _chosen_from(event: Event, tree: Tree) -> bool:
    """Whether `torch.where` leaves out what is infinite."""
    return any(
        event.value is inner
        for call in tree.course.calls(
            "torch.where", ".where", ".masked_fill", "torch.nan_to_num", ".nan_to_num"
        )
        for one in (*call.inputs(), *((call.on,) if call.on is not None else ()))
        for inner in within(one, 4)
    )


def _sigmoid(value: Value) -> bool:
    if surely(value, "sigmoid"):
        return True
    return (
        value.by == "-"
        and len(value.args) == 2
        and value.args[0].const == 1
        and bool(surely(value.args[1], "sigmoid"))
    )
