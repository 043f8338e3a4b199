"""A computed float compared for equality."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace
from ..queries.lineage import Lineage, short
from ..vocabulary.events import Log, Op, Scalar, Tensor
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "float-equality"
_ROUNDED = frozenset("sum mean norm prod std var softmax exp log sqrt matmul mm dot einsum / @".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every `==` of the result of a sum, a mean or the like and a number other than 0."""
    lineage = Lineage(log)
    for op in log.events:
        if not isinstance(op, Op) or op.name not in ("==", "!=") or len(op.args) != 2:
            continue
        for one, other in (op.args, op.args[::-1]):
            if (
                not isinstance(one, Tensor)
                or one.dtype is None
                or not one.dtype.startswith(("float", "bfloat"))
            ):
                continue
            if not isinstance(other, Scalar) or not isinstance(other.value, (int, float)) or not other.value:
                continue
            maker = lineage.maker(one)
            node = tree.at(op.span, ast.Compare)
            if maker is None or short(maker.name) not in _ROUNDED or node is None:
                continue
            name = name_for(tree, "torch.isclose")
            fixes = []
            if name is not None and len(node.ops) == 1 and op.name == "==":
                left, right = (ast.get_source_segment(tree.text, n) for n in (node.left, node.comparators[0]))

                number = f"{name.rsplit('.', 1)[0]}.tensor({float(other.value)})"
                text = f"{name}({left}, {number})" if one is op.args[0] else f"{name}({right}, {number})"
                fixes = [fix("compare with isclose", replace(tree.text, node, text))]
            yield found(
                RULE,
                tree,
                node,
                f"a {short(maker.name)} of floats is rounded: it may be {other.value} or a little beside it. Compare "
                "with torch.isclose or torch.allclose.",
                *fixes,
            )
            break
