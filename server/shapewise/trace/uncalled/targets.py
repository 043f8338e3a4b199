"""Functions and classes of the file that nothing called."""

from __future__ import annotations

import ast
import inspect
import re
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ...vocabulary.blocks import pieces
from ..gate.own import NODES, interpreted_class, is_interpreted
from ..unknowns.unknown import Unknown
from ..worlds import worlds

if TYPE_CHECKING:
    from ..run import Env, Run
    from .inputs.specs import Spec


@dataclass(eq=False)
class Target:
    """A function, or a class with the methods to be run, in order.

    `instance`: the object that the file itself has made of the class.
    """

    name: str
    value: Any
    methods: list[str] = field(default_factory=list)
    instance: Any = None
    used: bool = False
    """Whether others that have not run use it."""
    uses: frozenset[str] = frozenset()
    """Definitions of the file that its text names."""
    constructor: dict[str, Spec] | None = None
    """What is made up for its constructor, once that was read."""
    takers: dict[str, Any] = field(default_factory=dict)
    """By name what its constructor may be given by `**kwargs`, with the constructor that it hands it on to."""

    squared: dict[str | None, bool] = field(default_factory=dict)
    """By method whether a batch is as large as another dim of the inputs where nothing is given that need not be."""

    @property
    def has_forward(self) -> bool:
        """Whether it is a layer that is called."""
        return isinstance(self.value, type) and "forward" in functions_of(self.value)

    def nodes(self) -> list[Any]:
        """The definitions of its functions."""
        if isinstance(self.value, type):
            return [NODES[id(f)] for f in functions_of(self.value).values() if id(f) in NODES]
        node = NODES.get(id(as_written(self.value)))
        return [] if node is None else [node]

    def function(self, name: str | None) -> Any:
        """The function, or a method of the class by its name."""
        return functions_of(self.value).get(name or "") if isinstance(self.value, type) else self.value

    def attribute(self, name: str) -> str:
        """What Python calls a method of the class: `_Net__split` for `__split`."""
        if not name.startswith("__") or name.endswith("__"):
            return name
        names = (f"_{cls.__name__.lstrip('_')}{name}" for cls in self.value.__mro__)
        return next((one for one in names if hasattr(self.value, one)), name)

    def node_of(self, name: str | None) -> Any:
        """The text of it; None if it has none here."""
        return NODES.get(id(as_written(self.function(name))))

    def stands_in(self, module: str, name: str | None) -> bool:
        """Whether it is of a module's text: a class may have it from another."""
        return bool(getattr(self.function(name), "__module__", None) == module)

    def assigned(self) -> dict[str, frozenset[str]]:
        """By the scope of each of its functions, the names that its text assigns, on whatever way."""
        is_class = isinstance(self.value, type)
        return {
            f"{self.name}.{node.name}" if is_class else self.name: frozenset(
                one.id
                for one in ast.walk(node)
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
            )
            for node in self.nodes()
        }


_METHODS = 12
CALLED = ("forward", "__call__")
"""What is run where an object is called."""


def functions_of(cls: type) -> dict[str, Any]:
    """The plain functions that a class has from the file's text, as they are written (`__split`), its own last, inherited
    ones too.
    """
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if is_interpreted(base):
            found.update(_own(base))
    return found


def _own(cls: type) -> dict[str, Any]:
    """The functions that the body of a class defines."""
    plain = {name: as_written(value) for name, value in vars(cls).items()}
    private = f"_{cls.__name__.lstrip('_')}"
    return {
        name.removeprefix(private) if name.startswith(f"{private}__") else name: f
        for name, f in plain.items()
        if isinstance(f, types.FunctionType) and is_interpreted(f)
    }


def as_written(value: Any) -> Any:
    """The function that was written, without what decorators of Python and of torch put around it (`no_grad`)."""
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    inner = vars(value).get("__wrapped__") if isinstance(value, types.FunctionType) else None
    if isinstance(inner, types.FunctionType) and not is_interpreted(value):
        return as_written(inner)
    return value


def scopes_run(run: Run, file: str) -> set[str]:
    """The functions of a file that have run, here or in another file's trace, or on inputs made up for them."""
    return set(_Ran(run, file).now())


class _Ran:
    """The functions of a file that have run so far.

    One that only ran where another was tried has seen nothing but what that one gives it; one that is called with
    what nobody knows has seen nothing.
    """

    def __init__(self, run: Run, file: str) -> None:
        self._run, self._file = run, file
        self._scopes = set(run.called)
        self._read = 0

    def now(self) -> set[str]:
        """Them; not to be asked while one of them is tried."""
        frames, tried = self._run.recorder.frames, self._run.told.tried
        for frame in frames[self._read :]:
            if (
                frame.file == self._file
                and not frame.blind
                and (not frame.assumed or tried.get(frame.id) == frame.scope.partition(".")[0])
            ):
                self._scopes.add(frame.scope)
        self._read = len(frames)
        return self._scopes


def targets(env: Env) -> Iterator[Target]:
    """What has not run, what others use before these: it takes less. Asks again before each whether it has run meanwhile."""
    run, file = env.run, env.module.file
    undecorated = {
        name: value for name, value in run.undecorated.items() if type(env.names.get(name)) is Unknown
    }
    defined = {
        name: value
        for name, value in {**env.names, **undecorated}.items()
        if isinstance(value, (types.FunctionType, type))
        and is_interpreted(as_written(value))
        and value.__module__ == env.module.alias
        and value.__qualname__ == name
    }
    instances = {
        type(value): value
        for value in env.names.values()
        if isinstance(value, nn.Module) and interpreted_class(type(value)) and not _is_open_sized(value)
    }
    ran = _Ran(run, file)
    waiting = [
        name for name, value in defined.items() if _target(name, value, instances, ran.now()) is not None
    ]
    uses = _uses(defined) if len(waiting) > 1 else {}
    used = frozenset().union(*uses.values())
    for name in sorted(waiting, key=lambda name: name not in used):
        target = _target(name, defined[name], instances, ran.now())
        if target is not None:
            target.used, target.uses = name in used, uses.get(name, frozenset())
            yield target


def _is_open_sized(layer: nn.Module) -> bool:
    """Whether weights of a layer, or of those in its lists, have sizes that only data decides: numbers that stand for nothing."""
    waiting: list[Any] = [*layer.modules()]
    seen = {id(one) for one in waiting}
    while waiting:
        module = waiting.pop()
        weights = [*module._parameters.values(), *module._buffers.values()]
        if any(
            worlds.is_of_given(size) for one in weights if isinstance(one, torch.Tensor) for size in one.shape
        ):
            return True
        lists = [value for value in vars(module).values() if type(value) in (list, tuple)]
        inner = [
            one for value in lists for part in value if isinstance(part, nn.Module) for one in part.modules()
        ]
        waiting += [one for one in inner if id(one) not in seen]
        seen.update(map(id, inner))
    return False


def _target(name: str, value: Any, instances: dict[type, Any], ran: set[str]) -> Target | None:
    if isinstance(value, types.FunctionType):
        node = NODES.get(id(as_written(value)))
        return (
            Target(name, value)
            if name not in ran and node is not None and inspect.signature(value).parameters
            else None
        )
    own = _own(value)
    methods = [n for n in own if f"{name}.{n}" not in ran and (n in CALLED or not _is_pythons(n))]
    methods = [n for n in methods if n in CALLED or not (n.startswith("_") and _is_of_above(value, n))]
    methods.sort(key=lambda n: (n not in CALLED, n.startswith("_") and n not in CALLED))
    if "forward" not in methods and f"{name}.forward" not in ran and issubclass(value, nn.Module):
        if "forward" in functions_of(value):
            methods.insert(0, "forward")
    constructed = "__init__" in own and f"{name}.__init__" not in ran
    if not methods and not constructed:
        return None
    return Target(name, value, methods[:_METHODS], instances.get(value))


def _is_pythons(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is_of_above(cls: type, name: str) -> bool:
    """Whether it is a method of a class that is not the file's, which calls it with what it has made ready: `_conv_forward`."""
    return any(name in vars(base) for base in cls.__mro__ if not is_interpreted(base) and base is not object)


def _uses(defined: dict[str, Any]) -> dict[str, frozenset[str]]:
    """By each definition, which others of them it uses."""
    uses: dict[str, frozenset[str]] = {}
    for name, value in defined.items():
        named = frozenset().union(*map(_names, Target(name, value).nodes())) & defined.keys()
        bases = value.__mro__[1:] if isinstance(value, type) else ()
        above = {base.__name__ for base in bases if defined.get(base.__name__) is base}
        uses[name] = (named | above) - {name}
    return uses


def _names(node: Any) -> frozenset[str]:
    """The names in a definition; nodes outlive a trace, and keep them."""
    names: frozenset[str] | None = getattr(node, _NAMES, None)
    if names is None:
        names = frozenset(one.id for one in ast.walk(node) if isinstance(one, ast.Name))
        setattr(node, _NAMES, names)
    return names


_NAMES = "_shapewise_names"


@lru_cache(maxsize=4)
def takes_open_shapes(text: str) -> bool:
    """Whether a file leaves open how many dims there are behind: `b, c, *rest = x.shape`, `x.shape[2:]`, `b ... -> b (...)`, `x.ndim > 3`."""
    return any(_takes_open_shapes(block) for _, block in pieces(text))


@lru_cache(maxsize=2048)
def _takes_open_shapes(block: str) -> bool:
    return any(map(_is_open, ast.walk(ast.parse(block))))


def _is_open(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and bool(_OPEN_PATTERN.match(node.value))
    if isinstance(node, ast.Subscript):
        part = node.slice
        if isinstance(part, ast.Slice) and part.lower is not None and part.upper is None:
            return ast.unparse(node.value).endswith((".shape", ".size()"))
    if isinstance(node, ast.Compare):
        return any(map(_is_a_rank, (node.left, *node.comparators)))
    return isinstance(node, ast.Starred) and isinstance(node.ctx, ast.Store)


def _is_a_rank(node: ast.expr) -> bool:
    """Whether this is a number of dims: `x.ndim`, `x.dim()`, `len(x.shape)`."""
    return ast.unparse(node).endswith((".ndim", ".dim()", ".shape)", ".size())"))


_OPEN_PATTERN = re.compile(r"\s*[\w(][^>]*\.\.\.[^>]*->")
"""An einops pattern that begins with a dim and leaves open what follows."""
