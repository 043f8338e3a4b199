"""Not one system call with an effect: each attack beside a benign file, in a tracer that strace watches."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shapewise.host import lifecycle
from shapewise.host.process import TracerProcess
from shapewise.repair import repair

from .test_hostile import ATTACKS, QUIET, Trap

STRACE = shutil.which("strace")
BENIGN = """
import pandas as pd
import torch
from torch import nn

table = pd.DataFrame({"a": [1.0, 2.0]})["a"].values
before = torch.zeros(2, 3)
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Dropout())
after = model(before).softmax(dim=-1).sum(dim=0)
"""
WATCHED = "%file,%network,%process,%desc"
EFFECTS = re.compile(
    r"^(execve|execveat|fork|vfork|clone3?|kill|tkill|ptrace|socket|socketpair|connect|bind|listen|accept4?|send\w*|"
    r"creat|unlink\w*|rename\w*|mkdir\w*|rmdir|mknod\w*|f?chmod\w*|l?f?chown\w*|link\w*|symlink\w*|truncate|ftruncate|"
    r"utime\w*|f?setxattr|mount|umount2|memfd_create|io_uring_setup|inotify\w*|open|openat2?|write\w*|pwrite\w*)\("
)
_LINE = re.compile(r"^\d+\s+(?P<call>\w+\(.*?)\s*(= .*|<unfinished \.\.\.>)?$")
_READABLE = sorted({sys.prefix, sys.base_prefix, *sysconfig.get_paths().values(), *filter(None, sys.path)})
OURS = str(Path(lifecycle.__file__).resolve().parents[1])
WRITES = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(STRACE is None, reason="strace is not installed"),
]


def effect(line: str) -> str | None:
    """The effect on the world that one line of strace tells of, numbers left out; None for none.

    Reading what Python itself is made of is none (torch imports parts of itself on first use), nor
    are threads, nor the words of the protocol (pipes).
    """
    found = _LINE.match(line)
    if found is None or not EFFECTS.match(found["call"]):
        return None
    call, result = found["call"], found[2] or ""
    name = call.split("(")[0]
    if name.startswith("clone"):
        return None if "CLONE_THREAD" in call else name
    if name.startswith(("write", "pwrite")):
        return None if re.match(r"\w+\(\d+<(pipe|/dev/null)", call) else re.sub(r"\(.*", "", call)
    path = re.search(r'"([^"]*)"', call)
    if name in ("open", "openat", "openat2"):
        at = path[1] if path else ""
        own = at.startswith((*_READABLE, OURS, "/proc/self/", "/sys/", "/lib", "/usr/lib", "/etc/ld.so"))
        if not WRITES.search(call) and (own or "ENOENT" in result):
            return None
    return re.sub(r"\d+", "N", f"{name} {path[1] if path else call}")


class Watched:
    """A tracer under strace, and what it did since it was last asked."""

    def __init__(self, folder: Path) -> None:
        assert STRACE is not None
        self.report = folder / "strace"
        self.loop = asyncio.new_event_loop()
        command = [STRACE, "-f", "-y", "-qq", "-s", "200", "-e", f"trace={WATCHED}", "-o", str(self.report)]
        self.tracer = TracerProcess(
            command=[*command, sys.executable, "-I", "-u", str(lifecycle._MAIN)], limit=60, start_limit=300
        )
        self.read = 0

    def start(self) -> None:
        self.loop.run_until_complete(self.tracer.start())
        self.effects()

    def effects(self) -> set[str]:
        time.sleep(0.05)  # strace writes a little later
        with open(self.report, encoding="utf-8", errors="replace") as file:
            file.seek(self.read)
            lines = file.read().splitlines()
            self.read = file.tell()
        return {found for line in lines if (found := effect(line)) is not None}

    def of(self, path: Path) -> set[str]:
        """What a trace of this file does to the world."""
        self.effects()
        self.loop.run_until_complete(self.tracer.trace(str(path), repair(path.read_text(encoding="utf-8"))))
        return self.effects()

    def close(self) -> None:
        self.tracer.kill()
        self.loop.run_until_complete(self.tracer.close())
        self.loop.close()


def _may_watch() -> bool:
    done = subprocess.run([str(STRACE), "-qq", "-o", os.devnull, "true"], capture_output=True, check=False)
    return done.returncode == 0


@pytest.fixture(scope="module")
def trap(tmp_path_factory) -> Iterator[Trap]:
    trap = Trap(tmp_path_factory.mktemp("effects"))
    yield trap
    trap.server.close()


@pytest.fixture(scope="module")
def watched(trap, tmp_path_factory) -> Iterator[Watched]:
    if not _may_watch():
        pytest.skip("strace may not watch processes here")
    patch = pytest.MonkeyPatch()
    evil = str(trap.folder)
    for name in ("PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX"):
        patch.setenv(name, evil)
    patch.setenv("PYTHONBREAKPOINT", "evil.run")
    patch.setenv("PYTHONINSPECT", "1")
    patch.chdir(trap.folder)
    watched = Watched(tmp_path_factory.mktemp("report"))
    try:
        watched.start()
        yield watched
    finally:
        watched.close()
        patch.undo()


@pytest.fixture(scope="module")
def benign(watched, trap) -> set[str]:
    path = trap.folder / "benign.py"
    path.write_text(BENIGN)
    return watched.of(path) | watched.of(path)


def test_the_watch_sees_what_happens(tmp_path):
    if not _may_watch():
        pytest.skip("strace may not watch processes here")
    report, marker = tmp_path / "report", tmp_path / "marker"
    code = f"import os, socket; open({str(marker)!r}, 'w'); os.system('true'); socket.socket(); open('/etc/passwd')"
    command = [str(STRACE), "-f", "-y", "-qq", "-e", f"trace={WATCHED}", "-o", str(report)]
    subprocess.run([*command, sys.executable, "-I", "-c", code], check=True)
    seen = {found for line in report.read_text().splitlines() if (found := effect(line)) is not None}
    assert any(str(marker)[-6:] in one for one in seen)
    assert {one.split()[0] for one in seen} >= {"execve", "openat", "socket"}
    assert any("passwd" in one for one in seen)


@pytest.mark.parametrize("path", [*ATTACKS, *QUIET], ids=lambda path: path.stem)
def test_an_attack_has_no_effect_that_a_benign_file_has_not(path, trap, watched, benign):
    assert watched.of(trap.set(path)) <= benign
    assert not trap.sprung()


def test_there_are_enough_of_them():
    assert len(ATTACKS) + len(QUIET) >= 80
