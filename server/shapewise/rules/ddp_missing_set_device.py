"""NCCL without a GPU of its own for each process."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import insert_before
from ..program.folding import usual
from ..program.values import constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "ddp-missing-set-device"
_NUMBER = re.compile(r"rank|gpu|device_?id", re.IGNORECASE)
_MANAGERS = ("accelerate.", "lightning.", "pytorch_lightning.", "deepspeed.", "ignite.", "ray.", "composer.")
_DDP = "torch.nn.parallel.DistributedDataParallel"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every NCCL group in a file that wraps a model and nowhere says which GPU is this process's."""
    course = tree.course
    ddp = course.calls(_DDP)
    if not ddp or any("device_ids" in event.kwargs or len(event.args) > 1 for event in ddp):
        return
    if course.calls("torch.cuda.set_device", "torch.cuda.device", "torch.accelerator.set_device_index"):
        return
    if any(name.startswith(_MANAGERS) for name, _ in course.called()):
        return  # they do it
    if any(len(event.args) > 1 for event in course.calls("torch.device")):
        return
    if any(_numbered(event.node) for event in course.calls(".to", ".cuda")):
        return
    for event in course.calls("torch.distributed.init_process_group"):
        if constant(usual(event.argument("backend", 0))) == "nccl" and "device_id" not in event.kwargs:
            yield found(
                RULE,
                tree,
                event.node,
                "nothing tells this process its GPU: all of them use cuda:0, or NCCL hangs. Call "
                "torch.cuda.set_device(local_rank) first.",
                *_fixes(tree, event.node),
            )
            return


def _fixes(tree: Tree, node: ast.AST) -> list[Fix]:
    """The number that torchrun gives, before the group is made."""
    statement = tree.course.places.statement(node)
    torch, environ = name_for(tree, "torch.cuda"), name_for(tree, "os.environ")
    if statement is None or torch is None or environ is None:
        return []
    call = f'{torch}.set_device(int({environ}["LOCAL_RANK"]))'
    return [fix("tell it its GPU", insert_before(tree.text, statement, call))]


def _numbered(node: ast.AST | None) -> bool:
    """Whether a model or a tensor is sent to the card of this process, by its number."""
    return isinstance(node, ast.Call) and bool(node.args) and bool(_NUMBER.search(ast.unparse(node.args[0])))
