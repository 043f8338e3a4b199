"""A layer that is being written in an `nn.Sequential`, `nn.ModuleList` or `nn.ModuleDict`: the others stay in their places.

As long as its line does not parse it is read as if it was not there yet, unless what follows in its `nn.Sequential` refuses
that, or nothing follows: then nobody knows what comes out. What torch refuses later may come of it, and is not told.

In an `nn.ModuleList` or `nn.ModuleDict` the others stay beside one that is not known for any other reason, too.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch import nn

from ...vocabulary.span import Span
from ..shims import real
from ..unknowns.grown import is_grown, unknown_in
from ..unknowns.unknown import BROKEN, Unknown, likely
from . import unfamiliar
from .making import make
from .own import is_interpreted

if TYPE_CHECKING:
    from ..run import Env, Run

_CONTAINERS = frozenset(map(id, (nn.Sequential, nn.ModuleList, nn.ModuleDict)))


class Unwritten(nn.Identity):
    """In the place of the layer."""

    def __init__(self, lost: Unknown) -> None:
        super().__init__()
        self.__dict__["lost"] = Unknown(lost.why, True)
        if lost.why != BROKEN:
            unfamiliar.leave_layer_open(self, lost)


def with_places(run: Run, function: Any, args: Sequence[Any]) -> Sequence[Any]:
    """The arguments of a container of layers, with something in the place of one that does not parse yet."""
    if id(real(function)) not in _CONTAINERS:
        return args
    placed = [_placed(arg, real(function) is not nn.Sequential) for arg in args]
    if all(new is old for new, old in zip(placed, args)):
        return args
    run.switched.has_unwritten = True
    return placed


def _placed(arg: Any, one_by_one: bool, depth: int = 2) -> Any:
    """`one_by_one`: whether the layers are called each on its own, if at all."""
    if type(arg) is Unknown:
        is_layer = arg.why == BROKEN or (one_by_one and depth < 2 and likely(arg) is arg)
        return Unwritten(arg) if is_layer else arg
    if not depth or is_grown(arg) is not None:
        return arg
    if type(arg) is tuple and depth == 1 and len(arg) == 2 and isinstance(arg[1], (Unknown, nn.Module)):
        return (arg[0], _placed(arg[1], one_by_one, 0))  # a name and its layer
    if type(arg) in (list, tuple):
        items = [_placed(item, one_by_one, depth - 1) for item in arg]
        return arg if all(new is old for new, old in zip(items, arg)) else type(arg)(items)
    if type(arg) in (dict, OrderedDict) and any(type(one) is Unknown for one in arg.values()):
        return type(arg)((key, _placed(item, one_by_one, 0)) for key, item in arg.items())
    return arg


def holds_unwritten(layer: nn.Module) -> bool:
    """Whether torch itself would run a layer that is not written yet."""
    return not is_interpreted(type(layer).forward) and any(
        type(part) is Unwritten for part in layer.modules()
    )


def called(env: Env, span: Span, layer: nn.Module, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What a call of such a layer gives."""
    for part in layer.modules():
        if type(part) is Unwritten and part.lost.why != BROKEN:
            return part.lost
    last = layer
    while type(last) is nn.Sequential and len(last):
        last = last[-1]
    lost = Unknown(BROKEN, True)
    if type(last) is Unwritten or unknown_in((*args, *kwargs.values())) is not None:
        return lost
    if env.run.attempt is not None:
        _try_above(env, span, layer, args)
    env.run.switched.past_unwritten = True
    return make(env, span, layer, args, kwargs, guessed=lost)


def _try_above(env: Env, span: Span, layer: nn.Module, args: Sequence[Any]) -> None:
    """Find out whether inputs that were made up do for the layers above the one that is not written yet: without a word."""
    quiet, frame = env.run.recorder.quiet, env.run.frames[-1]
    was, quiet[frame] = quiet[frame], True
    try:
        make(env, span, nn.Sequential(*_above(layer)), args, {})
    finally:
        quiet[frame] = was


def _above(layer: nn.Module) -> list[nn.Module]:
    found: list[nn.Module] = []
    for part in layer.children():
        if type(part) is Unwritten:
            break
        if holds_unwritten(part):
            return found + _above(part)
        found.append(part)
    return found
