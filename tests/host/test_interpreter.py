"""The user's Python: found by what people write, and refused with a sentence that helps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from shapewise.host.errors import CannotStart
from shapewise.host.interpreter import locate, probe
from shapewise.host.process import TracerProcess

posix = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")


def program(path: Path, body: str) -> str:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> Path:
    """An environment without any package."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return folder


async def test_the_python_that_runs_this():
    found = await probe(None)
    assert found.path == sys.executable
    assert found.version == sys.version_info[:3]


async def test_an_environment_is_found_by_its_folder_and_its_links_are_kept(bare):
    found = await probe(str(bare))
    assert Path(found.path).parent.parent == bare


@posix
async def test_a_command_is_looked_up(tmp_path, monkeypatch):
    program(tmp_path / "mypython", f'exec {sys.executable} "$@"')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert locate("mypython") == str(tmp_path / "mypython")
    assert (await probe("mypython")).version == sys.version_info[:3]


async def test_nothing_there():
    with pytest.raises(CannotStart) as caught:
        await probe("/no/such/python")
    assert str(caught.value) == (
        "There is no Python at /no/such/python. Name your Python (shapewise.interpreter, --interpreter)."
    )


async def test_a_folder_without_a_python(tmp_path):
    with pytest.raises(CannotStart, match="holds no Python"):
        await probe(str(tmp_path))


@posix
async def test_a_file_that_cannot_be_run(tmp_path):
    (tmp_path / "python").write_text("")
    with pytest.raises(CannotStart, match=r"cannot be run: .*\. Name your Python \(shapewise\.interpreter"):
        await probe(str(tmp_path / "python"))


@posix
@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("echo 'shapewise 3.8.10'", r"is Python 3\.8\.10, and shapewise needs 3\.10 or newer"),
        ("echo 'shapewise 2.7.18'", r"is Python 2\.7\.18"),
        ("echo hello", "does not answer as a Python does"),
        ("exit 1", "does not answer as a Python does"),
        ("kill -9 $$", "does not answer as a Python does"),
    ],
)
async def test_what_is_no_python_for_us(tmp_path, body, sentence):
    with pytest.raises(CannotStart, match=sentence):
        await probe(program(tmp_path / "python", body))


@posix
async def test_a_python_that_never_answers(tmp_path, monkeypatch):
    monkeypatch.setattr("shapewise.host.interpreter._PROBE_SECONDS", 0.2)
    with pytest.raises(CannotStart, match="did not answer within"):
        await probe(program(tmp_path / "python", "exec sleep 60"))


async def test_the_real_tracer_under_a_python_without_torch(bare):
    async with TracerProcess(str(bare)) as tracer:
        with pytest.raises(CannotStart) as caught:
            await tracer.start()
    assert str(caught.value).startswith(f"This Python has no torch: {bare}")
    assert "pip install torch" in str(caught.value)
