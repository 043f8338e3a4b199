"""The inputs that a function was tried on, as text: a real run can be given the same (`agent/inputs.py`)."""

from __future__ import annotations

import inspect
import json
from typing import Any

from ..case import Case
from ..targets import functions_of
from .sizes import RUNS
from .specs import Array, Bundle, Opaque, Plain, Row, Spec

_JSON = (int, float, str, bool, type(None))


class _NotSaid(Exception):
    """What cannot be written down; says why."""


def tried(case: Case) -> tuple[str, ...]:
    """A JSON object for each run, or one that says why there is none."""
    try:
        return tuple(json.dumps(_run(case, run)) for run in range(RUNS))
    except _NotSaid as why:
        return (json.dumps({"name": case.target.name, "method": case.method, "unknown": str(why)}),)


def _run(case: Case, run: int) -> dict[str, Any]:
    cls = case.target.value
    made = isinstance(cls, type)
    own = functions_of(cls) if made else {}
    function = own.get(case.method or "") if made else cls
    instance = case.target.instance
    name = next((name for name, value in case.env.names.items() if value is instance), None)
    return {
        "name": case.target.name,
        "method": case.method,
        "instance": None if instance is None else name,
        "constructor": _values(case, case.constructor, own.get("__init__"), run),
        "inputs": _values(case, case.inputs, function, run),
    }


def _values(case: Case, specs: dict[str, Spec], function: Any, run: int) -> dict[str, Any]:
    """Each parameter's value; one that cannot be written down is left to its default."""
    parameters = {} if function is None else inspect.signature(function).parameters
    values = {}
    for name, spec in specs.items():
        if name in parameters and parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            raise _NotSaid(f"`*{name}` is any number of tensors")
        try:
            values[name] = _value(case, spec, run)
        except _NotSaid as why:
            parameter = parameters.get(name)
            if parameter is None or parameter.default is inspect.Parameter.empty:
                raise _NotSaid(f"`{name}` is {why}") from None
    return values


def _value(case: Case, spec: Spec, run: int) -> dict[str, Any]:
    if isinstance(spec, Opaque):
        raise _NotSaid(spec.why)
    if isinstance(spec, Plain):
        if isinstance(spec.value, _JSON):
            return {"value": spec.value}
        raise _NotSaid(f"a {type(spec.value).__name__}")
    if isinstance(spec, Row):
        items = [_value(case, item, run) for item in spec.items]
        if spec.kind is dict:
            if not spec.keys:
                raise _NotSaid("a dict")
            return {"dict": dict(zip(spec.keys, items))}
        return {"tuple" if spec.kind is tuple else "list": items}
    if isinstance(spec, Bundle):
        fields = {name: _value(case, one, run) for name, one in spec.fields.items()}
        return {"object": None if spec.cls is None else spec.cls.__name__, "fields": fields}
    if isinstance(spec, Array):
        sizes = [case.sizes.value(dim, run) for dim in spec.dims or ()]
        return {"tensor": sizes, "dtype": str(spec.dtype).removeprefix("torch.")}
    return {"value": case.sizes.value(spec, run)}
