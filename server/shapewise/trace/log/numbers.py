"""The numbers of tensors, layers and memories in one trace."""

from __future__ import annotations

from typing import Any

import torch

_STEP = 256


class Spoken:
    """Numbers in the order in which they were first spoken of: of objects, and of memories."""

    def __init__(self) -> None:
        self.numbers: dict[int, None] = {}
        self.memories: dict[int, None] = {}


class Numbers:
    """Counts what it is asked of for the first time. All of it is held, so that no id or address is another's."""

    def __init__(self) -> None:
        self._ids: dict[int, tuple[Any, int]] = {}
        self._storages: dict[Any, tuple[int, Any]] = {}
        """The number of each memory by its address, and the memory."""
        self._next = self._next_memory = 0
        self._spoken: Spoken | None = None
        """What is spoken of is kept here, if anybody wants to know."""

    def number(self, value: Any) -> int:
        """The number of a tensor or a layer."""
        known = self._ids.get(id(value))
        if known is None:
            known = self._ids[id(value)] = (value, self._next)
            self._next += 1
        if self._spoken is not None:
            self._spoken.numbers[known[1]] = None
        return known[1]

    def memory(self, value: torch.Tensor) -> int:
        """The number of the memory that a tensor looks at. Who asks must hold the tensor.

        The wrappers of torch.func give none away: each has its own.
        """
        try:
            memory = value.untyped_storage()
            address: Any = memory._cdata
        except (NotImplementedError, RuntimeError):
            memory, address = None, ("wrapper", id(value))
        known = self._storages.get(address)
        if known is None:
            known = self._storages[address] = (self._next_memory, memory)
            self._next_memory += 1
        if self._spoken is not None:
            self._spoken.memories[known[0]] = None
        return known[0]

    def numbers(self) -> int:
        """The number that the next object gets."""
        return self._next

    def memories(self) -> int:
        """The number that the next memory gets."""
        return self._next_memory

    def is_since(self, value: torch.Tensor, number: int) -> bool:
        """Whether a tensor has a number, and this or a later one."""
        known = self._ids.get(id(value))
        return known is not None and known[1] >= number

    def known_number(self, value: Any) -> int | None:
        """The number of a tensor or a layer, if it has one."""
        known = self._ids.get(id(value))
        return None if known is None else known[1]

    def known_memory(self, value: torch.Tensor) -> int | None:
        """The number of the memory that a tensor looks at, if it has one."""
        known = self._storages.get(value.untyped_storage()._cdata)
        return None if known is None else known[0]

    def new_number(self) -> int:
        """A number for what is not there: of a call that is said again."""
        number = self._next
        self._next += 1
        if self._spoken is not None:
            self._spoken.numbers[number] = None
        return number

    def new_memory(self) -> int:
        """A number for memory that is not there."""
        number = self._next_memory
        self._next_memory += 1
        if self._spoken is not None:
            self._spoken.memories[number] = None
        return number

    def give_number(self, value: Any, number: int) -> None:
        """From now on this is the object of a number that was made for none."""
        self._ids[id(value)] = (value, number)

    def give_memory(self, value: torch.Tensor, number: int) -> None:
        """From now on this tensor's memory is that of a number that was made for none."""
        memory = value.untyped_storage()
        self._storages[memory._cdata] = (number, memory)

    def skip(self, numbers: int, memories: int) -> None:
        """So many numbers of objects and memories belong to what is known from an earlier trace."""
        self._next += numbers
        self._next_memory += memories

    def leave_room(self) -> None:
        """Go on at a round number: then an op more or less before does not change all the numbers behind it."""
        self._next += -self._next % _STEP
        self._next_memory += -self._next_memory % _STEP
