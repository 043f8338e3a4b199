"""Modules that make texts of values or read them: json, textwrap, string."""

from __future__ import annotations

import json
import string
import textwrap
import unicodedata
from collections.abc import Callable
from typing import Any

from ..unknown import Unknown
from . import nothing, stand_in
from .plain import is_plain, is_scalar


def on_plain_values(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the library's that is called only where all that it is given is plain."""

    def on_plain(*args: Any, **options: Any) -> Any:
        if not is_plain([*args, *options.values()]):
            return Unknown(f"{function.__name__}() of values that are not known")
        return function(*args, **options)

    on_plain.__name__ = function.__name__
    return on_plain


def _dumps(value: Any, **options: Any) -> Any:
    if options or not is_plain(value):
        return Unknown("text of a value")
    return json.dumps(value)


def _loads(text: Any, **options: Any) -> Any:
    if options or type(text) is not str or not is_scalar(text):
        return Unknown("what a text says")
    return json.loads(text)


def _not_followed(*args: Any, **options: Any) -> Any:
    return Unknown("what a file says")


stand_in(
    "json",
    {
        "dumps": _dumps,
        "loads": _loads,
        "dump": nothing,
        "load": _not_followed,
        "JSONEncoder": json.JSONEncoder,
        "JSONDecodeError": json.JSONDecodeError,
    },
)
stand_in(
    "textwrap",
    {
        name: on_plain_values(getattr(textwrap, name))
        for name in ("dedent", "fill", "wrap", "shorten", "indent")
    },
)
stand_in(
    "unicodedata",
    {
        name: on_plain_values(getattr(unicodedata, name))
        for name in "normalize category name combining bidirectional".split()
    },
)
stand_in(
    "string",
    {
        **{
            name: getattr(string, name)
            for name in "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation printable whitespace".split()
        },
        "capwords": on_plain_values(string.capwords),
    },
)
