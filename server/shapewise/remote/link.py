"""The process behind the prefix: started, spoken to, ended. Every fault is one sentence.

The program there is a Python that reads statements from its stdin (`python3 -u -q -i`): a command
without a quote in it means the same with and without a shell in between (`ssh` has one, `srun` none).
The first line that it is sent says a mark and then reads the agent's files; whatever is printed before
the mark (banners, talking login shells) is skipped.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shlex
import signal
from collections import deque
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ..agent.framing import Damaged, Frames, framed
from ..host.ending import ended_by

T = TypeVar("T")

PYTHON = ("-u", "-q", "-i")
BOOT_SECONDS = 60.0
"""How long a connection may take, a job's place in the queue included: `--start-timeout` says otherwise."""
_IMPORT_SECONDS = 180.0
_PING_SECONDS = 5.0
_SILENCE = 30.0
"""Seconds without a sign of life after which the far end counts as gone."""
_GRACE = 20.0
"""Seconds beyond a run's own limit in which its end has to be heard of."""
_LONGEST = 1 << 20

_AGENT = Path(__file__).resolve().parent.parent / "agent"

_BOOT = """
import json, os, sys
if os.isatty(0) or os.isatty(1):
    os.write(1, b"\\nshapewise" + b"-terminal\\n")
    os._exit(3)
if sys.version_info < (3, 8) or os.name != "posix":
    os.write(1, ("\\nshapewise" + "-python %d.%d on %s\\n" % (sys.version_info[:2] + (os.name,))).encode())
    os._exit(3)
os.write(1, b"\\nshapewise" + b"-boot\\n")
def take(size):
    data = b""
    while len(data) < size:
        chunk = os.read(0, min(65536, size - len(data)))
        if not chunk:
            os._exit(4)
        data += chunk
    return data
files = json.loads(take(int(take(10))).decode())
import tempfile
folder = tempfile.mkdtemp(prefix="shapewise-")
code = os.path.join(folder, "code")
os.makedirs(os.path.join(code, "shapewise_agent"))
for name in files:
    with open(os.path.join(code, "shapewise_agent", name), "w", encoding="utf-8") as out:
        out.write(files[name])
sys.path.insert(0, code)
from shapewise_agent.supervisor import main
os._exit(main(folder))
"""
_MARKS = (b"shapewise-boot", b"shapewise-terminal", b"shapewise-python ", b"shapewise-agent 1")


class RemoteError(Exception):
    """One clear sentence for the user: what went wrong between here and there, and what to do."""


def command(prefix: str | None, python: str) -> list[str]:
    """The whole command. Raises RemoteError for a prefix that is none."""
    try:
        words = shlex.split(prefix) if prefix else []
    except ValueError as error:
        raise RemoteError(f"The prefix {prefix!r} cannot be split into words: {error}.") from None
    return [*words, python, *PYTHON]


class Link:
    """One far end, from its start to its end."""

    def __init__(self, words: Sequence[str], boot_seconds: float = BOOT_SECONDS) -> None:
        self.words = [*words]
        self.boot_seconds = boot_seconds
        self.hello: dict[str, Any] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._pings: asyncio.Task[None] | None = None
        self._errors: deque[str] = deque(maxlen=20)
        self._before: deque[str] = deque(maxlen=20)
        """What was printed before the mark."""
        self._frames = Frames()
        self._expected = 0
        """The number of the next message."""
        self._waiting: deque[dict[str, Any]] = deque()

    async def __aenter__(self) -> Link:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def shown(self) -> str:
        """The command as it would be typed."""
        return shlex.join(self.words)

    # ------------------------------------------------------------ start

    async def start(self) -> dict[str, Any]:
        """Have torch there. What the far end says of itself; raises RemoteError."""
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self.words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=_LONGEST,
                start_new_session=True,
                env={k: v for k, v in os.environ.items() if k not in ("PYTHONSTARTUP", "PYTHONINSPECT")},
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise RemoteError(f"{self.words[0]} cannot be run on this machine: {why}.") from None
        self._tasks.append(asyncio.create_task(self._keep_errors(self._process)))
        await self._write(f"exec({_BOOT!r})\n".encode())
        await self._in_time(self._mark(b"shapewise-boot"), self.boot_seconds, "no Python answered")
        files = {path.name: path.read_text("utf-8") for path in sorted(_AGENT.glob("*.py"))}
        body = json.dumps(files).encode()
        await self._write(b"%010d" % len(body) + body)
        await self._in_time(self._mark(b"shapewise-agent 1"), self.boot_seconds, "the agent did not start")
        self._pings = asyncio.create_task(self._ping())
        message = await self._in_time(self._message(), _IMPORT_SECONDS, "torch was not ready")
        if not isinstance(message.get("hello"), dict):
            raise self._unexpected(message)
        self.hello = message["hello"]
        return self.hello

    async def _mark(self, mark: bytes) -> None:
        """Read up to a mark, whatever stands before it."""
        assert self._process is not None and self._process.stdout is not None
        while True:
            try:
                line = await self._process.stdout.readline()
            except ValueError:
                continue  # a line longer than any of ours: the reader has dropped it
            word = line.strip()
            found = next((one for one in _MARKS if one in word and not word.startswith(b"exec(")), None)
            if found == mark:
                return
            if found == b"shapewise-terminal":
                raise RemoteError(
                    f"{self.shown} gives a terminal, through which no data can go:"
                    " leave out -t, or say -T where it is ssh."
                )
            if found == b"shapewise-python ":
                said = word.partition(found)[2].decode(errors="replace")
                raise RemoteError(f"Python there is {said}; the agent needs 3.8 or newer on a POSIX system.")
            if not line:
                raise EOFError
            if word:
                self._before.append(word.decode(errors="replace")[:300])

    # ------------------------------------------------------------ the run

    async def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """What was seen. Raises RemoteError."""
        await self._write(framed({"run": request}))
        limit = float(request["limits"]["seconds"]) + _GRACE
        message = await self._in_time(self._message(), limit, "the run's end was not heard of")
        if not isinstance(message.get("done"), dict):
            raise self._unexpected(message)
        done: dict[str, Any] = message["done"]
        return done

    async def _message(self) -> dict[str, Any]:
        assert self._process is not None and self._process.stdout is not None
        while True:
            while not self._waiting:
                data = await asyncio.wait_for(self._process.stdout.read(1 << 16), _SILENCE)
                if not data:
                    raise EOFError
                self._waiting += self._frames.feed(data)
            message = self._waiting.popleft()
            if message.get("n") != self._expected:
                raise Damaged("a message was lost")
            self._expected += 1
            if "alive" not in message:
                return message

    def _unexpected(self, message: dict[str, Any]) -> RemoteError:
        if "failed" in message:
            return RemoteError(f"{str(message['failed']).rstrip('.')}.")
        if "died" in message:
            last = [line for line in str(message.get("printed", "")).splitlines() if line.strip()]
            why = f" ({message['stopped']})" if message.get("stopped") else ""
            printed = f'; the last that it printed: "{last[-1].strip()[:200]}"' if last else ""
            return RemoteError(f"The run there was ended by {message['died']}{why}{printed}.")
        return RemoteError("The far end answered with something that is no answer.")

    async def _in_time(self, what: Awaitable[T], seconds: float, else_: str) -> T:
        try:
            return await asyncio.wait_for(what, seconds)
        except asyncio.TimeoutError:
            await self.close()
            raise RemoteError(f"{self.shown}: {else_} within {seconds:g} seconds{self._last()}.") from None
        except Damaged as error:
            await self.close()
            raise RemoteError(f"{self.shown}: what came back was damaged on the way ({error}).") from None
        except (EOFError, OSError):
            raise await self._cut(else_) from None

    async def _cut(self, else_: str) -> RemoteError:
        assert self._process is not None
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._process.wait(), 2.0)
        code = self._process.returncode
        await self.close()
        if code == 127 and not self.hello:
            return RemoteError(
                f"{self.shown}: there is no such program there{self._last()}; --python names another Python."
            )
        how = "was cut" if code in (None, 0) else f"ended with {ended_by(code)}"
        when = "during the run" if self.hello else f"before it could begin: {else_}"
        return RemoteError(f"{self.shown}: the connection {how} {when}{self._last()}.")

    def _last(self) -> str:
        """The last that was said there, for people to make something of."""
        said = [line for line in self._errors if line.strip(" >.")] or [*self._before]
        return f' (it said: "{said[-1].strip()[:200]}")' if said else ""

    # ------------------------------------------------------------ the streams

    async def _write(self, data: bytes) -> None:
        if self._process is None or self._process.stdin is None:
            return
        with contextlib.suppress(OSError):  # that it has ended is seen when its answer is read
            self._process.stdin.write(data)
            await self._process.stdin.drain()

    async def _ping(self) -> None:
        while True:
            await asyncio.sleep(_PING_SECONDS)
            await self._write(framed({"ping": True}))

    async def _keep_errors(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        rest = ""
        while data := await process.stderr.read(1 << 16):
            *lines, rest = (rest + data.decode(errors="replace")).split("\n")
            self._errors.extend(line.strip("> ") for line in lines if line.strip("> "))
            rest = rest[-4096:]
        if rest.strip("> "):
            self._errors.append(rest.strip("> "))

    async def close(self) -> None:
        """End all of it: the far end sees its stdin end and kills what it started."""
        process, self._process = self._process, None
        if self._pings is not None:
            self._pings.cancel()
        if process is not None:
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(process.wait(), 1.0)
            with contextlib.suppress(OSError):
                if os.name == "posix":
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.kill()
            await process.wait()
        for task in self._tasks:
            if not task.done():
                with contextlib.suppress(asyncio.TimeoutError, asyncio.CancelledError):
                    await asyncio.wait_for(task, 0.2)
        self._tasks.clear()
