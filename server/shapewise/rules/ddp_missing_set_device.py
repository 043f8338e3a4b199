"""NCCL without a GPU of its own for each process."""

from __future__ import annotations

from collections.abc import Iterator

from ..program.values import constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import found
from .tree import Tree

RULE = "ddp-missing-set-device"
_DDP = "torch.nn.parallel.DistributedDataParallel"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every NCCL group in a file that wraps a model and nowhere says which GPU is this process's."""
    course = tree.course
    ddp = course.calls(_DDP)
    if not ddp or any("device_ids" in event.kwargs for event in ddp):
        return
    if course.calls("torch.cuda.set_device", "torch.cuda.device", "torch.accelerator.set_device_index"):
        return
    if any(len(event.args) > 1 for event in course.calls("torch.device")):
        return
    for event in course.calls("torch.distributed.init_process_group"):
        if constant(event.argument("backend", 0)) == "nccl" and "device_id" not in event.kwargs:
            yield found(
                RULE,
                tree,
                event.node,
                "nothing tells this process its GPU: all of them use cuda:0, or NCCL hangs. Call "
                "torch.cuda.set_device(local_rank) first.",
            )
            return
