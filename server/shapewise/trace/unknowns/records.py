"""Objects of a class of the file's that hold values (a dataclass, a task, a graph): what one of several holds is what all of them hold.

Which one it is nobody knows: it is an object of its own, compared with another it is perhaps the same, and what is
written into it may be written into each of them.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from operator import is_
from typing import Any, NamedTuple

import torch

from ..gate.own import PREFIX, interpreted_class
from .linked import linked
from .unknown import Unknown

_HOLDING = frozenset("__init__ __repr__ __str__ __post_init__ __len__ __call__".split())
"""Methods with names of Python's of a class whose objects are told by what they hold, where it is no dataclass."""
_ASKED = frozenset("__eq__ __hash__ __getattr__ __getattribute__ __new__ __setattr__ __slots__".split())
_PLAIN = (int, float, bool, str, bytes, type(None), torch.Tensor, Unknown, torch.dtype, torch.device)
_CONTAINERS = (tuple, list, dict)
_DEEP = 3
_LOOKED_AT = 64


class _Joined(NamedTuple):
    made: Any
    of: tuple[Any, ...]
    """Those of which it is one."""


class _Known(NamedTuple):
    """What two of them are, as long as all three hold what they held."""

    objects: tuple[Any, Any, Any]
    held: tuple[Any, ...]


_OF: dict[int, _Joined] = {}
_LATEST: dict[int, Any] = {}
"""By what may be one of several: the last object that stands for it."""
_KNOWN: dict[tuple[int, int], _Known] = {}
_CLASSES: dict[type, bool] = {}


def forget() -> None:
    """Called between traces."""
    for table in (_OF, _LATEST, _KNOWN, _CLASSES):
        table.clear()


def attributes(value: Any) -> dict[str, Any] | None:
    """What such an object, or a namespace, holds, by name; None of any other value."""
    cls = type(value)
    if cls is types.SimpleNamespace:
        return vars(value)
    if not str(getattr(cls, "__module__", "")).startswith(PREFIX):
        return None
    if cls not in _CLASSES:
        _CLASSES[cls] = _holds_values(cls)
    return vars(value) if _CLASSES[cls] else None


def _holds_values(cls: type) -> bool:
    if cls.__base__ is None or any(
        base is not object and not interpreted_class(base) for base in cls.__mro__
    ):
        return False
    if not hasattr(cls, "__dict__") or issubclass(cls, BaseException | tuple | type):
        return False
    own = [(name, one) for base in cls.__mro__ if base is not object for name, one in vars(base).items()]
    if hasattr(cls, "__dataclass_fields__"):
        return not any(name in _ASKED and name not in ("__eq__", "__hash__") for name, _ in own)
    methods = {name for name, one in own if isinstance(one, (types.FunctionType, property, classmethod))}
    special = {name for name in methods if name.startswith("__") and name.endswith("__")}
    return special <= _HOLDING and not any(name in _ASKED for name, one in own if one is not None)


def made_like(value: Any, held: dict[str, Any]) -> Any:
    """An object of the same class that holds something else."""
    cls: Any = type(value)
    made = cls.__new__(cls)
    vars(made).update(held)
    return made


def joined(left: Any, right: Any, join: Callable[[Any, Any], Any]) -> Any:
    """An object that is one of two. None where it is not known what they hold, or that is not alike."""
    one, other = attributes(left), attributes(right)
    if one is None or other is None or one.keys() != other.keys():
        return None
    known = _KNOWN.get((id(left), id(right)))
    if known is not None and all(map(is_, known.objects, (left, right))):
        if _is_as_it_was(known):
            return known.objects[2]
    elif not all(one[key] is other[key] or (_is_plain(one[key]) and _is_plain(other[key])) for key in one):
        return None
    made = made_like(left, {key: linked(join(one[key], other[key]), [one[key], other[key]]) for key in one})
    stands_for(made, (left, right))
    objects = (left, right, made)
    _KNOWN[id(left), id(right)] = _Known(objects, tuple(_held(objects)))
    return made


def stands_for(made: Any, values: Sequence[Any]) -> Any:
    """An object that is one of these, from now on."""
    of = tuple({id(each): each for value in values for each in _one_of(value)}.values())
    _OF[id(made)] = _Joined(made, of)
    _LATEST.update(dict.fromkeys(map(id, of), made))
    return made


def _is_as_it_was(known: _Known) -> bool:
    now = [*_held(known.objects)]
    return len(now) == len(known.held) and all(map(is_, now, known.held))


def _held(objects: tuple[Any, ...]) -> Iterator[Any]:
    for one in objects:
        yield from vars(one).values()


def _is_plain(value: Any, depth: int = _DEEP) -> bool:
    if isinstance(value, _PLAIN) or type(value).__name__ == "Array":
        return not isinstance(value, torch.nn.Parameter)
    if not depth:
        return False
    held = attributes(value)
    if held is not None:
        return all(_is_plain(one, depth - 1) for one in held.values())
    if type(value) not in _CONTAINERS or len(value) > _LOOKED_AT * _LOOKED_AT:
        return False
    return all(_is_plain(one, depth - 1) for one in (value.values() if type(value) is dict else value))


def _one_of(value: Any) -> tuple[Any, ...]:
    known = _OF.get(id(value))
    return known.of if known is not None and known.made is value else (value,)


def may_be_the_same(value: Any, other: Any) -> bool:
    """Whether a value stands for one of several objects, and may be another one, or one in a container."""
    if not _OF:
        return False
    if isinstance(other, (list, tuple, set, frozenset, dict)):
        return any(may_be_the_same(value, one) for one in other if type(one) is type(value))
    return type(value) is type(other) and (_is_one_of_several(value) or _is_one_of_several(other))


def _is_one_of_several(value: Any) -> bool:
    return id(value) in _OF and _OF[id(value)].made is value


def others(value: Any) -> Iterator[Any]:
    """Those that may be the same object as this one."""
    if not _OF or (id(value) not in _OF and id(value) not in _LATEST):
        return
    seen = {id(value)}
    for one in _one_of(value):
        for other in (one, _LATEST.get(id(one))):
            if other is not None and id(other) not in seen and type(other) is type(value):
                seen.add(id(other))
                yield other
