"""The statements at the top of a file in parts that have nothing to do with one another: no name, but for what cannot change.

A name that is bound anew is another name. What a function reads, it reads whenever it is called: such a name is one all along.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

_STEADY = frozenset(
    "torch numpy einops torchvision torchaudio timm transformers math typing dataclasses collections functools itertools "
    "enum abc operator statistics string re numbers fractions decimal __future__".split()
)
"""Libraries that hold nothing which a file changes, but by an attribute that it sets, or by what `Untouched` looks at."""
_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}
_OPEN = frozenset("globals locals vars exec eval __import__ compile".split())
_HARMLESS = ("backends",)
"""What torch has there changes how it computes, and nothing that is known of what it gives."""


class Block(NamedTuple):
    """Statements of the top that share their lines, and the names that broken lines in it leave unknown."""

    first: int
    text: str
    broken: tuple[Any, ...] = ()


def poisoned(line: int, names: tuple[str, ...]) -> Block:
    """What a broken line between two blocks leaves: names that are not known from there on."""
    owners = [name.partition(".")[0] for name in names]
    return Block(line, "\n".join(f"{one} = {one}" for one in owners if one.isidentifier()), (line, names))


class Touch(NamedTuple):
    """What a block has to do with names of the module.

    `later`: those that functions in it read. `perhaps`: whether what it writes may stay as it was. `kind`: "import" of a
    steady library, "literal", or "". `changes`: names of which an attribute or an item is set. `is_open`: any name may be touched.
    """

    reads: frozenset[str]
    writes: frozenset[str]
    later: frozenset[str]
    perhaps: bool
    kind: str
    changes: frozenset[str]
    is_open: bool


Key = tuple[Any, ...]


class Parts(NamedTuple):
    """`of`: for each block the number of the part that it belongs to, None where it is run each time.

    `keys`: by part what decides about it: equal keys, equal outcomes. To hash one takes as long as the part.
    """

    of: list[int | None]
    keys: dict[int, Key]


class _Known(NamedTuple):
    """What was found out of some blocks. `members`: by part its blocks; `givers`: the blocks that no part has."""

    blocks: Sequence[Block]
    around: tuple[Block, ...]
    touches: Sequence[Touch]
    members: dict[int, list[int]]
    givers: frozenset[int]
    parts: Parts


_TEXTS = 4
_latest: list[_Known] = []
_MOST_EDITED = 8


def parts(blocks: Sequence[Block], around: Sequence[Block]) -> Parts:
    """Which blocks have to do with one another. `around`: those that change more than names."""
    edited = (_edited(known, blocks, tuple(around)) for known in reversed(_latest))
    known = next(filter(None, edited), None) or _found(blocks, tuple(around))
    _latest.append(known)
    del _latest[:-_TEXTS]
    return known.parts


def _edited(before: _Known, blocks: Sequence[Block], around: tuple[Block, ...]) -> _Known | None:
    """The same where few blocks are others, which have to do with the same names; None elsewhere."""
    if len(before.blocks) != len(blocks) or before.around != around:
        return None
    others = [at for at, block in enumerate(blocks) if block is not before.blocks[at]]
    if len(others) > _MOST_EDITED or not before.givers.isdisjoint(others):
        return None
    if any(_touch(blocks[at].text) != before.touches[at] for at in others):
        return None
    of, keys = before.parts.of, dict(before.parts.keys)
    for part in {part for at in others if (part := of[at]) is not None}:
        facts = keys[part][1]
        keys[part] = (around, facts, tuple(blocks[at] for at in before.members[part]))
    return before._replace(blocks=blocks, parts=Parts(of, keys))


def _found(blocks: Sequence[Block], around: tuple[Block, ...]) -> _Known:
    touches = [_touch(block.text) for block in blocks]
    given = _given(touches)
    of: list[int | None] = [None] * len(blocks)
    if any(touch.is_open for touch in touches) or _changes_libraries(touches, given):
        return _Known(blocks, around, touches, {}, frozenset(), Parts(of, {}))
    root, givers = _joined(touches, given), frozenset(given.values())
    members: dict[int, list[int]] = {}
    for at in range(len(blocks)):
        if at not in givers:
            of[at] = root(at)
            members.setdefault(root(at), []).append(at)
    keys: dict[int, Key] = {}
    for part, own in members.items():
        used = frozenset().union(*(touches[at].reads | touches[at].later for at in own))
        facts = tuple(
            (name, blocks[given[name]].text, given[name] < own[0]) for name in sorted(used & given.keys())
        )
        keys[part] = (around, facts, tuple(blocks[at] for at in own))
    return _Known(blocks, around, touches, members, givers, Parts(of, keys))


def binds(block: Block, names: Collection[str]) -> bool:
    """Whether a block binds one of some names."""
    return bool(names) and not _touch(block.text).writes.isdisjoint(names)


def _given(touches: Sequence[Touch]) -> dict[str, int]:
    """The names that are bound once, to a library or a constant, and by which block."""
    writers: dict[str, list[int]] = {}
    for at, touch in enumerate(touches):
        for name in touch.writes:
            writers.setdefault(name, []).append(at)
    return {
        name: by[0]
        for name, by in writers.items()
        if len(by) == 1
        and touches[by[0]].kind
        and all(len(writers[other]) == 1 for other in touches[by[0]].writes)
    }


def _changes_libraries(touches: Sequence[Touch], given: Mapping[str, int]) -> bool:
    return any(not touch.changes.isdisjoint(given) for touch in touches)


def _joined(touches: Sequence[Touch], given: Mapping[str, int]) -> Any:
    """Which blocks have to do with one another: gives the first of those that a block belongs to."""
    above = list(range(len(touches)))

    def root(at: int) -> int:
        while above[at] != at:
            above[at] = above[above[at]]
            at = above[at]
        return at

    whole = frozenset().union(*(touch.later for touch in touches))
    written = frozenset().union(*(touch.writes for touch in touches))
    last: dict[str, int] = {}
    for at, touch in enumerate(touches):
        for name in touch.reads | touch.later | touch.writes:
            if name in given or (name in _BUILTINS and name not in written):
                continue
            stays = name in whole or name in touch.reads or touch.perhaps
            if stays and name in last:
                above[root(at)] = root(last[name])
            last[name] = at
    return root


@lru_cache(maxsize=4096)
def _touch(text: str) -> Touch:
    try:
        tree, table = ast.parse(text), symtable.symtable(text, "<block>", "exec")
    except (SyntaxError, ValueError, RecursionError):
        return Touch(frozenset(), frozenset(), frozenset(), True, "", frozenset(), True)
    reads, writes, later = set[str](), set[str](), set[str]()
    perhaps = not all(isinstance(node, _SURE) for node in tree.body)
    for symbol in table.get_symbols():
        if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace():
            writes.add(symbol.get_name())
        if symbol.is_referenced():
            reads.add(symbol.get_name())
    for inner, is_now in _inside(table, True):
        for symbol in inner.get_symbols():
            if symbol.is_global():
                (reads if is_now else later).add(symbol.get_name())
                if symbol.is_assigned():
                    writes.add(symbol.get_name())
                    perhaps = True
    names = reads | later
    held = {f"<{source}>" for node in tree.body for source in _sources(node) if source not in _STEADY}
    reads |= (
        held  # what is imported from one library in two ways may change it in one and ask it in the other
    )
    writes |= held
    return Touch(
        frozenset(reads),
        frozenset(writes),
        frozenset(later),
        perhaps,
        _kind(tree),
        frozenset(_changed(tree)),
        not _OPEN.isdisjoint(names) or any(_takes_all(node) for node in tree.body),
    )


_SURE = (
    ast.Assign,
    ast.AnnAssign,
    ast.Expr,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Assert,
    ast.Pass,
)
_AT_ONCE = frozenset(("listcomp", "setcomp", "dictcomp", "genexpr"))


def _inside(table: symtable.SymbolTable, is_now: bool) -> Iterator[tuple[symtable.SymbolTable, bool]]:
    """The scopes inside of one, and whether they run where they stand."""
    for inner in table.get_children():
        now = is_now and inner.get_name() in _AT_ONCE
        yield inner, now
        yield from _inside(inner, now)


def _takes_all(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)


def _kind(tree: ast.Module) -> str:
    if all(isinstance(node, (ast.Import, ast.ImportFrom)) and _is_steady(node) for node in tree.body):
        return "import"
    return "literal" if all(map(_is_literal, tree.body)) else ""


def _is_steady(node: ast.Import | ast.ImportFrom) -> bool:
    return not getattr(node, "level", 0) and all(source in _STEADY for source in _sources(node))


def _sources(statement: ast.stmt) -> Iterator[str]:
    """The libraries that a statement imports from."""
    for node in ast.walk(statement):
        if isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)


def _is_literal(node: ast.stmt) -> bool:
    """Whether it binds names to what cannot change, or says something about the file."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Assign) and all(map(_is_name, node.targets)) and _is_constant(node.value)


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name)


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.operand, ast.Constant)
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.Tuple) and all(map(_is_constant, node.elts))
    )


def _changed(tree: ast.Module) -> Iterator[str]:
    """The names of which an attribute or an item is set, or deleted."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            yield from _root(node)
        elif (
            isinstance(node, ast.Call)
            and getattr(node.func, "id", "") in ("setattr", "delattr")
            and node.args
        ):
            yield from _root(node.args[0])


def _root(node: ast.expr) -> Iterator[str]:
    path: list[str] = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        path.append(node.attr if isinstance(node, ast.Attribute) else "")
        node = node.value
    if isinstance(node, ast.Name) and (not path or path[-1] not in _HARMLESS):
        yield node.id
