"""Texts compiled once: the closures of a text hold nothing of a trace, so the next one takes them as they are."""

from __future__ import annotations

import ast
import warnings
from collections import OrderedDict
from typing import NamedTuple

from .compiler import Statement
from .compiler.poison import plant
from .compiler.statements import Compiler
from .places import Places

_CHARACTERS = 6_000_000
"""How much text is kept compiled: syntax trees and closures take some 40 bytes a character."""


class _Compiled(NamedTuple):
    body: Statement
    characters: int


_KEPT: OrderedDict[str, _Compiled] = OrderedDict()


def is_kept(digest: str | None) -> bool:
    """Whether the text of a digest need not be given again."""
    return digest in _KEPT


def body(digest: str, text: str | None, broken: dict[int, tuple[str, ...]]) -> Statement:
    """The top level of a text as a closure; `text` may be None if it is kept. Raises SyntaxError."""
    kept = _KEPT.pop(digest, None)
    if kept is None:
        assert text is not None
        kept = _Compiled(compile_text(text, broken), len(text))
    _KEPT[digest] = kept  # the last used stands last
    while len(_KEPT) > 1 and sum(one.characters for one in _KEPT.values()) > _CHARACTERS:
        _KEPT.popitem(last=False)
    return kept.body


def compile_text(text: str, broken: dict[int, tuple[str, ...]]) -> Statement:
    """The top level of a text as a closure, not kept. Raises SyntaxError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text, "<file>")
    plant(tree, broken)
    return Compiler(Places(text)).block(tree.body, top=True)
