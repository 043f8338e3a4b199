"""What is made up for a parameter, and the values that it takes."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import torch

from ...unknowns.unknown import Unknown
from .sizes import Free, Sizes

S = TypeVar("S")
MADE_UP = "_shapewise_made_up"
"""What a tensor has that was made up, or comes from one that was."""
_PICTURE = 256
"""Pictures are at least as large as this: small ones come down to a few points on the way, always as many."""
HALVED = 32
"""Pictures can be halved five times."""
RANKS = (3, 4, 2, 1, 5)
"""The numbers of dims to try where nothing is said, most likely first."""


@dataclass(eq=False)
class Array:
    """A tensor. `dims` is None until its rank is decided on; `said`: the rank that it should have."""

    dims: list[Free | int] | None = None
    dtype: torch.dtype = torch.float32
    said: int | None = None
    settled: bool = False
    """Whether `said` is what the function demands where nothing else is given."""
    words: tuple[str | None, ...] = ()
    """Names that a comment or an annotation gives the dims, if they are as many as it says."""
    likely: bool = False
    """Whether its name tells its rank."""
    ranks: list[int] = field(default_factory=lambda: list(RANKS))
    """Ranks that have not been tried."""
    turned: bool = False
    """Whether it lies in memory with its second dim last."""
    taller: list[Free | int] | None = None
    """The dims that it may have as well, where broadcasting lets one in front away."""

    is_flat: bool = False
    """Whether it is flattened before anything else, so that it may have more dims."""

    @property
    def stated(self) -> bool:
        """Whether it has the rank that the text states."""
        return self.dims is not None and len(self.dims) == self.said


@dataclass(eq=False)
class Plain:
    """A value as it is: a default, a flag, an activation. `share`: a part of a whole, as its name has it."""

    value: Any
    share: bool = False

    def __deepcopy__(self, memo: dict[int, Any]) -> Plain:
        return Plain(self.value, self.share)  # a layer stays the same layer


@dataclass(eq=False)
class Opaque:
    """Something nobody knows."""

    why: str = "given by what calls this function"


@dataclass(eq=False)
class Bundle:
    """An object with fields: a config. `cls`: the file's own class to make it of, else a namespace.

    `annotations`: of the fields that have one.
    """

    fields: dict[str, Spec]
    cls: Any = None
    annotations: dict[str, str] = field(default_factory=dict)
    by_its_name: bool = False
    """Whether only a word says that it is of this class: `encoder` is an `Encoder`."""


class MadeUpKey(str):
    """A key of a dict that nobody has said."""


@dataclass(eq=False)
class Row:
    """A list, a tuple, or a dict. `keys`: those of a dict, if the text says them.

    `open`: nobody has said how long it is. `count`: how long it is then, where that is decided; what is
    longer than `items` ends in the last of them.
    """

    items: list[Spec]
    kind: type = list
    open: bool = False
    count: Free | None = None
    keys: tuple[str, ...] = ()


Spec = Free | Array | Plain | Opaque | Bundle | Row


class Ranks(NamedTuple):
    """How many dims the inputs have, by name. `settled`: they have to; `likely`: they have, and may have others."""

    settled: Mapping[str, int] = MappingProxyType({})
    likely: Mapping[str, int] = MappingProxyType({})


def with_rank(spec: Array, rank: int) -> None:
    """Decide on a number of dims; what was known of the last ones before is forgotten."""
    spec.dims = [
        Free(least=_PICTURE, multiples=[HALVED]) if at > 1 and 3 < rank < 6 else Free() for at in range(rank)
    ]
    if rank in spec.ranks:
        spec.ranks.remove(rank)


def realized(spec: Spec, sizes: Sizes, run: int) -> Any:
    """The value of a spec in a run."""
    if isinstance(spec, Free):
        return sizes.value(spec, run)
    if isinstance(spec, Plain):
        return spec.value
    if isinstance(spec, Opaque):
        return Unknown(spec.why)
    if isinstance(spec, Row):
        more = 0 if spec.count is None else sizes.value(spec.count, run) - len(spec.items)
        items = [realized(item, sizes, run) for item in (*spec.items, *spec.items[-1:] * more)]
        if spec.kind is not dict:
            return spec.kind(items)
        keys = spec.keys or tuple(MadeUpKey(at) for at in range(len(items)))
        more_keys = map(str, range(len(keys), len(items)))
        return dict(zip((*keys, *more_keys), items))
    if isinstance(spec, Bundle):
        made = {name: realized(one, sizes, run) for name, one in spec.fields.items()}
        return types.SimpleNamespace(**made) if spec.cls is None else spec.cls(**made)
    if spec.dims is None:
        with_rank(spec, spec.ranks[0] if spec.ranks else 3)
    assert spec.dims is not None
    shape = [sizes.value(dim, run) for dim in spec.dims]
    order = list(range(len(shape)))
    if spec.turned and len(shape) > 1:
        order = [1, 0] if len(shape) == 2 else [0, *range(2, len(shape)), 1]
    laid = torch.empty([shape[dim] for dim in order], dtype=spec.dtype)
    made = laid.permute([order.index(dim) for dim in range(len(shape))]) if spec.turned else laid
    setattr(made, MADE_UP, True)
    return made


def key_of(spec: Spec, sizes: Sizes, run: int) -> Any:
    """What tells the value of a spec in a run from its other values."""
    if isinstance(spec, Free):
        return sizes.value(spec, run)
    if isinstance(spec, Row):
        count = None if spec.count is None else sizes.value(spec.count, run)
        return (count, *[key_of(item, sizes, run) for item in spec.items])
    if isinstance(spec, Bundle):
        return tuple((name, key_of(one, sizes, run)) for name, one in spec.fields.items())
    if isinstance(spec, Plain):
        return spec, _Itself(spec.value)
    if isinstance(spec, Array):
        dims = None if spec.dims is None else tuple(sizes.value(dim, run) for dim in spec.dims)
        return spec, dims, spec.dtype, spec.turned
    return spec


class _Itself:
    """A value that equals no other, however alike."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and self._value is other._value

    def __hash__(self) -> int:
        return id(self._value)


def arrays_in(specs: Any) -> list[Array]:
    """Every tensor in some specs."""
    return _all_of(Array, specs)


def frees_of(specs: Any) -> list[Free]:
    """Every number in some specs that is no dim of a tensor."""
    return _all_of(Free, specs)


def bundles_in(specs: Any) -> list[Bundle]:
    """Every configuration in some specs, and those in them."""
    found: list[Bundle] = []
    for spec in specs:
        if isinstance(spec, Bundle):
            found += [spec, *bundles_in(spec.fields.values())]
        elif isinstance(spec, Row):
            found += bundles_in(spec.items)
    return found


def _all_of(kind: type[S], specs: Any) -> list[S]:
    found: list[S] = []
    for spec in specs:
        if isinstance(spec, kind):
            found.append(spec)
        elif isinstance(spec, Row):
            found += _all_of(kind, spec.items)
        elif isinstance(spec, Bundle):
            found += _all_of(kind, spec.fields.values())
    return found
