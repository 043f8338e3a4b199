"""Fields of a config that may be otherwise than they are: None that may be a number (`n_kv_heads: Optional[int] = None`), and flags."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ..inputs.sizes import Free
from ..inputs.specs import Bundle, Plain, Spec
from .arguments import SIZES
from .reads import Around, walked

_NUMBER = re.compile(r"\b(int|float)\b")


def none_fields(name: str, bundle: Bundle, around: Around) -> Iterator[tuple[str, Spec]]:
    """Those that the file asks whether they are there, or hold, by their path: `args.n_kv_heads`. `name`: of the parameter."""
    asked: set[str] | None = None
    for one, spec in bundle.fields.items():
        if not (isinstance(spec, Plain) and (spec.value is None or type(spec.value) is bool)):
            continue
        asked = _asked(name, around) if asked is None else asked
        if one not in asked:
            continue
        made = _made(one, bundle.annotations.get(one)) if spec.value is None else Plain(not spec.value)
        if made is not None:
            yield f"{name}.{one}", made


def _made(name: str, annotation: str | None) -> Spec | None:
    """A number, as the annotation has it; a size, where there is none and the name has it."""
    if annotation is None:
        return _number(name) if name.endswith(SIZES) else None
    kind = _NUMBER.search(annotation)
    return None if kind is None else _number(name) if kind[1] == "int" else Plain(1.5)


def _number(name: str) -> Free:
    """A size; a few, of what is counted: two heads go into what other numbers are made up for."""
    counts = not _COUNTED.isdisjoint(name.split("_"))
    return Free(name, 2, small=True) if counts else Free(name)


_COUNTED = frozenset("n num heads layers blocks groups experts".split())


def _asked(name: str, around: Around) -> set[str]:
    """The fields that are asked whether they are None, or falsy: here, and in the file where the config is handed on."""
    handed_on = any(
        isinstance(use, ast.Call)
        and any(_is_it(arg, name) for arg in (*use.args, *(one.value for one in use.keywords)))
        for node in around.nodes
        for use in walked(node)
    )
    others: list[Any] = [*around.constructors, *around.functions.values()] if handed_on else []
    return {
        use.attr
        for node in dict.fromkeys((*around.nodes, *others))
        for use in _questions(node)
        if isinstance(use, ast.Attribute)
    }


def _questions(node: Any) -> Iterator[ast.expr]:
    """What a text asks whether it is there: `x is None`, `x or other`, `if x`, `a if x else b`."""
    for use in walked(node):
        if isinstance(use, ast.Compare):
            if isinstance(use.ops[0], (ast.Is, ast.IsNot)) and ast.unparse(use.comparators[0]) == "None":
                yield use.left
        elif isinstance(use, ast.BoolOp):
            yield from use.values
        elif isinstance(use, (ast.If, ast.IfExp)):
            yield use.test


def _is_it(arg: ast.expr, name: str) -> bool:
    return (isinstance(arg, ast.Name) and arg.id == name) or (
        isinstance(arg, ast.Attribute) and arg.attr == name
    )
