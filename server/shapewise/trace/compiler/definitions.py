"""Functions and classes: real Python objects whose behaviour is our closures.

So `nn.Sequential`, `named_parameters()`, inheritance, `functools` and torch's own machinery work on
them by themselves, and whatever calls them comes back into the interpreter.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from torch import nn
from torch.autograd.function import FunctionCtx

from ...vocabulary.span import Span
from ..again.free import reads
from ..control import DEAD, BudgetExhausted, Return, Signal
from ..fakes.devices import of_gradients
from ..gate.admitted import admit, callable_listed
from ..gate.calls import call
from ..gate.own import INTERPRETED, MADE, NODES, UNUSED_METHODS, Made, interpreted_class, is_interpreted, own
from ..gate.unfamiliar import bases_of, is_a_layer
from ..log.facts import same
from ..run import Env
from ..state import Meeting, own_of
from ..unknowns.unknown import Lost, Unknown, likely
from ..wall import allowed
from . import Expression, Statement
from .generators import Generators
from .nodes import local_names, own_nodes, yields
from .signature import Signature

_PROTOCOLS: dict[str, tuple[type[BaseException], ...]] = {
    "__getitem__": (IndexError, KeyError),
    "__missing__": (KeyError,),
    "__next__": (StopIteration,),
    "__getattr__": (AttributeError, KeyError),
    "__getattribute__": (AttributeError,),
}
"""What Python itself catches around a method: raised on, where another exception would end in an unknown."""
_TYPED = frozenset("__hash__ __str__ __repr__ __format__ __bool__".split())
"""Methods of which Python takes nothing but what they should give, and raises."""


def _is_no_nearer(bound: dict[str, Any], before: dict[str, Any], constructs: bool) -> bool:
    """Whether a call in the midst of a call of the same function differs from it in unknown values only.

    `constructs`: the function is a constructor, so that its object is another in any case.

    Nothing would end such a recursion: of `for child in module.children(): visit(child)` on an unknown module.
    """
    lost = False
    for at, (name, value) in enumerate(bound.items()):
        if type(value) is Unknown and type(before[name]) is Unknown:
            lost = True
        elif at == 0 and constructs and type(value) is type(before[name]):
            continue  # made just now
        elif value is not before[name]:
            return False
    return lost


_KEEP = frozenset(
    "beartype typechecked jaxtyped typecheck shapecheck record profile rank_zero_only override final deprecated "
    "add_start_docstrings add_start_docstrings_to_model_forward add_end_docstrings replace_return_docstrings "
    "add_code_sample_docstrings auto_docstring can_return_tuple capture_outputs check_model_inputs deprecate_kwarg "
    "use_kernel_forward_from_hub use_kernel_func_from_hub use_kernelized_func merge_with_config_defaults "
    "dynamic_rope_update".split()
)
"""Decorators that everybody knows to give back what they are given, or what does the same."""


def _decorator(env: Env, expression: Expression, shown: str) -> Any:
    """The value of a decorator; None where its name leads nowhere or to a module: it is being typed, and left out till then."""
    spoiled = env.run.spoiled
    decorator = expression(env)
    raised = type(decorator) is Unknown and env.run.spoiled != spoiled and "(" not in shown
    return None if raised or isinstance(decorator, types.ModuleType) else decorator


def decorated(env: Env, span: Span, decorator: Any, value: Any, shown: str) -> Any:
    """What a decorator makes of a function or a class. `shown`: its text, for those that are not followed."""
    if type(decorator) is Unknown:
        name = shown.split("(")[0].rsplit(".", 1)[-1]
        if name in _KEEP or name.startswith("register"):
            return value
    made = call(env, span, decorator, [value], {}, shown)
    if type(made) is Unknown and env.scope == "<module>" and is_interpreted(value):
        env.run.undecorated[value.__name__] = value
    return made


def _beneath(env: Env, span: Span, around: Any, function: Any, shown: str) -> None:
    """A decorator around what one that is not followed made of a function: whoever calls that comes through both."""
    run = env.run
    if id(function) in run.handed:
        inner, alone = run.handed[id(function)]
        run.handed[id(function)] = call(env, span, around, [inner], {}, shown), alone
    if function.__name__ in run.undecorated and env.scope == "<module>":
        inner = run.undecorated[function.__name__]
        run.undecorated[function.__name__] = call(env, span, around, [inner], {}, shown)


def _door(entered: Any) -> Any:
    def function(*values: Any, **named: Any) -> Any:
        return entered(values, named)

    return function


_DOOR: types.CodeType = _door(None).__code__
_NOWHERE: dict[str, Any] = {"__builtins__": {}}
"""The `__globals__` of the program's functions: native code that reads one by its name finds nothing of ours."""


class _Inside:
    """What a call of a function runs. Compiled by the first one: most functions of a library are never called."""

    def __init__(
        self, compiler: Generators, args: ast.arguments, body: list[ast.stmt], mangled_by: str
    ) -> None:
        nodes = tuple(own_nodes(body))
        outside, compiler.mangled_by = compiler.mangled_by, mangled_by
        self.own = frozenset(map(compiler.private, local_names(args, nodes)))
        try:
            self.generator = compiler.generator(body, self.own) if yields(nodes) else None
            self.run = compiler.block([] if self.generator else body)
        finally:
            compiler.mangled_by = outside
        self.early = any(isinstance(one, ast.Return) and one is not body[-1] for one in nodes)


class Definitions(Generators):
    """The part of the compiler that makes functions and classes."""

    # ------------------------------------------------------------ functions

    def stmt_FunctionDef(self, node: Any) -> Statement:
        made = self.function(node, node.name, node.args, node.body, node.decorator_list)
        name = self.private(node.name)

        def run(env: Env) -> None:
            env.run.store(self.home(env, name), name, made(env))

        return run

    def stmt_AsyncFunctionDef(self, node: Any) -> Statement:
        name = self.private(node.name)

        def run(env: Env) -> None:
            env.run.store(self.home(env, name), name, Unknown("async code is not followed"))

        return run

    def function(
        self, node: Any, name: str, args: ast.arguments, body: list[ast.stmt], decorators: list[ast.expr]
    ) -> Expression:
        """An expression that makes the function, decorated."""
        signature = Signature(self, args)
        mangled_by, words = self.mangled_by, self.places.words(node)
        inside = lru_cache(maxsize=1)(lambda: _Inside(self, args, body, mangled_by))
        wrap = [(self.expression(d), self.span(d), ast.unparse(d)) for d in decorators]
        doc = ast.get_docstring(node, clean=False) if not isinstance(node, ast.Lambda) else None

        def make(env: Env) -> Any:
            scope = name if env.scope == "<module>" else f"{env.scope}.{name}"
            defaults = signature.defaults(env)

            def entered(values: tuple[Any, ...], named: dict[str, Any]) -> Any:
                return env.run.again.call(function, words, values, named, enter)

            def enter(values: tuple[Any, ...], named: dict[str, Any]) -> Any:
                run = env.run
                if run.budget.depth >= run.budget.MAX_DEPTH:
                    return Unknown("calls nested too deeply to follow")
                if run.guard.foreign and values and isinstance(values[0], FunctionCtx):
                    of_gradients(name, values)
                bound = signature.bind(name, values, named, defaults)
                active = run.active.setdefault(id(function), [])
                if active and _is_no_nearer(bound, active[-1], name == "__init__"):
                    if name == "__init__":
                        raise Lost("makes itself of what is not known")
                    return Unknown("calls itself on what is not known")
                if name == "__init__" and values and not getattr(values[0], "__dict__", True):
                    run.journal.born(values[0])
                compiled = inside()
                if reads(node) is None:
                    run.spoiled += 1
                with (
                    run.frame(env.module, scope) as frame,
                    run.catching(_PROTOCOLS.get(name, ())),
                    run.during(active, bound),
                ):
                    inner = Env(run, env.module, "function", scope, env, compiled.own, frame)
                    inner.first = values[0] if values else None
                    if run.attempt is not None:
                        run.attempt.entered(frame, inner.first, len(active))
                    else:
                        run.recorder.entered(frame, inner.first)
                        if _is_blind(values, named):
                            run.recorder.blind(frame)
                    for parameter, given in bound.items():
                        value = admit(given)
                        run.store(inner, parameter, value)
                        if parameter in signature.spans:
                            run.recorder.bound(
                                frame, signature.spans[parameter], "parameter", parameter, value
                            )
                    if compiled.generator is not None:
                        return compiled.generator(inner, frame)
                    try:
                        signal = with_end(compiled.run, inner) if compiled.early else compiled.run(inner)
                    except Exception as error:
                        if not inner.pending:
                            raise
                        run.thrown(error)  # where no way of an unknown condition has returned before
                        signal = DEAD
                    run.journal.leave(inner.names)
                    returned = [*inner.pending]
                    contrary = run.is_contrary(inner.against)
                    if isinstance(signal, Return):
                        returned.append((signal.value, contrary))
                    elif signal is None:
                        returned.append((None, contrary))
                    elif not returned:
                        return Unknown("every way through this call fails")
                    result = run.join(own_of(*map(list, zip(*returned))))
                    if type(result) is Unknown and name in _TYPED:
                        if name == "__hash__":
                            return 0  # so that `__eq__` decides
                        raise Lost(result.why)
                    return result

            function: Any = types.FunctionType(_DOOR, _NOWHERE, name, None, (types.CellType(entered),))
            function.__qualname__ = scope
            function.__doc__ = doc
            function.__module__ = env.module.alias
            function.__signature__ = signature.shown(defaults)
            INTERPRETED[id(function)] = function
            NODES[id(function)] = node
            MADE[id(function)] = Made(node, env, defaults)
            result: Any = _BESIDE[name](function) if name in _BESIDE and env.kind == "class" else function
            for decorator, span, shown in reversed(wrap):
                around = _decorator(env, decorator, shown)
                if around is None:
                    continue
                if type(result) is Unknown and type(around) is not Unknown:
                    _beneath(env, span, around, function, shown)
                result = decorated(env, span, around, result, shown)
            return result

        return make

    # ------------------------------------------------------------ classes

    def stmt_ClassDef(self, node: ast.ClassDef) -> Statement:
        bases = [
            (self.expression(base), ast.unparse(base))
            for base in node.bases
            if not isinstance(base, ast.Starred)
        ]
        keywords = [(k.arg, self.expression(k.value)) for k in node.keywords]
        outside, self.mangled_by = self.mangled_by, node.name.lstrip("_")
        body = self.block(node.body)
        self.mangled_by = outside
        wrap = [(self.expression(d), self.span(d), ast.unparse(d)) for d in node.decorator_list]
        doc, is_layer = ast.get_docstring(node, clean=False), is_a_layer(node)
        name = self.private(node.name)

        def run(env: Env) -> None:
            made = make(env)
            for decorator, span, shown in reversed(wrap):
                around = _decorator(env, decorator, shown)
                if around is not None:
                    made = decorated(env, span, around, made, shown)
            env.run.store(self.home(env, name), name, made)

        def make(env: Env) -> Any:
            parents: list[Any] = []
            for base, shown in bases:
                parent = base(env)
                if not isinstance(parent, type) and not hasattr(parent, "__mro_entries__"):
                    parent = Unknown(
                        f"{shown}, which is no class, is not followed"
                    )  # its type would be called
                if isinstance(parent, type) and not callable_listed(parent) and parent is not object:
                    parent = Unknown(f"{shown} is not followed")
                parent = allowed.FINAL.get(id(parent)) or parent
                if id(parent) in allowed.FINAL or (
                    not isinstance(parent, type) and interpreted_class(type(parent))
                ):
                    parent = Unknown(f"a class made from {shown} is not followed")
                if type(parent) is Unknown and not is_layer:
                    return Unknown(f"{node.name} inherits from {shown}, which is not known")
                parents.append(parent)
            parents = bases_of(parents) if is_layer else parents
            named = {name: value(env) for name, value in keywords if name is not None}
            if not callable_listed(named.get("metaclass", type)):
                return Unknown(f"{node.name} has a metaclass that is not followed")
            if any(type(value) is Unknown for value in named.values()):
                return Unknown(f"{node.name} has a metaclass that is not known")
            scope = node.name if env.scope == "<module>" else f"{env.scope}.{node.name}"
            inner = Env(env.run, env.module, "class", scope, env, frozenset(), env.frame)

            def fill(namespace: Any) -> None:
                namespace["__module__"] = env.module.alias
                namespace["__qualname__"] = scope
                if doc is not None:
                    namespace["__doc__"] = doc
                inner.names = namespace
                body(inner)
                for name in UNUSED_METHODS:
                    namespace.pop(name, None)

            try:
                cls = types.new_class(node.name, tuple(parents), named, fill)
            except BudgetExhausted:
                raise
            except Exception as error:
                return env.run.absorb(error)
            if isinstance(cls, type):
                INTERPRETED[id(cls)] = cls
                inner.cls = cls
                for unused in UNUSED_METHODS:  # the namespace may be of the file's own making
                    if unused in vars(cls):
                        type.__delattr__(cls, unused)
                if NamedTuple in parents:
                    for method in (cls._replace, cls._asdict):  # type: ignore[attr-defined]
                        own(method)
            inner.names = dict(inner.names)
            return cls

        return run


def _is_blind(values: Sequence[Any], named: dict[str, Any]) -> bool:
    """Whether nothing is known of what a function is given, but of the layer whose method it is."""
    given = values[1:] if values and isinstance(values[0], nn.Module) else values
    every = [*given, *named.values()]
    return bool(every) and all(type(likely(one)) is Unknown for one in every)


def _getattribute(function: Any) -> Any:
    """A `__getattribute__` that is only asked for names of the file's: `isinstance` too reads `__class__`."""

    def getattribute(self: Any, name: str) -> Any:
        if name.startswith("__"):
            return object.__getattribute__(self, name)
        return function(self, name)

    return own(getattribute)


def _getattr(function: Any) -> Any:
    """A `__getattr__` that is not asked for what only Python's own machinery looks for."""

    def getattr_(self: Any, name: str) -> Any:
        if name.startswith("__") and name.endswith("__") and name != "__version__":
            raise AttributeError(name)
        return function(self, name)

    return own(getattr_)


_BESIDE = {"__getattribute__": _getattribute, "__getattr__": _getattr}


def with_end(run_body: Statement, inner: Env) -> Signal | None:
    """Run a body that may be left early: what each way left behind is joined at the end."""
    inner.end = Meeting(inner.run.journal)
    signal: Signal | None = DEAD
    try:
        signal = run_body(inner)
    finally:
        inner.end.meet(same, signal is not DEAD, inner.run.is_contrary(inner.against))
    return signal
