"""Facts as a table that people can read."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..vocabulary.facts import Dim, Fact, TensorFact, ValueFact
from .checked import Checked, cell_of, printable, shown


def show(file: Checked, console: Console) -> None:
    """One table for one file."""
    name = printable(shown(file.source.path))
    table = Table(title=Text(name), title_justify="left", box=None, pad_edge=False)
    for heading in ("place", "scope", "name", "is"):
        table.add_column(heading, no_wrap=heading != "is", justify="right" if heading == "place" else "left")
    # An expression's value is in the JSON; a table of them all hides the names.
    facts = [fact for fact in file.facts if fact.kind != "expression"]
    for fact in facts:
        table.add_row(
            _place(file, fact),
            Text(fact.scope),
            Text(fact.name),
            Text(printable(described(fact.value, fact.why))),
        )
    console.print(table if facts else Text(f"{name}: no tensors"))


def described(value: ValueFact | None, why: str | None = None) -> str:
    """A value in one line: `[B, 64] float32 cpu`, `(8, 10) ...` for what a group holds."""
    if value is None:
        return "-"
    if isinstance(value, TensorFact):
        shape = "?" if value.shape is None else f"[{', '.join(map(_dim, value.shape))}]"
        words = [shape, value.dtype, value.device, "non-contiguous" if value.contiguous is False else None]
        return " ".join(filter(None, words)) + (f"  ({why})" if why else "")
    items = [described(item) for item in value.items]
    if value.keys is not None:
        items = [f"{key}: {item}" for key, item in zip(value.keys, items)]
    return f"{value.type}({', '.join(items)})"


def _dim(dim: Dim) -> str:
    return "?" if dim is None else str(dim)


def _place(file: Checked, fact: Fact) -> str:
    cell = cell_of(file.source, fact.span.line)
    where = str(fact.span.line) if cell is None else f"cell {cell[0]}:{cell[1]}"
    return f"{where}:{fact.span.column + 1}"
