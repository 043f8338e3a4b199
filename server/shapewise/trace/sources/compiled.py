"""Texts compiled once: the closures of a text hold nothing of a trace, so the next one takes them as they are."""

from __future__ import annotations

import ast
import warnings
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from itertools import groupby
from typing import NamedTuple

from ...vocabulary.blocks import blocks_of, is_plain, stretch
from ..compiler import Statement
from ..compiler.poison import plant, poisoned_names
from ..compiler.statements import Compiler, Step
from ..untouched import Top, top
from .gathered import Gathered, gathered_by
from .parts import Block, poisoned
from .places import Places

_CHARACTERS = 3_000_000
"""How much text is kept compiled: syntax trees and closures take some 40 bytes a character."""


class _Compiled(NamedTuple):
    body: Statement
    characters: int
    repeats: bool
    """See `repeats`."""
    gathered: Gathered | None
    text: str


_KEPT: OrderedDict[str, _Compiled] = OrderedDict()


_GRAPHS = ("create_graph", "autograd.functional", "jacobian", "hessian", "gradcheck", "saved_tensors_hooks")


def repeats(text: str) -> bool:
    """Whether calls in a program with this text may be said again: not if it asks for more of graphs than gradients."""
    return not any(word in text for word in _GRAPHS)


def kept_repeats(digest: str) -> bool:
    """The same of a text that is kept."""
    return _KEPT[digest].repeats


def kept_names(digest: str) -> Gathered | None:
    """What a kept text gathers, if it does nothing else: see `gathered`."""
    return _KEPT[digest].gathered


def kept_text(digest: str) -> str:
    """The text itself."""
    return _KEPT[digest].text


def is_kept(digest: str | None) -> bool:
    """Whether the text of a digest need not be given again."""
    return digest in _KEPT


def body(digest: str, text: str | None, broken: dict[int, tuple[str, ...]]) -> Statement:
    """The top level of a text as a closure; `text` may be None if it is kept. Raises SyntaxError."""
    kept = _KEPT.pop(digest, None)
    if kept is None:
        assert text is not None
        kept = _Compiled(
            compile_text(text, broken), len(text), repeats(text), None if broken else gathered_by(text), text
        )
    _KEPT[digest] = kept  # the last used stands last
    while len(_KEPT) > 1 and sum(one.characters for one in _KEPT.values()) > _CHARACTERS:
        _KEPT.popitem(last=False)
    return kept.body


def compile_text(text: str, broken: dict[int, tuple[str, ...]]) -> Statement:
    """The top level of a text as a closure. Raises SyntaxError.

    The text is not kept, but its blocks are: an edit leaves most of them as and where they were.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return top(_with_unknown(text, broken) if broken else [_kept(block).whole for block in _blocks(text)])


def _with_unknown(text: str, broken: dict[int, tuple[str, ...]]) -> list[Top]:
    """The blocks of a text in which the names of broken lines become unknown. Raises SyntaxError."""
    kept: dict[int, Step] = {}
    blocks: dict[int, Block] = {}
    body: list[ast.stmt] = []
    for block in _blocks(text):
        inside = [(line, names) for line, names in broken.items() if block.first <= line <= block.last]
        if inside:
            nodes = block.parsed()  # what is unknown there is planted in it
        else:
            steps = _kept(block).steps
            kept.update((id(node), (step, node)) for step, node in steps)
            nodes = [node for _, node in steps]
        blocks.update((id(node), Block(block.first, block.text, tuple(inside))) for node in nodes)
        body += nodes
    plant(ast.Module(body, []), broken)
    groups = groupby(
        body, lambda node: blocks.get(id(node)) or poisoned(node.lineno, poisoned_names(node) or ())
    )
    compiler = Compiler(Places(text))
    return [
        (
            block,
            compiler.steps(
                [kept.get(id(node)) or (compiler.statement(node), node) for node in nodes], top=True
            ),
        )
        for block, nodes in groups
    ]


class _Block(NamedTuple):
    """Statements of the top that share their lines. `nodes`: them, if they have been parsed with the whole text."""

    first: int
    last: int
    text: str
    nodes: list[ast.stmt] | None = None

    def parsed(self) -> list[ast.stmt]:
        if self.nodes is not None:
            return self.nodes
        return ast.parse("\n" * (self.first - 1) + self.text, "<file>").body


_latest: list[tuple[str, list[_Block]]] = []


def _blocks(text: str) -> list[_Block]:
    """Of a text that was edited, those that were not are the same again. Raises SyntaxError."""
    lines, tree = blocks_of(text)
    rows = text.split("\n")
    if not is_plain(text):  # lines may end elsewhere
        return [_Block(1, len(rows), text, None if tree is None else tree.body)]
    before = _latest[0] if tree is None and _latest else None
    between = None if before is None else stretch(before[0], text)
    above: list[_Block] = []
    below: list[_Block] = []
    if before is not None and between is not None and not between.down:
        above = before[1][: bisect_right(before[1], between.above, key=lambda block: block.last)]
        below = before[1][bisect_left(before[1], between.below, key=lambda block: block.first) :]
    nodes = [] if tree is None else tree.body[::-1]
    made: list[_Block] = []
    for first, last in lines[len(above) : len(lines) - len(below)]:
        own: list[ast.stmt] = []
        while nodes and nodes[-1].lineno <= last:
            own.append(nodes.pop())
        made.append(_Block(first, last, "\n".join(rows[first - 1 : last]), None if tree is None else own))
    blocks = [*above, *made, *below]
    _latest[:] = [(text, [block._replace(nodes=None) if block.nodes else block for block in blocks])]
    return blocks


class _Kept(NamedTuple):
    """A block compiled: its statements, and all of them as one."""

    steps: list[Step]
    whole: Top


_BLOCKS: OrderedDict[tuple[int, int, str], _Kept] = OrderedDict()
_BLOCK_CHARACTERS = 400_000
"""How much text of such blocks is kept: some 100 bytes a character (measured), each edit leaves one of them."""
_kept_characters = 0


def _kept(block: _Block) -> _Kept:
    """A block compiled, or as it was compiled when the same text stood at the same place."""
    global _kept_characters
    key = block[:3]
    kept = _BLOCKS.get(key)
    if kept is not None:
        _BLOCKS.move_to_end(key)
        return kept
    compiler = Compiler(Places(block.text, block.first))
    steps = [(compiler.statement(node), node) for node in block.parsed()]
    kept = _BLOCKS[key] = _Kept(steps, (Block(block.first, block.text), compiler.steps(steps, top=True)))
    _kept_characters += len(block.text)
    while _kept_characters > _BLOCK_CHARACTERS and len(_BLOCKS) > 1:
        (_, _, text), _ = _BLOCKS.popitem(last=False)
        _kept_characters -= len(text)
    return kept
