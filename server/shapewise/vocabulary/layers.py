"""What one trace measured of the layers that were called: written only when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from .events import Value
from .span import Span


@dataclass(frozen=True, slots=True)
class LayerCall:
    """One call of an `nn.Module`, in the order in which the calls began.

    `parent` is the index of the call around it, and `name` the attribute path from there (`blocks.0`),
    empty where it is no part of it. `frame` and `span` are the place of the user's own that called it.
    `parameters`, `trainable` and `buffers` count elements of the layer with all that is in it, each
    once; `weight_bytes` is what they take. `first` and `end` are the steps during the call.
    `given`: the memories handed to it, each with its bytes. `failed`: torch refused something in it.
    `perhaps`: it is on one of two ways of a condition that is not known, or in a loop whose rounds were
    not all run.
    """

    parent: int | None
    module: int
    name: str
    type: str
    frame: int
    span: Span | None
    parameters: int
    trainable: int
    buffers: int
    weight_bytes: int
    output: Value
    given: tuple[tuple[int, int], ...]
    first: int
    end: int
    training: bool
    failed: bool = False
    perhaps: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of torch's core within a call of a layer.

    `layer` is the index of the innermost call. `flops`: two for a multiply and add, by torch's own
    formulas, 0 for what these do not count, None where they have no formula for heavy work. Memories
    have the numbers of `Tensor.storage`: `reads`, and those that it `makes`, each with its bytes.
    `events`: how many events there were before.
    """

    layer: int
    op: str
    frame: int
    span: Span | None
    flops: int | None
    reads: tuple[int, ...]
    makes: tuple[tuple[int, int], ...]
    events: int
    perhaps: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """All calls of layers in one trace, and what happened in them.

    `saved` are the memories that autograd keeps for the backward pass. `doubtful`: why sizes are
    not certain at all, if so.
    """

    calls: tuple[LayerCall, ...]
    steps: tuple[Step, ...]
    saved: tuple[int, ...]
    doubtful: str | None = None
