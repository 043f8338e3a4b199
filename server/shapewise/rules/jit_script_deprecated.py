"""TorchScript."""

from __future__ import annotations

from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .asking.versions import at_least
from .telling.found import found

RULE = "jit-script-deprecated"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every script and trace, from torch 2.10 on."""
    if not at_least(log, 2, 10):
        return
    for event in tree.course.calls("torch.jit.script", "torch.jit.trace"):
        yield found(
            RULE,
            tree,
            event.node,
            "TorchScript is deprecated: for deployment there is torch.export, for speed torch.compile.",
        )
