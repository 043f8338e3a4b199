"""`model.forward(x)`: the same computation, without the hooks."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.definitions import Function
from ..program.training import is_module
from ..program.values import FUNCTION, roots
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "forward-called-directly"
_ANYTHING = ("typing.Any", "builtins.object")
_WRAPPERS = {"torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel"}


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such call on a module, or by `map`, but for a class's own and those of what it inherits."""
    for event in tree.course.calls("def", ".forward"):
        node = event.node
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = node.func.value
        if not (node.args or node.keywords):
            continue  # no module: OpenCV's networks are given their input before
        if node.func.attr != "forward" or (isinstance(owner, ast.Name) and owner.id in ("self", "cls")):
            continue
        if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) and owner.func.id == "super":
            continue
        on = event.on
        if on is not None and event.name == "def":
            on = on.bound if on.by == FUNCTION else None
        if on is None or on.by == "super" or not is_module(on):
            continue
        if not is_module(on, surely=True) and any(root.annotation in _ANYTHING for root in roots(on)):
            continue  # it may as well be something whose own method is called forward
        if on.by == "torch.compile":
            continue  # its forward is what was compiled, with the hooks
        if event.function is not None and _stands_for_the_call(event.function, owner):
            continue
        cls = event.function.cls if event.function is not None else None
        if cls is not None and cls.foreign() & _WRAPPERS:
            continue  # it is itself what is wrapped around
        if (
            not is_module(on, surely=True)
            and cls is not None
            and any(not b.startswith("torch.") for b in cls.foreign())
        ):
            continue  # a library in which a call means more than forward, as in gpytorch
        yield _found(tree, node, node.func, owner)
    for event in tree.course.calls("builtins.map"):
        node, given = event.node, event.args[0] if event.args else None
        written = node.args[0] if isinstance(node, ast.Call) and node.args else None
        if given is None or not isinstance(written, ast.Attribute) or written.attr != "forward":
            continue
        if is_module(given.bound if given.by == FUNCTION else given.on, surely=True):
            if not (isinstance(written.value, ast.Name) and written.value.id in ("self", "cls")):
                yield _found(tree, node, written, written.value)


def _stands_for_the_call(function: Function, owner: ast.expr) -> bool:
    """Whether a function is called in a module's place, as a hook is: `def hook(module, *args)`, `(module, inputs, output)`."""
    names = [one.arg for one in function.parameters() if one.arg not in ("self", "cls")]
    given = isinstance(function.node, ast.Lambda) or function.node.args.vararg is not None or len(names) > 1
    return isinstance(owner, ast.Name) and names[:1] == [owner.id] and given and owner.id in _HOOKED


_HOOKED = ("module", "mod", "m", "layer")


def _found(tree: Tree, node: ast.AST, method: ast.Attribute, owner: ast.expr) -> Finding:
    name = source(tree.text, owner)
    return found(
        RULE,
        tree,
        node,
        "a call of forward leaves out the module's hooks, and what is wrapped around it (DDP, compile, FSDP). "
        f"Call {name if len(name) < 30 else 'the module'} itself.",
        fix("call the module", replace(tree.text, method, name), safe=True),
    )
