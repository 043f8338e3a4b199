"""A loss scaled for float16 where bfloat16 is computed in."""

from __future__ import annotations

from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..program.modes import computed_in
from ..program.values import constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import call_of, fix, found

RULE = "gradscaler-with-bf16"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every scaled backward of a loss that surely was computed in bfloat16."""
    for back in tree.training.backwards:
        scaler = back.scaler
        if scaler is None:
            continue
        enabled = scaler.argument("enabled")
        if enabled is not None and constant(enabled) is not True:
            continue
        block = computed_in(tree.course, back.loss, "bfloat16")
        if block is not None:
            made = call_of(scaler.node)
            off = [fix("switch it off", add_keyword(tree.text, made, "enabled=False"))] if made else []
            yield found(
                RULE,
                tree,
                back.event.node,
                "bfloat16 has the range of float32: its gradients do not underflow, and there is nothing to "
                "scale. Leave the GradScaler out.",
                *off,
                related=[Related(tree.span(block.node), "computed in bfloat16")],
            )
