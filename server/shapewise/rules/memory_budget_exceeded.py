"""A model trained on one card whose weights, gradients and optimizer fit on no card there is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..program.events import Event
from ..program.given import all_given
from ..program.training import is_optimizer
from ..program.values import Value, same
from ..program.weighing import parameters_at_least
from ..vocabulary.events import Log, Op, Other
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "memory-budget-exceeded"
_LARGEST = 512e9
"""Bytes: more than any single card has (NVIDIA B300 and AMD MI355X have 288 GB, MI400 is announced with 432)."""
_COPIES = {"Adam": 4, "AdamW": 4, "NAdam": 4, "RAdam": 4, "Adamax": 4, "SGD": 2, "RMSprop": 3, "Adagrad": 3}
"""Of each weight: itself, its gradient, and what the optimizer keeps for it (torch.optim, the default options)."""
_SPREAD = re.compile(
    r"fsdp|fully_?shard|deepspeed|zeroredundancy|device_map|device_mesh|pipeline|offload|megatron|tensor_parallel|"
    r"parallelize|requires_grad|freeze|lora|cuda:1|8bit|meta\b",
    re.IGNORECASE,
)
"""Words of files in which it does not all lie on one card, or not all of it is trained."""
_HALF = re.compile(r"float16|half|fp16|bf16")
"""Words of files in which weights may take two bytes instead of four."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every optimizer that gets all parameters of a model that is too large for any card."""
    if not tree.training.backwards or _SPREAD.search(tree.text):
        return
    held = {one.id: one for one in log.weights}
    for maker in tree.course.of_kind("call"):
        copies = _COPIES.get(maker.name.removeprefix("torch.optim."), 0)
        if not copies or not is_optimizer(maker.value):
            continue
        if written := _by_the_text(tree, maker, copies):
            yield written
            return
        models = [held[number] for number in _models_of(log, tree, maker) if number in held]
        size = copies * sum(one.bytes for one in models)
        if size <= _LARGEST:
            continue
        largest = max(models, key=lambda one: one.bytes)
        placed = next((op for op in _ops(log, "to", "cuda") if _layer(op) == largest.id), None)
        if placed is None and len(models) > 1:
            placed = next((op for op in _ops(log) if _is_made(op, largest.id)), None)
        node = tree.at(placed.span, ast.Call) if placed is not None else None
        yield _finding(tree, node or maker.node, maker, sum(one.parameters for one in models), size)
        return


def _by_the_text(tree: Tree, maker: Event, copies: int) -> Finding | None:
    """What is found where the numbers are written, though nothing in the file calls what makes the model."""
    given = maker.argument("params", 0)
    models = (all_given(given) if given is not None else None) or []
    parameters = sum(map(parameters_at_least, models))
    size = (2 if _HALF.search(tree.text) else 4) * copies * parameters
    if size <= _LARGEST:
        return None
    largest = max(models, key=parameters_at_least)
    made = [one for one in tree.course.calls("class", ".to", ".cuda") if same(one.value, largest)]
    node = made[-1].node if made and isinstance(made[-1].node, ast.expr) else maker.node
    return _finding(tree, node, maker, parameters, size)


def _finding(tree: Tree, node: ast.AST, maker: Event, parameters: float, size: float) -> Finding:
    return found(
        RULE,
        tree,
        node,
        f"{parameters / 1e9:.1f} G parameters: weights, gradients and what {maker.name.rsplit('.', 1)[-1]} keeps are "
        f"{size / 1e9:.0f} GB, before any activation. No single card holds them: shard the model, or "
        "make it smaller.",
        related=[Related(tree.span(maker.node), "the optimizer")],
    )


def _ops(log: Log, *names: str) -> Iterator[Op]:
    wanted = (op for op in log.events if isinstance(op, Op) and op.failure is None)
    return (op for op in wanted if not names or op.name in names)


def _is_made(op: Op, number: int) -> bool:
    return isinstance(op.result, Other) and op.result.id == number


def _layer(op: Op) -> int | None:
    """The layer that a method is called on."""
    on = op.args[0] if op.args else None
    return on.id if isinstance(on, Other) else None


def _models_of(log: Log, tree: Tree, maker: Event) -> list[int]:
    """The layers whose `parameters()` an optimizer is given, if it is given nothing else."""
    given = maker.argument("params", 0)
    parts = list(_joined(given)) if given is not None else []
    if any(one.by != ".parameters" or one.node is None for one in parts):
        return []
    nodes = [one.node for one in parts]
    found = [_layer(op) for op in _ops(log, "parameters") if tree.at(op.span, ast.Call) in nodes]
    return list(dict.fromkeys(one for one in found if one is not None))


def _joined(given: Value) -> Iterator[Value]:
    """What a list of parameters is put together of."""
    if given.by in ("list", "+", "builtins.list", "itertools.chain") or (given.by == "*" and given.spread):
        for one in (given.on,) if given.on is not None else given.args:
            yield from _joined(one)
    else:
        yield given
