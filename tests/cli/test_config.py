"""Which settings hold, and whose torch decides."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from shapewise.commands.interpreter import TRUST, interpreter_for
from shapewise.config import Config, ConfigError, Configs, config_for


def program(path: Path) -> str:
    """A file that could be a Python."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_nearest_table_holds(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.shapewise]\nselect = ["a"]\ninterpreter = "env/bin/python"\n'
    )
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\n")
    config = config_for(inner)
    assert config == Config(tmp_path, ("a",), (), (), str(tmp_path / "env/bin/python"))
    assert Configs().of(inner / "model.py") == config


def test_a_wrong_table_stays_wrong(tmp_path: Path) -> None:
    for folder, text in (("a", "[tool]\nshapewise = 3\n"), ("b", "tool = 3\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "pyproject.toml").write_text(text)
        configs = Configs()
        for _ in range(2):
            with pytest.raises(ConfigError, match="not a table"):
                configs.of(tmp_path / folder / "a.py")


def test_the_interpreter_that_is_named_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRUST, "1")
    named = program(tmp_path / "env" / "bin" / "python")
    config = Config(interpreter=program(tmp_path / "other"))
    assert interpreter_for(tmp_path / "a.py", named, config) == named
    assert interpreter_for(tmp_path / "a.py", str(tmp_path / "env"), config) == named
    assert interpreter_for(tmp_path / "a.py", None, config) == config.interpreter


def test_a_folder_starts_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TRUST, raising=False)
    inside = program(tmp_path / ".venv" / "bin" / "python")
    with pytest.raises(ConfigError, match="not started because a folder says so"):
        interpreter_for(tmp_path / "a.py", None, Config(root=tmp_path, interpreter=inside))
    assert interpreter_for(tmp_path / "a.py", inside, Config(root=tmp_path, interpreter=inside)) == inside
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert interpreter_for(tmp_path / "a.py", None, Config()) != inside


def test_this_python_is_taken_if_it_has_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRUST, "1")
    beside = program(tmp_path / ".venv" / "bin" / "python")
    path = tmp_path / "sub" / "a.py"
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    assert interpreter_for(path, None, Config()) == sys.executable
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert interpreter_for(path, None, Config()) == beside


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    link = tmp_path / "env" / "bin" / "python"
    link.parent.mkdir(parents=True)
    link.symlink_to(sys.executable)
    assert interpreter_for(tmp_path / "a.py", str(tmp_path / "env"), Config()) == str(link)


def test_a_python_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").touch(0o755)
    monkeypatch.chdir(tmp_path)
    assert interpreter_for(tmp_path / "a.py", "./mine", Config()) == str(tmp_path / "mine")
    with pytest.raises(ConfigError, match="no Python interpreter at mine"):
        interpreter_for(tmp_path / "a.py", "mine", Config())


def test_a_command_is_no_folder_that_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "mypython" / "bin" / "python")
    on_path = program(tmp_path / "bin" / "mypython")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.chdir(tmp_path)
    assert interpreter_for(tmp_path / "a.py", "mypython", Config()) == on_path


def test_no_python_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setitem(os.environ, "PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="no Python was found"):
        interpreter_for(tmp_path / "a.py", None, Config())
    with pytest.raises(ConfigError, match="no Python interpreter at gone"):
        interpreter_for(tmp_path / "a.py", "gone", Config())
