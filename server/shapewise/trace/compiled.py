"""Texts compiled once: the closures of a text hold nothing of a trace, so the next one takes them as they are."""

from __future__ import annotations

import ast
import warnings
from collections import OrderedDict
from typing import Any, NamedTuple

from .compiler import Statement
from .compiler.poison import first_line, plant
from .compiler.statements import Compiler, Step
from .places import Places

_CHARACTERS = 3_000_000
"""How much text is kept compiled: syntax trees and closures take some 40 bytes a character."""


class _Compiled(NamedTuple):
    body: Statement
    characters: int
    repeats: bool
    """See `repeats`."""


_KEPT: OrderedDict[str, _Compiled] = OrderedDict()


_GRAPHS = ("create_graph", "autograd.functional", "jacobian", "hessian", "gradcheck", "saved_tensors_hooks")


def repeats(text: str) -> bool:
    """Whether calls in a program with this text may be said again: not if it asks for more of graphs than gradients."""
    return not any(word in text for word in _GRAPHS)


def kept_repeats(digest: str) -> bool:
    """The same of a text that is kept."""
    return _KEPT[digest].repeats


def is_kept(digest: str | None) -> bool:
    """Whether the text of a digest need not be given again."""
    return digest in _KEPT


def body(digest: str, text: str | None, broken: dict[int, tuple[str, ...]]) -> Statement:
    """The top level of a text as a closure; `text` may be None if it is kept. Raises SyntaxError."""
    kept = _KEPT.pop(digest, None)
    if kept is None:
        assert text is not None
        kept = _Compiled(compile_text(text, broken), len(text), repeats(text))
    _KEPT[digest] = kept  # the last used stands last
    while len(_KEPT) > 1 and sum(one.characters for one in _KEPT.values()) > _CHARACTERS:
        _KEPT.popitem(last=False)
    return kept.body


def compile_text(text: str, broken: dict[int, tuple[str, ...]]) -> Statement:
    """The top level of a text as a closure. Raises SyntaxError.

    The text is not kept, but its statements are: an edit leaves most of them as and where they were.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text, "<file>")
    own = [(node, first_line(node)) for node in tree.body]
    plant(tree, broken)
    compiler = Compiler(Places(text))
    lines = text.split("\n")
    kept: dict[int, Step] = {}
    for node, first in own:
        last = node.end_lineno or first
        if "\r" not in text and not any(first <= line <= last for line in broken):
            place = first, node.col_offset, last, node.end_col_offset
            kept[id(node)] = _kept_step(compiler, node, (*place, "\n".join(lines[first - 1 : last])))
    return compiler.steps(
        [kept.get(id(node)) or (compiler.statement(node), node) for node in tree.body], top=True
    )


_STATEMENTS: OrderedDict[Any, Step] = OrderedDict()
_STATEMENT_CHARACTERS = 1_000_000
"""How much text of such statements is kept: some 40 bytes a character, too."""
_kept_characters = 0


def _kept_step(compiler: Compiler, node: ast.stmt, key: Any) -> Step:
    """A statement compiled, or as it was compiled when the same text stood at the same place."""
    global _kept_characters
    step = _STATEMENTS.get(key)
    if step is not None:
        _STATEMENTS.move_to_end(key)
        return step
    step = _STATEMENTS[key] = compiler.statement(node), node
    _kept_characters += len(key[-1])
    while _kept_characters > _STATEMENT_CHARACTERS and len(_STATEMENTS) > 1:
        (*_, text), _ = _STATEMENTS.popitem(last=False)
        _kept_characters -= len(text)
    return step
