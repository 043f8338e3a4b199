"""What is to be validated on, or tested on, made of the part that is trained on; nothing reads the part held out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace
from ..program.liveness import reads
from ..program.names import last_name
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "held-out-part-unread"
_SPLITS = ("random_split", "train_test_split")
_HELD_OUT = re.compile(
    r"(^|_)(val|valid|validation|test|dev|eval|holdout)(_|\d|$)|^(val|test|dev)(?!ue|ice|el)", re.IGNORECASE
)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each variable that is named as held out and made of a part that is not, where the part of that name is never read."""
    course = tree.course
    yield from _loaders(tree)
    yield from _same_part(tree)
    yield from _same_rows(tree)
    yield from _all_folds(tree)
    yield from _same_set(tree)
    for split in course.nodes(ast.Assign):
        assert isinstance(split, ast.Assign)
        target, value = split.targets[0], split.value
        if not isinstance(target, ast.Tuple) or not _is_split(value):
            continue
        parts = [one.id for one in target.elts if isinstance(one, ast.Name)]
        if len(parts) != len(target.elts):
            continue
        scope = course.places.function(split) or course.tree
        read = _read(scope)
        unread = [name for name in parts if name not in read and _HELD_OUT.search(name)]
        untrained = [name for name in parts if name not in read and _TRAINED.search(name)]
        if len(untrained) == 1 and not unread and len(parts) > 1 and _is_order(value) and _trains(scope):
            yield found(
                RULE,
                tree,
                split,
                f"nothing reads {untrained[0]}: what is trained on is not this part, but all, or what is held out.",
            )
        if unread and (twice := _given_twice(scope, split, parts)) is not None:
            yield found(
                RULE,
                tree,
                twice[0],
                f"{twice[1].id} is given twice, and nothing reads {unread[0]}: what is measured says nothing of data that was not seen.",
                fix(f"give {unread[0]}", replace(tree.text, twice[1], unread[0])),
                related=[Related(tree.span(split), f"{unread[0]} is held out here")],
            )
        for made in ast.walk(scope) if unread else ():
            if not isinstance(made, ast.Assign) or made is split or not isinstance(made.value, ast.Call):
                continue
            if not _is_held_out(last_name(made.targets[0])):
                continue
            given = [
                one
                for one in ast.walk(made.value)
                if isinstance(one, ast.Name) and one.id in parts and not _HELD_OUT.search(one.id)
            ]
            if given:
                yield _found(tree, split, made, given, unread)


_TRAINED = re.compile(r"(^|_)(train|training|tr)(_|$)", re.IGNORECASE)


def _is_order(value: ast.expr) -> bool:
    """Whether parts of one order of rows are taken, `order[:n], order[n:]`: no data that somebody else may read."""
    return isinstance(value, ast.Tuple)


def _trains(scope: ast.AST) -> bool:
    return any(
        isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr == "backward"
        for one in ast.walk(scope)
    )


_CUTS = re.compile(r"Subset|random_split|Sampler|train_test_split|KFold|\.data\[|\.targets\[|indices")


def _same_set(tree: Tree) -> Iterator[Finding]:
    """`test_data = MNIST(root, train=True)` beside `train_data = MNIST(root, train=True)`, where nothing is cut into parts."""
    if _CUTS.search(tree.text):
        return
    made: dict[str, list[tuple[str, ast.Call]]] = {}
    for one in tree.course.nodes(ast.Assign):
        call = one.value if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
        if isinstance(call, ast.Call) and _is_training_part(call):
            assert isinstance(one, ast.Assign)
            made.setdefault(ast.unparse(call.func), []).append((last_name(one.targets[0]), call))
    known = {
        event.node for event in tree.course.of_kind("call") if event.name.startswith("torchvision.datasets.")
    }
    for sets in made.values():
        trained = [call for name, call in sets if "train" in name.lower()]
        for name, call in sets:
            if name.lower().startswith("test") and "train" not in name.lower() and trained and call in known:
                option = next(each for each in call.keywords if each.arg == "train")
                yield found(
                    RULE,
                    tree,
                    call,
                    f"{name} is the part that is trained on: what is measured on it says nothing of data that was not seen. "
                    "The other one is train=False.",
                    fix("train=False", replace(tree.text, option.value, "False")),
                    related=[Related(tree.span(trained[0]), "the same part")],
                )


def _is_training_part(call: ast.Call) -> bool:
    return any(
        one.arg == "train" and isinstance(one.value, ast.Constant) and one.value.value is True
        for one in call.keywords
    )


_JOINS = frozenset("cat concat concatenate hstack".split())


def _all_folds(tree: Tree) -> Iterator[Finding]:
    """`train = torch.cat(folds)` in a round whose `val = folds[k]`: the fold held out is in it."""
    for loop in tree.course.nodes(ast.For):
        assert isinstance(loop, ast.For)
        made = [one for one in loop.body if isinstance(one, ast.Assign) and len(one.targets) == 1]
        for part in made:
            fold = part.value
            if not isinstance(fold, ast.Subscript) or isinstance(fold.slice, ast.Slice | ast.Constant):
                continue
            if not _is_held_out(last_name(part.targets[0])):
                continue
            for whole in made:
                call = whole.value
                if (
                    isinstance(call, ast.Call)
                    and last_name(call.func) in _JOINS
                    and call.args
                    and ast.dump(call.args[0]) == ast.dump(fold.value)
                    and _TRAINED.search(last_name(whole.targets[0]))
                ):
                    yield found(
                        RULE,
                        tree,
                        whole,
                        f"{last_name(whole.targets[0])} is made of all parts, {last_name(part.targets[0])} among them: what is measured on it "
                        "says nothing of data that was not seen.",
                        related=[Related(tree.span(part), "held out here")],
                    )


def _read(scope: ast.AST) -> set[str]:
    """The variables of a scope that are read in it, or in a function within it that has none of that name itself."""
    own = {
        id(node)
        for one in ast.walk(scope)
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one is not scope
        for node in ast.walk(one)
        if isinstance(node, ast.Name)
        and node.id in {arg.arg for arg in (*one.args.args, *one.args.kwonlyargs)}
    }
    return {
        one.id
        for one in ast.walk(scope)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and id(one) not in own
    }


def _given_twice(scope: ast.AST, split: ast.Assign, parts: list[str]) -> tuple[ast.Call, ast.Name] | None:
    """A call that is given one part in two places, `Trainer(net, train_set, train_set)`, and the second of them."""
    for call in ast.walk(scope):
        if not isinstance(call, ast.Call) or call.lineno <= split.lineno:
            continue
        seen: set[str] = set()
        for one in (*call.args, *(keyword.value for keyword in call.keywords)):
            if isinstance(one, ast.Name) and one.id in parts:
                if one.id in seen:
                    return call, one
                seen.add(one.id)
    return None


def _same_part(tree: Tree) -> Iterator[Finding]:
    """`test_mask = train_mask`, in a script, where no condition decides it."""
    for one in tree.course.tree.body:
        value = one.value if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
        target = one.targets[0] if isinstance(one, ast.Assign) else None
        if not isinstance(target, ast.Name) or not isinstance(value, ast.Name) or not _is_held_out(target.id):
            continue
        word = _HELD_OUT.search(target.id)
        stem = target.id.replace(word.group().strip("_"), "train", 1) if word is not None else ""
        if value.id == stem:
            yield found(
                RULE,
                tree,
                one,
                f"{target.id} is {value.id}: what is measured on it says nothing of data that was not seen.",
            )


def _same_rows(tree: Tree) -> Iterator[Finding]:
    """`val_set = Subset(data, order[:n])` beside `train_set = Subset(data, order[:n])`."""
    made = [
        one
        for one in tree.course.nodes(ast.Assign)
        if isinstance(one, ast.Assign)
        and isinstance(one.value, ast.Call)
        and last_name(one.value.func) == "Subset"
        and len(one.value.args) == 2
    ]
    for first in made:
        for other in made:
            name, beside = last_name(other.targets[0]), last_name(first.targets[0])
            if not _is_held_out(name) or "train" not in beside.lower():
                continue
            if tree.course.places.function(first) is not tree.course.places.function(other):
                continue
            if ast.dump(first.value) == ast.dump(other.value):
                yield found(
                    RULE,
                    tree,
                    other,
                    f"{name} has the same rows as {beside}: what is measured on it says nothing of data that was not seen.",
                    related=[Related(tree.span(first), "the same rows")],
                )


def _is_split(value: ast.expr) -> bool:
    """A call that cuts data into parts, or `order[:n], order[n:]`."""
    if isinstance(value, ast.Call):
        return last_name(value.func) in _SPLITS
    parts = (
        [one for one in value.elts if isinstance(one, ast.Subscript)] if isinstance(value, ast.Tuple) else []
    )
    return (
        isinstance(value, ast.Tuple)
        and len(parts) == len(value.elts) > 1
        and all(isinstance(one.slice, ast.Slice) for one in parts)
        and len({ast.dump(one.value) for one in parts}) == 1
        and len({ast.dump(one.slice) for one in parts}) == len(parts)
    )


def _loaders(tree: Tree) -> Iterator[Finding]:
    """`val_loader = DataLoader(dataset)`, where a `val_dataset` was made before it and nothing reads that."""
    course = tree.course
    for made in course.nodes(ast.Assign):
        assert isinstance(made, ast.Assign)
        call = made.value
        name = last_name(made.targets[0])
        if not isinstance(call, ast.Call) or last_name(call.func) != "DataLoader" or not _is_held_out(name):
            continue
        given = next((one.value for one in call.keywords if one.arg == "dataset"), None) or next(
            iter(call.args), None
        )
        if not isinstance(given, ast.Name) or _HELD_OUT.search(given.id):
            continue
        scope = course.places.function(made) or course.tree
        read = reads(scope)
        for other in ast.walk(scope):
            if not isinstance(other, ast.Assign) or other.lineno >= made.lineno:
                continue
            if not isinstance(other.value, ast.Call) or last_name(other.value.func) == "DataLoader":
                continue
            target = other.targets[0]
            if not isinstance(target, ast.Name) or target.id in read or not _is_held_out(target.id):
                continue
            word, same = _HELD_OUT.search(target.id), _HELD_OUT.search(name)
            if word is not None and same is not None and word.group().strip("_") == same.group().strip("_"):
                yield _found(tree, other, made, [given], [target.id])
                break


def _is_held_out(name: str) -> bool:
    return bool(_HELD_OUT.search(name)) and "train" not in name.lower()


def _found(
    tree: Tree, split: ast.Assign, made: ast.Assign, given: list[ast.Name], unread: list[str]
) -> Finding:
    fixes: tuple[Fix, ...] = ()
    if len(given) == len(unread) == 1:
        fixes = (fix(f"take {unread[0]}", replace(tree.text, given[0], unread[0])),)
    return found(
        RULE,
        tree,
        made,
        f"{last_name(made.targets[0])} is made of {given[0].id}, and nothing reads {unread[0]}: what is measured here "
        "says nothing of data that was not seen.",
        *fixes,
        related=[Related(tree.span(split), f"{unread[0]} is held out here")],
    )
