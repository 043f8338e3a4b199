"""What a case begins with: what is made up for the parameters of a constructor, and of a call."""

from __future__ import annotations

import inspect
from copy import deepcopy
from typing import TYPE_CHECKING

import torch
from torch import nn

from ..gate.own import NODES
from .inputs.specs import Bundle, Spec
from .reading import arguments, usage
from .reading.handed_in import fill, handed_on, of_torch, spread, takers
from .reading.reads import Around
from .targets import CALLED, Target, as_written, functions_of

if TYPE_CHECKING:
    from ..run import Env


def around(env: Env, target: Target) -> Around:
    """The definitions beside what is run."""
    functions = {
        name: node
        for name, value in env.names.items()
        if (node := NODES.get(id(as_written(value)))) is not None
    }
    if isinstance(target.value, type):
        own = functions_of(target.value).items()
        functions |= {f"self.{name}": NODES[id(one)] for name, one in own if id(one) in NODES}
    classes = {name: value for name, value in env.names.items() if isinstance(value, type)}
    others = [one for one in classes.values() if one is not target.value]
    inits = [NODES.get(id(vars(one).get("__init__"))) for one in others]
    tensors = frozenset(name for name, value in env.names.items() if value is torch.Tensor)
    constructors = tuple(node for node in inits if node is not None)
    return Around(target.nodes(), functions, constructors, classes, tensors)


def constructor_specs(env: Env, target: Target) -> dict[str, Spec]:
    """By name what is made up for the constructor, if it is not the file itself that has made the object."""
    if target.constructor is None:
        target.constructor = _constructor_specs(env, target)
    return deepcopy(target.constructor)  # the search changes them


def _constructor_specs(env: Env, target: Target) -> dict[str, Spec]:
    cls = target.value
    if not isinstance(cls, type) or target.instance is not None:
        return {}
    init = functions_of(cls).get("__init__")
    if init is None or id(init) not in NODES:
        return of_torch(cls)
    beside = around(env, target)
    made = arguments.of_constructor(NODES[id(init)], inspect.signature(init), beside)
    target.takers = takers(cls, init, env)
    made |= handed_on(cls, init, env, beside) | spread(cls, init, env, beside)
    for spec in made.values():
        if isinstance(spec, Bundle):
            fill(spec, env, cls)
    return made


def input_specs(env: Env, target: Target, name: str | None) -> dict[str, Spec]:
    """By name what is made up for a call of the function, or of a method of the class."""
    cls = target.value
    is_class = isinstance(cls, type)
    if is_class and name is None:
        return {}
    function = functions_of(cls).get(name or "") if is_class else as_written(cls)
    node = NODES.get(id(function))
    if function is None or node is None:
        return {}
    of_module = is_class and issubclass(cls, nn.Module)
    method = is_class and not isinstance(inspect.getattr_static(cls, str(name)), staticmethod)
    module = of_module and name in CALLED
    return usage.of_parameters(
        node, inspect.signature(function), method, module, around(env, target), of_module
    )
