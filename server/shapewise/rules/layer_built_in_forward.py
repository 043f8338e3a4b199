"""A layer that is made in forward: new weights in every call, none of them ever trained."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_after, replace, source
from ..program.events import Event
from ..program.names import last_name
from ..program.values import roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "layer-built-in-forward"
_WITH_WEIGHTS = frozenset(
    "Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding EmbeddingBag "
    "BatchNorm1d BatchNorm2d BatchNorm3d LSTM GRU RNN LSTMCell GRUCell MultiheadAttention TransformerEncoderLayer "
    "TransformerDecoderLayer TransformerEncoder PReLU Parameter".split()
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every layer with weights made in the forward of a module and not kept by it."""
    kept = {
        id(root)
        for kind in ("set", "store")
        for event in tree.course.of_kind(kind)
        for root in roots(event.args[-1])
    }
    for event in tree.course.of_kind("call"):
        if not _has_weights(event) or not _called_by_forward(event):
            continue
        if id(event.value) in kept and not _is_renewed(tree, event):
            continue
        if event.branches_in(None) and any(
            "hasattr" in ast.dump(b.test) for b in event.branches_in(None) if b.test
        ):
            continue
        if isinstance(tree.course.places.parent(event.node), (ast.keyword, ast.Call)) and _is_given(
            tree, event.node
        ):
            continue
        made = "new, random weights"
        instead = "Make the layer in __init__ and use it here."
        if event.name == "torch.nn.Parameter":
            made = "a new parameter"
            instead = "Make it in __init__; what is computed from it here needs none of its own."
        yield found(
            RULE,
            tree,
            event.node,
            f"this makes {made} in every forward, which no optimizer has: it is never trained. {instead}",
            *_fixes(tree, event),
        )


def _fixes(tree: Tree, event: Event) -> list[Fix]:
    """The layer at the end of `__init__`, and an attribute in its place, where all that it is made of is known there, too."""
    places, node = tree.course.places, event.node
    function, statement = places.function(node), places.statement(node)
    owner = places.parent(function) if function is not None else None
    if not isinstance(node, ast.Call) or not isinstance(owner, ast.ClassDef) or statement is None:
        return []
    build = next(
        (one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None
    )
    if build is None or event.name == "torch.nn.Parameter" or not _is_known_to(build, node):
        return []
    taken = {one.attr for one in ast.walk(owner) if isinstance(one, ast.Attribute)}
    name = ast.unparse(node.func).rsplit(".", 1)[-1].lower()
    if isinstance(statement, ast.Assign) and statement.value is node and len(statement.targets) == 1:
        name = last_name(statement.targets[0]) or name
    if name in taken or node.lineno != node.end_lineno:
        return []
    made = insert_after(tree.text, build.body[-1], f"self.{name} = {source(tree.text, node)}")
    return [fix("make it in __init__", made, replace(tree.text, node, f"self.{name}"))]


def _is_known_to(build: ast.FunctionDef, node: ast.Call) -> bool:
    """Whether the arguments of a call are numbers and attributes that `__init__` sets."""
    own = {
        one.attr
        for one in ast.walk(build)
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
    }
    given = [*node.args, *(one.value for one in node.keywords)]
    inner = [one for arg in given for one in ast.walk(arg)]
    return all(
        not isinstance(one, ast.Name) or one.id == "self" or one.id.isupper() for one in inner
    ) and all(one.attr in own for one in inner if isinstance(one, ast.Attribute))


def _has_weights(event: Event) -> bool:
    """Whether a call makes a layer with weights: one of torch's, or of the file's own that has one as an attribute."""
    if event.name == "class" and event.value is not None and event.value.cls is not None:
        return event.value.cls.is_module and any(
            one.by.startswith("torch.nn.") and one.short() in _WITH_WEIGHTS
            for held in event.value.attrs.values()
            for one in roots(held)
        )
    name = event.name.rsplit(".", 1)[-1]
    learns = event.argument("requires_grad", 1)
    if name == "Parameter" and learns is not None and learns.const is False:
        return False
    return event.name.startswith("torch.nn.") and event.name.count(".") == 2 and name in _WITH_WEIGHTS


def _is_renewed(tree: Tree, event: Event) -> bool:
    """Whether every forward sets an attribute of the module to a new one, whatever it held."""
    statement = tree.course.places.statement(event.node)
    if not event.in_forward or event.branches_in(None) or not isinstance(statement, ast.Assign):
        return False
    target = statement.targets[0]
    return isinstance(target, ast.Attribute) and statement.value is event.node


def _called_by_forward(event: Event) -> bool:
    """Whether it is written in the forward of a module, or in a method of a module that forward calls."""
    if event.in_forward:
        return True
    function = event.function
    if function is None or function.cls is None or not function.cls.is_module or function.name == "__init__":
        return False
    return event.called_by("forward")


def _is_given(tree: Tree, node: ast.AST) -> bool:
    """Whether it is handed to something that may keep it."""
    parent = tree.course.places.parent(node)
    call = parent if isinstance(parent, ast.Call) else tree.course.places.parent(parent) if parent else None
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr
        in (
            "add_module",
            "register_module",
            "append",
            "register_parameter",
        )
    )
