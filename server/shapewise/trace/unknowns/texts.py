"""Texts that nobody knows: of `open("input.txt").read()` it is known that it is one, and what its methods give.

An unknown text is an `Unknown` of the kind TEXT, a file one of the kind FILE. What has a number of
parts that nobody knows (lines, words, characters, the keys of a vocabulary) is a container of unknown
length whose items are alike (`grown.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import torch

from ..log.facts import same
from ..worlds import worlds
from . import samples
from .alike import key_in, kind_of_items, value_in
from .grown import grown, is_grown, mark_of
from .joining import join
from .unknown import SETTING, TRUTH, Unknown, likely, setting

TEXT, FILE, MATCH = "text", "file", "match"

_TEXTS = frozenset(
    "strip lstrip rstrip lower upper title capitalize casefold swapcase replace translate zfill ljust rjust center join "
    "format expandtabs removeprefix removesuffix encode decode".split()
)
"""Methods of a text that give one."""
_PARTS = frozenset("split rsplit splitlines".split())
_PLAIN = frozenset((int, float, bool, str, type(None)))
_LOOKS = frozenset("get pop setdefault".split())
"""Methods of a dict of settings that give one, or what they are given instead."""
_PLACES = frozenset("find rfind index rindex count".split())


def text(why: str) -> Unknown:
    """A text that nobody knows."""
    made = Unknown(why)
    made.kind = TEXT
    return made


def match(why: str) -> Unknown:
    """What a pattern found in a text that nobody knows: if it is not None, parts of it are texts."""
    made = Unknown(why)
    made.kind = MATCH
    return made


def opened(mode: Any, why: str) -> Unknown:
    """A file: of one that is read as a text its contents are texts."""
    made = Unknown(why)
    if type(mode) is str and "b" not in mode:
        made.kind = FILE
    return made


def is_text(value: Any) -> bool:
    """Whether a value is a text, known or not."""
    return isinstance(value, str) or (type(value) is Unknown and value.kind == TEXT)


def some(item: Any, why: str, make: Callable[[list[Any]], Any] = list) -> Any:
    """A container of nobody knows how many such items."""
    made = make([item])
    grown(made, why, alike=True)
    return made


def item_of(value: Any) -> Any:
    """What each item of a value is: of a text, a container, a range, a tensor. Raises LookupError where they differ."""
    value = likely(value)
    if type(value) is Unknown:
        item = samples.item(value)
    elif isinstance(value, torch.Tensor) and value.dim() and len(value):
        return value[0]
    elif type(value) in ITEMS:
        return ITEMS[type(value)](value)
    elif type(value) is range and value:
        return worlds.between(min(value), max(value), "an item of a range")
    elif isinstance(value, (list, tuple, set, frozenset, dict)) and value:
        try:
            return kind_of_items(value, same)
        except LookupError:
            if mark_of(value) is not None:
                raise
            item, *others = value
            for other in others[:_LOOKED_AT]:
                item = join(item, other, same)
            if len(others) > _LOOKED_AT:
                raise
    else:
        raise LookupError
    if not is_something(item):
        raise LookupError
    return item


_LOOKED_AT = 64
ITEMS: dict[type, Callable[[Any], Any]] = {}
"""Types of ours that say themselves what an item of theirs is: numpy's. They raise LookupError where there is none."""


def is_something(item: Any) -> bool:
    """Whether anything is known of a value."""
    item = likely(item)
    return (
        type(item) is not Unknown
        or item.kind is not None
        or type(item.sample) in (int, float)
        or bool(item.options)
    )


def method(value: Unknown, name: str) -> Unknown | None:
    """A method of an unknown text or file; None where nothing is known of what it gives."""
    why = value.why

    def answer(*args: Any, **options: Any) -> Any:
        if value.kind == SETTING:
            return setting(why) if all(type(likely(one)) in _PLAIN for one in args[1:]) else Unknown(why)
        if value.kind == MATCH and len(args) > 1:
            return tuple([text(why) for _ in args])
        return _given(value.kind, name, why)

    if _given(value.kind, name, why) is None and not (value.kind == SETTING and name in _LOOKS):
        return None
    made = Unknown(why)
    made.answer = answer
    return made


def counting(why: str) -> Unknown:
    """A method that gives a number, such as `index` of a list of nobody knows how many items."""
    made = Unknown(why)
    made.answer = lambda *args: worlds.number(why)
    return made


def reading(names: dict[Any, Any], name: str) -> Unknown | None:
    """A method that reads a dict of unknown length, such as a vocabulary; None where nothing is known of what it gives."""
    try:
        kind = value_in(names, same)
    except LookupError:
        return None
    made = Unknown(mark_of(names).why)  # type: ignore[union-attr]
    try:
        key = key_in(names, same)
    except LookupError:
        key = Unknown(made.why)
    if name == "get":
        made.answer = lambda key=None, default=None: join(kind, default, same)
    elif name == "values":
        made.answer = lambda: some(kind, made.why)
    elif name == "keys":
        made.answer = lambda: some(key, made.why)
    elif name == "items" or (name == "most_common" and isinstance(names, Counter)):
        made.answer = lambda n=None: some((key, kind), made.why)
    else:
        return None
    return made


def _given(kind: str | None, name: str, why: str) -> Any:
    if kind == TRUTH:
        return None
    if kind == MATCH:
        return text(why) if name == "group" else worlds.number(why) if name in ("start", "end") else None
    if kind == FILE:
        return (
            text(why)
            if name in ("read", "readline")
            else some(text(why), why)
            if name == "readlines"
            else None
        )
    return given(name, why)


def given(name: str, why: str) -> Any:
    """What a method of an unknown text, or one that was given such, gives; None where nothing is known of it."""
    if name in _TEXTS:
        return text(why)
    if name in _PARTS:
        return some(text(why), why)
    if name in ("partition", "rpartition"):
        return (text(why), text(why), text(why))
    return worlds.number(why) if name in _PLACES else None


# ---------------------------------------------------------------- what builtins make of them

_ALIKE: dict[Any, Callable[[list[Any]], Any]] = {
    list: list,
    tuple: list,  # a tuple is not marked: two of equal items may be one object
    set: set,
    frozenset: set,
    sorted: list,
    reversed: list,
    iter: list,
}


GATHER = {
    id(function)
    for function in (*_ALIKE, enumerate, zip, zip_longest, map, min, max, sum, int, float, ord, dict, Counter)
}
"""What goes over the items of what it is given, or reads a text."""
GO_OVER = GATHER - {id(function) for function in (int, float, ord, dict)}
"""What goes over the items."""


def gathered(function: Any, args: Any, options: dict[str, Any], why: str, apply: Callable[..., Any]) -> Any:
    """What `list`, `sorted`, `enumerate`, `zip`, `map`, `max`... give of containers of unknown length, and of texts.

    Raises LookupError where that is not known. `apply` calls a value.
    """
    if function in _ALIKE and len(args) == 1:
        return some(item_of(args[0]), why, _ALIKE[function])
    if function is enumerate and args:
        return some((worlds.number(why), item_of(args[0])), why)
    if function is zip and args:
        return some(tuple(item_of(arg) for arg in args), why)
    if function is zip_longest and args and options.keys() <= {"fillvalue"}:
        fill = options.get("fillvalue")
        return some(tuple(join(item_of(arg), fill, same) for arg in args), why)
    if function is map and len(args) == 2:
        made = apply(args[0], item_of(args[1]))
        if is_something(made):
            return some(made, why)
    if function is dict and len(args) == 1 and not options:
        pair = item_of(args[0])
        if type(pair) is tuple and len(pair) == 2:
            return _filled({}, why, *pair)
    if function is Counter and len(args) == 1 and not options:
        return _filled(Counter(), why, item_of(args[0]), worlds.number(why))
    if function is sum and len(args) == 2 and type(args[1]) is list:
        return some(item_of(item_of(args[0])), why)
    if function in (min, max) and len(args) == 1 and options.keys() == {"key"}:
        return item_of(args[0])
    if function in (min, max, sum) and len(args) == 1 and not options:
        item = item_of(args[0])
        kind = type(item.sample if type(item) is Unknown else item)
        if kind in (int, float):
            return worlds.number(why) if kind is int else worlds.real(why)
    if function in (int, float, ord) and len(args) == 1 and is_text(args[0]):
        return worlds.real(why) if function is float else worlds.number(why)
    raise LookupError


def columns(rows: Any) -> list[Any] | None:
    """What `zip(*rows)` gives of nobody knows how many rows; None where they are counted, or not alike."""
    lost = is_grown(rows)
    if lost is None:
        return None
    try:
        row = likely(item_of(rows))
    except LookupError:
        return None
    known = isinstance(row, (tuple, list)) and is_grown(row) is None
    return [some(part, lost.why) for part in row] if known else None


def _filled(made: dict[Any, Any], why: str, key: Any, of: Any) -> dict[Any, Any]:
    """A dict of nobody knows how many such items."""
    grown(made, why, of=of, key=key)
    return made
