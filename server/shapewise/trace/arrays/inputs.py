"""The arguments of a call of numpy's as numpy takes them: numbers that are known, or others in their place."""

from __future__ import annotations

import collections
import re
from collections.abc import Callable
from typing import Any

import torch

from ..log.facts import same
from ..unknowns import values
from ..unknowns.alike import kind_of_items
from ..unknowns.grown import is_grown
from ..unknowns.lengths import many_in
from ..unknowns.unknown import NO_SAMPLE, TRUTH, Lost, Unknown
from ..worlds import worlds
from .array import BY_DATA, KNOWN, Array, Number, np
from .numberless import some_numbers
from .tensors import tensor_to_array

_DEEP = 16
_PLAIN = frozenset((int, float, complex, bool, type(None), type(Ellipsis)))
_LONG_ITEMS = re.compile(r"[SUVaM]\d{2,}")


class Inputs:
    """The arguments of one call as real numpy takes them, and what is not known among them."""

    def __init__(self, filled: bool = False) -> None:
        self.filled = filled
        """Whether arrays of unknown numbers are given some: zeros are no matrix that can be solved."""
        self.arrays: list[Array] = []
        self.tensors: list[torch.Tensor] = []
        self.unknown = False
        self.exact = False
        """Whether the numbers themselves matter, as those of a shape: those of this world stand in for unknown ones."""

    def _repeated(self, items: Any) -> Any:
        """A list of unknown length as one of some length."""
        try:
            kind = kind_of_items(items, same)
        except LookupError:
            raise Lost("a list whose items differ") from None
        worlds.use()
        self.unknown = True
        return [kind] * (many_in(items) or 1)

    def _sample(self, value: Unknown) -> Any:
        if value.sample is NO_SAMPLE:
            raise Lost(BY_DATA)
        worlds.use()
        worlds.take()
        return value.sample

    def _bound(self, tensor: torch.Tensor) -> Any:
        """The number in a tensor: the one that it holds, or one that it may hold in this world."""
        number = values.element(tensor)
        if number is None:
            raise Lost(BY_DATA)
        if values.known(tensor) is None:
            worlds.use()
            worlds.take()
            self.unknown = True
        return number

    def real(self, value: Any, depth: int = _DEEP) -> Any:
        """The real argument. Raises Lost for anything that is not made of numbers."""
        kind = type(value)
        if kind is Array:
            self.arrays.append(value)
            self.unknown |= not value._memory.known
            return some_numbers(value._held) if self.filled and not value._memory.known else value._held
        if kind is Number:
            self.unknown = True
            return value.dtype.type(self._sample(value.unknown())) if self.exact else value.standing()
        if kind is Unknown and type(value.sample) in (int, float):
            self.unknown = True
            return self._sample(value) if self.exact else type(value.sample)(1)
        if kind is Unknown and value.kind == TRUTH and not self.exact:
            self.unknown = True
            return True
        if kind in _PLAIN or isinstance(value, (np.generic, np.dtype, torch.dtype)):
            return value
        if kind is str:
            if len(value) > 64 or _LONG_ITEMS.search(value):
                raise Lost("too long a text to follow")
            return value
        if isinstance(value, torch.Tensor):
            if value.requires_grad:
                raise RuntimeError(
                    "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
                )
            self.tensors.append(value)
            return self._bound(value) if self.exact and not value.dim() else self.real(tensor_to_array(value))
        if not depth:
            raise Lost("lists nested too deeply to follow")
        if isinstance(value, (tuple, list, collections.deque)):
            if is_grown(value) is not None:
                value = self._repeated(value)
            if len(value) > KNOWN:
                raise Lost("too long a list to follow")
            items = [self.real(item, depth - 1) for item in value]
            return tuple(items) if isinstance(value, tuple) else items
        if kind is range and len(value) <= KNOWN:
            return value
        if kind is slice:
            before, self.exact = self.exact, True
            bounds = slice(*(self.real(bound, 1) for bound in (value.start, value.stop, value.step)))
            self.exact = before
            return bounds
        if isinstance(value, type) and (
            value in (int, float, bool, complex) or issubclass(value, np.generic)
        ):
            return value
        if kind in CONVERTED:
            return self.real(CONVERTED[kind](value))
        raise Lost(value.why if kind is Unknown else f"numpy is given a {kind.__name__}")


CONVERTED: dict[type, Callable[[Any], Array]] = {}
"""Types that numpy makes arrays of, and the array that it makes of one."""
