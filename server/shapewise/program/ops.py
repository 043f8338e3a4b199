"""Which operation made a tensor, whether it is written as a function, a method or a layer."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from .course import Course
from .events import Event
from .values import CONST, DISPLAYS, INSTANCE, NOTHING, Value, constant, number, options_of, roots, within

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
    if layer.by.startswith("torch.nn.") and layer.by.count(".") == 2:
        return layer.by.rsplit(".", 1)[-1]
    return None


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


_LOSSES = {
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
LOSSES = frozenset(_LOSSES.values())


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
    several = _of_several(course)
    for name in LOSSES:
        for event in course.calls(f"torch.nn.functional.{name}"):
            given = event.argument("input", 0)
            if given is not None and event.value is not None and _call_of(event) not in several:
                yield Loss(event, name, given, event.argument("target", 1), event.value)
    for event in course.calls("()"):
        layers = roots(event.on)
        names = {_loss_of(layer) for layer in layers}
        if len(names) == 1 and (found := names.pop()) is not None and event.args:
            if _call_of(event) not in several:
                yield Loss(event, found, event.args[0], event.argument("target", 1), layers[0])


def _of_several(course: Course) -> set[object]:
    """The calls of which nobody knows which of several things they call."""
    called: dict[object, set[str]] = {}
    for event in course.of_kind("call"):
        name = event.name
        if name == "()":
            name = " or ".join(sorted({layer.by for layer in roots(event.on)}))
        called.setdefault(_call_of(event), set()).add(name)
    return {call for call, names in called.items() if len(names) > 1}


def _call_of(event: Event) -> object:
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
    """Whether what an op gave, in the function of the loss, has another use beside that loss."""
    made = next((event for event in course.of_kind("call") if event.value is op.value), None)
    if made is None or made.function is not loss.event.function:
        return False
    on_the_way = {id(one) for one in within(loss.input, 6)}
    return any(
        event is not loss.event
        and event is not made
        and event.kind != "bind"
        and id(event.value) not in on_the_way
        for event in course.uses(op.value)
    )


def _loss_of(layer: Value) -> str | None:
    if layer.by.startswith("torch.nn."):
        return _LOSSES.get(layer.short())
    return None


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


def literal(value: Value | None) -> bool:
    """Whether it is a constant written in the text."""
    return value is not None and value.by == CONST and value.const is not NOTHING


def is_tensor(value: Value) -> bool:
    """Whether a value is surely a tensor: something of torch's gave it."""
    for option in options_of(value):
        if option.by.startswith(("torch.nn.functional.", "torch.special.", "torch.linalg.")):
            continue
        if option.by.startswith("torch.") and option.by.count(".") == 1 and option.short() in _GIVE_TENSORS:
            continue
        if option.by in _OPERATORS and any(is_tensor(arg) for arg in option.args):
            continue
        if option.by.startswith(".") and option.by[1:] in _KEEP_TENSORS and option.on is not None:
            if is_tensor(option.on):
                continue
        if option.by == "()" and option.on is not None and gives_tensor(option.on):
            continue
        if option.by == "[]" and option.on is not None and is_tensor(option.on):
            continue
        if option.annotation in ("torch.Tensor", "torch.FloatTensor", "torch.LongTensor"):
            continue
        return False
    return True


_OPERATORS = ("+", "-", "*", "/", "@", "**", "+=", "-=", "*=", "/=", "//", "%")
_BOTH = (
    "abs add addcdiv addcmul addmm all amax amin any argmax argmin argsort baddbmm bmm ceil clamp clamp_max clamp_min clip "
    "cos cosh cumprod cumsum diag diag_embed diagonal diff div dot eq erf exp exp2 expm1 flatten flip floor "
    "floor_divide fmod gather ge gt histc index_add index_select isfinite isinf isnan kron le lerp log log10 log1p log2 "
    "log_softmax logical_and logical_not logical_or logsumexp lt masked_fill masked_select matmul maximum mean minimum mm "
    "movedim mul mv nan_to_num nanmean nansum narrow ne neg norm outer permute pow prod quantile reciprocal relu remainder "
    "repeat_interleave reshape roll round rsqrt scatter scatter_add select sigmoid sign sin sinh softmax sqrt square "
    "squeeze std sub subtract sum swapaxes take take_along_dim tan tanh tile trace transpose tril triu trunc unflatten "
    "unsqueeze var"
)
"""What gives one tensor both as a function and as a method."""
_GIVE_TENSORS = frozenset(
    f"{_BOTH} arange as_tensor bernoulli bincount block_diag bucketize cartesian_prod cat cdist column_stack combinations "
    "complex concat concatenate cov corrcoef cross dstack einsum empty empty_like eye from_numpy full full_like hann_window "
    "heaviside hstack hypot linspace logaddexp logspace multinomial normal ones ones_like polar rand rand_like randint "
    "randint_like randn randn_like randperm searchsorted stack tensor tensordot tril_indices triu_indices vstack where "
    "zeros zeros_like".split()
)
_KEEP_TENSORS = frozenset(
    f"{_BOTH} add_ bfloat16 bincount bool clamp_ clone contiguous copy_ cpu cuda detach div_ double exp_ expand expand_as fill_ "
    "float half int long mul_ new_empty new_full new_ones new_tensor new_zeros normal_ pin_memory pow_ repeat requires_grad_ "
    "sub_ t to type uniform_ view view_as zero_".split()
)
_TENSOR_LAYERS = frozenset(
    "Linear Conv1d Conv2d Conv3d BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm GroupNorm Dropout Dropout2d ReLU GELU "
    "SiLU Tanh Sigmoid Softmax LogSoftmax Embedding Flatten MaxPool2d AvgPool2d AdaptiveAvgPool2d ConvTranspose2d "
    "LeakyReLU ELU Sequential RMSNorm".split()
)


def gives_tensor(layer: Value) -> bool:
    """Whether it surely is a layer of torch's that gives one tensor."""
    found = roots(layer)
    return bool(found) and all(
        one.by.startswith("torch.nn.") and (one.short() in _TENSOR_LAYERS or one.short() in _LOSSES)
        for one in found
    )


Asked = Callable[[Value], "bool | None"]
"""A question to one layer of torch's, or to the class of a module of the file; None where that does not show."""


_BATCH_NORMED = (
    "resnet",
    "resnext",
    "wide_resnet",
    "densenet",
    "googlenet",
    "inception",
    "mobilenet",
    "efficientnet",
    "mnasnet",
    "shufflenet",
    "regnet",
)
"""Models of torchvision's that normalise over the batch, by how their names begin."""


def minds_mode(layer: Value) -> bool | None:
    """Whether a layer does something else in training than in evaluation."""
    if layer.cls is not None:
        return any(
            isinstance(node, ast.Attribute) and node.attr == "training"
            for cls in layer.cls.ancestry()
            for node in ast.walk(cls.node)
        )
    name = layer.short()
    if layer.by.startswith("torchvision.models."):
        return name.startswith(_BATCH_NORMED) or None
    if name.startswith(("BatchNorm", "SyncBatchNorm", "LazyBatchNorm", "RReLU")):
        return True
    if name.startswith("InstanceNorm"):
        return constant(layer.argument("track_running_stats", 4)) is True
    if "Dropout" in name:
        return _is_positive(layer.argument("p", 0), default=True)
    if name in ("TransformerEncoderLayer", "TransformerDecoderLayer"):
        return _is_positive(layer.argument("dropout", 3), default=True)
    if name == "Transformer":
        return _is_positive(layer.argument("dropout", 5), default=True)
    if name in ("MultiheadAttention", "LSTM", "GRU", "RNN"):
        return _is_positive(
            layer.argument("dropout", 2 if name == "MultiheadAttention" else 5), default=False
        )
    return False


def is_batch_norm(layer: Value) -> bool | None:
    """Whether a layer normalises over the batch."""
    if layer.by.startswith("torchvision.models."):
        return layer.short().startswith(_BATCH_NORMED) or None
    return layer.short().startswith(("BatchNorm", "SyncBatchNorm", "LazyBatchNorm"))


def _is_positive(given: Value | None, default: bool) -> bool | None:
    if given is None:
        return default
    known = number(given)
    return None if known is None else known > 0


def has_layer(module: Value, asked: Asked) -> bool | None:
    """Whether a module holds a layer of torch's that answers yes. None: not all of it is seen here."""
    found = roots(module)
    if not found:
        return None
    return _any(_holds(one, asked, 0, set()) for one in found)


def _any(answers: Iterable[bool | None]) -> bool | None:
    said = list(answers)
    return True if True in said else None if None in said else False


def _holds(value: Value, asked: Asked, depth: int, seen: set[int]) -> bool | None:
    if id(value) in seen or depth > 8:
        return False
    seen.add(id(value))
    if value.by.startswith("torch.nn.") and value.short()[:1].isupper():
        parts = [*value.args, *value.kwargs.values()]
        return _any([asked(value), *(_holds(one, asked, depth + 1, seen) for one in parts)])
    if value.by == INSTANCE and value.cls is not None:
        if not value.cls.is_module:
            return False
        answers = [_holds(one, asked, depth + 1, seen) for one in value.attrs.values()]
        return _any([asked(value), *answers, False if value.cls.is_only_module else None])
    if value.by in (
        *DISPLAYS,
        "listcomp",
        "dictcomp",
        "genexp",
        "either",
        "*",
        "builtins.dict",
        "builtins.list",
    ):
        parts = [
            *value.args,
            *value.kwargs.values(),
            *value.options,
            *((value.on,) if value.by == "*" and value.on else ()),
        ]
        return _any(_holds(one, asked, depth + 1, seen) for one in parts)
    if value.by in ("copy.deepcopy", "copy.copy") and value.args:
        return _holds(value.args[0], asked, depth + 1, seen)
    if value.by == "for" and value.on is not None:
        return _holds(value.on, asked, depth + 1, seen)  # it is each of them in its turn
    if value.by.startswith("torchvision.models.") and "Weights" not in value.by:
        return asked(value) or None
    if value.by in ("", "given", "()", "def") or value.by.startswith(
        ("torchvision.", "timm.", "transformers.")
    ):
        return None
    return False
