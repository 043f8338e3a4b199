"""A layer that is being written in an `nn.Sequential`, `nn.ModuleList` or `nn.ModuleDict`: the others stay in their places.

As long as its line does not parse it is read as if it was not there yet, unless what follows in its `nn.Sequential` refuses
that, or nothing follows: then nobody knows what comes out. What torch refuses later may come of it, and is not told.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch import nn

from ...vocabulary.span import Span
from ..shims import real
from ..unknowns.grown import is_grown, unknown_in
from ..unknowns.unknown import BROKEN, Unknown
from .making import make
from .own import is_interpreted

if TYPE_CHECKING:
    from ..run import Env, Run

_CONTAINERS = frozenset(map(id, (nn.Sequential, nn.ModuleList, nn.ModuleDict)))


class Unwritten(nn.Identity):
    """In the place of the layer."""


def with_places(run: Run, function: Any, args: Sequence[Any]) -> Sequence[Any]:
    """The arguments of a container of layers, with something in the place of one that does not parse yet."""
    if id(real(function)) not in _CONTAINERS:
        return args
    placed = [_placed(arg) for arg in args]
    if all(new is old for new, old in zip(placed, args)):
        return args
    run.switched.has_unwritten = True
    return placed


def _placed(arg: Any, depth: int = 2) -> Any:
    if type(arg) is Unknown:
        return Unwritten() if arg.why == BROKEN else arg
    if not depth or is_grown(arg) is not None:
        return arg
    if type(arg) in (list, tuple):
        items = [_placed(item, depth - 1) for item in arg]
        return arg if all(new is old for new, old in zip(items, arg)) else type(arg)(items)
    if type(arg) in (dict, OrderedDict) and BROKEN in [
        one.why for one in arg.values() if type(one) is Unknown
    ]:
        return type(arg)((key, _placed(item, 0)) for key, item in arg.items())
    return arg


def holds_unwritten(layer: nn.Module) -> bool:
    """Whether torch itself would run a layer that is not written yet."""
    return not is_interpreted(type(layer).forward) and any(
        type(part) is Unwritten for part in layer.modules()
    )


def called(env: Env, span: Span, layer: nn.Module, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What a call of such a layer gives."""
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
