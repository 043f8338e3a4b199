"""What a function reads that is not its own, from its text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

_BARRED = frozenset("exec eval globals locals vars id hash input open __import__ breakpoint".split())
"""Functions whose answer is more than what they are given, or changes with every call."""
_BARRED_ATTRIBUTES = frozenset(
    "grad_fn next_functions _version data_ptr untyped_storage storage retain_grad register_hook saved_tensors "
    "_base is_set_to num_batches_tracked".split()
)
"""What leads to more of a tensor than is compared: its graph, its version, its memory."""
_STATEMENTS = (
    ast.Global,
    ast.Nonlocal,
    ast.Import,
    ast.ImportFrom,
    ast.ClassDef,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.AsyncFunctionDef,
    ast.AsyncFor,
    ast.AsyncWith,
    ast.Delete,
)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

Reads = tuple[tuple[str, str | None], ...]
"""Names, each with the attribute that is read of it, or None where it is used otherwise."""

_KNOWN: dict[ast.AST, Reads | None] = {}
_MOST = 4_000


def reads(node: Any) -> Reads | None:
    """The names that a `def` or `lambda` reads from around it; None if a call of it cannot be said again."""
    if node not in _KNOWN:
        if len(_KNOWN) > _MOST:
            _KNOWN.clear()
        try:
            body = node.body if isinstance(node.body, list) else [node.body]
            found = _of_function(node.args, body)
            _KNOWN[node] = None if any(map(_is_barred, found)) else tuple(sorted(found, key=str))
        except _Barred:
            _KNOWN[node] = None
    return _KNOWN[node]


class _Barred(Exception):
    """Something in the text cannot be said again."""


_Found = set[tuple[str, str | None]]


def _is_barred(read: tuple[str, str | None]) -> bool:
    """Whether this is more than a value; names with two underscores are read under another one."""
    return read[0] in _BARRED or (read[0].startswith("__") and not read[0].endswith("__"))


def _of_function(args: ast.arguments, body: list[Any]) -> _Found:
    own = {a.arg for a in [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg] if a}
    found: _Found = set()
    for part in body:
        _walk(part, found, own)
    return {one for one in found if one[0] not in own}


def _walk(node: ast.AST, found: _Found, own: set[str]) -> None:
    """Collect what is read into `found` and what is bound into `own`. Raises _Barred."""
    if isinstance(node, _STATEMENTS):
        raise _Barred
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load):
            found.add((node.id, None))
        else:
            own.add(node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.attr in _BARRED_ATTRIBUTES:
            raise _Barred
        found.add((node.value.id, node.attr if isinstance(node.ctx, ast.Load) else None))
    elif isinstance(node, (ast.FunctionDef, ast.Lambda)):
        if isinstance(node, ast.FunctionDef):
            own.add(node.name)
            for decorator in node.decorator_list:
                _walk(decorator, found, own)
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                _walk(default, found, own)
        found |= _of_function(node.args, node.body if isinstance(node.body, list) else [node.body])
    elif isinstance(node, _COMPREHENSIONS):
        inner: set[str] = set()
        within: _Found = set()
        for part in ast.iter_child_nodes(node):
            _walk(part, within, inner)
        _walk(node.generators[0].iter, found, own)
        found |= {one for one in within if one[0] not in inner}
        own |= {one.target.id for one in _walruses(node)}
    elif isinstance(node, ast.AnnAssign):
        _walk(node.target, found, own)
        if node.value is not None:
            _walk(node.value, found, own)
    else:
        if isinstance(node, ast.Attribute) and node.attr in _BARRED_ATTRIBUTES:
            raise _Barred
        if isinstance(node, ast.ExceptHandler) and node.name:
            own.add(node.name)
        for part in ast.iter_child_nodes(node):
            _walk(part, found, own)


def _walruses(node: ast.AST) -> Iterator[Any]:
    return (one for one in ast.walk(node) if isinstance(one, ast.NamedExpr))
