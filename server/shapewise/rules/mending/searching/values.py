"""Changes of what a call is given: one of several things, another size or dim, another name, a number."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ....edits.calls import append
from ....edits.statements import replace, source
from ....vocabulary.events import Group, Other, Scalar, Tensor, Value
from ....vocabulary.findings import Fix
from ..dtypes import is_about_dtypes
from .calls import Candidate
from .scope import Scope

_STEPS = (
    *(f".unsqueeze({dim})" for dim in (1, 0, -1)),
    *(f".squeeze({dim})" for dim in (-1, 1, 0)),
    ".flatten(1)",
    ".mT",
    ".transpose(0, 1)",
)
_CASTS = (".float()", ".long()", ".bool()")
_FREED = (".detach()", ".item()")
_MOST_NUMBERS = 6
"""Of those that torch names."""
_LONGEST = 28
"""Characters of an expression that a title names."""
_SIMPLE = (ast.Name, ast.Call, ast.Attribute, ast.Subscript)


def one_of_several(scope: Scope, node: ast.expr, value: Value | None) -> Iterator[Candidate]:
    """A tensor of the tuple, dict or object that stands for it."""
    if not isinstance(value, Group) or not isinstance(node, (ast.Name, ast.Call, ast.Attribute)):
        return
    text, names = scope.refusal.tree.text, value.keys or ()
    if value.kind == "object":
        steps = [f".{name}" for name in names]
    else:
        steps = [f"[{name!r}]" for name in names] or [f"[{at}]" for at in range(len(value.items))]
    for at, (step, item) in enumerate(zip(steps, value.items)):
        if isinstance(item, Tensor):
            yield 0.5 + 0.3 * at, _behind(text, node, step)


def of_layer(scope: Scope, node: ast.expr, value: Value | None) -> Iterator[Candidate]:
    """What a layer holds, in the place of the layer."""
    if isinstance(value, Other) and value.id is not None and isinstance(node, _SIMPLE):
        for at, step in enumerate((".parameters()", ".state_dict()", ".weight")):
            yield 0.5 + 0.3 * at, _behind(scope.refusal.tree.text, node, step)


def of_another_shape(scope: Scope, node: ast.expr, value: Value | None) -> Iterator[Candidate]:
    """Something behind a tensor that gives it another shape."""
    if isinstance(value, Tensor) and isinstance(node, _SIMPLE):
        for at, step in enumerate(_STEPS):
            if _is_possible(step, len(value.shape), value):
                yield 2.5 + 0.05 * at, _behind(scope.refusal.tree.text, node, step)


def of_another_dtype(scope: Scope, node: ast.expr, value: Value | None) -> Iterator[Candidate]:
    """Something behind a tensor that gives it another dtype, or frees it of its graph."""
    if isinstance(value, Tensor) and isinstance(node, _SIMPLE):
        steps = _CASTS if is_about_dtypes(scope.refusal) else _FREED
        for at, step in enumerate(steps):
            yield 1 + 0.1 * at, _behind(scope.refusal.tree.text, node, step)


def _behind(text: str, node: ast.expr, step: str) -> Fix:
    written = source(text, node)
    title = f"{written}{step}" if len(written) <= _LONGEST and "\n" not in written else f"add {step}"
    return Fix(title, "unsafe", (append(text, node, step),))


def _is_possible(step: str, rank: int, value: Tensor) -> bool:
    if step.startswith(".squeeze("):
        dim = int(step[9:-1])
        return -rank <= dim < rank and value.shape[dim] == 1
    if step.startswith(".unsqueeze("):
        return int(step[11:-1]) <= rank
    return rank > (2 if step == ".flatten(1)" else 1)


def other_size(scope: Scope, node: ast.expr) -> Iterator[Candidate]:
    """`x.size(0)` for a number, or for a name of one wherever the function has it."""
    mine, tree = scope.value(node), scope.refusal.tree
    places = tree.course.places
    if not isinstance(mine, Scalar) or type(mine.value) is not int:
        return
    home, refused = places.function(node), tree.at(scope.refusal.op.span, ast.AST)
    if refused is None or home is not places.function(refused):
        return
    alike: list[ast.expr] = [node]
    if isinstance(node, (ast.Name, ast.Attribute)):
        written = ast.unparse(node)
        alike = [
            one
            for one in ast.walk(home or tree.course.tree)
            if isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Load)
            if ast.unparse(one) == written and places.function(one) is home
        ]
    elif not isinstance(node, ast.Constant) or home is None:
        return
    wanted, text = _wanted(scope), tree.text
    for name, tensor in scope.tensors.items():
        dim = next(
            (at for at, size in enumerate(tensor.shape) if size != mine.value and size in wanted), None
        )
        if dim is not None and _is_before(scope, name, min(alike, key=lambda one: one.lineno)):
            new = f"{name}.size({dim})"
            edits = tuple(replace(text, one, new) for one in alike)
            cost = 1.5 + 0.1 * dim + isinstance(node, ast.Constant)
            yield cost, Fix(f"{new} for {source(text, node)}", "unsafe", edits)


def _is_before(scope: Scope, name: str, node: ast.expr) -> bool:
    """Whether a name of the function has its value before an expression is reached."""
    function = scope.refusal.tree.course.places.function(node)
    if function is not None and any(
        one.arg == name for one in ast.walk(function.args) if isinstance(one, ast.arg)
    ):
        return True
    stores = [
        one.lineno
        for one in scope.refusal.tree.course.places.nodes
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and one.id == name
        if scope.refusal.tree.course.places.function(one) is function
    ]
    return bool(stores) and min(stores) < node.lineno


def other_name(scope: Scope, node: ast.expr, value: Value | None) -> Iterator[Candidate]:
    """Another tensor that has a name there."""
    if not isinstance(node, ast.Name) or not isinstance(value, Tensor):
        return
    text = scope.refusal.tree.text
    for name, other in scope.tensors.items():
        if name != node.id and (other.shape, other.dtype) != (value.shape, value.dtype):
            yield 4, Fix(f"{name} for {node.id}", "unsafe", (replace(text, node, name),))


def other_word(scope: Scope, call: ast.Call) -> Iterator[Candidate]:
    """Another name of a number among the arguments of a call, or one in the place of a number."""
    numbers, text, wanted = scope.numbers(call), scope.refusal.tree.text, _wanted(scope)
    for node in (*call.args, *(one.value for one in call.keywords)):
        mine = node.value if isinstance(node, ast.Constant) else numbers.get(ast.unparse(node))
        if type(mine) is not int:
            continue
        for name, number in numbers.items():
            if number != mine and number in wanted:
                yield 2, Fix(f"{name} for {source(text, node)}", "unsafe", (replace(text, node, name),))


def a_step_aside(scope: Scope, call: ast.Call) -> Iterator[Candidate]:
    """`sizes[i + 1]` for `sizes[i]`, and `len(words) + 1` for `len(words)`, among the numbers that a layer is built with."""
    text, op = scope.refusal.tree.text, scope.op(call)
    if op is None or not isinstance(op.result, Other) and op is not scope.refusal.op:
        return
    for node in (*call.args, *(one.value for one in call.keywords)):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, (ast.Name, ast.BinOp)):
            for step in ("+ 1", "- 1"):
                new = f"{source(text, node.slice)} {step}"
                edit = replace(text, node.slice, new)
                yield 2, Fix(f"{source(text, node.value)}[{new}]", "unsafe", (edit,))
        elif isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
            value = scope.value(node)
            if isinstance(value, Scalar) and type(value.value) is int:
                yield 2.2, Fix(f"{source(text, node)} + 1", "unsafe", (append(text, node, " + 1"),))


def other_number(scope: Scope, node: ast.expr) -> Iterator[Candidate]:
    """Another number where one is written: one that torch names, one more or less. The other truth value."""
    written = node.value if isinstance(node, ast.Constant) else None
    holder = scope.refusal.tree.course.places.parent(node)
    if isinstance(holder, ast.keyword) and holder.arg == "batch_size":
        return  # what goes well with batches of one is not mended
    others: list[tuple[float, int]] = []
    if isinstance(written, bool):
        others = [(3, not written)]
    elif isinstance(written, int):
        others = [(3.5, one) for one in _wanted(scope)[:_MOST_NUMBERS]]
        others += [(4.5, written + 1), (4.5, written - 1)]
    for cost, other in others:
        if other != written and (other > 0 or isinstance(other, bool)):
            edit = replace(scope.refusal.tree.text, node, str(other))
            yield cost, Fix(f"{other} for {written!r}", "unsafe", (edit,))


def _wanted(scope: Scope) -> list[int]:
    """The numbers that torch speaks of, and the sizes of what it was given."""
    words = "\n".join((scope.refusal.message, *scope.refusal.failure.details))
    said = [int(one) for one in re.findall(r"(?<![\w.])\d+(?![\w.])", words)]
    sizes = [one for tensor in scope.refusal.operands for one in tensor.shape if isinstance(one, int)]
    return list(dict.fromkeys([*said, *sizes]))
