"""A tensor made under inference_mode, used where gradients are recorded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import replace_attribute
from ..program.events import Event, Within
from ..program.graphs import backward_through
from ..program.modes import may_have_grad_off
from ..program.values import Value, roots
from ..queries.lineage import short, tensors
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "inference-tensor-in-autograd"
_TORCH = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd."
)
_SAVES_BOTH = frozenset("* / @ mul div matmul mm bmm pow ** linear".split())
"""Ops of two tensors that save each for the other's gradient."""
_SAVES_INPUT = frozenset(
    f"nn.{name}()"
    for name in "Linear Conv1d Conv2d Conv3d Embedding LayerNorm BatchNorm1d BatchNorm2d GroupNorm RNN GRU LSTM".split()
)
"""Layers that save what they are given for the gradient of their weights; the layer is the first argument."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every op that has to save one for backward."""
    yield from _seen(log, tree)
    yield from _written(tree)


def _written(tree: Tree) -> Iterator[Finding]:
    """What no run reaches: a layer of weights that learns, given what a module gave under inference_mode."""
    course = tree.course
    made = {id(event.value): event for event in course.calls("()") if _is_inferred(event)}
    if not made or not tree.training.backwards or course.calls(".requires_grad_"):
        return
    for event in course.calls("()"):
        layers = roots(event.on)
        if not event.args or not layers or may_have_grad_off(event):
            continue
        if any(f"nn.{_first(one).short()}()" not in _SAVES_INPUT for one in layers):
            continue
        maker = made.get(id(event.args[0]))
        if maker is None or not any(
            any(one is event.value for one in backward_through(back.loss)) for back in tree.training.backwards
        ):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            f"{_TORCH}\nMake it under torch.no_grad(), or clone() it here.",
            torch_error=_TORCH,
            related=[Related(tree.span(maker.node), "made under inference_mode")],
        )


def _first(layer: Value) -> Value:
    """The layer that has the first word in a module of torch's."""
    while layer.by == "torch.nn.Sequential" and layer.args:
        layer = layer.args[0]
    return layer


def _is_inferred(event: Event) -> bool:
    """Whether inference_mode surely holds around a call."""
    return any(
        (one.value.path or one.value.by) == "torch.inference_mode"
        and not one.value.args
        and not one.value.kwargs
        for one in event.where
        if isinstance(one, Within)
    )


def _seen(log: Log, tree: Tree) -> Iterator[Finding]:
    """Where the file runs."""
    made: dict[int, Op] = {}
    memory: dict[int, Op] = {}
    ordinary: set[int] = set()  # the memories of other tensors: a view of one is one, wherever it is made
    for op in log.events:
        if not isinstance(op, Op):
            continue
        given = [one for arg in op.args for one in tensors(arg)]
        ordinary |= {one.storage for one in given} - memory.keys()
        if op.modes.inference:
            known = {one.id for one in given}
            for tensor in tensors(op.result):
                if tensor.id not in known and tensor.storage not in ordinary:
                    made.setdefault(tensor.id, op)
                    memory.setdefault(tensor.storage, op)
            continue
        for tensor in tensors(op.result):
            if tensor.storage in memory:  # a view of one is one
                made.setdefault(tensor.id, memory[tensor.storage])
            else:
                ordinary.add(tensor.storage)
        if not op.modes.grad or len(op.args) < 2:
            continue
        if op.failure is not None and (
            op.failure.caught or not op.failure.message.startswith("Inference tensors")
        ):
            continue
        saved = next((one for one in _saved(op) if one.id in made), None)
        node = None if saved is None else tree.at(op.span, ast.expr)
        if saved is not None and node is not None:
            yield found(
                RULE,
                tree,
                node,
                f"{_TORCH}\nMake it under torch.no_grad(), or clone() it here.",
                *_fixes(tree, made[saved.id]),
                torch_error=_TORCH,
                related=[Related(made[saved.id].span, "made under inference_mode")],
            )


def _saved(op: Op) -> Iterator[Tensor]:
    """The tensors that an op keeps for the gradient of another one, or of its layer's weights."""
    left, right = op.args[:2]
    if op.name in _SAVES_INPUT:
        learns = op.failure is not None or any(one.requires_grad is True for one in tensors(op.result))
        if learns and isinstance(right, Tensor) and not right.requires_grad:
            yield right
    elif short(op.name) in _SAVES_BOTH:
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Tensor) and isinstance(other, Tensor) and other.requires_grad:
                yield one


def _fixes(tree: Tree, maker: Op) -> tuple[Fix, ...]:
    """no_grad in the place of the inference_mode under which it was made: of a `with` around it, or of its function."""
    node = tree.at(maker.span, ast.AST)
    for one in tree.course.places.above(node) if node is not None else ():
        for written in _switches(one):
            call = written if isinstance(written, ast.Call) else None
            name = call.func if call is not None else written
            bare = call is None or not (call.args or call.keywords)
            if isinstance(name, ast.Attribute) and name.attr == "inference_mode" and bare:
                edit = replace_attribute(tree.text, name, "no_grad")
                return (fix("use no_grad", edit, safe=True),)
    return ()


def _switches(node: ast.AST) -> list[ast.expr]:
    """What a block or a function is put under."""
    if isinstance(node, ast.With):
        return [item.context_expr for item in node.items]
    return node.decorator_list if isinstance(node, ast.FunctionDef) else []
