"""Functions and classes of the file by what they say: two that read the same do the same."""

from __future__ import annotations

import ast
import enum
import itertools
import re
import types
from abc import ABCMeta
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from ..gate.own import MADE, interpreted_class, is_interpreted
from ..shims import SHIMS
from ..unknowns.unknown import NO_SAMPLE, Unknown
from ..wall import allowed
from .free import reads

if TYPE_CHECKING:
    from ..run import Env


class Unfit(Exception):
    """This cannot be compared by value."""


ATOMS = frozenset(
    (
        int,
        str,
        bool,
        bytes,
        complex,
        type(None),
        type(Ellipsis),
        type(NotImplemented),
        torch.dtype,
        torch.device,
        torch.Size,
        torch.layout,
        torch.memory_format,
        range,
    )
)
_LONG = 4_000
_ABSENT = object()


class Code(NamedTuple):
    """A function or class and all code that it reaches.

    `token` is the same number for the same code. `checks`: what was found where, to be found there
    still. `values`: where else it reads, what may be another each time. `objects`: the functions and
    classes themselves, in the order in which they were met.
    """

    token: int
    checks: tuple[tuple[Mapping[str, Any], str, Any], ...]
    values: tuple[tuple[Mapping[str, Any], str], ...]
    objects: tuple[Any, ...]

    def holds(self) -> bool:
        """Whether everything stands where it did."""
        return all(names.get(name, _ABSENT) is value for names, name, value in self.checks)


_TOKENS: dict[tuple[Any, ...], int] = {}
_NEXT = itertools.count()
_MOST = 4_000


class Codes:
    """The code of one trace."""

    def __init__(self) -> None:
        self._known: dict[int, Code | None] = {}
        self._held: list[Any] = []

    def of(self, root: Any) -> Code:
        """The code of a function or class. Raises Unfit."""
        if id(root) in self._known:
            known = self._known[id(root)]
            if known is None:
                raise Unfit
            if known.holds():
                return known
        else:
            self._held.append(root)
        self._known[id(root)] = None
        walk = _Walk()
        walk.value(root)
        if len(_TOKENS) > _MOST:
            _TOKENS.clear()
        key = tuple(walk.key)
        token = _TOKENS.get(key)
        if token is None:
            token = _TOKENS[key] = next(_NEXT)
        made = Code(token, tuple(walk.checks), tuple(walk.values), tuple(walk.objects))
        self._known[id(root)] = made
        return made


_NO_CODE = frozenset(
    "__module__ __qualname__ __doc__ __dict__ __weakref__ __annotations__ __dataclass_params__ __match_args__ "
    "__orig_bases__ __parameters__ __abstractmethods__ _abc_impl __static_attributes__ __firstlineno__ "
    "__annotations_cache__ __annotate__ __annotate_func__ __hash__ _member_names_ _value2member_map_ "
    "_unhashable_values_ _hashable_values_ _use_args_ _new_member_ _value_repr_ __slots__".split()
)


_OF_NAMEDTUPLES = frozenset(
    "_make _replace _asdict __new__ __getnewargs__ __repr__ __replace__ _fields _field_defaults".split()
)
_SWITCH = re.compile(r"(torch\.)?(no_grad|enable_grad|inference_mode)(\(\))?")


def _is_switched(function: Any) -> bool:
    """Whether a function is one of the file's with gradients switched on or off around it."""
    inner = getattr(function, "__wrapped__", None)
    made = MADE.get(id(inner)) if is_interpreted(inner) else None
    if made is None or function.__globals__.get("__name__") != "torch.utils._contextlib":
        return False
    decorators: list[ast.expr] = getattr(made.node, "decorator_list", [])
    return len(decorators) == 1 and _SWITCH.fullmatch(ast.unparse(decorators[0])) is not None


def is_code(value: Any) -> bool:
    """Whether something is a function of the file's, with gradients switched on or off around it or not."""
    return type(value) is types.FunctionType and (is_interpreted(value) or _is_switched(value))


class _Walk:
    def __init__(self) -> None:
        self.key: list[Any] = []
        self.checks: list[tuple[Mapping[str, Any], str, Any]] = []
        self.values: list[tuple[Mapping[str, Any], str]] = []
        self.objects: list[Any] = []
        self._at: dict[int, int] = {}

    def value(self, value: Any) -> bool:
        """Add what is code to the key, or what never changes. False for what has to be looked at each time."""
        kind = type(value)
        if kind in ATOMS or kind is float:
            if kind in (str, bytes) and len(value) > _LONG:
                raise Unfit
            self.key += (kind, str(value) if kind is float else value)
        elif kind is types.FunctionType and is_interpreted(value):
            self._function(value)
        elif is_code(value):
            self.key.append(value.__code__)
            self._function(value.__wrapped__)
        elif isinstance(value, type):
            self._class(value)
        elif kind is tuple:
            self.key += (tuple, len(value))
            if not all(map(self.value, value)):
                raise Unfit
        elif kind is staticmethod or kind is classmethod:
            self.key.append(kind)
            if not self.value(value.__func__):
                raise Unfit
        elif kind is property:
            self.key.append(kind)
            if not all(map(self.value, (value.fget, value.fset, value.fdel))):
                raise Unfit
        elif kind is Unknown:
            if value.sample is not NO_SAMPLE or value.holds_objects:
                raise Unfit
            self.key += (Unknown, value.why, value.tensor, value.kind)
        elif isinstance(value, types.ModuleType):
            if is_interpreted(value):
                raise Unfit
            self.key.append(value)
        elif allowed.name_of(value) is not None or SHIMS.get(id(value)) is not None:
            self.key.append(value)
        else:
            return False
        return True

    def _met(self, value: Any) -> bool:
        at = self._at.get(id(value))
        if at is not None:
            self.key += ("again", at)
            return True
        self._at[id(value)] = len(self.objects)
        self.objects.append(value)
        return False

    def _function(self, function: Any) -> None:
        if self._met(function):
            return
        made = MADE.get(id(function))
        if made is None or len(function.__dict__) > 1:  # its signature
            raise Unfit
        self.key += (made.node, made.env.module.file, made.env.scope)
        for name, attribute in reads(made.node) or ():  # one that cannot be said again spoils what calls it
            self._name(made.env, name, attribute)
        for name, value in made.defaults.items():
            self.key.append(name)
            if not self.value(value):
                self._later(made.defaults, name)

    def _name(self, env: Env, name: str, attribute: str | None) -> None:
        at: Env | None = env
        while at is not None:
            if at.kind != "class":
                value = at.names.get(name, _ABSENT)
                self.checks.append((at.names, name, value))
                if value is not _ABSENT:
                    self.key += (name, attribute)
                    self._found(at.names, name, attribute, value)
                    return
                if name in at.own and at.kind == "function":
                    raise Unfit
            at = at.outer

    def _found(self, names: Any, name: str, attribute: str | None, value: Any) -> None:
        if isinstance(value, types.ModuleType) and is_interpreted(value):
            if attribute is None or attribute not in value.__dict__:
                raise Unfit
            inner = value.__dict__[attribute]
            self.checks.append((value.__dict__, attribute, inner))
            if isinstance(inner, types.ModuleType) and is_interpreted(inner):
                raise Unfit
            if not self.value(inner):
                self._later(value.__dict__, attribute)
        elif not self.value(value):
            self._later(names, name)

    def _later(self, names: Any, name: str) -> None:
        """A value that may change in itself: looked at each time, wherever it is then."""
        self.key.append("value")
        self.values.append((names, name))
        if self.checks and self.checks[-1][0] is names and self.checks[-1][1] == name:
            self.checks.pop()

    def _class(self, cls: Any) -> None:
        if not interpreted_class(cls):
            self.key.append(cls)
            return
        if self._met(cls):
            return
        if type(cls) not in (type, ABCMeta, enum.EnumMeta) or vars(cls).get("__slots__"):
            raise Unfit
        self.key += (cls.__qualname__, cls.__module__, len(cls.__bases__))
        for base in cls.__bases__:
            self._class(base)
        fields = vars(cls).get("__dataclass_fields__")
        names = vars(cls)
        given: frozenset[str] = frozenset()
        if issubclass(cls, tuple) and "_fields" in names:
            self.key += (names["_fields"], len(names.get("_field_defaults", ())))
            given = _OF_NAMEDTUPLES.union(names["_fields"])
        for name, value in list(names.items()):
            if name in _NO_CODE or name in given:
                continue
            self.key.append(name)
            if name == "__dataclass_fields__":
                self._fields(value)
            elif fields is not None and type(value) is types.FunctionType and not is_interpreted(value):
                continue  # made of the fields
            elif isinstance(cls, enum.EnumMeta) and isinstance(value, cls):
                self._member(value)
            elif isinstance(cls, enum.EnumMeta) and name.startswith("_") and not is_interpreted(value):
                continue  # made of the members
            else:
                self.checks.append((names, name, value))
                if not self.value(value):
                    self._later(names, name)

    def _member(self, value: Any) -> None:
        held = value.value if isinstance(value, enum.Enum) else None
        if held is not None and not self.value(held):
            raise Unfit

    def _fields(self, fields: Any) -> None:
        for name, field in fields.items():
            self.key += (name, field.init, field.kw_only)
            for default in (field.default, field.default_factory):
                if default is _MISSING:
                    self.key.append("none")
                elif not self.value(default):
                    raise Unfit


_MISSING = __import__("dataclasses").MISSING
