"""What else may be given for a parameter with a default: something for None and 0, the other flag, another word."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .arguments import of_argument
from .compared import words_for
from .reads import Around, annotation_of, is_asked_for_a_tuple, is_handed_on, parameters_of
from .sizes import Free
from .specs import Array, Opaque, Plain, Row, Spec
from .usage import of_use

_ANOTHER = "another"
"""A word that the text compares with none: where it knows but one, there is another way behind it."""


def options(
    node: Any, specs: dict[str, Spec], module: bool, constructor: bool, around: Around
) -> dict[str, Spec]:
    """What else may be given for a parameter with a default: something for None and 0, the other flag."""
    found: dict[str, Spec] = {}
    for name, spec in specs.items():
        if constructor and isinstance(spec, Free) and _may_be_a_pair(node, name, around):
            found[name] = Row([replace(spec, label=f"{name}[{at}]") for at in range(2)], tuple)
        if not isinstance(spec, Plain):
            continue
        if type(spec.value) is int and name in ("dim", "axis"):
            found[name] = Plain(1 if spec.value == -1 else -1)
        elif type(spec.value) is str and (words := words_for(node, name)):
            others = [one for one in words if one != spec.value]
            found[name] = Plain(others[0] if others else _ANOTHER)
        elif type(spec.value) is bool and name not in ("inplace", "training", "verbose"):
            found[name] = Plain(not spec.value)
        elif type(spec.value) is int and spec.value == 0 and constructor:  # it switches off what has a size
            found[name] = Free(name, 2, small=True)
        elif spec.value is None and name in ("dim", "axis"):
            found[name] = Plain(-1)
        elif spec.value is None and name not in ("device", "dtype"):  # no shape hangs on these
            made = (
                of_argument(node, name, around)
                if constructor
                else of_use(node, name, module, annotation_of(node, name), around)
            )
            is_word = isinstance(made, Plain) and type(made.value) is str
            if isinstance(made, (Free, Array, Row)) or (
                constructor and (is_word or isinstance(made, Opaque))
            ):
                found[name] = made
    return found


def _may_be_a_pair(node: Any, name: str, around: Around) -> bool:
    """Whether a number may be given as two, height and width: it is asked whether it is a tuple, here or by `pair(size)`."""
    alike = [other for other in around.constructors if name in parameters_of(other)]
    return any(
        is_asked_for_a_tuple(one, called) and (one is start or parameters_of(one) == [called])
        for start in (node, *(alike if is_handed_on(node, name) else ()))
        for one, called in around.uses(start, name)
    )
