"""What shapewise says of a call: the call is made through the tracer's own gate, on fake tensors."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from cases import IN_DOUBT, Case, facts, mapped, tensors_of
from torch.nn import functional
from torch.utils._mode_utils import no_dispatch

from shapewise.trace.fakes.devices import device_of, place
from shapewise.trace.unknowns import doubts, values


@dataclass(frozen=True)
class Told:
    """The facts of the result, or the first line of what torch would raise, or why neither is known."""

    facts: Any = None
    error: str | None = None
    unknown: str | None = None
    devices: Any = None


def first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0]


class Fakes:
    """Tensors of the tracer's, that share memory where the real ones do.

    `literal`: they carry their numbers, as those do that the file wrote out.
    """

    def __init__(self, literal: bool) -> None:
        self.literal = literal
        self.made: dict[int, torch.Tensor] = {}
        self.memories: dict[tuple[int, torch.dtype], torch.Tensor] = {}

    def of(self, tensor: torch.Tensor) -> torch.Tensor:
        if id(tensor) not in self.made:
            self.made[id(tensor)] = self._fake(tensor)
        return self.made[id(tensor)]

    def _fake(self, tensor: torch.Tensor) -> torch.Tensor:
        if tensor.layout is not torch.strided or tensor.is_neg() or tensor.is_conj() or tensor.is_meta:
            return tensor
        storage = tensor.untyped_storage()
        key = storage.data_ptr() or id(tensor), tensor.dtype
        if key not in self.memories:
            self.memories[key] = torch.empty(storage.nbytes() // tensor.itemsize, dtype=tensor.dtype)
        made = self.memories[key]
        if not (tensor.is_contiguous() and made.shape == tensor.shape):
            made = made.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
        if tensor.requires_grad:
            return made.detach().requires_grad_()
        if self.literal and tensor.numel() <= values.LIMIT and 0 not in tensor.stride():
            with no_dispatch(), torch._C.DisableTorchFunction():
                values.carry(made, tensor.detach().clone())
        return made


def _in_doubt(tensor: torch.Tensor) -> bool:
    return doubts.LAYOUT in doubts.of(tensor)


def agree(said: Any, real: Any) -> bool:
    """Whether all that is stated is true."""
    if isinstance(said, (tuple, list)) and isinstance(real, (tuple, list)):
        return len(said) == len(real) and all(map(agree, said, real))
    return said in (IN_DOUBT, real)


def told(cases: Sequence[Case], literal: bool, devices: Sequence[Sequence[str]] | None = None) -> list[Told]:
    """What is said of each case, in one trace; of what is not the same in all its worlds, nothing.

    `devices`: where the tensors of each case stand, in the order in which they are met; else all on the CPU.
    """
    from shapewise.trace import session
    from shapewise.trace.control import Budget
    from shapewise.trace.gate import calls
    from shapewise.trace.unknowns.unknown import Unknown
    from shapewise.trace.wall import allowed
    from shapewise.vocabulary.span import Span

    session.prepare()
    worlds: list[list[Told]] = []

    def one(env: Any, case: Case, where: Iterator[str]) -> Told:
        env.run.budget = Budget()
        env.run.guard.valued = literal
        env.run.guard.foreign = devices is not None
        function = case.function
        if (
            getattr(function, "__module__", None) == functional.__name__
        ):  # as a program finds it while it is traced
            function = vars(functional).get(function.__name__, function)
        allowed.list_callable(function, f"torch.{case.name}")
        events = env.run.recorder.events
        before = len(events)
        fakes = Fakes(literal)

        def given(tensor: torch.Tensor) -> torch.Tensor:
            return place(fakes.of(tensor), torch.device(next(where, "cpu")))  # type: ignore[no-any-return]

        args, kwargs = mapped(case.args, given), mapped(case.kwargs, given)
        result = calls.call(env, Span(1, 0, 1, 1), function, args, kwargs, case.name)
        failures = [event.failure for event in events[before:] if event.failure is not None]
        if failures:
            return Told(error=failures[0].message)
        if type(result) is Unknown:
            return Told(unknown=result.why)
        return Told(
            facts=facts(result, _in_doubt), devices=[device_of(tensor) for tensor in tensors_of(result)]
        )

    def body(env: Any) -> None:
        found: list[Told] = []
        worlds.append(found)
        for case, where in zip(cases, devices or itertools.repeat(())):
            try:
                found.append(one(env, case, iter(where)))
            except BaseException as error:
                found.append(Told(unknown=f"raised {error!r}"))

    original = session.compile_text
    session.compile_text = lambda text, broken: body if text == "#" else original(text, broken)  # type: ignore[assignment]
    try:
        session.trace("samples.py", "#", {})
    finally:
        session.compile_text = original
    return [one[0] if len(set(map(repr, one))) == 1 else Told(unknown="several") for one in zip(*worlds)]
