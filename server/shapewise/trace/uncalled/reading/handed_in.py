"""What a constructor is handed of the file's own: a config with its defaults, layers, keywords that it hands on."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from torch import nn

from ...gate.own import NODES, is_interpreted
from ..inputs.sizes import Free
from ..inputs.specs import Bundle, Opaque, Plain, Row, Spec, frees_of
from ..targets import as_written, functions_of
from . import arguments
from .reads import Around, calls, is_name, is_self, walked

if TYPE_CHECKING:
    from ...run import Env


def fill(bundle: Bundle, env: Env, own: type, called: str) -> None:
    """A config of the file's own that has the fields that are read: with its defaults. `called`: its parameter.

    One that computes some of them when it is made (`__post_init__`) is made of the others. Fields that nobody reads
    stay as they are by default: their numbers would only be taken for others.
    """
    for cls in env.names.values():
        if not isinstance(cls, type) or not is_interpreted(cls) or cls is own:
            continue
        given = {**getattr(cls, "__annotations__", {}), **vars(cls)}
        fields = getattr(cls, "__dataclass_fields__", None)
        computed = {} if fields is None else _computed(cls)
        if bundle.fields and all(name in given or name in computed for name in bundle.fields):
            read = None if computed else read_of(own, called, env)
            bundle.annotations = {one: str(said) for one, said in getattr(cls, "__annotations__", {}).items()}
            if not computed.keys() <= given.keys() or _holds_no_number(fields, vars(cls), computed):
                bundle.cls = cls
            for name in list(bundle.fields):
                if name in computed and name not in given:
                    del bundle.fields[name]
                elif bundle.cls is cls and fields is not None and name not in fields:
                    del bundle.fields[name]  # of the class: `floor = 1e-4` without an annotation is no field
            for name in fields if fields is not None else vars(cls):
                default = vars(cls).get(name, inspect.Parameter.empty)
                if name.startswith("__") or callable(default) and default is not inspect.Parameter.empty:
                    continue
                if default is inspect.Parameter.empty:
                    bundle.fields[name] = arguments.of_field(name)
                elif read is not None and name not in read:
                    bundle.fields[name] = Plain(default)
                else:
                    bundle.fields[name] = arguments.of_default(name, default)
            return


def read_of(cls: type, name: str, env: Env) -> set[str] | None:
    """The attributes that a class reads of anything, and the definitions of the file that it uses; None where others are given its config.

    `name`: what the config is called.
    """
    read: set[str] = set()
    waiting: list[Any] = [cls]
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        functions = functions_of(value).values() if isinstance(value, type) else (as_written(value),)
        for node in (NODES[id(one)] for one in functions if id(one) in NODES):
            for use in walked(node):
                if isinstance(use, ast.Attribute):
                    read.add(use.attr)
                elif isinstance(use, ast.Name) and is_interpreted(as_written(env.names.get(use.id))):
                    waiting.append(env.names[use.id])
                elif isinstance(use, ast.Call) and any(is_name(arg, name) for arg in use.args):
                    if not (
                        isinstance(use.func, ast.Name)
                        and is_interpreted(as_written(env.names.get(use.func.id)))
                    ):
                        return None
    return read


def _computed(cls: type) -> dict[str, None]:
    """The attributes that a dataclass sets after its fields: `self.inner = 2 * self.dim` in `__post_init__`."""
    node = NODES.get(id(as_written(vars(cls).get("__post_init__"))))
    return {
        one.attr: None
        for one in (walked(node) if node is not None else ())
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) and is_self(one.value)
    }


def _holds_no_number(fields: Any, given: Any, computed: Mapping[str, None]) -> bool:
    """Whether what it computes is no number until then: `dt_rank: int | str = "auto"`."""
    return any(name in fields and type(given.get(name)) in (str, type(None)) for name in computed)


def layers(
    made: Mapping[str, Spec], node: Any, around: Around, specs_of: Callable[[type], dict[str, Spec] | None]
) -> Iterator[tuple[str, Bundle]]:
    """By name the layers of the file's own that a constructor is handed: `bert: BERT`, and `encoder` where a class is called so.

    Each is made of what its own constructor takes (`specs_of`), none of which is a word of the one that is handed it.
    """
    words: dict[str, Free] = {name: spec for name, spec in made.items() if isinstance(spec, Free)}
    for name, spec in made.items():
        if isinstance(spec, Opaque) or (isinstance(spec, Bundle) and spec.cls is None):
            said = arguments.said_of(around.annotation(node, name))
            layer = around.classes.get(said) if said else called_so(name, around.classes)
            layer = _only_one_of(layer or _wanted(node, name, around), around.classes) or layer
            fields = specs_of(layer) if layer is not None and _is_layer(layer) else None
            if fields is not None:
                for free in frees_of(fields.values()):
                    if not said and free.equals is None:
                        # `hidden` of both is one number; where nothing needs that, the search lets it go again
                        like = words.setdefault((free.label or "").rpartition(".")[2], free)
                        free.equals = like if like is not free else None
                    free.label = f"{name}.{free.label}"
                yield name, Bundle(fields, layer, by_its_name=layer is not around.classes.get(said))


def _wanted(node: Any, name: str, around: Around) -> Any:
    """The class that another constructor of the file says of what it is handed: `MultiHeadAttention(attn, width)` with `attn: Operator`."""
    for called, use in calls(node):
        init: Any = (
            NODES.get(id(functions_of(around.classes[called]).get("__init__")))
            if called in around.classes
            else None
        )
        taken = [] if init is None else [one.arg for one in init.args.args[1:]]
        given = [*zip(taken, use.args), *((one.arg, one.value) for one in use.keywords)]
        for parameter, value in given if init is not None else ():
            if is_name(value, name) and parameter is not None:
                return around.classes.get(arguments.said_of(around.annotation(init, parameter)))
    return None


def _only_one_of(cls: Any, classes: Mapping[str, Any]) -> Any:
    """The one class of the file that is derived from one that computes nothing itself: what it is handed is of that kind."""
    if not isinstance(cls, type) or not is_interpreted(cls) or _is_layer(cls):
        return None
    derived = [one for one in classes.values() if one is not cls and issubclass(one, cls) and _is_layer(one)]
    return derived[0] if len(derived) == 1 else None


def called_so(name: str, classes: Mapping[str, Any]) -> Any:
    """The class that a parameter is called after: `encoder_layer` after `EncoderLayer`. None if there is none."""
    if name in _ANY:
        return None
    return next((cls for one, cls in classes.items() if one.lower() == name.replace("_", "")), None)


_ANY = frozenset("model net network module layer block trunk".split())
"""What people call a layer of any kind."""


def _is_layer(cls: Any) -> bool:
    """Whether this is a layer that computes something, and not what others are derived from."""
    functions = functions_of(cls) if is_interpreted(cls) and issubclass(cls, nn.Module) else {}
    node = NODES.get(id(functions.get("forward")))
    return node is not None and not any(isinstance(one, ast.Raise) for one in node.body)  # type: ignore[attr-defined]


def of_torch(cls: type) -> dict[str, Free]:
    """What a layer of torch's cannot do without that a class of the file's is, and does not construct otherwise."""
    init = next((vars(one)["__init__"] for one in cls.__mro__ if "__init__" in vars(one)), None)
    if init is None or not getattr(init, "__module__", "").startswith("torch.nn.modules."):
        return {}
    parameters = list(inspect.signature(init).parameters.values())[1:]
    return {
        one.name: Free(one.name)
        for one in parameters
        if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD
    }


def handed_on(cls: type, init: Any, env: Env, around: Around) -> dict[str, Spec]:
    """What `**kwargs` of a constructor have to hold, by name: what it hands them on to cannot do without."""
    node: Any = NODES[id(init)]
    if node.args.kwarg is None:
        return {}
    found: dict[str, Spec] = {}
    own = set(inspect.signature(init).parameters)
    optional = [*_optional(cls, init, env)]
    for call in (one for one in ast.walk(node) if isinstance(one, ast.Call)):
        given = [one.value for one in call.keywords if one.arg is None]
        if not any(isinstance(one, ast.Name) and one.id == node.args.kwarg.arg for one in given):
            continue
        callee = _callee(cls, call.func, env)
        if callee is None or id(callee) not in NODES:
            for name, free in _needed_by_torch(call, env).items():
                if name not in own:
                    free.label = f"{node.args.kwarg.arg}[{name}]"  # no word of the class's own
                    found.setdefault(name, free)
            continue
        method = callee.__name__ == "__init__"
        signature = inspect.signature(callee)
        made = arguments.of_constructor(NODES[id(callee)], signature, around, method)
        said = {one.arg for one in call.keywords} | set(list(signature.parameters)[method:][: _places(call)])
        for name, spec in made.items():
            is_needed = signature.parameters[name].default is inspect.Parameter.empty
            if name not in own and name not in said and (is_needed or name in optional):
                found.setdefault(name, spec)
    return found


def _needed_by_torch(call: ast.Call, env: Env) -> dict[str, Free]:
    """What a layer of torch's cannot do without that a call does not give it by itself: `nn.Conv2d(a, b, **kwargs)` wants a kernel."""
    written = ast.unparse(call.func)
    name = written.removeprefix("torch.").removeprefix("nn.")
    layer = env.names.get(written) if name == written else getattr(nn, name, None)
    if not isinstance(layer, type) or is_interpreted(layer) or not issubclass(layer, nn.Module):
        return {}
    said, needed = {one.arg for one in call.keywords}, of_torch(layer)
    return {
        one: free for at, (one, free) in enumerate(needed.items()) if at >= _places(call) and one not in said
    }


def takers(cls: type, init: Any, env: Env) -> dict[str, Any]:
    """By name what `**kwargs` of a constructor may hold, with the constructor of the file's own that takes it."""
    node: Any = NODES[id(init)]
    return _optional(cls, init, env) if node.args.kwarg is not None else {}


def _optional(cls: type, init: Any, env: Env) -> dict[str, Any]:
    """What need not be in `**kwargs`, if these are handed on and nothing else: what all that takes them has a default for."""
    node: Any = NODES[id(init)]
    kwarg = node.args.kwarg.arg
    every = [one for one in walked(node) if isinstance(one, ast.Call)]
    calls = [one for one in every if any(k.arg is None and is_name(k.value, kwarg) for k in one.keywords)]
    callees = [_callee(cls, one.func, env) for one in calls]
    if len(calls) != sum(is_name(one, kwarg) for one in walked(node)) or any(
        getattr(one, "__name__", "") != "__init__" or id(one) not in NODES for one in callees
    ):
        return {}
    taken: list[dict[str, Any]] = []
    for call, callee in zip(calls, callees):
        parameters = list(inspect.signature(callee).parameters.values())[1:]
        said = {one.arg for one in call.keywords} | {one.name for one in parameters[: _places(call)]}
        optional = [one.name for one in parameters if one.default is not one.empty]
        taken.append({name: NODES[id(callee)] for name in optional if name not in said})
    return {name: by for name, by in taken[0].items() if all(name in one for one in taken)} if taken else {}


def spread(cls: type, init: Any, env: Env, around: Around) -> dict[str, Spec]:
    """Parameters that are dicts of what the file's own is made of, with all that it may be given: `Graph(**graph_args)`."""
    node: Any = NODES[id(init)]
    found: dict[str, Spec] = {}
    needed = [
        one.name
        for one in inspect.signature(init).parameters.values()
        if one.default is one.empty and one.kind is not one.VAR_KEYWORD
    ]
    for call in (one for one in walked(node) if isinstance(one, ast.Call)):
        names = [one.value.id for one in call.keywords if one.arg is None and isinstance(one.value, ast.Name)]
        callee = _callee(cls, call.func, env) if any(name in needed for name in names) else None
        if callee is None or id(callee) not in NODES or len(names) > 1:
            continue
        method = callee.__name__ == "__init__"
        signature = inspect.signature(callee)
        made = arguments.of_constructor(NODES[id(callee)], signature, around, method)
        said = {one.arg for one in call.keywords} | set(list(signature.parameters)[method:][: _places(call)])
        items = {key: spec for key, spec in made.items() if key not in said}
        for key, spec in items.items():
            if isinstance(spec, Free):
                spec.label = f"{names[0]}[{key}]"
        found[names[0]] = Row([*items.values()], dict, keys=tuple(items))
    return found


def _places(call: ast.Call) -> int:
    return sum(not isinstance(one, ast.Starred) for one in call.args)


def _callee(cls: type, func: ast.expr, env: Env) -> Any:
    """The function, or the constructor, that a call in a constructor is of; None if it is not the file's."""
    if isinstance(func, ast.Name):
        value = env.names.get(func.id)
        return functions_of(value).get("__init__") if isinstance(value, type) else as_written(value)
    if (
        isinstance(func, ast.Attribute)
        and func.attr == "__init__"
        and ast.unparse(func.value).startswith("super(")
    ):
        above = (vars(one).get("__init__") for one in cls.__mro__[1:] if is_interpreted(one))
        return next((as_written(one) for one in above if one is not None), None)
    return None
