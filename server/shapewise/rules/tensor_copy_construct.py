"""torch.tensor of a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.tensors import gives_tensor, is_tensor
from ..program.values import Value
from ..vocabulary.events import Log, Op, Tensor
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "tensor-copy-construct"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every one, by its text or as it was seen."""
    seen = {
        op.span
        for op in log.events
        if isinstance(op, Op) and op.name == "torch.tensor" and op.args and isinstance(op.args[0], Tensor)
    }
    for event in tree.course.calls("torch.tensor"):
        node = event.node
        if not isinstance(node, ast.Call) or len(event.args) != 1:
            continue
        if tree.span(node) not in seen and (not _is_tensor(event.args[0]) or _is_asked(tree, node)):
            continue
        fixes = []
        inner = node.args[0]
        plain = {one.arg for one in node.keywords} <= {"dtype", "device"}
        if plain and isinstance(inner, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
            moved = ", ".join(source(tree.text, one) for one in node.keywords)
            text = f"{source(tree.text, inner)}.detach().clone()" + (f".to({moved})" if moved else "")
            fixes = [fix("say what it does", replace(tree.text, node, text))]
        yield found(
            RULE,
            tree,
            node,
            "torch.tensor of a tensor copies it and leaves the graph, and torch warns. It is x.detach().clone().",
            *fixes,
        )


def _is_asked(tree: Tree, node: ast.Call) -> bool:
    """Whether it is made only of what is no tensor: `torch.tensor(x) if not isinstance(x, torch.Tensor) else x`.

    So it is where `isinstance(x, float)` says that it is something else.
    """
    inside: ast.AST = node
    name = ast.unparse(node.args[0])
    for above in tree.course.places.above(node):
        if isinstance(above, (ast.If, ast.IfExp)):
            asked = [
                one
                for one in ast.walk(above.test)
                if isinstance(one, ast.Call)
                and one.args
                and ast.unparse(one.func).endswith(("isinstance", "is_tensor"))
                and ast.unparse(one.args[0]) == name
            ]
            denied = any(isinstance(one, ast.Not) for one in ast.walk(above.test))
            others = bool(asked) and all("ensor" not in ast.unparse(one) for one in asked)
            body = above.body if isinstance(above.body, list) else [above.body]
            if asked and (denied != others) == (inside in body):
                return True
        inside = above
    return False


def _is_tensor(value: Value) -> bool:
    """Whether it surely is one; only tensors are detached where a tensor is made."""
    if value.by == "." and value.name == "weight" and value.on is not None:
        return gives_tensor(value.on)
    return is_tensor(value) or value.by in (".detach", "torch.nn.Parameter")
