"""Modules that make texts of values or read them: json, textwrap, string."""

from __future__ import annotations

import json
import string
import textwrap
import unicodedata
from collections.abc import Callable
from typing import Any

from ..unknowns import texts
from ..unknowns.unknown import Unknown, setting
from . import files, stand_in
from .plain import is_plain, is_scalar


def on_plain_values(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the library's that is called only where all that it is given is plain."""

    def on_plain(*args: Any, **options: Any) -> Any:
        if not is_plain([*args, *options.values()]):
            return Unknown(f"{function.__name__}() of values that are not known")
        return function(*args, **options)

    on_plain.__name__ = function.__name__
    return on_plain


def text_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the library's that makes a text of a text: of one that nobody knows, one that nobody knows."""
    plainly = on_plain_values(function)

    def give(*args: Any, **options: Any) -> Any:
        made = plainly(*args, **options)
        return texts.text(made.why) if type(made) is Unknown and any(map(texts.is_text, args)) else made

    give.__name__ = function.__name__
    return give


_HOOKS = frozenset("object_hook object_pairs_hook cls".split())
"""What makes of an object whatever it likes."""
_OF_JSON = frozenset("indent sort_keys ensure_ascii separators".split())


def _dumps(value: Any, **options: Any) -> Any:
    if options.keys() - _OF_JSON or not is_plain([value, *options.values()]):
        return texts.text("text of a value")
    return json.dumps(value, **options)


def _loads(text: Any, **options: Any) -> Any:
    if options.keys() & _HOOKS:
        return Unknown("what a text says")
    if options or type(text) is not str or not is_scalar(text):
        return setting("what a text says")
    return json.loads(text)


def _dump(value: Any, file: Any, **options: Any) -> None:
    if isinstance(file, files.File):
        file.write(_dumps(value, **options))


def _load(file: Any, **options: Any) -> Any:
    if options.keys() & _HOOKS:
        return Unknown("what a file says")
    return _loads(file.read(), **options) if isinstance(file, files.File) else setting("what a file says")


stand_in(
    "json",
    {
        "dumps": _dumps,
        "loads": _loads,
        "dump": _dump,
        "load": _load,
        "JSONEncoder": json.JSONEncoder,
        "JSONDecodeError": json.JSONDecodeError,
    },
)
stand_in(
    "textwrap",
    {
        **{name: text_of(getattr(textwrap, name)) for name in ("dedent", "fill", "shorten", "indent")},
        "wrap": on_plain_values(textwrap.wrap),
    },
)
stand_in(
    "unicodedata",
    {
        **{
            name: text_of(getattr(unicodedata, name))
            for name in "normalize category name bidirectional".split()
        },
        "combining": on_plain_values(unicodedata.combining),
    },
)
stand_in(
    "string",
    {
        **{
            name: getattr(string, name)
            for name in "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation printable whitespace".split()
        },
        "capwords": text_of(string.capwords),
    },
)
