"""Settings in TOML, INI files and literals: a short text that is known is read; of another it is known that no tensor is in it."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Callable
from typing import Any

from ..unknowns import texts
from ..unknowns.unknown import Unknown, setting, yes_or_no
from ..worlds import worlds
from . import list_member, stand_in
from .plain import is_plain

_WHY = "what a file says"
_LONGEST, _BRACKETS = 10_000, 200
"""Characters of a text that is read, some tenths of a second, and brackets in it: what is deeply nested takes longer."""


def is_soon_read(text: Any) -> bool:
    """Whether this is a text that a parser in Python has soon read."""
    return type(text) is str and len(text) <= _LONGEST and sum(map(text.count, "[{(")) <= _BRACKETS


def reading(parse: Callable[[str], Any]) -> Callable[..., Any]:
    """A function that reads a text with this parser, and gives what is in it."""

    def read(text: Any, **options: Any) -> Any:
        if options or not is_soon_read(text):
            return setting(_WHY)
        try:
            found = parse(text)
        except Exception:
            return Unknown("what a text says")
        return found if is_plain(found) else setting("what a text says")

    return read


class ConfigParser:
    """`configparser.ConfigParser`, of which nobody knows what it has read."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """What it is made of only says how files are read."""

    def read(self, *files: Any, **options: Any) -> Any:
        """The files that were there."""
        return Unknown(_WHY)

    read_file = read_string = read_dict = read

    def get(self, *place: Any, **options: Any) -> Any:
        """A text."""
        return texts.text(_WHY)

    def getint(self, *place: Any, **options: Any) -> Any:
        """An integer."""
        return worlds.number(_WHY)

    def getfloat(self, *place: Any, **options: Any) -> Any:
        """A float."""
        return worlds.real(_WHY)

    def getboolean(self, *place: Any, **options: Any) -> Any:
        """A truth value."""
        return yes_or_no(_WHY)

    def __getitem__(self, section: Any) -> Any:
        """A section, which holds texts."""
        return Unknown(_WHY)


stand_in("ast", {"literal_eval": reading(ast.literal_eval)})
stand_in("configparser", {"ConfigParser": ConfigParser, "RawConfigParser": ConfigParser})
if importlib.util.find_spec("tomllib") is not None:  # Python 3.11
    tomllib: Any = importlib.import_module("tomllib")
    stand_in("tomllib", {"loads": reading(tomllib.loads), "load": lambda file, **options: setting(_WHY)})
list_member(ConfigParser, "configparser.ConfigParser")
