"""A language model loaded without saying in which dtype."""

from __future__ import annotations

from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import found
from .tree import Tree

RULE = "hf-no-dtype"
_SAYING = ("torch_dtype", "dtype", "quantization_config", "load_in_8bit", "load_in_4bit", "**", "config")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every AutoModelForCausalLM without one."""
    for event in tree.course.calls("transformers.AutoModelForCausalLM.from_pretrained"):
        if any(name in event.kwargs for name in _SAYING):
            continue
        yield found(
            RULE,
            tree,
            event.node,
            "without dtype transformers before 5 loads the weights as float32, at twice the memory of what most were "
            'saved in. Say dtype="auto" or torch.bfloat16.',
        )
