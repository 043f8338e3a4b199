"""The second wall: while a trace runs, this process opens, starts and connects nothing."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable
from typing import Any

_REFUSED = (
    "ctypes.",
    "ftplib.",
    "glob.",
    "http.",
    "imaplib.",
    "mmap.",
    "msvcrt.",
    "nntplib.",
    "os.",
    "pickle.find_class",
    "poplib.",
    "pty.",
    "shutil.",
    "signal.",
    "smtplib.",
    "socket.",
    "sqlite3.",
    "subprocess.",
    "syslog.",
    "telnetlib.",
    "tempfile.",
    "urllib.",
    "webbrowser.",
    "winreg.",
)
_HARMLESS = {"os.listdir", "os.scandir", "os.putenv", "os.unsetenv"}
"""torch's own lazy imports list package folders; the environment is this process's own."""


_MAKE_CODE = {"collections", "dataclasses", "torch.fx.operator_schemas"}
"""Modules that make code out of texts which they write themselves (checked by `shims.stdlib`)."""


def _from_a_file(name: str) -> bool:
    return name[:1] != "<" or name.startswith("<frozen")


class Refused(PermissionError):
    """The interpreted file reached something that touches the world outside."""


class _Hook:
    def __init__(self) -> None:
        self.active = False
        self.fine: set[str] = set()
        """Events that were let through, and are whatever comes with them."""
        paths = {sys.prefix, sys.base_prefix, *sysconfig.get_paths().values(), *(p for p in sys.path if p)}
        self.readable = tuple(os.path.join(os.path.realpath(p), "") for p in paths) + tuple(
            os.path.join(p, "") for p in paths
        )
        self.own = os.path.join(
            os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), ""
        )

    def look(self, event: str, args: tuple[Any, ...]) -> None:
        """Raises Refused for what reaches outside. Asked by the hook, which is asked by who does it."""
        if not self.active:
            return
        if event == "open":
            path, mode = args[0], args[1]
            if (
                isinstance(path, str)
                and not (isinstance(mode, str) and set(mode) & set("wax+"))
                and not (
                    len(args) > 2
                    and isinstance(args[2], int)
                    and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
                )
                and os.path.abspath(path).startswith((*self.readable, self.own))
            ):
                return  # torch imports parts of itself on first use
            raise Refused("opening a file is refused while a file is traced")
        if event == "exec" and not _from_a_file(args[0].co_filename):
            if sys._getframe(2).f_globals.get("__name__") not in _MAKE_CODE:
                raise Refused("running a text as code is refused while a file is traced")
        if event.startswith(_REFUSED) and event not in _HARMLESS:
            raise Refused(f"{event} is refused while a file is traced")
        if event != "exec":
            self.fine.add(event)


def _hook(
    fine: set[str], look: Callable[[str, tuple[Any, ...]], None]
) -> Callable[[str, tuple[Any, ...]], None]:
    # a plain function: `id` is an event, and asked a million times
    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event not in fine:
            look(event, args)

    return hook


_HOOK: _Hook | None = None


def install() -> None:
    """Add the hook to this process; it can never be taken out again, only put to sleep."""
    global _HOOK
    if _HOOK is None:
        sys.dont_write_bytecode = True
        _HOOK = _Hook()
        sys.addaudithook(_hook(_HOOK.fine, _HOOK.look))


class Asleep:
    """A `with` block in which the hook sleeps, in the middle of one in which it is awake."""

    def __enter__(self) -> None:
        self._active = _HOOK is not None and _HOOK.active
        if _HOOK is not None:
            _HOOK.active = False

    def __exit__(self, *details: Any) -> None:
        if _HOOK is not None:
            _HOOK.active = self._active


class Guarded:
    """A `with` block in which the hook is awake."""

    def __enter__(self) -> None:
        self._active = _HOOK is not None and _HOOK.active
        if _HOOK is not None:
            _HOOK.active = True

    def __exit__(self, *details: Any) -> None:
        if _HOOK is not None:
            _HOOK.active = self._active
