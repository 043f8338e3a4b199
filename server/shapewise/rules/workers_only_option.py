"""An option of worker processes where there are none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import remove_keyword
from ..program.folding import usual, usual_number
from ..program.values import constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.loaders import loaders
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "workers-only-option"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every loader with persistent_workers or prefetch_factor and no workers."""
    for loader in loaders(tree.course):
        node, workers = loader.event.node, loader.given("num_workers", 5)
        if not isinstance(node, ast.Call):
            continue
        if loader.is_open if workers is None else usual_number(workers) != 0:
            continue  # a `**` can say what is not written, and nothing twice
        persistent, prefetch = loader.given("persistent_workers"), loader.given("prefetch_factor")
        if constant(usual(persistent)) is True:
            name, error = "persistent_workers", "persistent_workers option needs num_workers > 0"
        elif usual_number(prefetch) is not None:
            name = "prefetch_factor"
            error = (
                "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
                "multiprocessing, otherwise set prefetch_factor to None."
            )
        else:
            continue
        fixes = []
        if any(keyword.arg == name for keyword in node.keywords):
            fixes = [fix(f"leave {name} out", remove_keyword(tree.text, node, name), safe=True)]
        yield found(RULE, tree, node, error, *fixes, torch_error=error)
