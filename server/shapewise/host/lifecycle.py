"""The life of a tracer's process: found, started, greeted, heard on stderr, ended and started again."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeVar

from ..vocabulary import wire
from .ending import ended_by
from .environment import environment
from .errors import CannotStart, TracerError
from .interpreter import ADVICE, locate, probe
from .stream import LONGEST_LINE, past_magic, read_message

Alive = TypeVar("Alive", bound="Lifecycle")
log = logging.getLogger(__name__)

START_SECONDS = 120.0
"""How long torch may take to be imported: cold disks and network homes are slow."""

_MAIN = Path(__file__).resolve().parent.parent / "trace" / "__main__.py"
_SECONDS_BEFORE_ANOTHER_START = 5.0
_STARTS = 3
"""How often a start is tried that is ended from outside, as by a machine that is short of memory."""
_FROM_OUTSIDE = (-signal.SIGTERM, -9)  # Windows knows no SIGKILL
POLITE = 5
"""The niceness of a tracer that works beside somebody who types."""


class _EndedFromOutside(CannotStart):
    """The process would have started if it had been left alone."""


class State(Enum):
    """Where the tracer's process is in its life."""

    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Hello:
    """What a tracer says of itself once torch is there. `path`: where its Python looks for packages."""

    python: str
    torch: str
    path: tuple[str, ...] = ()


class Lifecycle:
    """One process at a time, and none while nobody needs it. Belongs to the event loop of its first use."""

    def __init__(
        self,
        python: str | None = None,
        *,
        command: Sequence[str] | None = None,
        start_limit: float = START_SECONDS,
        on_change: Callable[[], None] | None = None,
        niceness: int | None = POLITE,
    ) -> None:
        """Nothing is started yet.

        `python` is an interpreter, None for the one that runs this. `command` stands in for the
        whole command line. `start_limit` is in seconds. `on_change` is called whenever `state` has changed.
        `niceness` is the process's, None for that of whoever starts it.
        """
        self.start_limit = start_limit
        self.niceness = niceness
        self.hello: Hello | None = None
        self.problem: TracerError | None = None
        """Why the state is FAILED."""
        self.stderr: deque[str] = deque(maxlen=50)
        self._python = python
        self._command = command
        self._on_change = on_change
        self._probed: str | None = None
        self._state = State.STOPPED
        self._process: asyncio.subprocess.Process | None = None
        self._drain: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        """Held while the process is started or asked: one at a time."""
        self._failed_at = 0.0

    async def __aenter__(self: Alive) -> Alive:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def python(self) -> str:
        """The interpreter, as far as it can be named."""
        try:
            return self._command[0] if self._command else locate(self._python)
        except CannotStart:
            return str(self._python)

    @property
    def state(self) -> State:
        """Where the process is in its life."""
        return self._state

    @property
    def pid(self) -> int | None:
        """The running process, if there is one."""
        return self._process.pid if self._is_running() and self._process else None

    async def start(self) -> Hello:
        """Have a running tracer. Raises CannotStart."""
        async with self._lock:
            return await self._ready()

    async def close(self) -> None:
        """End the process, gently if it is idle."""
        process = self._process
        if process is not None and self._is_running() and not self._lock.locked():
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                assert process.stdin is not None
                process.stdin.write(wire.frame_message({"exit": True}))
                process.stdin.close()
                await asyncio.wait_for(process.wait(), 1.0)
        await self._end()
        self._become(State.STOPPED)

    def kill(self) -> None:
        """End the process at once, from wherever."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    # ------------------------------------------------------------ start and end

    def _is_running(self) -> bool:
        return self._state is State.READY and self._process is not None and self._process.returncode is None

    async def _ready(self) -> Hello:
        """A running tracer's hello. A failed start is not repeated at every keystroke."""
        if self._is_running() and self.hello is not None:
            return self.hello
        now = asyncio.get_running_loop().time()
        if self._state is State.FAILED and now < self._failed_at + _SECONDS_BEFORE_ANOTHER_START:
            assert self.problem is not None
            raise self.problem
        await self._end()
        self._become(State.STARTING)
        try:
            hello = await self._started()
        except CannotStart as error:
            await self._end()
            self.problem, self._probed = error, None
            self._failed_at = asyncio.get_running_loop().time()
            self._become(State.FAILED)
            raise
        except BaseException:
            self.kill()
            self._state = State.STOPPED  # cancelled: everything ends, and nobody listens any more
            raise
        self.hello, self.problem = hello, None
        self._become(State.READY)
        return hello

    async def _started(self) -> Hello:
        for _ in range(_STARTS - 1):
            with contextlib.suppress(_EndedFromOutside):
                return await self._start()
        return await self._start()

    async def _start(self) -> Hello:
        if self._command is not None:
            command, who = list(self._command), self._command[0]
        else:
            if self._probed is None:
                self._probed = (await probe(self._python)).path
            who = self._probed
            command = [who, "-I", "-u", str(_MAIN)]
        self.stderr.clear()
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=LONGEST_LINE,
                cwd=_MAIN.parent.parent,
                env=environment(),
            )
        except OSError as error:
            raise CannotStart(f"{who} cannot be run: {error.strerror or error}. {ADVICE}") from None
        self._process = process
        self._drain = asyncio.create_task(self._until_its_end(process))
        if self.niceness is not None and hasattr(os, "setpriority"):
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, process.pid, self.niceness)
        try:
            return await asyncio.wait_for(self._greeting(process, who), self.start_limit)
        except asyncio.TimeoutError:
            raise CannotStart(
                f"torch was not ready under {who} after {self.start_limit:g} seconds. {ADVICE}"
            ) from None
        except (EOFError, OSError):
            how = await self._end()
            last = f": {self.stderr[-1]}" if self.stderr else ""
            kind = _EndedFromOutside if process.returncode in _FROM_OUTSIDE else CannotStart
            raise kind(f"The tracer could not start under {who} ({how}){last}") from None
        except ValueError as error:
            raise CannotStart(
                f"The tracer under {who} does not speak as this shapewise does ({error})."
            ) from None

    async def _greeting(self, process: asyncio.subprocess.Process, who: str) -> Hello:
        assert process.stdout is not None
        await past_magic(process.stdout)
        message = await read_message(process.stdout)
        if "failed" in message:
            raise CannotStart(_why_not(str(message["failed"]), who))
        hello = message.get("hello")
        if not isinstance(hello, dict) or hello.get("protocol") != wire.PROTOCOL:
            raise ValueError("another protocol")
        folders = [folder for folder in hello.get("path", ()) if isinstance(folder, str)]
        return Hello(str(hello.get("python")), str(hello.get("torch")), tuple(folders))

    async def _end(self) -> str:
        """Kill what is left of the process. How it ended, in a few words."""
        process, self._process = self._process, None
        if process is None:
            return "it was not running"
        # One that closed its stdout is about to end by itself, and its own exit code says more.
        with contextlib.suppress(asyncio.TimeoutError):
            if process.returncode is None and process.stdout is not None and process.stdout.at_eof():
                await asyncio.wait_for(process.wait(), 1.0)
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if self._drain is not None:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._drain, 1.0)
            self._drain = None
        if self._state is State.READY:
            self._become(State.STOPPED)
        return ended_by(process.returncode or 0)

    async def _until_its_end(self, process: asyncio.subprocess.Process) -> None:
        """Keep what it says on stderr. If the event loop ends first, so does the process: asyncio complains otherwise."""
        try:
            await self._keep_stderr(process)
        except asyncio.CancelledError:
            self.kill()
            await process.wait()
            raise

    async def _keep_stderr(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        rest = ""
        while chunk := await process.stderr.read(1 << 16):
            *lines, rest = (rest + chunk.decode(errors="replace")).split("\n")
            for line in filter(None, map(str.strip, lines)):
                self.stderr.append(line)
                log.debug("tracer: %s", line)
            rest = rest[-LONGEST_LINE:]
        if rest.strip():
            self.stderr.append(rest.strip())

    def _become(self, state: State) -> None:
        if state is not self._state:
            self._state = state
            if self._on_change is not None:
                self._on_change()


def _why_not(sentence: str, who: str) -> str:
    """A tracer's own sentence, with the interpreter that it is about."""
    if "torch" in sentence and "no torch" in sentence.lower():
        return f"This Python has no torch: {who}. Install it there (pip install torch), or name another Python (shapewise.interpreter, --interpreter)."
    return sentence if who in sentence else f"{sentence.rstrip('.')} ({who})."
