"""What an einsum or an einops pattern does, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...vocabulary.events import Size, Tensor
from .run import Run, plain
from .words import dim

_TOKEN = re.compile(r"\(|\)|\.\.\.|…|[A-Za-z_]\w*|\d+")


def told(run: Run) -> str | None:
    """A sentence and the sizes of the names; None for other ops, and for patterns that do not fit."""
    if run.op.failure is not None:
        return None
    if run.short == "einsum":
        return _einsum(run)
    if run.op.name in ("einops.rearrange", "einops.reduce", "einops.repeat"):
        return _einops(run)
    return None


def _einsum(run: Run) -> str | None:
    equation = plain(run.argument(0, "equation"))
    if not isinstance(equation, str) or "." in equation:
        return None
    given, arrow, wanted = equation.replace(" ", "").partition("->")
    terms = given.split(",")
    shapes = [tensor.shape for _, tensor in run.tensors]
    if len(terms) != len(shapes) or any(len(term) != len(sizes) for term, sizes in zip(terms, shapes)):
        return None
    letters = "".join(terms)
    if not arrow:
        wanted = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    sizes = _by_name(list(zip(letters, (size for sizes in shapes for size in sizes))))
    summed = [letter for letter in dict.fromkeys(letters) if letter not in wanted]
    what = "the products" if len(terms) > 1 else "the elements"
    if summed:
        said = f"{what}, summed over {_listed(summed)}"
    elif len(terms) > 1:
        said = what
    else:
        said = "the same elements" + (", in another order of dims" if wanted != letters else "")
    each = f"For every {_listed(list(wanted))}: {said}." if wanted else f"One number: {said}."
    return f"{each} {_sizes(sizes)}".strip()


def _einops(run: Run) -> str | None:
    pattern = plain(run.argument(1, "pattern"))
    source = run.op.args[0] if run.op.args else None
    if not isinstance(pattern, str) or not isinstance(source, Tensor) or pattern.count("->") != 1:
        return None
    before, after = (_groups(side) for side in pattern.split("->"))
    if before is None or after is None or any("..." in group for group in (*before, *after)):
        return None
    if len(before) != len(source.shape):
        return None
    given = {key: plain(value) for key, value in run.op.kwargs}
    sizes: dict[str, Size] = {key: value for key, value in given.items() if type(value) is int}
    for group, size in zip(before, source.shape):
        lacking = [name for name in group if name not in sizes and not name.isdigit()]
        known = 1
        for name in group:
            one = int(name) if name.isdigit() else sizes.get(name)
            known = known * one if isinstance(one, int) and isinstance(known, int) else known
        if len(lacking) == 1:
            sizes[lacking[0]] = (
                size // known if isinstance(size, int) and known else size if len(group) == 1 else None
            )
    here, there = [name for group in before for name in group], [name for group in after for name in group]
    said = [f"splits dim {at} into {'·'.join(group)}" for at, group in enumerate(before) if len(group) > 1]
    gone = [name for name in here if name not in there and not name.isdigit()]
    if gone:
        how = plain(run.argument(2, "reduction"))
        said.append(f"takes the {how if isinstance(how, str) else 'reduction'} over {_listed(gone)}")
    kept = [name for name in here if name in there]
    if kept != [name for name in there if name in here]:
        said.append("puts the dims into another order")
    new = [name for name in there if name not in here and not name.isdigit()]
    if new:
        said.append(f"repeats along {_listed(new)}")
    said += [f"merges {'·'.join(group)}" for group in after if len(group) > 1]
    text = ", ".join(said) or "keeps the dims as they are"
    return f"{text[0].upper()}{text[1:]}. {_sizes(sizes)}".strip()


def _groups(side: str) -> list[list[str]] | None:
    """The dims of one side of a pattern, each with the names it is made of."""
    groups: list[list[str]] = []
    inside = False
    for token in _TOKEN.findall(side):
        if token in "()":
            if inside == (token == "("):
                return None
            inside = token == "("
            if inside:
                groups.append([])
        elif inside:
            groups[-1].append("..." if token == "…" else token)
        else:
            groups.append(["..." if token == "…" else token])
    return None if inside else groups


def _by_name(pairs: Sequence[tuple[str, Size]]) -> dict[str, Size]:
    """The size of each name: of one that is broadcast, the larger."""
    sizes: dict[str, Size] = {}
    for name, size in pairs:
        if sizes.get(name, 1) == 1:
            sizes[name] = size
    return sizes


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _sizes(sizes: dict[str, Size]) -> str:
    """`b=2 i=5`, names whose size is their own left out."""
    shown = " ".join(
        f"{name}={dim(size)}" for name, size in sizes.items() if size is not None and size != name
    )
    return f"`{shown}`" if shown else ""
