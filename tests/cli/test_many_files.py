"""Many files: several tracers, and what is remembered from one run to the next."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from shapewise.commands import lanes, session

BAD = "y = x.view(6, 4)\n"


@pytest.fixture
def traced(run, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that a tracer was asked for."""
    paths: list[str] = []
    stub = session.TracerProcess
    original = stub.trace

    async def trace(self, path, repaired):
        paths.append(os.path.basename(path))
        return await original(self, path, repaired)

    monkeypatch.setattr(stub, "trace", trace)
    return paths


def written(count: int) -> None:
    Path("pyproject.toml").write_text("")
    for number in range(count):
        Path(f"part{number:02}.py").write_text(BAD if number % 3 == 0 else "y = x\n")


def found(result) -> list[tuple[str, str]]:
    return [(finding["file"], finding["rule"]) for finding in json.loads(result.stdout)]


def test_files_come_out_in_order_from_several_tracers(run, traced, monkeypatch):
    monkeypatch.setattr(lanes, "cores", lambda: 4)
    written(20)
    several = run("check", "--no-cache", "--output-format", "json")
    assert len(set(traced)) == 20
    monkeypatch.setattr(lanes, "cores", lambda: 1)
    one = run("check", "--no-cache", "--output-format", "json")
    assert several.stdout == one.stdout and several.exit_code == one.exit_code == 1


def test_what_has_not_changed_is_remembered(run, traced):
    written(6)
    first = run("check", "--output-format", "json")
    traced.clear()
    assert run("check", "--output-format", "json").stdout == first.stdout
    assert traced == []
    Path("part01.py").write_text(BAD)
    again = run("check", "--output-format", "json")
    assert set(traced) == {"part01.py"} and len(found(again)) == len(found(first)) + 1


@pytest.mark.parametrize(
    "change",
    [
        lambda: Path("more.py").write_text("y = x\n"),
        lambda: Path("pyproject.toml").write_text('[tool.shapewise]\nignore = ["view-on-noncontiguous"]\n'),
    ],
)
def test_what_else_decides_is_asked_again(run, traced, change):
    written(3)
    run("check", "--output-format", "json")
    traced.clear()
    change()
    run("check", "--output-format", "json")
    assert {"part00.py", "part01.py", "part02.py"} <= set(traced)


def test_another_choice_of_rules_is_another_answer(run, traced):
    written(3)
    assert found(run("check", "--output-format", "json"))
    assert not found(run("check", "--output-format", "json", "--ignore", "view-on-noncontiguous"))


def test_a_spoilt_entry_is_none(run, traced, tmp_path):
    written(2)
    first = run("check", "--output-format", "json")
    for entry in (tmp_path.parent / f"{tmp_path.name}-kept").rglob("*.json"):
        entry.write_text("[1")
    traced.clear()
    assert run("check", "--output-format", "json").stdout == first.stdout
    assert len(set(traced)) == 2


def test_what_a_tracer_could_not_say_is_not_remembered(run, traced):
    Path("a.py").write_text("UNTRACEABLE\n")
    assert run("check").exit_code == 2
    assert run("check").exit_code == 2
    assert traced == ["a.py", "a.py"]
