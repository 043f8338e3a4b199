"""Writes the event log and describes live values in its words."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from ...vocabulary import events as e
from ...vocabulary.span import Span
from ..fakes.devices import device_of
from ..unknowns import doubts
from ..unknowns.grown import is_grown, may_hold_any
from ..unknowns.unknown import ATOMS, Unknown, find_unknown, likely
from .facts import ITEMS, SCALARS, facts_of, fields, holds_tensor
from .numbers import Numbers, Spoken
from .weights import Weighed

if TYPE_CHECKING:
    from ..sources.modules import Module

_MOST_NUMBERS = 20_000


MAX_ROUNDS = 512
"""Rounds of a loop that are run at most, and the number of the one that stands for any of those that are not."""


class Whole(Spoken):
    """What was written down in a while. `words`: each with how many events were before it."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[e.Event] = []
        self.words: list[tuple[int, e.Bound]] = []


class Recorder(Numbers):
    """The log of one trace while it grows."""

    def __init__(self) -> None:
        super().__init__()
        self.frames: list[e.Frame] = []
        self.quiet: list[bool] = []
        """For each frame whether what happens in it is not written down, but for what fails: a library's."""
        self.events: list[e.Event] = []
        self.notes: list[str] = []
        self.rounds: list[int] = []
        self._described: dict[int, tuple[Any, e.Tensor]] = {}
        """Each tensor as it was described last, and all that this was made of."""
        self._modes = e.Modes()
        self._switched: tuple[Any, ...] = ()
        """What `_modes` was made of."""
        self.integers = False
        """Whether bindings of integers are written down too."""
        self.words: list[tuple[int, e.Bound]] = []
        """Bindings of integers, each with how many events were before it: they may name a size that data decides."""
        self.alike: set[int] = set()
        """Frames in which one sample of a data set stands for several: their sizes are not really equal."""
        self.selves: dict[int, int] = {}
        """By frame, the number of the layer whose method runs in it."""
        self.mute = False
        """Whether nothing is written down of the frames that begin now."""
        self._last_read: dict[int, tuple[Span, Any]] = {}
        self._lost: dict[int, Span] = {}
        self.weights = Weighed()
        self._chains: list[int] = []

    # ------------------------------------------------------------ events

    def frame(self, module: Module, scope: str, parent: int | None, site: Span | None) -> int:
        """A function (or the module) begins to run. Returns the number of its frame."""
        self.frames.append(e.Frame(len(self.frames), module.file, scope, parent, site, not module.own))
        self.quiet.append(self.mute or not module.own)
        return len(self.frames) - 1

    def chain(self, frame: int) -> int:
        """What names the calls that led to a frame, in every world."""
        for one in self.frames[len(self._chains) : frame + 1]:
            self._chains.append(e.chain(one, self._chains))
        return self._chains[frame]

    def cut(self, frames: int, events: int) -> tuple[list[e.Frame], list[e.Event]]:
        """Take back what was written since there were so many frames and events. Returns it."""
        taken = self.frames[frames:], self.events[events:]
        del self.frames[frames:], self.quiet[frames:], self.events[events:], self._chains[frames:]
        self._last_read.clear()
        self._lost.clear()
        return taken

    def abandon(self, frame: int) -> None:
        """An exception that nothing catches ends this frame."""
        self.frames[frame] = replace(self.frames[frame], abandoned=True)

    def blind(self, frame: int) -> None:
        """Nothing is known of what this frame is given."""
        self.frames[frame] = replace(self.frames[frame], blind=True)

    def bound(self, frame: int, span: Span, kind: str, name: str, value: Any) -> None:
        """A name took a value, if the value is or holds a tensor or, for all that is known, might."""
        if self.quiet[frame]:
            return
        if kind == "expression" and isinstance(value, torch.Tensor) and self._said_before(span, value):
            return
        if type(value) in ATOMS:
            worth = self.integers and type(value) is int
        else:
            worth = holds_tensor(value) or find_unknown(value) is not None or may_hold_any(value)
        if worth:
            self.events.append(e.Bound(frame, span, kind, name, self.describe(value), self.modes()))
        if kind in ("binding", "parameter") and not self.integers:
            self._number(frame, span, kind, name, value)

    def _number(self, frame: int, span: Span, kind: str, name: str, value: Any) -> None:
        """A name took a number, which may be one that stands for what nobody knows."""
        number = value.sample if type(value) is Unknown else value
        if type(number) is int and len(self.words) < _MOST_NUMBERS:
            bound = e.Bound(frame, span, kind, name, e.Scalar(number), self._modes)
            self.words.append((len(self.events), bound))

    def entered(self, frame: int, first: Any) -> None:
        """The body of a function begins; `first` is its first argument."""
        if isinstance(first, torch.nn.Module):
            self.selves[frame] = self.number(first)

    def lost(self, frame: int, span: Span, value: Unknown) -> None:
        """An expression is not known in this run, whatever it was in others: said once of each place."""
        if self.quiet[frame] or (known := self._lost.get(id(span))) is not None and known is span:
            return
        self._lost[id(span)] = span
        self.events.append(e.Bound(frame, span, "expression", "", self.describe(value), self.modes()))

    def _said_before(self, span: Span, value: torch.Tensor) -> bool:
        """Whether the last tensor read at this place, in whatever round, had the same facts."""
        with torch._C.DisableTorchFunction():
            facts = (*facts_of(value), doubts.of(value) if doubts.NOW.active else doubts.NONE)
        return self._is_last(span, facts)

    def _is_last(self, span: Span, facts: Any) -> bool:
        known = self._last_read.get(id(span))
        if known is not None and known[0] is span and known[1] == facts:
            return True
        self._last_read[id(span)] = (span, facts)
        return False

    def op(
        self,
        frame: int,
        span: Span,
        name: str,
        args: Any,
        kwargs: dict[str, Any],
        result: Any,
        failure: e.Failure | None,
        before: list[e.Value] | None = None,
    ) -> None:
        """Something of torch's was called. `before`: the arguments as they were, where the call changes them."""
        if self.quiet[frame] and (failure is None or failure.caught):
            return
        for layer in (result, args[0] if name.endswith("()") else None):
            if isinstance(layer, torch.nn.Module):
                self.weights.meet(self.number(layer), layer)
        self.events.append(
            e.Op(
                frame,
                span,
                name,
                tuple(before) if before is not None else tuple(self.describe(arg) for arg in args),
                tuple((key, self.describe(value)) for key, value in kwargs.items()),
                self.describe(result),
                failure,
                self.modes(),
            )
        )

    def note(self, sentence: str) -> None:
        """A sentence about the trace itself, said once."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def modes(self) -> e.Modes:
        """What is switched on now; equal modes are one object."""
        autocast = None
        if torch.is_autocast_enabled():
            autocast = str(torch.get_autocast_gpu_dtype()).replace("torch.", "")
        elif torch.is_autocast_enabled("cpu"):
            autocast = str(torch.get_autocast_dtype("cpu")).replace("torch.", "")
        grad = torch.is_grad_enabled() and not doubts.NOW.contexts
        now = grad, torch.is_inference_mode_enabled(), autocast, tuple(self.rounds)
        if now != self._switched:
            self._switched, self._modes = now, e.Modes(*now)
        return self._modes

    # ------------------------------------------------------------ values

    def describe(self, value: Any, depth: int = 3) -> e.Value:
        """A live value in the words of the log."""
        if type(value) is int and -(2**62) <= value <= 2**62:
            return e.Scalar(value)
        value = likely(value)
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if type(value) is Unknown:
            return e.Unknown(value.why, value.tensor)
        if isinstance(value, enum.Enum):
            return e.Other(type(value).__name__, value.name)
        if type(value) in SCALARS:
            if type(value) is str and len(value) > 80:
                return e.Other("str", value[:80])
            if type(value) is int and abs(value) > 2**62:
                return e.Other("int")
            if (type(value) is float and value != value) or value in (float("inf"), float("-inf")):
                return e.Other("float", str(value))
            return e.Scalar(value)
        if value is Ellipsis:
            return e.Scalar("...")
        lost = is_grown(value)
        if lost is not None:
            return e.Unknown(lost.why)
        if depth and isinstance(value, dict) and hasattr(type(value), "__dataclass_fields__"):
            return e.Group(
                "object", tuple(self.describe(item, depth - 1) for item in value.values()), tuple(value)
            )  # the output of a transformers model
        if depth and isinstance(value, (tuple, list, dict)) and len(value) <= ITEMS:
            return self._group(value, depth)
        if isinstance(value, slice):
            return e.Other("slice", str(value) if not holds_tensor([value.start, value.stop]) else "")
        if isinstance(value, (torch.dtype, torch.device)):
            return e.Other(type(value).__name__, str(value).replace("torch.", ""))
        if depth and hasattr(type(value), "__dataclass_fields__"):
            held = fields(value)
            return e.Group(
                "object", tuple(self.describe(item, depth - 1) for item in held.values()), tuple(held)
            )
        if isinstance(value, type):
            return e.Other("type", value.__name__)
        if isinstance(value, torch.nn.Module):
            return e.Other(type(value).__name__, "", self.number(value))
        return e.Other(type(value).__name__)

    def _group(self, value: Any, depth: int) -> e.Value:
        if isinstance(value, dict):
            if all(type(key) is str for key in value):
                return e.Group(
                    "dict", tuple(self.describe(v, depth - 1) for v in value.values()), tuple(value)
                )
            return e.Other("dict")
        items = tuple(self.describe(item, depth - 1) for item in value)
        names = getattr(type(value), "_fields", None)
        if names is not None and len(names) == len(items):
            return e.Group("object", items, tuple(names))
        return e.Group("list" if isinstance(value, list) else "tuple", items)

    def _tensor(self, value: torch.Tensor) -> e.Value:
        with torch._C.DisableTorchFunction():
            return self._read(value)

    def _read(self, value: torch.Tensor) -> e.Value:
        number = self.number(value)
        if value.layout is not torch.strided:
            return e.Unknown(f"a tensor of layout {value.layout}", True)
        unknown = doubts.of(value) if doubts.NOW.active else doubts.NONE
        if doubts.ALL in unknown:
            return e.Unknown("changed in a way that is not known", True)
        facts = (
            value.shape,
            value.dtype,
            value.stride(),
            value.requires_grad,
            value.is_leaf,
            self.memory(value),
            value.storage_offset(),
            device_of(value),
            unknown,
        )
        known = self._described.get(number)
        if known is not None and known[0] == facts:
            return known[1]
        shape, dtype, stride, requires_grad, leaf, memory, offset, device, _ = facts
        described = e.Tensor(
            number,
            tuple(shape),
            str(dtype).replace("torch.", ""),
            device,
            stride,
            value.is_contiguous(),
            requires_grad,
            leaf,
            memory,
            offset,
            value.element_size(),
        )
        if unknown:
            described = _without(described, unknown)
        self._described[number] = facts, described
        return described

    @contextmanager
    def whole(self) -> Iterator[Whole]:
        """Around what is to be known whole, whatever was said before it.

        What it gives holds all of it at the end; written down is only what was not said before.
        """
        read, lost = self._last_read, self._lost
        self._last_read, self._lost = {}, {}
        first, word = len(self.events), len(self.words)
        everything = Whole()
        around, self._spoken = self._spoken, everything
        try:
            yield everything
        finally:
            self._spoken = around
            if around is not None:
                around.numbers.update(everything.numbers)
                around.memories.update(everything.memories)
            everything.events = self.events[first:]
            everything.words = [(before - first, bound) for before, bound in self.words[word:]]
            del self.events[first:], self.words[word:]
            self._last_read, self._lost = read, lost
            self.say(everything.events, everything.words)

    def say(self, events: Sequence[e.Event], words: Sequence[tuple[int, e.Bound]]) -> None:
        """Write down what happened again, but what was said before. `words`: each with how many events were before it."""
        after = [len(self.events)]
        for event in events:
            if type(event) is not e.Bound or event.kind != "expression" or not self._is_said(event):
                self.events.append(event)
            after.append(len(self.events))
        self.words += [(after[before], bound) for before, bound in words]

    def _is_said(self, event: e.Bound) -> bool:
        value = event.value
        if type(value) is e.Unknown and not event.name:
            known = self._lost.get(id(event.span))
            self._lost[id(event.span)] = event.span
            return known is event.span
        if type(value) is not e.Tensor or value.dtype is None:
            return False
        facts = (
            value.shape,
            getattr(torch, value.dtype),
            value.stride,
            value.device,
            value.requires_grad,
            False,
            doubts.NONE,
            doubts.NONE,
        )
        return self._is_last(event.span, facts)


def _without(described: e.Tensor, unknown: doubts.Doubts) -> e.Tensor:
    """The same tensor with what is in doubt left out."""
    if doubts.GRAD in unknown:
        described = replace(described, requires_grad=None, leaf=None)
    if doubts.LAYOUT in unknown:
        described = replace(described, stride=None, contiguous=None, offset=None)
    if doubts.DTYPE in unknown:
        described = replace(described, dtype=None, itemsize=None)
    return described
