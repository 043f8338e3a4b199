"""Which operation made a tensor, whether it is written as a function, a method or a layer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .course import Course
from .events import Event
from .values import INSTANCE, Value, options_of, roots, within

PLACING = frozenset(
    "view reshape squeeze unsqueeze transpose permute flatten contiguous float double half bfloat16 to clone "
    "cuda cpu type view_as type_as movedim swapaxes t unflatten expand requires_grad_ retain_grad".split()
)
"""Ops that give the same numbers, laid out or stored in another way."""
_FUNCTIONS = ("torch.nn.functional.", "torch.special.", "torch.")
_LAYER_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LAYERS = {"Softmax2d": "softmax", "Softmin": "softmin", "ReLU": "relu", "GELU": "gelu", "ELU": "elu"}


@dataclass(frozen=True, slots=True)
class Op:
    """An operation on a tensor: `operand` is what it was done to, None if that is inside a model."""

    name: str
    operand: Value | None
    value: Value


def op_of(value: Value) -> Op | None:
    """The operation that made a value, if one of torch's did."""
    if value.by == "()" and value.on is not None:
        return _of_layer(value)
    if value.by.startswith(".") and len(value.by) > 1 and value.on is not None:
        return Op(value.by[1:], value.on, value)
    for prefix in _FUNCTIONS:
        if value.by.startswith(prefix) and "." not in value.by[len(prefix) :]:
            return Op(value.by[len(prefix) :], value.argument("input", 0), value)
    return None


def layer_name(cls: str) -> str:
    """The function that a layer applies: `log_softmax` of `LogSoftmax`."""
    return _LAYERS.get(cls) or _LAYER_WORD.sub("_", cls).lower()


def _of_layer(value: Value) -> Op | None:
    layers = roots(value.on)
    names = {_last_layer(layer) for layer in layers}
    if len(names) != 1:
        return None
    name = names.pop()
    if name is None:
        return None
    alone = all(not layer.by.endswith("Sequential") for layer in layers)
    return Op(layer_name(name), value.args[0] if value.args and alone else None, value)


def _last_layer(layer: Value) -> str | None:
    """The class of the layer that has the last word in a module of torch's."""
    if layer.by == "torch.nn.Sequential":
        last = layer.args[-1] if layer.args else None
        if last is None or last.spread:
            return None
        inner = roots(last)
        return _last_layer(inner[0]) if len(inner) == 1 else None
    path = layer_path(layer)
    return path.rsplit(".", 1)[-1] if path.startswith("torch.nn.") and path.count(".") == 2 else None


def layer_path(layer: Value) -> str:
    """What made a layer: a class of torch's, or one of the file that inherits from it and changes nothing."""
    if layer.by != INSTANCE or layer.cls is None:
        return layer.by
    own = any(layer.cls.method(name) for name in ("__init__", "__call__", "forward"))
    bases = layer.cls.foreign()
    return next(iter(bases)) if len(bases) == 1 and not own else layer.by


def numbers_of(value: Value) -> Iterator[Value]:
    """For all that a value may be: what its numbers come from, reshaping and casting taken off."""
    for option in options_of(value):
        seen = 0
        while seen < 20:
            seen += 1
            op = op_of(option)
            if op is None or op.name not in PLACING or op.operand is None:
                break
            inner = options_of(op.operand)
            if len(inner) != 1:
                yield from numbers_of(op.operand)
                break
            option = inner[0]
        else:
            continue
        if (op := op_of(option)) is None or op.name not in PLACING or op.operand is None:
            yield option


def surely(value: Value, *names: str) -> list[Op]:
    """The ops that made the numbers of a value, if each of them is one of those names; else none."""
    found: list[Op] = []
    for one in numbers_of(value):
        op = op_of(one)
        if op is None or op.name not in names:
            return []
        found.append(op)
    return found


LOSS_LAYERS = {
    "CrossEntropyLoss": "cross_entropy",
    "NLLLoss": "nll_loss",
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "MSELoss": "mse_loss",
    "L1Loss": "l1_loss",
    "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss",
    "KLDivLoss": "kl_div",
    "CTCLoss": "ctc_loss",
    "PoissonNLLLoss": "poisson_nll_loss",
}
"""The losses of torch's: by layer, the function."""
LOSSES = frozenset(LOSS_LAYERS.values())


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss of torch's that is computed. `made`: where its options were given (the call, or the layer)."""

    event: Event
    name: str
    input: Value
    target: Value | None
    made: Value

    def option(self, name: str, position: int | None = None) -> Value | None:
        """One of the options that it was made with."""
        return self.made.argument(name, position)


def losses(course: Course) -> Iterator[Loss]:
    """Every one, function or layer, in no order; not what is a loss of torch's only on one way (`CE() if n > 1 else BCE()`)."""
    several = calls_of_several(course)
    for name in LOSSES:
        for event in course.calls(f"torch.nn.functional.{name}"):
            given = event.argument("input", 0)
            if given is not None and event.value is not None and call_of(event) not in several:
                yield Loss(event, name, given, event.argument("target", 1), event.value)
    for event in course.calls("()"):
        layers = roots(event.on)
        names = {_loss_of(layer) for layer in layers}
        if len(names) == 1 and (found := names.pop()) is not None and event.args:
            if call_of(event) not in several:
                yield Loss(event, found, event.args[0], event.argument("target", 1), layers[0])


def calls_of_several(course: Course) -> set[object]:
    """The calls of which nobody knows which of several things they call."""
    called: dict[object, set[str]] = {}
    for event in course.of_kind("call"):
        name = event.name
        if name == "()":
            name = " or ".join(sorted({layer.by for layer in roots(event.on)}))
        called.setdefault(call_of(event), set()).add(name)
    return {call for call, names in called.items() if len(names) > 1}


def call_of(event: Event) -> object:
    """Which call it is of: one that may be of several things has an event for each."""
    return id(event.node), tuple(map(id, event.where))


def given_to(course: Course, loss_names: tuple[str, ...], name: str) -> Iterator[tuple[Loss, Op, ast.AST]]:
    """Every op of a name that surely made the input of such a loss, and where it stands: the last layer of a Sequential there."""
    for loss in losses(course):
        if loss.name in loss_names:
            for op in surely(loss.input, name):
                if op.value.node is not None:
                    yield loss, op, _last_of(op).node or op.value.node


def _last_of(op: Op) -> Value:
    """The layer that has the last word in the one Sequential that made an op; else the op itself."""
    layers = roots(op.value.on) if op.operand is None and op.value.by == "()" else ()
    last = layers[0] if len(layers) == 1 else op.value
    while last.by == "torch.nn.Sequential" and len(inner := roots(last.args[-1])) == 1:
        last = inner[0]
    return last


def also_used(course: Course, op: Op, loss: Loss) -> bool:
    """Whether what an op gave has another use beside that loss: in the function of the loss, or by who else calls the
    function, no forward, in which it is.
    """
    made = next((event for event in course.of_kind("call") if event.value is op.value), None)
    if made is None or made.function is not loss.event.function:
        return made is not None and not made.in_forward and _is_asked_elsewhere(course, made)
    on_the_way = {id(one) for one in within(loss.input, 6)}
    return any(
        event is not loss.event
        and event is not made
        and event.kind != "bind"
        and id(event.value) not in on_the_way
        for event in course.uses(op.value)
    )


def _is_asked_elsewhere(course: Course, made: Event) -> bool:
    """Whether another call of the function that an op is in gives its result to more than a return and an argmax."""
    others = [event for event in course.of_kind("call") if event.node is made.node and event is not made]
    given = {id(loss.input) for loss in losses(course)}
    return any(
        use.kind == "call" and use.name not in (".argmax", "torch.argmax", "def")
        for other in others
        if other.value is not None and id(other.value) not in given
        for use in course.uses(other.value)
    )


def _loss_of(layer: Value) -> str | None:
    return LOSS_LAYERS.get(layer_path(layer).removeprefix("torch.nn."))


def is_loss(value: Value) -> bool:
    """Whether a value is surely what a loss of torch's gave, or is made of one by arithmetic."""
    for option in options_of(value):
        if option.by in ("+", "*", "/", "-", "+="):
            if not any(is_loss(arg) for arg in option.args):
                return False
            continue
        if option.by in (".mean", ".sum") and option.on is not None:
            if not is_loss(option.on):
                return False
            continue
        layer = {_loss_of(one) for one in roots(option.on)} if option.by == "()" else set()
        if option.by.rsplit(".", 1)[-1] not in LOSSES and (not layer or None in layer):
            return False
    return True
