"""An array and a tensor of one memory: what is written into the one stands in the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.calls import append
from ..edits.statements import replace, source
from ..program.events import Event, exclusive
from ..program.values import INSTANCE, Value, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.statements import rebinds, shared_write, writes
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "numpy-shared-memory-write"


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every array written to in the block where it became a tensor, before the tensor is read; and the other way."""
    told: set[ast.AST] = set()
    for event in tree.course.calls("torch.from_numpy", ".numpy"):
        call = event.node
        if (
            event.name == "torch.from_numpy"
            and call not in told
            and (write := _handed_out(tree, event)) is not None
        ):
            told.add(call)
            yield found(
                RULE,
                tree,
                call,
                "what is returned shares its memory with the array that this object goes on writing into: it changes "
                "under whoever holds it. Copy it if that is not meant.",
                *(_fixes(tree, call) if isinstance(call, ast.Call) else ()),
                related=[Related(tree.span(write.node), "written into here, while it is held")],
            )
        if isinstance(call, ast.Call):
            yield from _collected(tree, call)
            if (
                event.name == "torch.from_numpy"
                and call not in told
                and call.args
                and (write := _kept(tree, event))
            ):
                told.add(call)
                yield _of_every_round(tree, call, write.node)
        if event.name == ".numpy" and call not in told and (write := _of_the_caller(tree, event)) is not None:
            told.add(call)
            yield _since(
                tree,
                call,
                write.node,
                "the array shares its memory with the tensor that this function was given: whoever called it goes on with other "
                "numbers than it had.",
            )
            continue
        if (
            event.name == "torch.from_numpy"
            and call not in told
            and (write := _by_a_helper(tree, event)) is not None
        ):
            told.add(call)
            yield _since(
                tree,
                call,
                write.node,
                "the tensor that is changed here shares its memory with an array that is read later: its numbers are others than they were.",
            )
            continue
        if (
            event.name == "torch.from_numpy"
            and call not in told
            and (write := _of_the_array(tree, event)) is not None
        ):
            told.add(call)
            yield _since(
                tree,
                call,
                write.node,
                "the array that is changed here shares its memory with a tensor that is read later: its numbers are others than they were.",
            )
            continue
        shared = _names(tree, call) if isinstance(call, ast.Call) else None
        if shared is None or not isinstance(call, ast.Call):
            continue
        statement, memory, view = shared
        one = shared_write(tree, statement, memory, view)
        if one is not None:
            yield found(
                RULE,
                tree,
                one,
                f"{memory} and {view} share their memory: this changes {view} as well. Copy it where it is made if "
                "that is not meant.",
                *_fixes(tree, call),
                related=[Related(tree.span(call), "they share their memory since here")],
            )


def _since(tree: Tree, call: ast.AST, write: ast.AST, says: str) -> Finding:
    """A write into memory that is shared since `call`."""
    return found(
        RULE,
        tree,
        write,
        f"{says} Copy it if that is not meant.",
        *(_fixes(tree, call) if isinstance(call, ast.Call) else ()),
        related=[Related(tree.span(call), "they share their memory since here")],
    )


def _handed_out(tree: Tree, shared: Event) -> Event | None:
    """Where an object writes into an array of its own after a method has returned it as a tensor, which is used again."""
    memory, view = shared.argument("ndarray", 0), shared.value
    if memory is None or view is None or len(roots(memory)) != 1 or not _is_of_an_object(tree, memory):
        return None
    uses = tree.course.uses(view)
    if any(use.kind in ("set", "store") for use in uses) or not any(use.kind == "return" for use in uses):
        return None
    for write in tree.course.uses(memory):
        later = write.root == shared.root and write.index > shared.index
        into = write.kind in ("store", "augmented") and same(write.on, memory)
        if later and into and write.function is not shared.function and not exclusive(write, shared):
            if any(use.index > write.index and use.kind != "bind" and use.root == write.root for use in uses):
                return write
    return None


def _of_the_caller(tree: Tree, shared: Event) -> Event | None:
    """Where a function computes in place on the array of a tensor that it was given, and its caller reads the tensor later."""
    memory, view, function = shared.on, shared.value, shared.function
    if memory is None or view is None or function is None or function.name.endswith("_"):
        return None
    uses = tree.course.uses(memory)
    if any(use.function is function and use.kind == "return" for use in uses):
        return None
    for write in tree.course.uses(view):
        if write.kind == "augmented" and write.function is function and same(write.on, view):
            later = (use for use in uses if use.index > write.index and use.root == write.root)
            if any(use.function is not function and use.kind in ("op", "call", "index") for use in later):
                return write
    return None


def _by_a_helper(tree: Tree, shared: Event) -> Event | None:
    """Where a function of the file computes in place on the tensor of an array that is read after that, where the two were made."""
    memory, view = shared.argument("ndarray", 0), shared.value
    if memory is None or view is None or len(roots(memory)) != 1:
        return None
    uses = tree.course.uses(memory)
    for write in tree.course.uses(view):
        if write.kind != "augmented" or write.function is shared.function or not same(write.on, view):
            continue
        later = (use for use in uses if use.index > write.index and use.root == write.root == shared.root)
        if any(use.function is shared.function and use.kind in ("op", "call", "index") for use in later):
            return write
    return None


def _of_the_array(tree: Tree, shared: Event) -> Event | None:
    """Where a function of the file computes in place on the array of a tensor that is read after that, where the two were made."""
    memory, view = shared.argument("ndarray", 0), shared.value
    if memory is None or view is None or len(roots(memory)) != 1:
        return None
    for write in tree.course.uses(memory):
        if write.kind != "augmented" or write.function is shared.function or not same(write.on, memory):
            continue
        if write.index < shared.index or write.root != shared.root or exclusive(write, shared):
            continue
        for use in tree.course.uses(view):
            if use.index > write.index and use.root == write.root and use.function is shared.function:
                if use.kind in ("op", "call", "index"):
                    return write
    return None


def _is_of_an_object(tree: Tree, memory: Value) -> bool:
    """Whether an array is kept by an object of the file."""
    return any(
        event.kind == "set" and event.on is not None and event.on.by == INSTANCE
        for event in tree.course.uses(memory)
    )


def _collected(tree: Tree, call: ast.Call) -> Iterator[Finding]:
    """`tensors.append(torch.from_numpy(buffer))` in a loop that fills the same buffer anew in each round."""
    around = tree.course.places
    outer, loop = (
        around.parent(call),
        next(
            (one for one in around.above(call) if isinstance(one, (ast.For, ast.While, ast.FunctionDef))),
            None,
        ),
    )
    memory = call.args[0] if call.args and getattr(call.func, "attr", "") == "from_numpy" else None
    if not isinstance(memory, ast.Name) or not isinstance(loop, (ast.For, ast.While)):
        return
    if not (
        isinstance(outer, ast.Call) and isinstance(outer.func, ast.Attribute) and outer.func.attr == "append"
    ):
        return
    kept = outer.func.value
    statements = [one for one in ast.walk(loop) if isinstance(one, ast.stmt) and one is not loop]
    if any(rebinds(one, memory.id) for one in (*statements, loop)):
        return
    if isinstance(kept, ast.Name) and any(rebinds(one, kept.id) for one in (*statements, loop)):
        return
    written = next((one for one in statements if writes(one, memory.id)), None)
    if written is not None:
        yield _of_every_round(tree, call, written)


def _kept(tree: Tree, shared: Event) -> Event | None:
    """Where a loop writes into an array that each of its rounds hands to what keeps it in a list: `buffer.push(from_numpy(row))`."""
    memory, view, course = shared.argument("ndarray", 0), shared.value, tree.course
    if memory is None or view is None or len(roots(memory)) != 1 or not shared.loops:
        return None
    loop = shared.loops[-1]
    keeps = [
        use
        for use in course.uses(view)
        if use.kind == "call" and use.name == ".append" and use.root == shared.root and use.inside(loop)
    ]
    if not any(one.function is not shared.function and one.on is not None for one in keeps):
        return None
    inside = course.in_loop(loop)
    made = {id(root) for one in inside for root in roots(one.value)}
    if any(id(root) in made for one in (memory, *(one.on for one in keeps)) for root in roots(one)):
        return None
    return next((one for one in inside if one.kind in ("store", "augmented") and same(one.on, memory)), None)


def _of_every_round(tree: Tree, call: ast.Call, written: ast.AST) -> Finding:
    return found(
        RULE,
        tree,
        call,
        f"from_numpy shares the memory of {ast.unparse(call.args[0])}, and every round writes into it: all tensors kept "
        "here end up with the numbers of the last round. Copy them.",
        *_fixes(tree, call),
        related=[Related(tree.span(written), "written into in every round")],
    )


def _names(tree: Tree, call: ast.Call) -> tuple[ast.stmt, str, str] | None:
    """The statement `view = torch.from_numpy(memory)` or `view = memory.numpy()`, and its two names."""
    statement = tree.course.places.parent(call)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    if isinstance(call.func, ast.Attribute) and call.func.attr == "numpy":
        memory: ast.expr | None = call.func.value
    else:
        memory = call.args[0] if call.args else None
    if not isinstance(target, ast.Name) or not isinstance(memory, ast.Name) or memory.id == target.id:
        return None
    return statement, memory.id, target.id


def _fixes(tree: Tree, call: ast.Call) -> Iterator[Fix]:
    if isinstance(call.func, ast.Attribute) and call.func.attr == "numpy":
        yield fix("copy it", append(tree.text, call, ".copy()"))
    elif not call.keywords:
        torch = source(tree.text, call.func).removesuffix("from_numpy")
        if torch:
            yield fix("copy it", replace(tree.text, call.func, f"{torch}tensor"))
