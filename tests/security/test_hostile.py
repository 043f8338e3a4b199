"""Opening a file is safe, whatever is in it: none of these leaves a trace of its own."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from shapewise.host.errors import TracerError
from shapewise.host.process import TracerProcess
from shapewise.queries.facts import facts_of
from shapewise.repair import repair
from shapewise.vocabulary.events import Log
from shapewise.vocabulary.facts import TensorFact

INPUTS = Path(__file__).parent / "inputs"
ATTACKS = sorted(INPUTS.glob("*.py"))
QUIET = sorted((INPUTS / "quiet").glob("*.py"))
BOMBS = sorted((INPUTS / "bombs").glob("*.py"))
LIMIT = 20.0
SECRET = "s" * 41

NEIGHBOURS = (
    "evil.py",
    "torch.py",
    "sitecustomize.py",
    "usercustomize.py",
    "numpy.py",
    "hubconf.py",
    "math.py",
    "einops.py",
    "torchvision.py",
    "transformers.py",
)
FAR_FROM_THE_FILE = {
    "torch_ops_library",  # needs more than a Python to succeed
    "unwritten_layer",  # half typed: no Python runs it
}

# bombs that still cost the process, and so the facts of their own file
FATAL: set[str] = set()

pytestmark = pytest.mark.slow


class Trap:
    """A folder with hostile neighbours, a marker that must not appear, a port that nobody may call."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.marker = folder / "marker"
        self.called: list[object] = []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()
        for name in NEIGHBOURS:
            (folder / name).write_text(
                f"open({str(self.marker)!r}, 'w')\ndef run(): pass\ndef entry(): pass\n"
            )

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            self.called.append(connection)
            connection.close()

    def set(self, path: Path) -> Path:
        text = path.read_text(encoding="utf-8")
        for name, value in (("@MARKER@", self.marker), ("@FOLDER@", self.folder), ("@PORT@", self.port)):
            text = text.replace(name, str(value))
        text = re.sub(r"^# (\d+) times: (.*)$", _repeated, text, flags=re.MULTILINE)
        target = self.folder / f"opened_{path.name}"
        target.write_text(text, encoding="utf-8")
        return target

    def sprung(self) -> list[str]:
        """What happened that must not; forgets it."""
        found = ["the marker was written"] if self.marker.exists() else []
        found += ["a connection was made"] if self.called else []
        self.marker.unlink(missing_ok=True)
        self.called.clear()
        return found


def _repeated(line: re.Match[str]) -> str:
    return "\n".join(line[2].replace("@N@", str(number)) for number in range(int(line[1])))


def resources(pid: int) -> tuple[list[str], list[str]]:
    """Children and sockets of a process (Linux only)."""
    process = Path(f"/proc/{pid}")
    children: list[str] = []
    sockets: list[str] = []
    for task in process.glob("task/*/children"):
        children += task.read_text().split()
    for descriptor in process.glob("fd/*"):
        try:
            target = os.readlink(descriptor)
        except OSError:
            continue
        if target.startswith("socket:"):
            sockets.append(target)
    return sorted(children), sorted(sockets)


def pid_of(tracer: TracerProcess) -> int:
    return next(value.pid for value in vars(tracer).values() if isinstance(value, asyncio.subprocess.Process))


def shape_of(log: Log, name: str) -> list[tuple[object, ...] | None]:
    facts = [fact for fact in facts_of(log) if fact.name == name and fact.kind == "binding"]
    return [fact.value.shape for fact in facts if isinstance(fact.value, TensorFact)]


@pytest.fixture(scope="module")
def trap(tmp_path_factory):
    trap = Trap(tmp_path_factory.mktemp("hostile"))
    yield trap
    trap.server.close()


@pytest.fixture(scope="module")
def loop():
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


@pytest.fixture(scope="module")
def tracer(loop, trap):
    os.environ["SHAPEWISE_SECRET"] = SECRET
    before = os.getcwd()
    os.chdir(trap.folder)  # where a careless tracer would pick up modules from
    tracer = TracerProcess(sys.executable, limit=LIMIT)
    try:
        loop.run_until_complete(tracer.start())
        yield tracer
    finally:
        os.chdir(before)
        os.environ.pop("SHAPEWISE_SECRET", None)
        loop.run_until_complete(tracer.close())


@pytest.mark.parametrize("path", [*ATTACKS, *QUIET], ids=lambda path: path.stem)
def test_an_attack_does_nothing(path, trap, tracer, loop):
    target = trap.set(path)
    loop.run_until_complete(tracer.start())
    before = resources(pid_of(tracer))
    log = loop.run_until_complete(tracer.trace(str(target), repair(target.read_text(encoding="utf-8"))))
    time.sleep(0.05)
    assert not trap.sprung()
    assert resources(pid_of(tracer)) == before, "the process has other children or sockets than before"
    assert SECRET not in repr(log) and str(len(SECRET)) not in repr(shape_of(log, "leak"))
    assert shape_of(log, "before") == [(2, 3)]
    assert shape_of(log, "after") == [(3,)], log.notes


@pytest.mark.parametrize("path", BOMBS, ids=lambda path: path.stem)
def test_a_bomb_costs_no_more_than_its_time(path, trap, tracer, loop):
    target = trap.set(path)
    loop.run_until_complete(tracer.start())
    began = time.perf_counter()
    log = None
    try:
        log = loop.run_until_complete(tracer.trace(str(target), repair(target.read_text(encoding="utf-8"))))
    except TracerError as error:
        if path.stem not in FATAL:
            pytest.fail(f"the trace ended without facts after {time.perf_counter() - began:.1f} s: {error}")
    assert time.perf_counter() - began < 3 * LIMIT, "nothing has ended it"
    if log is not None:
        assert shape_of(log, "before") == [(2, 3)]


def test_the_next_file_is_traced_as_if_nothing_had_been(trap, tracer, loop):
    text = "import torch\nx = torch.zeros(2, 3)\ny = x + 1\n"
    log = loop.run_until_complete(tracer.trace(str(trap.folder / "x.py"), repair(text)))
    assert shape_of(log, "y") == [(2, 3)]
    assert not trap.sprung()


def test_the_attacks_are_no_paper_tigers(tmp_path):
    """Run for real, each leaves its marker; so that it is the tracer that makes them harmless."""
    if not hasattr(os, "fork"):
        pytest.skip("needs os.fork")
    trap = Trap(tmp_path)
    for name in NEIGHBOURS:
        if name != "evil.py" and name != "hubconf.py":
            (tmp_path / name).unlink()
    runner = (
        "import os, runpy, signal, sys, time, torch, numpy\n"
        "sys.path.insert(0, os.getcwd())\n"
        "for path in sys.argv[1:]:\n"
        "    child = os.fork()\n"
        "    if not child:\n"
        "        os.setsid()\n"
        "        os.dup2(os.open(os.devnull, os.O_RDWR), 1); os.dup2(1, 2)\n"
        "        try: runpy.run_path(path, run_name='__main__')\n"
        "        except BaseException: pass\n"
        "        import gc; gc.collect(); os._exit(0)\n"
        "    until = time.monotonic() + 40\n"
        "    while not os.waitpid(child, os.WNOHANG)[0]:\n"
        "        if os.path.exists('marker') or time.monotonic() > until:\n"
        "            os.killpg(child, signal.SIGKILL); os.waitpid(child, 0); break\n"
        "        time.sleep(0.01)\n"
        "    time.sleep(0.02)\n"
        "    print(path, os.path.exists('marker'), flush=True)\n"
        "    if os.path.exists('marker'): os.unlink('marker')\n"
    )
    targets = [str(trap.set(path)) for path in ATTACKS]
    environment = {**os.environ, "SHAPEWISE_SECRET": SECRET, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", runner, *targets],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    tame = [
        Path(line.split()[0]).stem.removeprefix("opened_")
        for line in done.stdout.splitlines()
        if "False" in line
    ]
    shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
    trap.server.close()
    assert set(tame) <= FAR_FROM_THE_FILE
    assert len(done.stdout.splitlines()) == len(ATTACKS)
