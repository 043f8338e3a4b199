"""`.data`: a write behind autograd's back."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .found import found
from .tree import Tree

RULE = "dot-data-use"
_WRITES = frozenset("add_ sub_ mul_ div_ clamp_ addcmul_ addcdiv_ lerp_".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every computation in place on `.data`; filling it, as initialisation does, is left alone."""
    for node in tree.course.nodes(ast.Call):
        assert isinstance(node, ast.Call)
        function = node.func
        if not isinstance(function, ast.Attribute) or function.attr not in _WRITES:
            continue
        data = function.value
        if isinstance(data, ast.Attribute) and data.attr == "data":
            owner = data.value
            if isinstance(owner, ast.Attribute) and owner.attr == "grad":
                continue
            yield found(
                RULE,
                tree,
                node,
                "a write through .data is not seen by autograd: a backward that had saved these numbers goes "
                "wrong in silence. Under torch.no_grad() the same write is checked.",
            )
