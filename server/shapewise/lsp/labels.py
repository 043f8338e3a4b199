"""Facts in words: the short label of a hint, and the card of a tooltip or hover.

A label reads `[4 12 3·C]`, `[]` for a scalar, `?` for a dim that is not known. A dtype is named
unless it is float32, a device unless it is the cpu or not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby, takewhile
from math import prod

from ..queries.hovers.words import memory
from ..vocabulary.facts import Dim, Fact, GroupFact, TensorFact, ValueFact

LONGEST = 40
"""Characters of a label: editors cut what is much longer, in the middle of a number if need be."""

_SHORT_DTYPES = {
    "float64": "f64",
    "float32": "",
    "float16": "f16",
    "bfloat16": "bf16",
    "int64": "i64",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    "uint64": "u64",
    "uint32": "u32",
    "uint16": "u16",
    "uint8": "u8",
    "bool": "bool",
    "complex32": "c32",
    "complex64": "c64",
    "complex128": "c128",
}
NOT_CONTIGUOUS = "~"
"""Behind the shape of what does not lie in memory as it is read."""

_BRACKETS = {"tuple": ("(", ")"), "list": ("[", "]"), "dict": ("{", "}"), "object": ("(", ")")}


def label(value: ValueFact, marked: bool = False, room: int = LONGEST) -> str | None:
    """What a hint says of a value; None where there is nothing worth its place.

    `marked`: with a mark behind the shape of one tensor that is not contiguous. `room`: characters for a container.
    """
    if isinstance(value, TensorFact):
        found = parts(value, marked)
        return "".join(text for text, _ in found) if found else None
    if not any(item is not None and label(item) for item in value.items):
        return None
    opening, closing = _BRACKETS.get(value.type, ("(", ")"))
    room -= len("[, …]")
    shown: list[str] = []
    for text, same in groupby(_items(value, room)):
        times = len(list(same))
        piece = text if times == 1 else f"{text} ×{times}"
        if shown and len(", ".join((*shown, piece))) > room:
            shown.append("…")
            break
        shown.append(piece)
    return opening + ", ".join(shown) + closing


@lru_cache(maxsize=4096)
def parts(value: TensorFact, marked: bool = False) -> tuple[tuple[str, int | None], ...]:
    """The label of a tensor in pieces, each with the dim (from 0) that it names; empty where there is nothing to say.

    What is before a dim belongs to it: VS Code takes the left half of a piece's first character for the
    piece before.
    """
    if value.shape is None:
        return ((f"[…]{_suffix(value)}", None),) if _suffix(value).strip(" ?") else ()
    found: list[tuple[str, int | None]] = []
    for at, size in enumerate(value.shape):
        found.append((f"{' ' if at else '['}{_short(size)}", at))
    opening = "" if found else "["
    mark = NOT_CONTIGUOUS if marked and value.contiguous is False else ""
    return *found, (f"{opening}]{mark}{_suffix(value)}", None)


def hinted_value(fact: Fact) -> ValueFact:
    """What a hint shows of a fact: of a tensor that has other ranks from time to time the dims that all have, `[B C …]`."""
    value = fact.value
    shapes = [one.shape for one in fact.variants if isinstance(one, TensorFact) and one.shape is not None]
    if (
        not isinstance(value, TensorFact)
        or value.shape is not None
        or len(shapes) < max(2, len(fact.variants))
    ):
        return value
    front = _common(shapes)
    back = _common([shape[len(front) :][::-1] for shape in shapes])[::-1]
    return replace(value, shape=(*front, "…", *back)) if front or back else value


def _common(shapes: Sequence[tuple[Dim, ...]]) -> tuple[Dim, ...]:
    """The dims that all shapes begin with."""
    columns = takewhile(lambda column: len(set(column)) == 1 and column[0] is not None, zip(*shapes))
    return tuple(column[0] for column in columns)


ASSUMED = "_Nothing calls this: it was tried on inputs of several sizes. Each dim has the name that the code gives it._"


def card(fact: Fact, more: Sequence[str] = ()) -> str:
    """All that is known of a place, as Markdown; `more` stands behind what the fact itself says."""
    parts = [f"```python\n{_headline(fact.name, fact.value)}\n```"]
    if isinstance(fact.value, TensorFact):
        parts.append(_details(fact.value))
    else:
        parts.extend(f"`{name}`: {_plain(item)}" for name, item in _named(fact.value) if item is not None)
    parts += more
    if fact.variants:
        parts.append(_table(fact.variants, "Tried as:" if fact.assumed else "Seen as:"))
    parts.append(remark(fact))
    if fact.assumed:
        parts.append(ASSUMED)
    return "\n\n".join(part for part in parts if part)


def remark(fact: Fact) -> str:
    """Where tracking was lost, if it was."""
    return f"_{_sentence(fact.why)}_" if fact.why else ""


def shape(dims: tuple[Dim, ...] | None) -> str:
    """A shape as Python writes a list."""
    return "[…]" if dims is None else "[" + ", ".join(_dim(dim) for dim in dims) + "]"


def size(value: TensorFact) -> str | None:
    """How much memory the elements take, if that is known."""
    if value.shape is None or value.itemsize is None:
        return None
    numbers = [dim for dim in value.shape if isinstance(dim, int)]
    if len(numbers) != len(value.shape):
        return None
    return memory(prod(numbers) * value.itemsize)


def _dim(dim: Dim) -> str:
    return "?" if dim is None else str(dim)


def _short(dim: Dim) -> str:
    """A dim without a blank: `3·C`; `*batch` keeps its star."""
    text = _dim(dim).replace(" ", "")
    return text[:1] + text[1:].replace("**", "^").replace("*", "·")


def _suffix(value: TensorFact) -> str:
    # No dtype at all would say float32.
    dtype = "?" if value.dtype is None else _SHORT_DTYPES.get(value.dtype, value.dtype)
    device = "" if value.device in (None, "cpu") else value.device
    return "".join(f" {word}" for word in (dtype, device) if word)


def _items(group: GroupFact, room: int) -> list[str]:
    before = [f"{key}: " for key in group.keys] if group.keys is not None else [""] * len(group.items)
    return [
        key + ((item and label(item, room=room - len(key))) or "_") for key, item in zip(before, group.items)
    ]


def _named(group: GroupFact) -> list[tuple[str, ValueFact | None]]:
    names = group.keys or tuple(str(index) for index in range(len(group.items)))
    return list(zip(names, group.items))


def _headline(name: str, value: ValueFact) -> str:
    if isinstance(value, TensorFact):
        words = (shape(value.shape), value.dtype or "dtype ?", value.device or "device ?")
        return f"{name}: {' '.join(words)}"
    return f"{name}: {value.type} of {len(value.items)}"


def _plain(value: ValueFact) -> str:
    if isinstance(value, TensorFact):
        return f"{shape(value.shape)} {value.dtype or '?'} {value.device or '?'}"
    return label(value) or value.type


def _details(value: TensorFact) -> str:
    words = []
    if value.stride is not None:
        words.append("stride (" + ", ".join(_dim(step) for step in value.stride) + ")")
    if value.contiguous is not None:
        words.append("contiguous" if value.contiguous else "**not contiguous**")
    if value.requires_grad is not None:
        words.append("requires grad" if value.requires_grad else "no grad")
    words.append(size(value) or "")
    return " · ".join(filter(None, words))


def _table(variants: tuple[ValueFact, ...], title: str) -> str:
    rows = [title, "", "| shape | dtype | device |", "|---|---|---|"]
    for variant in variants[:8]:
        if isinstance(variant, TensorFact):
            rows.append(f"| `{shape(variant.shape)}` | {variant.dtype or '?'} | {variant.device or '?'} |")
        else:
            rows.append(f"| `{label(variant) or variant.type}` | | |")
    if len(variants) > 8:
        rows.append(f"| {len(variants) - 8} more | | |")
    return "\n".join(rows)


def _sentence(text: str) -> str:
    text = text.strip().replace("_", r"\_").replace("*", r"\*").replace("\n", " ")
    return text[:1].upper() + text[1:]
