"""Several processes: this one is followed as it runs, what the others are and send is not known.

None of the real functions may be called: they open sockets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch.distributed as dist

from ..unknowns.unknown import Unknown
from . import shim

if TYPE_CHECKING:
    from ..run import Env


@shim(dist.init_process_group)
def _init(env: Env, *args: Any, **kwargs: Any) -> None:
    env.run.switched.several_processes = True


@shim(dist.destroy_process_group)
def _destroy(env: Env, *args: Any, **kwargs: Any) -> None:
    env.run.switched.several_processes = False


@shim(dist.is_initialized)
def _is_initialized(env: Env) -> bool:
    return env.run.switched.several_processes


@shim(dist.is_nccl_available, dist.is_gloo_available, dist.is_mpi_available, dist.is_torchelastic_launched)
def _of_the_machine(env: Env) -> Unknown:
    return Unknown("depends on the machine")


@shim(dist.get_rank, dist.get_world_size)
def _place(env: Env, *args: Any, **kwargs: Any) -> Unknown:
    return Unknown("which of how many processes this is")


@shim(
    dist.barrier,
    dist.all_reduce,
    dist.broadcast,
    dist.reduce,
    dist.all_gather,
    dist.all_gather_into_tensor,
    dist.reduce_scatter,
    dist.reduce_scatter_tensor,
    dist.all_to_all,
    dist.all_to_all_single,
)
def _exchange(env: Env, *args: Any, async_op: bool = False, **kwargs: Any) -> Any:
    """Writes into tensors that are there already: values, no facts."""
    return Unknown("a handle to wait for") if async_op else None
