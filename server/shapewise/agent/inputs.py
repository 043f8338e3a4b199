"""Values of given shapes and dtypes, for functions that nothing calls.

{"tensor": [2, 3], "dtype": "float32"}   random numbers; zeros where they are whole, so that they are indices
{"value": 3}                             what JSON can say
{"list": [...]}, {"tuple": [...]}        these of these
{"dict": {"key": ...}}                   these by key
{"object": "Config", "fields": {...}}    the file's own class with these arguments; without a name, plain fields
"""

from __future__ import annotations

import types
from typing import Any


def made(form: dict[str, Any], names: dict[str, Any]) -> Any:
    """The value; `names` are those of the file. Raises KeyError for a class that is not there."""
    import torch

    if "tensor" in form:
        dtype = getattr(torch, form["dtype"])
        if dtype.is_floating_point or dtype.is_complex:
            return torch.randn(form["tensor"], dtype=dtype)
        if dtype is torch.bool:
            return torch.rand(form["tensor"]) < 0.5
        return torch.zeros(form["tensor"], dtype=dtype)
    if "value" in form:
        return form["value"]
    if "list" in form:
        return [made(one, names) for one in form["list"]]
    if "tuple" in form:
        return tuple(made(one, names) for one in form["tuple"])
    if "dict" in form:
        return {key: made(one, names) for key, one in form["dict"].items()}
    fields = {name: made(one, names) for name, one in form["fields"].items()}
    return names[form["object"]](**fields) if form["object"] else types.SimpleNamespace(**fields)


def called(trial: dict[str, Any], names: dict[str, Any]) -> None:
    """Call a function, or make an object and call its method."""
    target: Any = names[trial["name"].split(".")[0]]
    for part in trial["name"].split(".")[1:]:
        target = getattr(target, part)
    inputs = {name: made(form, names) for name, form in trial["inputs"].items()}
    if not isinstance(target, type):
        target(**inputs)
        return
    if trial["instance"] is not None:
        instance = names[trial["instance"]]
    else:
        instance = target(**{name: made(form, names) for name, form in trial["constructor"].items()})
    method = trial["method"]
    if method is not None:
        function = instance if method == "forward" and callable(instance) else getattr(instance, method)
        function(**inputs)
