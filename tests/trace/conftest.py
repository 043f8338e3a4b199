"""One warm tracer in this process: what the agent does, without the pipe."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from shapewise.queries.facts import facts_of
from shapewise.repair import repair
from shapewise.vocabulary.events import Log
from shapewise.vocabulary.facts import Fact, TensorFact

Shape = tuple[object, ...] | None


class Traced:
    """The log of a text, and what stands at the names of its top level."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.facts = facts_of(log)

    def fact(self, name: str, line: int | None = None) -> Fact:
        found = [f for f in self.facts if f.kind != "expression" and f.name == name]
        found = [f for f in found if line is None or f.span.line == line]
        assert found, f"no fact of {name}"
        return found[-1]

    def shape(self, name: str, line: int | None = None) -> Shape:
        """The shape of the last binding of a name; None where it is not known."""
        value = self.fact(name, line).value
        assert isinstance(value, TensorFact)
        return value.shape

    def knows(self, name: str) -> bool:
        return any(f.name == name and f.kind != "expression" for f in self.facts)

    def failures(self) -> list[tuple[int, str]]:
        return [
            (event.span.line, event.failure.message)
            for event in self.log.events
            if getattr(event, "failure", None) is not None and not event.failure.caught
        ]


@pytest.fixture(scope="session")
def trace() -> Callable[[str], Traced]:
    from shapewise.trace import session

    session.prepare()

    def run(text: str) -> Traced:
        repaired = repair(textwrap.dedent(text).lstrip("\n"))
        broken = {one.span.line: one.names for one in repaired.broken}
        return Traced(session.trace("/somewhere/file.py", repaired.text, broken))

    return run
