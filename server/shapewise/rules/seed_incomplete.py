"""Some generators of random numbers seeded, and others that the file uses not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import found

RULE = "seed-incomplete"
_SEEDS = {"torch": "torch.manual_seed", "numpy": "numpy.random.seed", "random": "random.seed"}
_USES = {"torch": ("torch.rand", "torch.nn."), "numpy": ("numpy.random.",), "random": ("random.",)}


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """The first seed that is set in a file that leaves another generator unseeded which it uses."""
    course = tree.course
    names = [name for name, _ in course.called()]
    seeded = {kind for kind, name in _SEEDS.items() if course.calls(name)}
    if course.calls(
        "lightning.seed_everything", "pytorch_lightning.seed_everything", "transformers.set_seed"
    ):
        return
    used = {kind for kind, starts in _USES.items() if any(name.startswith(starts) for name in names)}
    used -= {"numpy"} if "numpy.random.default_rng" in names else set()
    missing = sorted(used - seeded)
    if seeded and missing:
        first = min(
            (event for kind in seeded for event in course.calls(_SEEDS[kind])), key=lambda event: event.index
        )
        assert isinstance(first.node, ast.AST)
        calls = " and ".join(f"{_SEEDS[kind]}()" for kind in missing)
        yield found(
            RULE,
            tree,
            first.node,
            f"this file also uses random numbers of {', '.join(missing)}: call {calls} too.",
        )
