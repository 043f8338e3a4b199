"""One warm tracer in this process: what `trace/serving.py` does, without the pipe."""

from __future__ import annotations

import ast
import sys
import textwrap
import types
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from shapewise.queries.facts import facts_of
from shapewise.repair import repair
from shapewise.vocabulary.events import Log
from shapewise.vocabulary.facts import Fact, TensorFact

sys.path.insert(0, str(Path(__file__).parent))  # for `shown`

Shape = tuple[object, ...] | None


class Traced:
    """The log of a text, and what stands at the names of its top level."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.facts = facts_of(log)

    def fact(self, name: str, line: int | None = None) -> Fact:
        found = [f for f in self.facts if f.kind != "expression" and f.name == name]
        found = [f for f in found if line is None or f.span.line == line]
        written = [event for event in self.log.events if getattr(event, "name", None) == name]
        assert found, f"no fact of {name}: {written} {self.log.notes}"
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


FACTS = {
    "shape": lambda tensor: tuple(tensor.shape),
    "dtype": lambda tensor: str(tensor.dtype).removeprefix("torch."),
    "stride": lambda tensor: tuple(tensor.stride()),
    "contiguous": lambda tensor: tensor.is_contiguous(),
    "requires_grad": lambda tensor: tensor.requires_grad,
}


def really(text: str, flag: bool) -> dict[tuple[str, int], dict[str, object]]:
    """The facts of what the top level binds, by name and line, in a real run with this `somewhere.flag`.

    `words`: the integers that had a name there.
    """
    somewhere = types.ModuleType("somewhere")
    somewhere.flag = flag
    sys.modules["somewhere"] = somewhere
    names, facts = {}, {}
    try:
        for node in ast.parse(text).body:
            exec(compile(ast.Module([node], []), "<text>", "exec"), names)
            for target in ast.walk(node) if isinstance(node, ast.Assign) else ():
                value = names.get(target.id) if isinstance(target, ast.Name) else None
                if isinstance(value, torch.Tensor) and isinstance(target.ctx, ast.Store):
                    facts[target.id, node.lineno] = {fact: read(value) for fact, read in FACTS.items()}
                    facts[target.id, node.lineno]["words"] = {
                        n: v for n, v in names.items() if type(v) is int
                    }
    finally:
        del sys.modules["somewhere"]
        torch.set_grad_enabled(True)
    return facts


@pytest.fixture(scope="session")
def check(trace: Callable[[str], Traced]) -> Callable[[str], Traced]:
    """Trace a text and hold all that is stated against real runs, one for each way of `somewhere.flag`."""

    def run(text: str) -> Traced:
        text = textwrap.dedent(text).lstrip()
        traced = trace(text)
        assert not traced.failures()
        for flag in (True, False) if "flag" in text else (True,):
            for (name, line), facts in really(text, flag).items():
                value = traced.fact(name, line).value if traced.knows(name) else TensorFact()
                words = facts.pop("words")
                for fact, true in facts.items():
                    stated = getattr(value, fact)
                    if isinstance(stated, tuple) and len(stated) == len(true):
                        said = [eval(a, {}, words) if isinstance(a, str) else a for a in stated]
                        agrees = all(a is None or a == b for a, b in zip(said, true))
                    else:
                        agrees = stated is None or stated == true
                    assert agrees, f"{name} in line {line}: {fact} stated {stated}, with {flag} it is {true}"
        return traced

    return run
