"""What a case begins with: what is made up for the parameters of a constructor, and of a call."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ..gate.own import NODES, is_interpreted
from .inputs.sizes import Free
from .inputs.specs import Bundle, Opaque, Plain, Spec
from .reading import arguments, usage
from .reading.handed_classes import HandedClasses
from .reading.handed_in import fill, handed_on, layers, of_torch, spread, takers
from .reading.reads import Around, parameters_of
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
        target.constructor = _constructor_specs(env, target, ())
    return deepcopy(target.constructor)  # the search changes them


def _constructor_specs(env: Env, target: Target, within: tuple[type, ...]) -> dict[str, Spec]:
    """`within`: the classes that are handed an object of this one, or of another that is."""
    cls = target.value
    if not isinstance(cls, type) or target.instance is not None:
        return {}
    init = functions_of(cls).get("__init__")
    if init is None or id(init) not in NODES:
        return {**of_torch(cls)}
    beside = around(env, target)
    made = arguments.of_constructor(NODES[id(init)], inspect.signature(init), beside)
    target.takers = takers(cls, init, env)
    made |= handed_on(cls, init, env, beside) | spread(cls, init, env, beside)
    for name, spec in made.items():
        if isinstance(spec, Bundle):
            fill(spec, env, cls, name)
    made |= _classes(made, NODES[id(init)], env, target)
    made |= layers(made, NODES[id(init)], beside, lambda layer: _of_layer(env, layer, (*within, cls)))
    return made


def _classes(made: dict[str, Spec], init: Any, env: Env, target: Target) -> Iterator[tuple[str, Spec]]:
    """The parameters that are a class of the file, as all of its own calls have it: each of several would take as long again."""
    unknown = [
        name
        for name, spec in made.items()
        if isinstance(spec, Opaque) or (isinstance(spec, Bundle) and not spec.cls)
    ]
    if unknown:
        named = {
            name: value
            for name, value in env.names.items()
            if isinstance(value, type) and is_interpreted(value)
        }
        functions = {name: value for name, value in env.names.items() if not isinstance(value, type)}
        nodes = [(name, node) for name, value in functions.items() for node in Target(name, value).nodes()]
        handed = HandedClasses(nodes, named)
        for name in unknown:
            classes = handed.of(target.name, parameters_of(init)[1:], name)
            if len(classes) == 1:
                yield name, Plain(classes[0])


def layers_not_needed(
    env: Env, target: Target, constructor: dict[str, Spec], options: dict[str, Spec]
) -> dict[str, Spec]:
    """The layers of the file that its constructor may be given and does without: `embed: Optional[Embedder] = None`."""
    unknown = {name: spec for name, spec in options.items() if isinstance(spec, Opaque)}
    init = functions_of(target.value).get("__init__") if isinstance(target.value, type) else None
    if not unknown or id(init) not in NODES:
        return {}
    made = {name: spec for name, spec in constructor.items() if isinstance(spec, Free)} | unknown
    beside = around(env, target)
    return dict(layers(made, NODES[id(init)], beside, lambda layer: _of_layer(env, layer, (target.value,))))


def _of_layer(env: Env, layer: type, within: tuple[type, ...]) -> dict[str, Spec] | None:
    """What is made up for the constructor of a layer that is handed to another; None where it is handed one like itself."""
    return None if layer in within else _constructor_specs(env, Target(layer.__name__, layer), within)


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
    found = inspect.getattr_static(cls, target.attribute(str(name))) if is_class else None
    method = is_class and not isinstance(found, staticmethod)
    module = of_module and name in CALLED
    return usage.of_parameters(
        node, inspect.signature(function), method, module, around(env, target), of_module
    )
