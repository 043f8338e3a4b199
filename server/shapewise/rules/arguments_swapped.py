"""Arguments that stand in each other's place: each is named as the parameter that the other one is given for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import combinations

from ..edits.statements import replace, source
from ..program.course import Course
from ..program.definitions import Function, bound_names
from ..program.events import Entered
from ..program.liveness import reads, sets
from ..program.names import last_name
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "arguments-swapped"
_BOTH_WAYS = re.compile(
    r"swap|revers|invers|flip|back|mirror|sym|cycl|transpos|other|opposite|cross|pair|mutual", re.I
)
"""Functions whose name says that they are given, or give, things the other way round."""
_EVEN = re.compile(
    r"iou|distance|simil|cosine|overlap|intersect|kernel|corr|(^|_)(dist|dot|mse|mae|dice|cat|concat|merge|add)(_|$)",
    re.I,
)
"""Functions that give the same, or the same turned, whichever comes first."""
_ALIKE = re.compile(r"(\d+|_?[a-d]|_?(left|right|src|dst|source|target|from|to))$")
"""What tells two of a kind apart: `z1` and `z2`, `x_a` and `x_b`."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each call of the file's functions with two arguments swapped, and each keyword whose variable is left for another one."""
    called = dict(_called(tree.course))
    for call in tree.course.nodes(ast.Call):
        assert isinstance(call, ast.Call)
        function = called.get(call)
        if function is not None:
            yield from _swapped(tree, call, function, called)
        if len(call.keywords) > 1:
            yield from _left(tree, call)


def _called(course: Course) -> Iterator[tuple[ast.Call, Function]]:
    """The calls that were followed, and the function of the file that each runs."""
    for event in course.events:
        for one in event.where:
            if isinstance(one, Entered) and isinstance(one.site, ast.Call):
                yield one.site, one.function


def _given(call: ast.Call, function: Function) -> dict[str, ast.expr]:
    """What a call gives for each parameter."""
    if any(isinstance(arg, ast.Starred) for arg in call.args):
        return {}
    names = [arg.arg for arg in (*function.node.args.posonlyargs, *function.node.args.args)]
    static = any(last_name(one) == "staticmethod" for one in function.decorators)
    if function.cls is not None and not static:
        names = names[1:]
    return {
        **dict(zip(names, call.args)),
        **{keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None},
    }


def _swapped(
    tree: Tree, call: ast.Call, function: Function, called: dict[ast.Call, Function]
) -> Iterator[Finding]:
    scope = tree.course.places.function(call)
    if scope is function.node or any(
        map(_BOTH_WAYS.search, (function.name, _name(scope), _class_of(tree, call)))
    ):
        return
    if _EVEN.search(function.name):
        return
    given = _given(call, function)
    for one, other in combinations(given, 2):
        if (last_name(given[one]), last_name(given[other])) != (other, one) or _are_alike(one, other):
            continue
        if _goes_both_ways(tree, call, function, (one, other), called):
            continue
        keywords = {one.arg for one in call.keywords}
        if one in keywords and other in keywords and function.name == "__init__":
            continue  # a layer back up, said in so many words
        left, right = given[one], given[other]
        edits = (
            replace(tree.text, left, source(tree.text, right)),
            replace(tree.text, right, source(tree.text, left)),
        )
        yield found(
            RULE,
            tree,
            call,
            f"{ast.unparse(left)} is given for {one}, and {ast.unparse(right)} for {other}: {function.name} takes them the other way round.",
            fix("swap the arguments", *edits),
            related=[Related(tree.span(function.node), f"{one} comes before {other} here")],
        )
        return


def _name(scope: ast.FunctionDef | ast.AsyncFunctionDef | None) -> str:
    """Its name, and how its docstring begins."""
    return "" if scope is None else f"{scope.name} {(ast.get_docstring(scope) or '').split(chr(10))[0]}"


def _class_of(tree: Tree, call: ast.Call) -> str:
    """The name of the class that a call is written in."""
    around = tree.course.places.parent(call)
    while around is not None and not isinstance(around, ast.ClassDef):
        around = tree.course.places.parent(around)
    return "" if around is None else around.name


def _are_alike(one: str, other: str) -> bool:
    """Whether two names are letters, or those of two of a kind, which may well be given the other way round."""
    return min(len(one), len(other)) < 2 or _ALIKE.sub("", one) == _ALIKE.sub("", other)


def _goes_both_ways(
    tree: Tree, call: ast.Call, function: Function, pair: tuple[str, str], called: dict[ast.Call, Function]
) -> bool:
    """Whether the same scope calls it the one way and the other, or swaps the two variables itself."""
    places = tree.course.places
    scope = places.function(call)
    statement = places.statement(call)
    block = [] if statement is None else places.block(statement)
    for again, known in called.items():
        built = function.name == known.name == "__init__" and known is not function
        if built and places.statement(again) in block:
            given = _given(again, known)
            if all(last_name(given.get(name)) == name for name in pair):
                return True  # a layer down and its like up again
        if known is function and again is not call and places.function(again) is scope:
            given = _given(again, function)
            if any(last_name(given.get(name)) == name for name in pair):
                return True
    if function.name == "__init__" and any(
        again is not call and _begins_with(again, pair) and places.function(again) is scope
        for again in tree.course.nodes(ast.Call)
    ):
        return True  # torch's own layer there, and this one back again
    return any(
        places.function(one) is scope
        and isinstance(one.targets[0], ast.Tuple)
        and set(pair) <= sets(one)
        and set(pair) <= reads(one.value)
        for one in tree.course.nodes(ast.Assign)
        if isinstance(one, ast.Assign)
    )


def _begins_with(call: ast.AST, pair: tuple[str, str]) -> bool:
    """Whether a call is given two variables first, in this order: `nn.Conv1d(in_channels, out_channels, 1)`."""
    return isinstance(call, ast.Call) and tuple(map(last_name, call.args[:2])) == pair


def _left(tree: Tree, call: ast.Call) -> Iterator[Finding]:
    """`f(advantages=advantages, mask=advantages)`, where a variable `mask` is there and nothing reads it."""
    own = {one.arg for one in call.keywords if one.arg is not None and last_name(one.value) == one.arg}
    for keyword in call.keywords:
        name, value = keyword.arg, keyword.value
        if name is None or not isinstance(value, ast.Name) or value.id == name or value.id not in own:
            continue
        scope = tree.course.places.function(call)
        if scope is None or name in reads(scope) or name not in bound_names(scope)[0]:
            continue
        yield found(
            RULE,
            tree,
            value,
            f"{value.id} is given for {name}, and for {value.id} too, while the variable {name} is there and nothing reads it.",
            fix(f"{name}={name}", replace(tree.text, value, name)),
        )
