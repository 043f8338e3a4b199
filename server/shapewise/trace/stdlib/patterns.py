"""re on known texts: a pattern runs only where the ways it may try are few.

The bound holds for any text of the length: it counts the ways in which a backtracking matcher can
go through the pattern, each of which it takes once at most from each place of the text.
"""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Callable
from typing import Any

from torch.torch_version import TorchVersion

from ..shims import here
from ..unknowns import texts
from ..unknowns.unknown import Lost, Unknown
from . import list_member, nothing, stand_in
from .plain import is_scalar

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
        _parser = importlib.import_module("re._parser")
    except ImportError:  # before Python 3.11
        _parser = importlib.import_module("sre_parse")

_MOST = 100_000_000
_AN_OPERATION = 20_000
"""Steps of a matcher that take about as long as one native call."""
_LONGEST = 2_000


def _ways(parsed: Any, length: int) -> int:
    """How many ways a parsed pattern may go through a text of this length, at most _MOST."""
    total = 1
    for kind, argument in parsed:
        total = min(_MOST, total * _ways_of(str(kind), argument, length))
    return total


def _ways_of(kind: str, argument: Any, length: int) -> int:
    if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, body = argument
        inner, rounds = _ways(body, length), min(int(most), length)
        if inner == 1:
            return max(1, rounds - int(least) + 1)
        ways = 1
        for _ in range(rounds):
            ways = min(_MOST, ways * inner + 1)
            if ways == _MOST:
                break
        return ways
    if kind == "BRANCH":
        return min(_MOST, sum(_ways(branch, length) for branch in argument[1]))
    if kind == "SUBPATTERN":
        return _ways(argument[-1], length)
    if kind in ("ASSERT", "ASSERT_NOT"):
        return _ways(argument[1], length)
    if kind == "ATOMIC_GROUP":
        return _ways(argument, length)
    if kind == "GROUPREF_EXISTS":
        return _MOST
    return 1


class Pattern:
    """`re.Pattern`."""

    def __init__(self, pattern: Any, flags: Any = 0) -> None:
        if type(pattern) is not str or len(pattern) > _LONGEST or not isinstance(flags, int):
            raise Lost("a pattern that is not known")
        try:
            self._parsed = _parser.parse(pattern, flags)
            self._compiled = re.compile(pattern, flags)
        except (RecursionError, OverflowError) as error:
            raise Lost("a pattern that cannot be followed") from error
        self.pattern = pattern
        self.flags = self._compiled.flags
        self.groups = self._compiled.groups

    @property
    def groupindex(self) -> dict[str, int]:
        return dict(self._compiled.groupindex)

    def _on(self, method: str, text: Any, *args: Any, before: tuple[Any, ...] = (), **options: Any) -> Any:
        if type(text) is Unknown:  # no pattern of ours is one of bytes
            return self._in_unknown(method, text.why)
        if isinstance(text, TorchVersion):
            text = str(text)
        if type(text) is not str or not is_scalar(text):
            raise Lost("a text that is not known")
        if not all(type(arg) is int for arg in (*args, *options.values())):
            raise Lost("a place in a text that is not known")
        length = len(text)
        steps = (length + 1) * _ways(self._parsed, length)
        if steps > _MOST:
            raise Lost("a pattern that may take long on a text of this length")
        env = here()
        if env is not None:
            env.run.budget.op(steps / _AN_OPERATION)
        return getattr(self._compiled, method)(*before, text, *args, **options)

    def _in_unknown(self, method: str, why: str) -> Any:
        """What is found in a text that nobody knows."""
        if method in _GIVEN:
            return texts.given(_GIVEN[method], why)
        if method == "findall":
            found = [texts.text(why) for _ in range(max(1, self.groups))]
            return texts.some(found[0] if len(found) == 1 else tuple(found), why)
        return texts.some(texts.match(why), why) if method == "finditer" else texts.match(why)

    def match(self, string: Any, *args: Any, **options: Any) -> Any:
        return self._on("match", string, *args, **options)

    def fullmatch(self, string: Any, *args: Any, **options: Any) -> Any:
        return self._on("fullmatch", string, *args, **options)

    def search(self, string: Any, *args: Any, **options: Any) -> Any:
        return self._on("search", string, *args, **options)

    def findall(self, string: Any, *args: Any, **options: Any) -> Any:
        return self._on("findall", string, *args, **options)

    def finditer(self, string: Any, *args: Any, **options: Any) -> Any:
        return self._on("finditer", string, *args, **options)

    def split(self, string: Any, maxsplit: Any = 0) -> Any:
        return self._on("split", string, maxsplit)

    def sub(self, repl: Any, string: Any, count: Any = 0) -> Any:
        return self._on("sub", string, count, before=(_replacement(repl, string),))

    def subn(self, repl: Any, string: Any, count: Any = 0) -> Any:
        return self._on("subn", string, count, before=(_replacement(repl, string),))


_GIVEN = {"sub": "replace", "split": "split"}
"""What of an unknown text gives what a method of texts gives."""


def _replacement(repl: Any, text: Any) -> Any:
    if type(repl) is str:
        if len(repl) * (len(text) + 1 if type(text) is str else 1) > 2_000_000:
            raise Lost("too long a text to follow")
        return repl
    if type(repl) is Unknown or not callable(repl):
        raise Lost("a replacement that is not known")

    def replace(match: Any) -> Any:
        made = repl(match)
        if type(made) is not str:
            raise Lost("a replacement that is not known")
        return made

    return replace


_COMPILED: dict[tuple[str, int], Pattern] = {}
_REMEMBERED = 200


def compile(pattern: Any, flags: Any = 0) -> Any:
    """`re.compile`."""
    if isinstance(pattern, Pattern):
        return pattern
    if type(pattern) is not str or not isinstance(flags, int):
        return Unknown("a pattern that is not known")
    key = pattern, int(flags)
    if key not in _COMPILED:
        if len(_COMPILED) > _REMEMBERED:
            _COMPILED.clear()
        _COMPILED[key] = Pattern(pattern, flags)
    return _COMPILED[key]


def _of_module(name: str, arguments: int) -> Callable[..., Any]:
    """`re.sub(pattern, ...)`: the pattern's own method, flags last."""

    def function(pattern: Any, *args: Any, flags: Any = 0, **options: Any) -> Any:
        if len(args) > arguments:
            *args, flags = args  # type: ignore[assignment]
        made = compile(pattern, flags)
        return made if type(made) is Unknown else getattr(made, name)(*args, **options)

    return function


def escape(pattern: Any) -> Any:
    """`re.escape`."""
    return re.escape(pattern) if type(pattern) is str and is_scalar(pattern) else Unknown("a text")


_FLAGS = "A ASCII I IGNORECASE L LOCALE M MULTILINE S DOTALL U UNICODE X VERBOSE NOFLAG".split()
_ARGUMENTS = {
    "match": 1,
    "fullmatch": 1,
    "search": 1,
    "findall": 1,
    "finditer": 1,
    "split": 2,
    "sub": 3,
    "subn": 3,
}
list_member(Pattern, "re.Pattern")
stand_in(
    "re",
    {
        **{name: _of_module(name, count) for name, count in _ARGUMENTS.items()},
        **{name: getattr(re, name) for name in _FLAGS if hasattr(re, name)},
        "compile": compile,
        "escape": escape,
        "purge": nothing,
        "Pattern": Pattern,
        "Match": re.Match,
        "error": re.error,
    },
)
