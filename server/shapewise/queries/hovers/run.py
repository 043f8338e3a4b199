"""One run of one op, as the concepts ask about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...vocabulary.events import Group, Op, Scalar, Tensor, Value, Weights

_LONGEST_NAME = 24


@dataclass(frozen=True, slots=True)
class Run:
    """An op that ran; `written` is how the text names its arguments, as far as that is known.

    `built` is the call that made the layer that is called, if it is a call of one, and `weights` what it holds.
    `made_up`: on inputs that nobody gives.
    """

    op: Op
    written: tuple[str, ...] = ()
    built: Op | None = None
    weights: Weights | None = None
    made_up: bool = False

    @property
    def short(self) -> str:
        """The last part of the op's name."""
        return self.op.name.rsplit(".", 1)[-1]

    @property
    def result(self) -> Tensor | None:
        """What it gave, if that is one tensor and the op did not fail."""
        given = self.op.result
        return given if isinstance(given, Tensor) and self.op.failure is None else None

    @property
    def tensors(self) -> list[tuple[str, Tensor]]:
        """The tensors it was given and their names in the text, those in a list too."""
        return list(self._tensors())

    def _tensors(self) -> Iterator[tuple[str, Tensor]]:
        for index, arg in enumerate(self.op.args):
            yield from _in(self.name(index), arg)
        for key, arg in self.op.kwargs:
            yield from _in(key, arg)

    def name(self, index: int) -> str:
        """How the text names an argument; empty if it does not, or at length."""
        name = " ".join(self.written[index].split()) if index < len(self.written) else ""
        name = name.replace(" .", ".")
        return name if len(name) <= _LONGEST_NAME else ""

    def argument(self, index: int, *names: str) -> Value | None:
        """An argument by its position (from 0) or one of its names."""
        return self.op.argument(*names, at=index)


def plain(given: Value | None) -> int | float | bool | str | None:
    """The value of a constant, else None."""
    return given.value if isinstance(given, Scalar) else None


def _in(name: str, value: Value) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        yield name, value
    elif isinstance(value, Group):
        for index, item in enumerate(value.items):
            key = repr(value.keys[index]) if value.keys is not None else str(index)
            yield from _in(f"{name}[{key}]" if name.isidentifier() else "", item)
