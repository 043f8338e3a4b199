"""torch.save and torch.load: what the file has saved itself is loaded as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from .. import arrays
from ..fakes.devices import place, tensors_in, with_index
from ..stdlib import files, objects
from ..unknowns.unknown import Unknown
from ..wall import allowed
from . import given_out, shim

if TYPE_CHECKING:
    from ..run import Env

_WHY = "what a file says"


@shim(torch.save)
def _save(env: Env, value: Any = None, file: Any = None, *args: Any, **options: Any) -> None:
    if type(file) is not Unknown:
        files.put(file, objects.saved(value, "torch"))


allowed.TAKES_UNKNOWNS.add(id(given_out(torch.save)))


@shim(torch.load)
def _load(
    env: Env,
    file: Any = None,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: Any = None,
    **options: Any,
) -> Any:
    """Without `weights_only=False` torch refuses all but tensors and plain data."""
    env.run.unfollowed += 1
    value = objects.restored(files.content(file), "torch")
    if type(value) is Unknown or (weights_only is not False and not _is_weights(value)):
        return Unknown(_WHY)
    if map_location is None:
        return value
    if not isinstance(map_location, (str, torch.device)) or isinstance(value, nn.Module):
        return Unknown(_WHY)
    for tensor in tensors_in(value, depth=6):
        place(tensor, with_index(map_location))
    return value


def _is_weights(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_weights, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(_is_weights, value))
    return not isinstance(value, (nn.Module, arrays.Array))
