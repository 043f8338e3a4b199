"""Modules that only speak to people or to the process: their calls do nothing."""

from __future__ import annotations

import logging
from typing import Any

from ..disk import lose
from ..unknowns.unknown import Unknown
from . import list_member, nothing, stand_in


class Quiet:
    """An object whose methods do nothing that a shape could depend on (a log handler, a warning filter)."""

    def __init__(self, *args: Any, **options: Any) -> None:
        lose((*args, *options.values()))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown("of an object that only speaks to people")

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None:
        return None


class Logger(Quiet):
    """`logging.Logger`."""

    def getChild(self, *args: Any) -> Any:
        return self


for _name in (
    "debug info warning warn error exception critical fatal log setLevel addHandler removeHandler addFilter "
    "removeFilter setFormatter flush close"
).split():
    setattr(Quiet, _name, nothing)
for _class in (Quiet, Logger):
    list_member(_class, _class.__name__)
list_member(nothing, "nothing")

_LEVELS = "CRITICAL FATAL ERROR WARNING WARN INFO DEBUG NOTSET"
_SAID = "debug info warning warn error exception critical fatal log basicConfig disable captureWarnings addLevelName"
_MADE = "Handler StreamHandler FileHandler NullHandler Formatter Filter"


def _get_logger(name: Any = None) -> Logger:
    return Logger()


_LOGGING = stand_in(
    "logging",
    {
        **{name: getattr(logging, name) for name in _LEVELS.split()},
        **dict.fromkeys(_SAID.split(), nothing),
        **dict.fromkeys(_MADE.split(), Quiet),
        "getLogger": _get_logger,
        "Logger": Logger,
        "root": Logger(),
    },
)
_HANDLERS = stand_in(
    "logging.handlers", dict.fromkeys(("RotatingFileHandler", "TimedRotatingFileHandler"), Quiet)
)
_LOGGING.handlers = _HANDLERS  # type: ignore[attr-defined]
stand_in(
    "warnings",
    {
        **dict.fromkeys(
            ("warn", "warn_explicit", "filterwarnings", "simplefilter", "resetwarnings"), nothing
        ),
        "catch_warnings": Quiet,
    },
)
stand_in("pprint", dict.fromkeys(("pprint", "pp"), nothing))
stand_in("traceback", dict.fromkeys(("print_exc", "print_exception", "print_stack", "print_tb"), nothing))
stand_in("gc", dict.fromkeys(("collect", "enable", "disable", "freeze"), nothing))
stand_in("atexit", {"register": lambda function, *args, **options: function, "unregister": nothing})
stand_in("faulthandler", {"enable": nothing, "disable": nothing})
