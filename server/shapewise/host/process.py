"""The tracer as a process: started, fed, timed, killed and started again."""

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
from typing import Any

from ..repair import Repaired
from ..vocabulary import wire
from ..vocabulary.events import Log
from ..workspace.project import Imports, Project
from .environment import environment
from .errors import CannotStart, SetAside, TooSlow, TracerDied, TracerError
from .interpreter import ADVICE, locate, probe
from .needs import broken_names, module_for
from .stream import BIG_MESSAGE, LONGEST_LINE, past_magic, read_message

log = logging.getLogger(__name__)

PATIENCE = 12.0
"""Seconds that a trace may spend on functions that nobody calls."""
TRACE_SECONDS = 20.0
START_SECONDS = 120.0
"""How long torch may take to be imported: cold disks and network homes are slow."""

_MAIN = Path(__file__).resolve().parent.parent / "trace" / "__main__.py"
_DEATHS_BEFORE_SET_ASIDE = 3
_SECONDS_BEFORE_ANOTHER_START = 5.0
_DOCS_SECONDS = 5.0
_NICENESS = 5
_ENOUGH = 0.6
"""Of the time of a trace: then it is asked to stop, for what is known until there is better than nothing."""


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


class TracerProcess:
    """The tracer under the user's Python. Requests are answered in order, one at a time.

    Belongs to the event loop of its first use. The process is started by the first request, or by
    `start`; it ends with `close`, or when this process ends, because its stdin does.
    """

    def __init__(
        self,
        python: str | None = None,
        *,
        command: Sequence[str] | None = None,
        limit: float = TRACE_SECONDS,
        start_limit: float = START_SECONDS,
        on_change: Callable[[], None] | None = None,
        project: Project | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """Nothing is started yet.

        `python` is an interpreter, None for the one that runs this. `command` stands in for the
        whole command line. `limit` and `start_limit` are seconds. `on_change` is called whenever
        `state` has changed. `project` is where the modules are found that a file imports. `patience` are
        the seconds that a trace may spend on functions that nobody calls.
        """
        self.project = project or Project()
        self.limit = limit
        self.patience = patience
        self.start_limit = start_limit
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
        self._failed_at = 0.0
        self._number = 0
        self._tracing: tuple[int, str] | None = None
        """The request that is under way, and the path that it is about."""
        self._deaths: dict[str, tuple[str, int]] = {}

    async def __aenter__(self) -> TracerProcess:
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

    async def trace(
        self,
        path: str,
        repaired: Repaired,
        called: Sequence[str] = (),
        measure: bool = False,
        card: bool = False,
    ) -> Log:
        """The event log of a text. Raises TracerError; the next call starts a new process if need be.

        `called`: functions of the text for which no inputs need be made up. `measure`: its layers are
        measured. `card`: as on a machine that has a card. Who stops waiting does not
        stop the tracer: the answer is read and dropped.
        """
        how = {"called": list(called), "measure": measure, "card": card}
        exchange = asyncio.ensure_future(self._trace(path, repaired, how))
        exchange.add_done_callback(lambda done: done.cancelled() or done.exception())
        return await asyncio.shield(exchange)

    async def documentation(self, names: Sequence[str]) -> dict[str, Any]:
        """What torch says of its functions, by their names in a log: signature and docstring. None is started for it.

        Raises TracerError.
        """
        async with self._lock:
            process = self._process
            if not self._is_running() or process is None:
                return {}
            assert process.stdin is not None and process.stdout is not None
            self._number += 1
            try:
                process.stdin.write(wire.frame_message({"id": self._number, "docs": list(names)}))
                reply = await asyncio.wait_for(read_message(process.stdout), _DOCS_SECONDS)
            except (asyncio.TimeoutError, EOFError, OSError, ValueError) as error:
                await self._end()
                raise TracerDied(f"The tracer gave no documentation ({type(error).__name__}).") from None
            except asyncio.CancelledError:
                self.kill()
                raise
        docs = reply.get("docs")
        return docs if isinstance(docs, dict) else {}

    def stop(self, path: str) -> None:
        """If that file is being traced, its trace is wanted no more: it ends soon, and its log is cut."""
        if self._tracing is not None and self._tracing[1] == path and self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.write(wire.frame_message({"stop": self._tracing[0]}))

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

    # ------------------------------------------------------------ one request

    async def _trace(self, path: str, repaired: Repaired, how: dict[str, Any]) -> Log:
        text, deaths = self._deaths.get(path, ("", 0))
        if text != repaired.text:
            self._deaths.pop(path, None)
            deaths = 0
        if deaths >= _DEATHS_BEFORE_SET_ASIDE:
            raise SetAside(
                f"{Path(path).name} ended the tracer {deaths} times in a row and is set aside until it changes."
            )
        try:
            reply = await self._request(path, repaired, how)
        except (TracerDied, TooSlow):
            self._deaths[path] = (repaired.text, deaths + 1)
            raise
        self._deaths.pop(path, None)
        return reply

    async def _request(self, path: str, repaired: Repaired, how: dict[str, Any]) -> Log:
        async with self._lock:
            await self._ready()
            process = self._process
            assert process is not None
            self._number += 1
            imports = await asyncio.to_thread(self.project.imports, path, repaired.text)
            request = {
                "id": self._number,
                "trace": {
                    "file": path,
                    "text": repaired.text,
                    "broken": broken_names(repaired.broken),
                    "package": imports.package,
                    "beside": imports.beside,
                    "patience": min(self.patience, self.limit / 4),
                    **how,
                },
            }
            name = Path(path).name
            hurry = asyncio.get_running_loop().call_later(self.limit * _ENOUGH, self.stop, path)
            try:
                reply = await asyncio.wait_for(self._exchange(process, request, imports), self.limit)
            except asyncio.TimeoutError:
                await self._end()
                raise TooSlow(
                    f"The trace of {name} took more than {self.limit:g} seconds and was ended."
                ) from None
            except (EOFError, OSError):
                ending = await self._end()
                log.info("the tracer's last words: %s", " | ".join([*self.stderr][-5:]))
                raise TracerDied(
                    f"The tracer ended while it traced {name} ({ending}); it is started again."
                ) from None
            except ValueError as error:
                await self._end()
                raise TracerDied(
                    f"The tracer answered with what is no answer ({error}); it is started again."
                ) from None
            except asyncio.CancelledError:
                self.kill()
                raise
            finally:
                hurry.cancel()
        if "error" in reply:
            raise TracerError(str(reply["error"]))
        return await self._decoded(reply)

    async def _exchange(
        self, process: asyncio.subprocess.Process, request: dict[str, Any], imports: Imports
    ) -> dict[str, Any]:
        """Ask, and tell what is asked back. Raises EOFError and OSError when the process is gone, ValueError for nonsense."""
        assert process.stdin is not None and process.stdout is not None and self.hello is not None
        process.stdin.write(wire.frame_message(request))
        self._tracing = request["id"], request["trace"]["file"]
        try:
            await process.stdin.drain()
            reply = await read_message(process.stdout)
            while reply.get("id") == request["id"] and "need" in reply:
                answer = await asyncio.to_thread(module_for, reply["need"], imports, self.hello.path)
                process.stdin.write(wire.frame_message({"id": request["id"], "module": answer}))
                await process.stdin.drain()
                reply = await read_message(process.stdout)
        finally:
            self._tracing = None
        if reply.get("id") != request["id"] or not ("log" in reply or "error" in reply):
            raise ValueError("a reply to nothing that was asked")
        return reply

    async def _decoded(self, reply: dict[str, Any]) -> Log:
        form = reply["log"]
        try:
            value = (
                await asyncio.to_thread(wire.decode, form)
                if reply["size"] > BIG_MESSAGE
                else wire.decode(form)
            )
        except ValueError as error:
            raise TracerError(f"The tracer's log cannot be read: {error}.") from None
        if not isinstance(value, Log):
            raise TracerError("The tracer answered with something that is no log.")
        return value

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
            hello = await self._start()
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
        self._drain = asyncio.create_task(self._keep_stderr(process))
        if hasattr(os, "setpriority"):
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, process.pid, _NICENESS)
        try:
            return await asyncio.wait_for(self._greeting(process, who), self.start_limit)
        except asyncio.TimeoutError:
            raise CannotStart(
                f"torch was not ready under {who} after {self.start_limit:g} seconds. {ADVICE}"
            ) from None
        except (EOFError, OSError):
            how = await self._end()
            last = f": {self.stderr[-1]}" if self.stderr else ""
            raise CannotStart(f"The tracer could not start under {who} ({how}){last}") from None
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
        return _how(process.returncode or 0)

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


def _how(code: int) -> str:
    if code < 0:
        try:
            return f"signal {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"
    return f"exit code {code}"
