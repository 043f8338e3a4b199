"""The same tensor copied to the GPU in every round."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import insert_before, replace, source
from ..program.definitions import stored_names
from ..program.events import Event, Loop
from ..program.tensors import is_tensor
from ..program.values import options_of
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.loaders import is_cuda
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "repeated-transfer"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every move to a GPU, in a loop, of a tensor that was made before the loop and stays the same."""
    course = tree.course
    made = {id(event.value): event for kind in ("call", "op") for event in course.of_kind(kind)}
    for event in course.calls(".to", ".cuda"):
        node, value = event.node, event.on
        if value is None or not event.loops or not isinstance(node, ast.Call):
            continue
        if event.name == ".to" and not any(is_cuda(arg) for arg in event.args[:1]):
            continue
        if len(options_of(value)) != 1 or not is_tensor(value) or not isinstance(node.func, ast.Attribute):
            continue
        if any(len(one.loops) > len(event.loops) for one in course.in_loop(event.loops[-1])):
            continue  # once an epoch
        maker = made.get(id(value))
        if (
            maker is None
            or maker.inside(event.loops[-1])
            or _is_one_of_many(maker, event)
            or "device" in maker.kwargs
            or maker.name in (".to", ".cuda")
            or not isinstance(node.func.value, (ast.Name, ast.Attribute))
        ):
            continue
        statement = course.places.statement(node)
        if isinstance(statement, ast.Assign) and any(
            ast.dump(t).replace("Store", "Load") == ast.dump(node.func.value) for t in statement.targets
        ):
            continue
        yield found(
            RULE,
            tree,
            node,
            "this tensor is the same in every round, and is copied in every round. Move it once, before.",
            *_fixes(tree, event, node, maker),
        )


def _fixes(tree: Tree, event: Event, node: ast.Call, maker: Event) -> Iterator[Fix]:
    """The move before the outermost loop of its function that does not make the tensor, if nothing there wants it unmoved."""
    places = tree.course.places
    function = places.function(node)
    loops = [
        one.node
        for one in event.loops
        if isinstance(one.node, (ast.For, ast.While))
        and not maker.inside(one)
        and places.function(one.node) is function
    ]
    moved = node.func.value if isinstance(node.func, ast.Attribute) else None
    if not loops or not isinstance(moved, ast.Name):
        return
    loop = loops[0]
    body = (function or tree.course.tree).body
    reads = [
        one
        for statement in body
        for one in ast.walk(statement)
        if isinstance(one, ast.Name) and one.id == moved.id
        if one.lineno >= loop.lineno or places.function(one) is not function
    ]
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    if len(reads) != 1 or names & stored_names([loop]):
        return
    yield fix(
        "move it once, before the loop",
        insert_before(tree.text, loop, f"{moved.id} = {source(tree.text, node)}"),
        replace(tree.text, node, moved.id),
    )


def _is_one_of_many(maker: Event, move: Event) -> bool:
    """Whether a loop that is over, or a comprehension, made it: then the rounds may have one each."""
    return any(isinstance(one, Loop) and not move.inside(one) for one in maker.where)
