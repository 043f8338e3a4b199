"""The tracer's end of the wire: reads requests, answers logs. One at a time, in order."""

from __future__ import annotations

import gc
import json
import os
import platform
import queue
import sys
import sysconfig
import threading
from typing import TYPE_CHECKING, Any, BinaryIO

from ..vocabulary import wire
from ..vocabulary.splice import Kept, between
from . import memory
from .control import HURRY, STOP

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..vocabulary.events import Log
    from .sources.sources import Exchange

_HEADROOM = 6 * 1024**3
"""Bytes of address space a trace may take beyond what torch has mapped. More raises MemoryError, and becomes unknown."""
_MUCH = 100_000
"""Objects that nobody has looked for garbage among: then it is time, whoever waits."""
_PAUSE = 0.7
"""Seconds without a request after which nobody is likely to be typing."""
_STACK = 512 * 1024 * 1024
"""Bytes of stack for the interpreter's thread: deep models nest deeply."""


class _Stops:
    """Which requests are wanted no more; the word comes on another thread than the trace runs on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._current: Any = None
        self._unwanted: set[Any] = set()

    def begin(self, number: Any) -> None:
        """A trace begins, which may have been given up already."""
        with self._lock:
            self._current = number
            HURRY.clear()
            (STOP.set if number in self._unwanted else STOP.clear)()
            self._unwanted.clear()

    def stop(self, number: Any) -> None:
        """The trace of a request ends as soon as it can, or will not begin."""
        with self._lock:
            self._unwanted.add(number)
            if number == self._current:
                STOP.set()

    def hurry(self, number: Any) -> None:
        """The trace of a request, if it is under way, comes to an end with what can still be known."""
        with self._lock:
            if number == self._current:
                HURRY.set()
                STOP.set()


_stops = _Stops()


def serve(sink: BinaryIO, requests: queue.Queue[dict[str, Any]]) -> int:
    """Speak the protocol of docs/architecture.md: answer requests until the process ends.

    Returns 3, an exit status, where there is no torch to work with.
    """
    sink.write(wire.MAGIC)
    sink.flush()
    gc.disable()  # what is imported stays: looking for garbage in it takes a fifth of the start (`session.tidy`)
    try:
        import torch
    except ImportError:
        _send(
            sink,
            {
                "failed": f"This Python has no torch: {sys.executable}. Install it there or choose another interpreter."
            },
        )
        return 3
    except Exception as error:
        _send(
            sink, {"failed": f"torch cannot be imported in {sys.executable}: {type(error).__name__}: {error}"}
        )
        return 3
    if tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2] if part.isdigit()) < (2, 6):
        _send(
            sink,
            {
                "failed": f"torch {torch.__version__} in {sys.executable} is too old: shapewise needs torch 2.6 or newer."
            },
        )
        return 3
    from . import session
    from .wall import audit

    session.prepare()
    memory.bound(_HEADROOM)
    _send(
        sink,
        {
            "hello": {
                "protocol": wire.PROTOCOL,
                "python": platform.python_version(),
                "torch": torch.__version__,
                "path": _packages(),
            }
        },
    )
    kept = Kept()
    while True:
        message = _next(requests, session)
        if "docs" in message:
            _send(sink, {"id": message.get("id"), "docs": session.documentation(message["docs"])})
            continue
        request = message.get("trace")
        if request is not None:
            number = message.get("id")
            _stops.begin(number)
            with audit.Guarded():
                exchange = _exchange(sink, requests, number)

                def early(log: Log, number: Any = number) -> None:
                    _send(sink, {"id": number, "early": wire.encode(log)})

                _send(sink, {"id": number, **_answer(session, request, exchange, early, kept, number)})


def _next(requests: queue.Queue[dict[str, Any]], session: Any) -> dict[str, Any]:
    """The next request. What the last traces left is freed when none has come for a moment, or when it is much."""
    if gc.get_count()[0] < _MUCH:
        try:
            return requests.get(timeout=_PAUSE)
        except queue.Empty:
            pass
    from .wall import audit

    with audit.Guarded():
        session.tidy()
    return requests.get()


def _read(source: BinaryIO, requests: queue.Queue[dict[str, Any]]) -> None:
    """Take requests in as they come; end the process, in the middle of a trace too, when nobody is left to ask."""
    while True:
        try:
            message = _receive(source)
        except ValueError:
            message = None
        if message is None or message.get("exit"):
            os._exit(0)
        if "stop" in message:
            _stops.stop(message["stop"])
        elif "hurry" in message:
            _stops.hurry(message["hurry"])
        else:
            requests.put(message)


def _packages() -> list[str]:
    """Where this Python looks for packages, its own library left out."""
    library = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    return [folder for folder in sys.path if os.path.isdir(folder) and not _is_library(folder, library)]


def _is_library(folder: str, library: set[str]) -> bool:
    return folder in library or os.path.basename(folder) == "lib-dynload"


def _exchange(sink: BinaryIO, requests: queue.Queue[dict[str, Any]], number: Any) -> Exchange:
    """Ask the host for a module in the middle of a trace; nothing else can come before its answer."""

    def ask(need: dict[str, Any]) -> dict[str, Any] | None:
        _send(sink, {"id": number, "need": need})
        return requests.get().get("module")

    return ask


def _answer(
    session: Any,
    request: dict[str, Any],
    exchange: Exchange,
    early: Callable[[Log], None],
    kept: Kept,
    number: Any,
) -> dict[str, Any]:
    try:
        broken = {int(line): tuple(names) for line, names in request.get("broken", ())}
        sources = session.Sources(exchange, request.get("package", ""), request.get("beside"))
        called, patience = frozenset(request.get("called") or ()), request.get("patience")
        how: dict[str, Any] = {name: bool(request.get(name)) for name in ("measure", "card", "typed")}
        how["times"] = float(request.get("times") or 1.0)
        if request.get("early"):
            how["early"] = early
        log = session.trace(request["file"], request["text"], broken, sources, called, patience, **how)
        if how["measure"] or how["card"]:
            return {"log": wire.encode(log)}
        old = kept.get(log.file, request.get("since"))
        kept.keep(log.file, number, log)
        if old is None:
            return {"log": wire.encode(log)}
        part, around = between(old, log)
        return {"log": wire.encode(part), "around": around}
    except SyntaxError as error:
        return {
            "error": f"This Python ({platform.python_version()}) cannot parse line {error.lineno}: {error.msg}."
        }
    except BaseException as error:  # whatever a file brings about, the next one is traced
        import traceback

        traceback.print_exc()
        return {
            "error": f"shapewise could not trace this file ({type(error).__name__}: {error}); please report it."
        }


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Our own stdin and stdout; whatever else this process prints goes to stderr."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    return source, sink


def _receive(source: BinaryIO) -> dict[str, Any] | None:
    header = b""
    while not header.endswith(b"\r\n\r\n"):
        line = source.readline()
        if not line:
            return None
        header += line
    body = source.read(wire.content_length(header))
    return json.loads(body) if body else None


def _send(sink: BinaryIO, message: dict[str, Any]) -> None:
    sink.write(wire.frame_message(message))
    sink.flush()


def main() -> int:
    """Read on this thread, trace on one with a stack large enough for deep programs."""
    source, sink = _private_streams()
    requests: queue.Queue[dict[str, Any]] = queue.Queue()
    threading.Thread(target=_read, args=(source, requests), daemon=True).start()
    result: list[int] = []
    sys.setrecursionlimit(20_000)
    threading.stack_size(_STACK)
    tracing = threading.Thread(target=lambda: result.append(serve(sink, requests)))
    tracing.start()
    tracing.join()
    return result[0] if result else 1
