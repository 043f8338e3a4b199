"""How many features or channels a value surely has, by the layers that made it: no run is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..vocabulary import recurrent
from .values import CONST, Value, constant, number, options_of, roots


@dataclass(frozen=True)
class Width:
    """`count` features in the last dim, or, with `channels`, in dim 1 of an image.

    `dims`: how many dims an image surely has behind its channels. `single`: each of them has size 1. `flat`: dim 1 is the last.
    """

    count: int
    channels: bool = False
    dims: int | None = None
    single: bool = False
    flat: bool = False


_GIVES = {"Linear": ("out_features", 1), "Embedding": ("embedding_dim", 1)}
_CONVOLUTIONS = tuple(f"Conv{kind}{dims}d" for kind in ("", "Transpose") for dims in (1, 2, 3))
KEEPING = frozenset(
    "ReLU LeakyReLU GELU SiLU ELU SELU Mish Tanh Sigmoid Hardswish ReLU6 Softplus Dropout Dropout1d Dropout2d Dropout3d "
    "LayerNorm BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm RMSNorm Identity Softmax LogSoftmax TransformerEncoder "
    "TransformerEncoderLayer".split()
)
_POOLING = (
    "MaxPool",
    "AvgPool",
    "AdaptiveAvgPool",
    "AdaptiveMaxPool",
    "Upsample",
    "InstanceNorm",
    "LocalResponse",
)
_FUNCTIONS = frozenset(
    "relu leaky_relu gelu silu elu selu tanh sigmoid dropout softmax log_softmax softplus mish clamp".split()
)
_REDUCTIONS = frozenset("mean sum std var amax amin".split())
_METHODS = frozenset("relu tanh sigmoid softmax contiguous clone detach float half bfloat16 cuda cpu".split())


def width_of(value: Value, depth: int = 0) -> Width | None:
    """What it surely has; None where that does not show."""
    found = {_width(one, depth) for one in options_of(value)} if depth < 20 else {None}
    return found.pop() if len(found) == 1 else None


def _width(value: Value, depth: int) -> Width | None:
    if value.by == "()" and value.on is not None and len(value.args) == 1:
        layers = roots(value.on)
        return through(layers[0], width_of(value.args[0], depth + 1)) if len(layers) == 1 else None
    if value.by == "item" and value.keys == (0,) and value.on is not None and value.on.by == "()":
        layers = roots(value.on.on)
        return _of_recurrent(layers[0]) if len(layers) == 1 else None
    if value.by.startswith(".") and value.short() in _METHODS and value.on is not None:
        return width_of(value.on, depth + 1)
    if value.by.startswith(("torch.nn.functional.", "torch.")) and value.short() in _FUNCTIONS and value.args:
        return width_of(value.args[0], depth + 1)
    if value.by in (".flatten", "torch.flatten"):
        return _flattened(value, depth)
    if value.by.startswith(".") and value.short() in _REDUCTIONS and value.on is not None:
        return _reduced(value, width_of(value.on, depth + 1))
    if value.by in ("torch.cat", "torch.concat"):
        return _of_parts(value, depth)
    if value.by in ("+", "-", "*", "/", "+=", "-=", "*=", "/=") and len(value.args) == 2:
        return _of_both([width_of(arg, depth + 1) for arg in value.args if arg.by != CONST])
    return None


def _flattened(value: Value, depth: int) -> Width | None:
    """Of an image with one pixel, from its channels on."""
    method = value.by == ".flatten"
    given = value.on if method else value.argument("input", 0)
    start, end = value.argument("start_dim", 1 - method), value.argument("end_dim", 2 - method)
    width = width_of(given, depth + 1) if given is not None else None
    if width is None or not width.channels or not width.single or end is not None or _integer(start) != 1:
        return None
    return Width(width.count, flat=True)


def _reduced(value: Value, given: Width | None) -> Width | None:
    """Of an image of which one number is left for each channel."""
    asked = value.argument("dim", 0)
    if given is None or not given.channels or given.dims is None or asked is None:
        return None
    if "keepdim" in value.kwargs or len(value.args) > 1:
        return None
    numbers = [_integer(one) for one in (asked.args if asked.by in ("tuple", "list") else (asked,))]
    dims = {None if one is None else one + given.dims + 2 if one < 0 else one for one in numbers}
    return Width(given.count, flat=True) if dims == set(range(2, given.dims + 2)) else None


def _of_both(sides: list[Width | None]) -> Width | None:
    """Of a sum: a side of more than one feature decides, unless the other says something else."""
    known = {one for one in sides if one is not None}
    only = known.pop() if len(known) == 1 else None
    return only if only is not None and (only.count > 1 or None not in sides) else None


def through(layer: Value, given: Width | None) -> Width | None:
    """What a layer of torch's gives of what it is given."""
    if layer.by == "torch.nn.Sequential":
        for inner in layer.args:
            parts = roots(inner)
            given = through(parts[0], given) if len(parts) == 1 and not inner.spread else None
        return given
    if not layer.by.startswith("torch.nn.") or layer.by.count(".") != 2:
        return None
    name = layer.short()
    if name in _GIVES:
        count = _integer(layer.argument(*_GIVES[name]))
        return Width(count) if count is not None else None
    if name in _CONVOLUTIONS:
        count = _integer(layer.argument("out_channels", 1))
        return Width(count, channels=True, dims=int(name[-2])) if count is not None else None
    if name in KEEPING:
        return given
    if given is None or not given.channels:
        return None
    if name == "Flatten":
        return Width(given.count, flat=True) if given.single and not layer.args and not layer.kwargs else None
    if name.startswith(_POOLING):
        return replace(
            given, single=name.startswith("Adaptive") and _is_one(layer.argument("output_size", 0))
        )
    return None


def _is_one(asked: Value | None) -> bool:
    """Whether a size is 1 in every dim."""
    if asked is None:
        return False
    return all(_integer(one) == 1 for one in (asked.args if asked.by in ("tuple", "list") else (asked,)))


def taken(layer: Value) -> Width | None:
    """What a layer of torch's asks for."""
    if not layer.by.startswith("torch.nn.") or layer.by.count(".") != 2:
        return None
    name = layer.short()
    argument = "in_features" if name == "Linear" else "input_size" if layer.by in recurrent.BUILT else ""
    argument = "in_channels" if name in _CONVOLUTIONS else argument
    argument = "num_features" if name in ("BatchNorm2d", "BatchNorm3d") else argument
    argument = "normalized_shape" if name == "LayerNorm" else argument
    count = _integer(layer.argument(argument, 0)) if argument else None
    return None if count is None else Width(count, channels=argument in ("in_channels", "num_features"))


def _of_recurrent(layer: Value) -> Width | None:
    count = _integer(layer.argument("hidden_size", 1))
    if (
        layer.by not in recurrent.BUILT
        or count is None
        or "proj_size" in layer.kwargs
        or "**" in layer.kwargs
    ):
        return None
    both = layer.argument("bidirectional", 6)
    if both is not None and not isinstance(constant(both), bool):
        return None
    return Width(count * 2 if both is not None and both.const else count)


def _of_parts(value: Value, depth: int) -> Width | None:
    """Of tensors that are put side by side: the sum, along the dim that is counted."""
    parts, dim = value.argument("tensors", 0), value.argument("dim", 1)
    at = 0 if dim is None else _integer(dim)
    if parts is None or parts.by not in ("list", "tuple") or any(one.spread for one in parts.args):
        return None
    widths = [width_of(one, depth + 1) for one in parts.args]
    known = [one for one in widths if one is not None]
    if len(known) != len(widths) or not known or len({one.channels for one in known}) != 1:
        return None
    if at == 1 and all(one.channels or one.flat for one in known) or at == -1 and not known[0].channels:
        return replace(known[0], count=sum(one.count for one in known), flat=all(one.flat for one in known))
    return None


def _integer(value: Value | None) -> int | None:
    known = number(value)
    return int(known) if known is not None and known == int(known) else None
