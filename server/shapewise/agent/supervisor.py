"""Speaks with the host, and starts, limits and ends the process that runs the user's code.

The worker has a session of its own, so that all of it can be killed: when the host says so, when the
host is gone (this stdin ends, or nothing is heard of it for long), when time or memory run out. It
imports no torch, so it is quick to answer and quick to end.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import time
from types import FrameType
from typing import Any

from .framing import Damaged, Frames, framed

READY = b"shapewise-agent 1"
"""The line behind which all is messages."""

_SILENCE = 60.0
"""Seconds without a word of the host after which it counts as gone; it sends a `ping` every few."""
_ALIVE = 2.0
"""Seconds between two signs of life."""
_GRACE = 10.0
"""Seconds in which a worker that was asked to stop may tell what it saw."""
_TICK = 0.25
_TAIL = 16_000
"""Bytes of what the user's code printed that are told."""

_WORKER = """
import os, sys
folder, number = sys.argv[1:]
sys.path[0] = os.path.join(folder, "code")
from shapewise_agent.worker import main
sys.path[0] = os.path.join(folder, "files")
main(int(number))
"""


class Supervisor:
    """One worker, from its start to its end."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.input = os.dup(0)
        self.output = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(2, 1)  # whatever is printed from here on is no message
        self.frames = Frames()
        self.printed = bytearray()
        self.printed_bytes = 0
        self.said = 0
        """Messages so far: each has its number, so that a lost one is missed."""
        self.alive_at = self.heard = time.monotonic()
        self.deadline: float | None = None
        self.memory: int | None = None
        self.reason: str | None = None
        """Why the worker was asked to stop."""
        self.kill_at: float | None = None
        self.is_over = False

    def say(self, message: dict[str, Any]) -> None:
        """Write a message. Raises OSError if nobody reads any more."""
        data = framed({**message, "n": self.said})
        self.said += 1
        while data:
            data = data[os.write(self.output, data) :]

    # ------------------------------------------------------------ the worker

    def start(self) -> None:
        """Start it. It begins to import torch at once."""
        told, tell = os.pipe()
        self.told = told
        self.worker = subprocess.Popen(
            [sys.executable or "python3", "-u", "-c", _WORKER, self.folder, str(tell)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(tell,),
            start_new_session=True,
            cwd=os.path.join(self.folder, "files"),
        )
        os.close(tell)
        self.from_worker = Frames()

    def kill(self) -> None:
        """End the worker and all that it started."""
        for _ in range(2):  # one that was just being started is caught the second time
            try:
                os.killpg(self.worker.pid, signal.SIGKILL)
            except OSError:
                break
        self.worker.wait()

    def ask_to_stop(self, reason: str) -> None:
        """Have the worker tell what it has seen so far, and end."""
        if self.reason is None:
            self.reason = reason
            self.kill_at = time.monotonic() + _GRACE
            self._tell_worker({"stop": reason})

    def _tell_worker(self, message: dict[str, Any]) -> None:
        assert self.worker.stdin is not None
        try:
            self.worker.stdin.write(framed(message))
            self.worker.stdin.flush()
        except OSError:
            pass  # it has ended, which is seen elsewhere

    # ------------------------------------------------------------ the loop

    def serve(self) -> int:
        """Until the worker has ended, or the host is gone."""
        assert self.worker.stdout is not None
        printed = self.worker.stdout.fileno()
        readers = [self.input, self.told, printed]
        while not self.is_over:
            ready, _, _ = select.select(readers, [], [], _TICK)
            if self.input in ready and not self._hear():
                return 0  # the host is gone: `main` kills
            if printed in ready and not self._collect(printed):
                readers.remove(printed)
            if self.told in ready and not self._forward():
                readers.remove(self.told)
            if not self.is_over and self.worker.poll() is not None:
                # what it wrote last may have come since the question above
                if not select.select([one for one in readers if one != self.input], [], [], 0)[0]:
                    self._died()
            self._watch()
        return 0

    def _hear(self) -> bool:
        data = os.read(self.input, 1 << 16)
        self.heard = time.monotonic()
        for message in self.frames.feed(data):
            if "run" in message:
                limits = message["run"].get("limits", {})
                self.deadline = time.monotonic() + float(limits.get("seconds", 600))
                self.memory = limits.get("memory")
                self._tell_worker(message)
            elif "stop" in message:
                self.ask_to_stop(str(message["stop"]))
        return bool(data)

    def _collect(self, printed: int) -> bool:
        data = os.read(printed, 1 << 16)
        self.printed += data
        self.printed_bytes += len(data)
        del self.printed[:-_TAIL]
        return bool(data)

    def _collect_rest(self) -> None:
        assert self.worker.stdout is not None
        printed = self.worker.stdout.fileno()
        while select.select([printed], [], [], 0)[0] and self._collect(printed):
            pass

    def _forward(self) -> bool:
        data = os.read(self.told, 1 << 16)
        for message in self.from_worker.feed(data):
            if "done" in message:
                message["done"]["stopped"] = self.reason or message["done"].get("stopped")
                self._collect_rest()
                message["done"]["printed"] = self._tail()
                message["done"]["printed_bytes"] = self.printed_bytes
                self.is_over = True
            elif "failed" in message:
                self.is_over = True
            self.say(message)
        return bool(data)

    def _died(self) -> None:
        code = self.worker.returncode
        try:
            how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        except ValueError:
            how = f"signal {-code}"
        self._collect_rest()
        self.say({"died": how, "stopped": self.reason, "printed": self._tail()})
        self.is_over = True

    def _tail(self) -> str:
        return bytes(self.printed).decode("utf-8", "replace")

    def _watch(self) -> None:
        now = time.monotonic()
        if now > self.alive_at + _ALIVE:
            self.alive_at = now
            self.say({"alive": True})
        if now > self.heard + _SILENCE:
            self.is_over = True
        if self.deadline is not None and now > self.deadline:
            self.ask_to_stop("its time was over")
        if self.memory is not None and self.reason is None:
            used = _resident(self.worker.pid)
            if used > self.memory:
                self.ask_to_stop(
                    f"it used {used / 1e9:.1f} GB, more than its limit of {self.memory / 1e9:.1f} GB"
                )
        if self.kill_at is not None and now > self.kill_at and self.worker.poll() is None:
            self.kill()


def _resident(group: int) -> int:
    """Bytes of memory that a session's processes hold; 0 where that cannot be asked (no /proc)."""
    total = 0
    try:
        numbers = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return 0
    for number in numbers:
        try:
            with open(f"/proc/{number}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
            if int(fields[3]) == group:  # of the words behind the name the fourth is the session
                total += int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, IndexError):
            continue
    return total


def main(folder: str) -> int:
    """Serve one host. `folder` is made for this, and removed at the end."""
    supervisor = Supervisor(folder)

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(0)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, end)
    try:
        os.makedirs(os.path.join(folder, "files"), exist_ok=True)
        os.write(supervisor.output, b"\n" + READY + b"\n")
        supervisor.start()
        try:
            return supervisor.serve()
        finally:
            supervisor.kill()
    except (Damaged, OSError):
        return 1  # the host is gone, or what it says cannot be read: it sees that this has ended
    finally:
        shutil.rmtree(folder, ignore_errors=True)
