"""The event log: what happened while a file was traced.

The log is the spine of shapewise. Left of it lives torch; right of it only queries over this data.
A place that ran several times (loop rounds, several call sites) simply has several events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .span import Span

if TYPE_CHECKING:
    from .layers import Measured

# ---------------------------------------------------------------- values

Size = int | str | None
Sizes = tuple[Size, ...]
"""A number or an expression over names for each dim; None for one that only data decides."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor at one moment.

    `stride` and `offset` count elements, not bytes. `id` names the tensor object within its trace
    and `storage` the memory it looks at: two tensors with the same `storage` share it. What is None
    is not known. `names`: the shape as it is shown, where the code has words for sizes of it that only
    data decides; such words are no facts, and rules do not see them. `over_calls`: the shape in all calls of
    its function, where they differ in it, with the function's words for what differs.
    """

    id: int
    shape: Sizes
    dtype: str | None
    device: str | None
    stride: Sizes | None
    contiguous: bool | None
    requires_grad: bool | None
    leaf: bool | None
    storage: int
    offset: int | None
    itemsize: int | None
    names: Sizes | None = None
    over_calls: Sizes | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that was lost track of; `why` says where, in a few words. `tensor`: surely a tensor."""

    why: str
    tensor: bool = False


@dataclass(frozen=True, slots=True)
class Scalar:
    """A small constant of Python's own: int, float, bool, None, a short str, an Ellipsis as '...'."""

    value: int | float | bool | str | None


@dataclass(frozen=True, slots=True)
class Group:
    """A container. `kind`: tuple, list, dict or object; `keys` name the items of a dict or object."""

    kind: str
    items: tuple[Value, ...]
    keys: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Other:
    """Anything else, by the name of its type (`Linear`, `dtype`, `slice`) and a short text.

    `id` names a layer within its trace.
    """

    type: str
    text: str = ""
    id: int | None = field(default=None, compare=False)


Value = Tensor | Unknown | Scalar | Group | Other

# ---------------------------------------------------------------- events


@dataclass(frozen=True, slots=True)
class Frame:
    """One execution of a module's top level or of a function.

    `scope` is the dotted path of classes and functions, `<module>` at the top; `site` is the place
    in the parent frame that called it. Of what is `installed`, code outside the user's project, only
    what fails is written down. `abandoned`: an exception that nothing catches ended it, so that the
    program itself, if it is right, would have gone on. `assumed`: nothing calls it; it ran on inputs
    that were made up. `tried`: if they were made up for it, these inputs, as the runner takes them. `blind`: it
    was called, with nothing that is known.
    """

    id: int
    file: str
    scope: str
    parent: int | None = None
    site: Span | None = None
    installed: bool = False
    abandoned: bool = False
    assumed: bool = False
    tried: tuple[str, ...] = field(default=(), compare=False)
    blind: bool = False


def chain(frame: Frame, chains: Sequence[int]) -> int:
    """What names the calls that led to a frame, whenever and wherever it ran. `chains`: those of the frames before."""
    above = 0 if frame.parent is None else chains[frame.parent]
    return hash((above, frame.file, frame.scope, frame.site))


@dataclass(frozen=True, slots=True)
class Modes:
    """What was surely switched on when an event happened; `rounds` counts the enclosing loops from outside."""

    grad: bool = True
    inference: bool = False
    autocast: str | None = None
    rounds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Bound:
    """A name took a value. `kind`: binding, parameter or return (then `name` is `<return>`).

    `others`: on inputs that were made up, the value for each of their ranks that was tried; `value` covers all.
    """

    frame: int
    span: Span
    kind: str
    name: str
    value: Value
    modes: Modes
    others: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """What was raised, in the words of the real torch.

    `operands` are the tensors given to the innermost function of torch that refused them, `layer`
    the innermost of torch's layers around it: of an `nn.Sequential`, the one that did not fit. `unless`: what
    would have to be so for it not to be raised; nothing, if it is raised for certain. `details`: the lines below a
    first one that only announces them.
    """

    type: str
    message: str
    caught: bool = False
    operands: tuple[Tensor, ...] = field(default=(), compare=False)
    layer: Other | None = field(default=None, compare=False)
    unless: str = ""
    details: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Op:
    """A call of something that is not the user's: torch, a builtin, a method, an operator.

    `span` is the whole expression. `name` is dotted without its class where it is a method or an
    operator (`view`, `sum`, `/`, `@`, `+=`, `[]`), else its public path (`torch.cat`,
    `torch.nn.functional.relu`, `nn.Linear()` for the call of a module). For a method or an
    operator the first of `args` is what it is called on.
    """

    frame: int
    span: Span
    name: str
    args: tuple[Value, ...]
    kwargs: tuple[tuple[str, Value], ...]
    result: Value
    failure: Failure | None
    modes: Modes

    def argument(self, *names: str, at: int | None = None) -> Value | None:
        """What it was given by any of these keywords, else at a place of `args` (from 0)."""
        for name, value in self.kwargs:
            if name in names:
                return value
        return self.args[at] if at is not None and at < len(self.args) else None


Event = Bound | Op


@dataclass(frozen=True, slots=True)
class Weights:
    """What a layer holds, by the `id` that `Other` has of it: numbers of elements, and bytes of both."""

    id: int
    parameters: int
    buffers: int
    bytes: int


UNFINISHED = "not all functions that nobody calls were followed: there are too many"
"""A note: the next trace of the same text follows more of them."""
SHORT = "this file takes longer to follow than a trace may take at once"
"""Another one, for a trace that gave something up to be short: the next one of the same text is given more time."""
STOPPED = "this trace was stopped"
"""Another one, for a trace that had too little time: the next goes on from what is remembered of this one."""


@dataclass(frozen=True, slots=True)
class Log:
    """Everything one trace of one file wrote down, in the order it happened.

    `notes` are sentences about the trace itself (a budget that ran out, a name never resolved).
    `cut`: why it ended before the file did, if so: functions and loops may have had further runs.
    `files` are the other files of the project that it came through. `asks_for_card`: whether it asks
    for a card that this machine has not; then `on_a_card` is what happens where there is one, once that
    was traced too: of that run only clashes of devices and copies of what is not contiguous are of interest, and
    without any it is empty.
    `measured`: what its layers do, if the trace was asked to measure.
    `weights` are those of layers that held the same all along. `unfinished`: the definitions that nobody calls of
    which another trace may tell more (`UNFINISHED` is noted then).
    """

    file: str
    python: str
    torch: str
    seconds: float
    frames: tuple[Frame, ...]
    events: Sequence[Event]
    notes: tuple[str, ...] = ()
    cut: str | None = None
    files: tuple[str, ...] = ()
    asks_for_card: bool = False
    on_a_card: Log | None = None
    measured: Measured | None = None
    weights: tuple[Weights, ...] = ()
    unfinished: tuple[str, ...] = ()
