"""What the text says of the shapes of a function's parameters: where made-up inputs begin. The code overrules it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any

import torch

from ....stated.places import Statement, statements_of
from ....vocabulary.blocks import UNREADABLE, pieces
from ..inputs.sizes import Free, root
from ..inputs.specs import Array, Opaque, Spec, with_rank

_FIRST = ("annotation", "comment", "docstring")
_DTYPES = {"Int": torch.int64, "Bool": torch.bool, "Long": torch.int64}


@lru_cache(maxsize=4)
def _of_text(text: str) -> dict[tuple[int, str], Statement]:
    """The shape that is stated of each parameter, by the line of its function and its name."""
    try:
        return {
            (line + first - 1, name): one
            for first, block in pieces(text)
            for (line, name), one in _of_block(block).items()
        }
    except UNREADABLE:
        return {}


@lru_cache(maxsize=2048)
def _of_block(block: str) -> dict[tuple[int, str], Statement]:
    found: dict[tuple[int, str], Statement] = {}
    for one in sorted(statements_of(block, ast.parse(block)), key=lambda one: _FIRST.index(one.kind)):
        if one.within is not None and one.name is not None:
            found.setdefault((one.within.lineno, one.name), one)
    return found


def begin(specs: dict[str, Spec], node: Any, text: str, shared: dict[str, Free] | None) -> None:
    """Give the tensors among some parameters of a function the dims that are said of them.

    `shared`: the dims that have a name, which are the same wherever it is said; None if they need not be.
    """
    stated = _of_text(text)
    for name, spec in list(specs.items()):
        one = stated.get((node.lineno, name))
        if one is None or one.shape.many is not None:
            continue
        if isinstance(spec, Opaque) and one.kind != "docstring":
            spec = specs[name] = Array()
        if not isinstance(spec, Array):
            continue
        spec.words = tuple(
            dim.name if dim.name is not None and dim.name.isidentifier() else None for dim in one.shape.dims
        )
        spec.said = len(spec.words)
        spec.ranks = [spec.said, *[rank for rank in spec.ranks if rank != spec.said]]
        with_rank(spec, spec.said)
        assert spec.dims is not None
        examples = [dim for dim in one.shape.dims if dim.number not in (None, 1)] or not any(spec.words)
        for at, word in enumerate(spec.words):
            mine = spec.dims[at]
            if one.shape.dims[at].number == 1 and at and not examples and isinstance(mine, Free):
                mine.equals = 1
            if shared is not None and word is not None and isinstance(mine, Free):
                if word in spec.words[:at]:
                    mine.equals = shared.setdefault(
                        word, mine
                    )  # if the code does not need it, a slip of the pen
                else:
                    spec.dims[at] = shared.setdefault(word, mine)
        kind = _annotated(node, name).split("[")[0].rsplit(".", 1)[-1]
        spec.dtype = next((dtype for begins, dtype in _DTYPES.items() if kind.startswith(begins)), spec.dtype)


def contradicts(inputs: Iterable[Array], own: Collection[str], others: Collection[str]) -> bool:
    """Whether what the text states of the inputs was not written of this function, or not with care.

    Dims for which it has unlike words have to be one: it states other ranks than the code takes. Or it has the word
    of another class for what is a parameter of this one's constructor: it was copied. `own`, `others`: the
    parameters of the constructor, and of those of the other classes.
    """
    words: dict[Free, str] = {}
    for array in inputs:
        for dim, word in zip(array.dims or (), array.words if array.stated else ()):
            if isinstance(dim, Free) and word is not None and len(word) > 1:
                size = root(dim)
                if words.setdefault(size, word) != word:
                    return True
                if size.label in own and word not in own and word in others:
                    return True
    return False


def _annotated(node: Any, name: str) -> str:
    for arg in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
        if arg.arg == name and arg.annotation is not None:
            return ast.unparse(arg.annotation).strip("'\"")
    return ""
