"""The command line over a tracer that answers at once, without torch."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from shapewise.cli import cli
from shapewise.edits.text import text_map
from shapewise.host.errors import TracerError
from shapewise.repair import Repaired
from shapewise.vocabulary.events import Bound, Event, Failure, Frame, Log, Modes, Op, Tensor, Unknown

MESSAGE = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans"
    " across two contiguous subspaces). Use .reshape(...) instead."
)
BAD = "y = x.view(6, 4)\n"
FIXED = "y = x.reshape(6, 4)\n"


class StubTracer:
    """Says of every `view` that it fails, and of every assignment that it is a tensor."""

    def __init__(self, python: str | None = None, **options: object) -> None:
        self.python = python

    async def trace(self, path: str, repaired: Repaired) -> Log:
        if "UNTRACEABLE" in repaired.text:
            raise TracerError("the trace took too long")
        if "FAULT" in repaired.text:
            raise ZeroDivisionError("a fault of ours")
        places = text_map(repaired.text)
        tensor = Tensor(1, (3, 2, 4), "float32", "cpu", (4, 12, 1), False, False, True, 1, 0, 4)
        events: list[Event] = []
        for node in ast.walk(ast.parse(repaired.text)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "view"
            ):
                failure = Failure("RuntimeError", MESSAGE)
                unknown = Unknown("this fails", tensor=True)
                events.append(Op(0, places.span(node), "view", (tensor,), (), unknown, failure, Modes()))
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                target = node.targets[0]
                events.append(Bound(0, places.span(target), "binding", target.id, tensor, Modes()))
        return Log(path, "3.11.0", "2.13.0", 0.01, (Frame(0, path, "<module>"),), tuple(events))

    async def start(self) -> None: ...

    async def close(self) -> None: ...


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Run the command line in a folder of its own."""
    for kind in ("TracerProcess", "ToTheEnd"):
        monkeypatch.setattr(f"shapewise.commands.session.{kind}", StubTracer)
    monkeypatch.setattr("shapewise.commands.kept.folder", lambda: tmp_path.parent / f"{tmp_path.name}-kept")
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(cli, [str(argument) for argument in arguments])
