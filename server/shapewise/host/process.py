"""The tracer as what answers: one request at a time, timed, and its failures told from each other."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from ..repair import Repaired
from ..vocabulary import wire
from ..vocabulary.events import SHORT, Log
from ..vocabulary.splice import Kept, whole
from ..workspace.project import Imports, Project
from .errors import SetAside, TooSlow, TracerDied, TracerError
from .lifecycle import POLITE, START_SECONDS, Lifecycle
from .needs import broken_names, module_for
from .stable_lines import AllLines, StableLines
from .stream import BIG_MESSAGE, read_message
from .working_time import WorkingTime

log = logging.getLogger(__name__)

Early = Callable[[Log], Awaitable[None]]
"""Told what is known of a file before its trace is over."""

PATIENCE = 12.0
"""Seconds that a trace may spend on functions that nobody calls."""
TRACE_SECONDS = 20.0
"""Of work: see `working_time`."""

PATIENT = 3.0
"""So many times the time of a trace has the next one of the same text, if the first was short (`SHORT`)."""
_DEATHS_BEFORE_SET_ASIDE = 3
_DOCS_SECONDS = 5.0
_ENOUGH = 0.5
"""Of the time of a trace: then it is told to hurry, for what can be known until its end is better than nothing."""
_UNCALLED = 0.4
"""Of the time of a trace: what may be for functions that nobody calls."""
_LAST = 0.85
"""Of the time of a trace: then it has to stop."""


class TracerProcess(Lifecycle):
    """The tracer under the user's Python. Requests are answered in order, one at a time.

    Belongs to the event loop of its first use. The process is started by the first request, or by
    `start`; it ends with `close`, or when this process ends, because its stdin does.
    """

    is_patient = False
    """Whether each trace has more time at once, as nobody waits for the first hints."""

    def __init__(
        self,
        python: str | None = None,
        *,
        command: Sequence[str] | None = None,
        limit: float = TRACE_SECONDS,
        start_limit: float = START_SECONDS,
        on_change: Callable[[], None] | None = None,
        project: Project | None = None,
        patience: float | Callable[[str], float] = PATIENCE,
        early: Callable[[str], Early | None] = lambda path: None,
        typed: Callable[[str], bool] = lambda path: False,
        has_room: bool = False,
        niceness: int | None = POLITE,
    ) -> None:
        """Nothing is started yet; `python`, `command`, `start_limit`, `on_change` and `niceness` as for `Lifecycle`.

        `limit` is in seconds of work (`working_time`). `project` is where the modules are found that a file imports. `patience`
        are the seconds that a trace may spend on functions that nobody calls, or what gives them for a path. `early` gives, for a path
        that is to be traced, who wants to hear what is known so far while the trace is under way; `typed`, whether somebody
        waits who types in it, and more can be asked for later. `has_room`: of what is traced most will be edited (see `AllLines`).
        """
        super().__init__(
            python, command=command, start_limit=start_limit, on_change=on_change, niceness=niceness
        )
        self.project = project or Project()
        self.limit = limit
        self.patience = patience
        self._early = early
        self._typed = typed
        self._number = 0
        self._kept = Kept()
        self._lines = AllLines(has_room)
        self._tracing: tuple[int, str] | None = None
        """The request that is under way, and the path that it is about."""
        self._deaths: dict[str, tuple[str, int]] = {}
        self._short: dict[str, str] = {}
        """The texts that a trace was too short for, by path."""

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

    async def _remind(self, worked: WorkingTime, number: int, path: str, limit: float) -> None:
        await worked.reaches(limit * _ENOUGH)
        self._hurry(number)
        await worked.reaches(limit * _LAST)
        self.stop(path)

    def _hurry(self, number: int) -> None:
        """A request has little time left: its answer may be what is known until there."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(wire.frame_message({"hurry": number}))

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
            number, since = self._number, self._kept.number(path)
            self._tracing = number, path  # from here on it can be stopped
            imports = await asyncio.to_thread(self.project.imports, path, repaired.text)
            early = self._early(path) if not any(how.values()) else None
            lines = await asyncio.to_thread(self._lines.of, path, repaired)
            patient = self.is_patient or self._short.get(path) == repaired.text
            patient = patient and not (how["measure"] or how["card"])
            times = PATIENT if patient else 1.0
            request = {
                "id": number,
                "trace": {
                    "file": path,
                    "text": lines.text,
                    "broken": [[lines.there(line), names] for line, names in broken_names(repaired.broken)],
                    "package": imports.package,
                    "beside": imports.beside,
                    "patience": min(
                        self.patience(path) if callable(self.patience) else self.patience,
                        self.limit * _UNCALLED,
                    ),
                    "times": times,
                    "early": early is not None,
                    "typed": not any(how.values()) and self._typed(path),
                    "since": since,
                    **how,
                },
            }
            asked = self._exchange(process, request, imports, lines, early)
            reply = await self._in_time(asked, WorkingTime(process.pid), number, path, times * self.limit)
        if "error" in reply:
            raise TracerError(lines.sentence(str(reply["error"])))
        try:
            found = await _log(reply["log"], reply["size"])
            if "around" in reply:
                found = whole(self._kept.get(path, since), found, reply["around"])
            shown = await asyncio.to_thread(lines.log, found) if lines.is_moved else found
        except (ValueError, LookupError) as error:
            raise TracerError(f"The tracer's log cannot be read: {error}.") from None
        if not (how["measure"] or how["card"]):
            self._kept.keep(path, number, found)
            if SHORT in found.notes:
                self._short[path] = repaired.text
            elif not patient:
                self._short.pop(path, None)
        return shown

    async def _in_time(
        self,
        exchange: Coroutine[Any, Any, dict[str, Any]],
        worked: WorkingTime,
        number: int,
        path: str,
        limit: float,
    ) -> dict[str, Any]:
        """The reply, if it comes within the time of a trace. The process is ended where it does not, or makes no sense.

        Raises TooSlow and TracerDied.
        """
        name = Path(path).name
        asked = asyncio.ensure_future(exchange)
        over = asyncio.ensure_future(worked.reaches(limit))
        reminders = asyncio.ensure_future(self._remind(worked, number, path, limit))
        try:
            await asyncio.wait({asked, over}, return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                asked.cancel()
                await self._end()
                raise TooSlow(f"The trace of {name} took more than {limit:g} seconds and was ended.")
            return asked.result()
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
            self._tracing = None
            for one in (asked, over, reminders):
                one.cancel()

    async def _exchange(
        self,
        process: asyncio.subprocess.Process,
        request: dict[str, Any],
        imports: Imports,
        lines: StableLines,
        early: Early | None,
    ) -> dict[str, Any]:
        """Ask, tell what is asked back, and hand on what is told early. Raises EOFError and OSError when the process is gone, ValueError for nonsense."""
        assert process.stdin is not None and process.stdout is not None and self.hello is not None
        process.stdin.write(wire.frame_message(request))
        await process.stdin.drain()
        reply = await read_message(process.stdout)
        while reply.get("id") == request["id"] and ("need" in reply or "early" in reply):
            if "early" in reply:
                if early is not None:
                    found = await _log(reply["early"], reply["size"])
                    await early(await asyncio.to_thread(lines.log, found))
            else:
                answer = await asyncio.to_thread(module_for, reply["need"], imports, self.hello.path)
                process.stdin.write(wire.frame_message({"id": request["id"], "module": answer}))
                await process.stdin.drain()
            reply = await read_message(process.stdout)
        if reply.get("id") != request["id"] or not ("log" in reply or "error" in reply):
            raise ValueError("a reply to nothing that was asked")
        return reply


async def _log(form: Any, size: int) -> Log:
    """Raises ValueError for what is no log."""
    value = await asyncio.to_thread(wire.decode, form) if size > BIG_MESSAGE else wire.decode(form)
    if not isinstance(value, Log):
        raise ValueError("something that is no log")
    return value
