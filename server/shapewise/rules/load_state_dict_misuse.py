"""load_state_dict taken for something that gives a model, or that reads a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import insert_after, replace, source
from ..program.events import Event
from ..program.training import is_module, is_optimizer
from ..program.values import Value, roots, same
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import fix, found, name_for

RULE = "load-state-dict-misuse"
_RETURNS = "load_state_dict changes the model and returns the keys that did not fit, not the model."


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """What load_state_dict returns taken for the model; something given to it that is no state of it."""
    yield from _bound(tree)
    yield from _used(tree)
    yield from _returned(tree)
    for event in tree.course.calls(".load_state_dict"):
        node, given = event.node, event.argument("state_dict", 0)
        if given is None or not isinstance(node, ast.Call) or not node.args:
            continue
        other = _of_the_other(event, given)
        if other is not None:
            surely = given.by == ".state_dict" or any(
                one.by.startswith("torch.optim.") for one in roots(event.on)
            )
            yield found(RULE, tree, node, _REFUSED[other], severity=None if surely else "warning")
        elif (kind := _path(given, event)) is not None or _is_a_file(given, tree):
            yield _named(tree, node, kind)


def _bound(tree: Tree) -> Iterator[Finding]:
    """`model = model.load_state_dict(...)`."""
    course = tree.course
    for event in (*course.of_kind("bind"), *course.of_kind("set")):
        made = event.args[0]
        node = made.node
        if made.by != ".load_state_dict" or made.on is None or not isinstance(node, ast.Call):
            continue
        statement = course.places.statement(node)
        if (
            not isinstance(statement, ast.Assign)
            or not isinstance(node.func, ast.Attribute)
            or statement.value is not node
        ):
            continue
        same_name = source(tree.text, statement.targets[0]) == source(tree.text, node.func.value)
        called = any(
            one.on is not None and same(one.on, made) for one in course.calls("()", ".eval", ".to", ".cuda")
        )
        if len(statement.targets) == 1 and is_module(made.on) and (same_name or called):
            edit = replace(tree.text, statement, source(tree.text, node))
            fixes = (
                [fix("leave the assignment out", edit, safe=True)]
                if same_name
                else [*_apart(tree, statement, node)]
            )
            yield found(RULE, tree, node, _RETURNS, *fixes)


def _apart(tree: Tree, statement: ast.Assign, call: ast.Call) -> Iterator[Fix]:
    """`model = Net()`, and below it `model.load_state_dict(...)`, for `model = Net().load_state_dict(...)`."""
    target, owner = statement.targets[0], call.func
    if isinstance(target, (ast.Name, ast.Attribute)) and isinstance(owner, ast.Attribute):
        name, made = source(tree.text, target), source(tree.text, owner.value)
        if isinstance(owner.value, ast.Call) and "\n" not in source(tree.text, call):
            given = source(tree.text, call)[len(made) :]
            yield fix(
                "load into the model that was made",
                replace(tree.text, call, made),
                insert_after(tree.text, statement, f"{name}{given}"),
                safe=True,
            )


def _used(tree: Tree) -> Iterator[Finding]:
    """`model.load_state_dict(...).eval()`."""
    course = tree.course
    for event in course.calls(".eval", ".to", ".cuda", ".train", ".half", ".float", ".parameters"):
        whole = event.on
        if whole is not None and whole.by == ".load_state_dict" and whole.node is not None:
            if isinstance(course.places.parent(whole.node), (ast.Attribute, ast.Return)):
                yield found(RULE, tree, whole.node, _RETURNS)


def _returned(tree: Tree) -> Iterator[Finding]:
    """`return model.load_state_dict(...)`, to somebody who uses it as a model."""
    course = tree.course
    for event in course.of_kind("return"):
        made = event.args[0]
        kept = [
            use for use in course.uses(made) if use.kind in ("bind", "set") and use.node is not event.node
        ]
        if made.by == ".load_state_dict" and isinstance(made.node, ast.Call) and is_module(made.on):
            as_model = [use for use in course.calls("()", ".eval", ".to") if same(use.on, made)]
            if kept and as_model and course.places.parent(made.node) is event.node:
                yield found(RULE, tree, made.node, _RETURNS)


def _named(tree: Tree, node: ast.Call, kind: str | None) -> Finding:
    """The name of a file, given as a state. `kind`: the class of a path that it surely is."""
    name, fixes = name_for(tree, "torch.load"), []
    if name is not None:
        text = f'{name}({source(tree.text, node.args[0])}, map_location="cpu")'
        fixes = [fix("load the file", replace(tree.text, node.args[0], text), safe=True)]
    error = f"Expected state_dict to be dict-like, got <class '{kind}'>." if kind is not None else None
    what = error or "This is the name of a file, and no state_dict."
    return found(RULE, tree, node, f"{what}\nA file is read by torch.load.", *fixes, torch_error=error)


def _of_the_other(event: Event, given: Value) -> str | None:
    """What is said where an optimizer is given a model's state, or a model an optimizer's: of an object, or from a checkpoint."""
    to_optimizer, to_model = is_optimizer(event.on), is_module(event.on, surely=True)
    if to_optimizer == to_model:
        return None
    if given.by == ".state_dict" and given.on is not None:
        if to_optimizer and is_module(given.on, surely=True) and not is_optimizer(given.on):
            return "model"
        return "optimizer" if to_model and is_optimizer(given.on) and not is_module(given.on) else None
    key = given.args[0].const if given.by in ("[]", ".get") and given.args else None
    if not isinstance(key, str) or (to_optimizer and is_module(event.on)):
        return None  # an optimizer that is a network
    about_optimizer, about_model = _OPTIMIZER.search(key) is not None, _MODEL.search(key) is not None
    if to_optimizer and about_model and not about_optimizer:
        return "model"
    return "optimizer" if to_model and about_optimizer and not about_model else None


_OPTIMIZER = re.compile(r"^(opt|optim|optimi[sz]er)(_state)?(_dict)?$", re.IGNORECASE)
_MODEL = re.compile(r"^(model|net|network|state_dict|model_state|weights)(_state)?(_dict)?$", re.IGNORECASE)
_REFUSED = {
    "model": "The optimizer is given the state of a model, which has no param_groups: this raises. It takes what the optimizer's own "
    "state_dict() gave.",
    "optimizer": "The model is given the state of an optimizer, which has none of its weights: this raises. It takes what the model's "
    "own state_dict() gave.",
}


def _is_a_file(value: Value, tree: Tree) -> bool:
    """Whether the same value is what something is saved to."""
    saved = (event.argument("f", 1) for event in tree.course.calls("torch.save"))
    return any(one is not None and one is value for one in saved)


def _path(value: Value, load: Event) -> str | None:
    """The class of a path that it surely is: a text, or one of pathlib's."""
    if isinstance(value.const, str) and not re.search(r"[./\\]", value.const):
        return "str" if is_module(load.on, surely=True) else None  # a stand-in may take any word
    if isinstance(value.const, str) or value.by in ("fstring", "builtins.str", "os.path.join"):
        return "str"
    while value.by == "/" and value.args:
        value = value.args[0]
    return "pathlib.PosixPath" if value.by == "pathlib.Path" else None
