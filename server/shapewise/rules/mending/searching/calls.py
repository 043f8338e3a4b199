"""Changes of how a call is written: called at all, another function of its kind, an argument more or less."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator

from ....edits.calls import add_keyword, append, remove_keyword
from ....edits.statements import replace, source
from ....edits.text import text_map
from ....program.names import last_name
from ....vocabulary.events import Group, Tensor, Unknown, Value
from ....vocabulary.findings import Edit, Fix
from .scope import Scope, is_callable

Candidate = tuple[float, Fix]
"""A change and what it costs: how much it changes."""

_OF_DIMS = re.compile(r"(?P<kind>[A-Za-z]\w*?)(?P<dims>[123])(?P<rest>d(?:_\w+)?)$")
_KINDS = (
    "cat stack",
    "view reshape",
    "dot mm bmm matmul",
    "squeeze unsqueeze",
    "tensor as_tensor",
    "gather index_select take_along_dim",
    "expand repeat",
    "maximum max amax",
    "minimum min amin",
    "T mT",
    "BCELoss BCEWithLogitsLoss",
    "binary_cross_entropy binary_cross_entropy_with_logits",
    "NLLLoss CrossEntropyLoss BCEWithLogitsLoss MSELoss",
    "nll_loss cross_entropy binary_cross_entropy_with_logits mse_loss",
    "size shape",
    "zeros_like ones_like",
    "ModuleList Sequential",
    "extend append",
)
"""Functions that are taken for each other."""
_OPTIONS = {
    "LSTM": ("batch_first=True",),
    "GRU": ("batch_first=True",),
    "RNN": ("batch_first=True",),
    "MultiheadAttention": ("batch_first=True",),
    "TransformerEncoderLayer": ("batch_first=True",),
    "TransformerDecoderLayer": ("batch_first=True",),
    "Transformer": ("batch_first=True",),
    "backward": ("retain_graph=True",),
    "grad": ("allow_unused=True", "retain_graph=True", "create_graph=True"),
    "DataLoader": ("drop_last=True",),
    "MaxPool2d": ("return_indices=True", "ceil_mode=True"),
    "tensor": ("dtype=torch.float32", "dtype=torch.long"),
    "arange": ("dtype=torch.float32",),
    "full": ("dtype=torch.float32",),
    "Softmax": ("dim=-1",),
    "softmax": ("dim=-1",),
    "cat": ("dim=-1",),
}
"""Options that are forgotten."""


def called(scope: Scope, node: ast.expr, value: Value | None) -> Iterator[Candidate]:
    """A function, a method or a class given in the place of what it gives."""
    text = scope.refusal.tree.text
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return
    is_class = _last(node)[:1].isupper() and scope.is_of_a_module(node)
    if is_callable(value) or is_class:
        for given in ("", *(name for name in scope.tensors)):
            new = f"({given})"
            yield (
                0.5 if given else 0,
                Fix(f"call {ast.unparse(node)}{new}", "unsafe", (append(text, node, new),)),
            )


def of_call(scope: Scope, call: ast.Call) -> Iterator[Candidate]:
    """All changes of one call, whatever it calls."""
    yield from _built_first(scope, call)
    yield from _other_function(scope, call)
    yield from _as_in_others(scope, call)
    yield from _options(scope, call)
    yield from _without_an_argument(scope, call)
    yield from _an_argument_more(scope, call)
    yield from _swapped(scope, call)
    yield from _unwrapped(scope, call)


def _name(call: ast.Call) -> ast.Name | ast.Attribute | None:
    return call.func if isinstance(call.func, (ast.Name, ast.Attribute)) else None


def _last(node: ast.expr) -> str:
    return last_name(node)


def _built_first(scope: Scope, call: ast.Call) -> Iterator[Candidate]:
    """`nn.ReLU()(x)` where a layer was built from what it should be given."""
    name = _last(call.func)
    if not name[:1].isupper() or not any(
        isinstance(scope.value(one), (Tensor, Unknown)) for one in call.args[:1]
    ):
        return
    text = scope.refusal.tree.text
    options = ", ".join(source(text, one) for one in call.keywords)
    given = ", ".join(source(text, one) for one in call.args)
    new = f"{source(text, call.func)}({options})({given})"
    yield (
        0,
        Fix(f"build the layer, then call it: {name}({options})(...)", "unsafe", (replace(text, call, new),)),
    )


def _other_function(scope: Scope, call: ast.Call) -> Iterator[Candidate]:
    func = _name(call)
    if func is None:
        return
    name, text = _last(func), scope.refusal.tree.text
    match = _OF_DIMS.match(name)
    others = [(2.0, one) for kind in _KINDS if name in kind.split() for one in kind.split() if one != name]
    if match is not None:
        others += [(1.0, f"{match['kind']}{dims}{match['rest']}") for dims in "123" if dims != match["dims"]]
    if name.endswith("_") and not name.startswith("_"):
        others.append((1.0, name[:-1]))
    for cost, other in others:
        if other != "shape":  # which is not called
            yield cost, Fix(f"{other} for {name}", "unsafe", (_renamed(text, func, other),))


def _renamed(text: str, node: ast.Name | ast.Attribute, name: str) -> Edit:
    places = text_map(text)
    _, end = places.offsets(places.span(node))
    return Edit(places.between(end - len(_last(node)), end), name)


def _as_in_others(scope: Scope, call: ast.Call) -> Iterator[Candidate]:
    """A keyword that other calls of the same function have, in the same function first."""
    places, text = scope.refusal.tree.course.places, scope.refusal.tree.text
    mine, home = {one.arg for one in call.keywords}, places.function(call)
    name, told = _last(call.func), set[str]()
    for other in places.nodes:
        if not isinstance(other, ast.Call) or other is call or _last(other.func) != name:
            continue
        near = places.function(other) is home
        for one in other.keywords:
            written = source(text, one)
            is_fixed = isinstance(one.value, ast.Constant)
            if (
                one.arg
                and one.arg not in mine
                and written not in told
                and (near or is_fixed)
                and "\n" not in written
            ):
                told.add(written)
                yield (
                    1.5 + (not near),
                    Fix(f"{written}, as in another", "unsafe", (add_keyword(text, call, written),)),
                )


def said(scope: Scope, call: ast.Call) -> Iterator[Candidate]:
    """An option that torch's own words name: `enforce_sorted=False`."""
    words = "\n".join((scope.refusal.message, *scope.refusal.failure.details))
    for option in dict.fromkeys(re.findall(r"\b[a-z_]+=(?:True|False)\b", words)):
        yield 0.5, Fix(option, "unsafe", (add_keyword(scope.refusal.tree.text, call, option),))


def _options(scope: Scope, call: ast.Call) -> Iterator[Candidate]:
    mine, text = {one.arg for one in call.keywords}, scope.refusal.tree.text
    for option in _OPTIONS.get(_last(call.func), ()):
        if option.partition("=")[0] not in mine:
            yield 2, Fix(option, "unsafe", (add_keyword(text, call, option),))


def _is_about_arguments(scope: Scope, call: ast.Call) -> bool:
    """Whether it is the refused call, and Python or torch says that its arguments are not those that it takes."""
    refusal = scope.refusal
    return refusal.failure.type == "TypeError" and call is refusal.tree.at(refusal.op.span, ast.Call)


def _without_an_argument(scope: Scope, call: ast.Call) -> Iterator[Candidate]:
    text, cost = scope.refusal.tree.text, 1 if _is_about_arguments(scope, call) else 4
    for one in call.keywords:
        if one.arg and one.arg != "batch_size":
            edit = remove_keyword(text, call, one.arg)
            yield cost, Fix(f"without {one.arg}", "unsafe", (edit,))
    for at in reversed(range(len(call.args))):
        edit_of = _without(text, call, at)
        if edit_of is not None:
            yield cost + 0.2, Fix(f"without {source(text, call.args[at])}", "unsafe", (edit_of,))


def _without(text: str, call: ast.Call, at: int) -> Edit | None:
    """Take the argument at a place away, with the comma before it, or behind the first."""
    places = text_map(text)
    begin, end = places.offsets(places.span(call.args[at]))
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    others = [places.offsets(places.span(one)) for one in parts]
    if at:
        begin = others[at - 1][1]
    elif len(others) > 1:
        end = others[1][0]
    between = text[begin:end]
    return None if "#" in between or "\n" in between else Edit(places.between(begin, end), "")


def _an_argument_more(scope: Scope, call: ast.Call) -> Iterator[Candidate]:
    """What is missing: a name that the call's function has for it, or a tensor at hand."""
    if not _is_about_arguments(scope, call):
        return
    refusal = scope.refusal
    text, words = refusal.tree.text, re.findall(r"'(\w+)'", refusal.message)
    missing = words if re.search(r"missing \d+ required|missing a required", refusal.message) else []
    for word in missing:
        if word in scope.names:
            yield 0.5, Fix(f"{word}={word}", "unsafe", (add_keyword(text, call, f"{word}={word}"),))
        if word in ("dim", "axis"):
            for dim in (1, -1, 0):
                yield 1, Fix(f"{word}={dim}", "unsafe", (add_keyword(text, call, f"{word}={dim}"),))
    for word in words:
        keyword = next((one for one in call.keywords if one.arg == word), None)
        if keyword is None:
            continue
        for other in difflib.get_close_matches(word, _keywords_in(refusal.tree.course.places.nodes), 2, 0.6):
            if other != word:
                new = f"{other}={source(text, keyword.value)}"
                yield 1, Fix(f"{other} for {word}", "unsafe", (replace(text, keyword, new),))
    if missing:
        last = call.args[-1] if call.args else None
        for name in scope.tensors:
            if last is not None:
                edit = append(text, last, f", {name}")
                yield 2, Fix(f"give it {name} too", "unsafe", (edit,))


def _keywords_in(nodes: list[ast.AST]) -> set[str]:
    """The names of parameters and arguments in a file."""
    return {one.arg for one in nodes if isinstance(one, (ast.arg, ast.keyword)) and one.arg is not None}


def _swapped(scope: Scope, call: ast.Call) -> Iterator[Candidate]:
    text = scope.refusal.tree.text
    for one, other in zip(call.args, call.args[1:]):
        if isinstance(scope.value(one), Tensor) and isinstance(scope.value(other), Tensor):
            first, second = source(text, one), source(text, other)
            if first != second and "\n" not in first + second:
                edits = replace(text, one, second), replace(text, other, first)
                yield 3, Fix(f"{second} before {first}", "unsafe", edits)


def _unwrapped(scope: Scope, call: ast.Call) -> Iterator[Candidate]:
    """Without a step: `x` for `x.squeeze()`, for `torch.tensor(x)`. A layer is there to be called."""
    inner = None
    if scope.is_of_a_module(call.func):
        inner = call.args[0] if len(call.args) == 1 else None
    elif isinstance(call.func, ast.Attribute) and isinstance(scope.value(call.func.value), Tensor):
        inner = call.func.value if call.func.attr != "backward" else None
    if inner is None or not isinstance(scope.value(inner), (Tensor, Group)):
        return
    text = scope.refusal.tree.text
    was, whole = source(text, inner), source(text, call)
    if "\n" not in whole:
        yield 3, Fix(f"without {_last(call.func)}", "unsafe", (replace(text, call, was),))
