"""What else may be given for a parameter with a default: something for None and 0, the other flag, another word."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import Any

from torch import nn

from ...gate.own import is_interpreted
from ..inputs.sizes import Free
from ..inputs.specs import Array, Opaque, Plain, Row, Spec
from .arguments import is_a_share, is_shape, of_argument
from .compared import ANOTHER, numbers_for, words_anywhere
from .deciding import is_decided_on
from .lists import is_listed
from .reads import (
    Around,
    calls,
    is_asked_for_a_tuple,
    is_attribute,
    is_handed_on,
    is_name,
    parameters_of,
    walked,
)
from .tensors import ITEMS
from .usage import of_use


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
        elif type(spec.value) is str and (words := words_anywhere(node, name, around)):
            others = [one for one in words if one != spec.value]
            unlike = [one for one in others if one.lower() not in spec.value.lower()]
            found[name] = Plain((unlike or others or [ANOTHER])[0])
        elif type(spec.value) is bool and name not in ("inplace", "training", "verbose"):
            found[name] = Plain(not spec.value)
        elif type(spec.value) is int and spec.value == 0 and (constructor or _is_counted_with(node, name)):
            asked = [one for each in (node, *around.nodes) for one in numbers_for(each, name) if one]
            if constructor and asked:
                found[name] = Plain(asked[0])
            else:  # it switches off what has a size, or a share
                found[name] = (
                    Plain(0.1, share=True) if is_a_share(name.lower()) else Free(name, 2, small=True)
                )
        elif (
            constructor
            and type(spec.value) is float
            and not spec.value
            and is_a_share(name.lower())
            and is_decided_on(node, name, around)
        ):
            found[name] = Plain(0.1, share=True)
        elif constructor and type(spec.value) is float and _is_a_multiple(node, name, spec.value):
            found[name] = Plain(1.5 * spec.value)
        elif (
            constructor
            and _is_an_empty_list(spec.value)
            and any(is_listed(use, name) for use in walked(node))
        ):
            items: list[Spec] = [Free(f"{name}[{at}]") for at in range(ITEMS)]
            found[name] = Row(items, type(spec.value), open=True)
        elif constructor and isinstance(spec.value, nn.Module) and is_interpreted(type(spec.value)):
            found[name] = Opaque()  # of the file's own: another may be of other sizes
        elif (
            spec.value is None and name in ("dim", "axis") and not (constructor and _is_a_width(name, around))
        ):
            found[name] = Plain(-1)
        elif spec.value is None and name in ("dims", "axes"):
            found[name] = Plain((-1,))
        elif spec.value is None and name not in ("device", "dtype"):  # no shape hangs on these
            made = (
                of_argument(node, name, around)
                if constructor
                else of_use(node, name, module, around.annotation(node, name), around)
            )
            is_word = isinstance(made, Plain) and type(made.value) is str
            is_share = isinstance(made, Plain) and type(made.value) is float
            if isinstance(made, (Free, Array, Row)) or (
                constructor and (is_word or isinstance(made, Opaque))
            ):
                found[name] = made
            elif constructor and is_share and is_decided_on(node, name, around):
                found[name] = Plain(0.1, share=True)
    return found


def _is_counted_with(node: Any, name: str) -> bool:
    """Whether it is a part of how often a loop goes round: `range(forward + backward)`."""
    return any(
        isinstance(use, ast.Call)
        and is_name(use.func, "range")
        and any(is_name(one, name) for arg in use.args for one in ast.walk(arg))
        for use in walked(node)
    )


def _is_an_empty_list(value: Any) -> bool:
    return type(value) in (tuple, list) and not value


def _is_a_multiple(node: Any, name: str, value: float) -> bool:
    """Whether a size is told as a multiple of another for want of a name: `nn.Linear(dim, int(dim * 4.0))`.

    One that is bound to a name has that, unless it is as large as the other by default.
    """
    if value < 1 or not value.is_integer():
        return False
    bound = {id(one.value) for one in walked(node) if isinstance(one, ast.Assign)} if value > 1 else set()
    return any(
        id(use) not in bound
        and ast.unparse(use.func) in _ROUND
        and any(is_name(one, name) for arg in use.args for one in ast.walk(arg))
        for _, use in calls(node)
    )


_ROUND = frozenset("int round math.ceil math.floor".split())


def _is_a_width(name: str, around: Around) -> bool:
    """Whether `dim` of a constructor is how large one is: it is handed on to nothing as the dim that is meant."""
    return not any(
        one.arg in ("dim", "axis") and (is_name(one.value, name) or is_attribute(one.value, name))
        for node in around.nodes
        for _, use in calls(node)
        if ast.unparse(use.func).rpartition(".")[2][:1].islower()
        for one in use.keywords
    ) and not any(
        is_attribute(arg, name)
        for node in around.nodes
        for _, use in calls(node)
        if isinstance(use.func, ast.Attribute) and use.func.attr in _ALONG
        for arg in use.args
    )


_ALONG = frozenset(
    "mean sum max min softmax log_softmax norm cumsum cat stack std var argmax argmin sort".split()
)
"""What goes along a dim."""


_SEVERAL = re.compile(r"\b(?:tuple|list|sequence|iterable|size|shape)\b", re.IGNORECASE)
"""What an annotation calls several numbers."""


def _may_be_a_pair(node: Any, name: str, around: Around) -> bool:
    """Whether a number may be given as two, height and width: it is asked whether it is a tuple, here or by `pair(size)`.

    Or it may be a whole shape, as its annotation has it: `shape: int | tuple[int, ...]`.
    """
    if is_shape(name) and _SEVERAL.search(around.annotation(node, name)):
        return True
    alike = [other for other in around.constructors if name in parameters_of(other)]
    return any(
        is_asked_for_a_tuple(one, called) and (one is start or parameters_of(one) == [called])
        for start in (node, *(alike if is_handed_on(node, name) else ()))
        for one, called in around.uses(start, name)
    )
