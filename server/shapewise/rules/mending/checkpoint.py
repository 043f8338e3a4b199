"""A checkpoint that does not fit: the layer that does not take its weights, `size mismatch for fc.weight`, and names with another beginning."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...edits.statements import replace, source
from ...queries.lineage import short
from ...vocabulary.events import Op, Scalar
from ...vocabulary.findings import Fix
from ..telling.found import argument_node
from .widths import KINDS, other_number

if TYPE_CHECKING:
    from ..asking.refusals import Refusal

_MISMATCH = re.compile(
    r"size mismatch for (?:\w+\.)*(?P<layer>[A-Za-z_]\w*)\.(?P<what>weight|bias): copying a param with shape "
    r"torch\.Size\(\[(?P<saved>[\d, ]+)\]\) from checkpoint, the shape in current model is torch\.Size\(\[(?P<now>[\d, ]+)\]\)"
)


def other_layer(refusal: Refusal) -> tuple[Op, str, int, int] | None:
    """Where the first such layer is built, which of its arguments (name, place) is another, and what it was in the checkpoint."""
    match = next((match for one in refusal.failure.details if (match := _MISMATCH.match(one))), None)
    if match is None or match["what"] != "weight":
        return None
    saved, now = (tuple(map(int, match[name].split(","))) for name in ("saved", "now"))
    unlike = [dim for dim, (one, other) in enumerate(zip(saved, now)) if one != other]
    if len(saved) != len(now) or len(unlike) != 1:
        return None
    dim = unlike[0]
    for built in refusal.log.events:
        if not isinstance(built, Op) or Scalar(now[dim]) not in built.args or not refusal.here(built):
            continue
        kind = KINDS.get(short(built.name))
        is_input = (dim == 1) != (short(built.name) == "Embedding")
        name = None if kind is None else kind.takes if is_input else kind.gives
        if name is not None and dim < 2 and _is_called(refusal, built, match["layer"]):
            return built, name, int(not is_input), saved[dim]
    return None


def _is_called(refusal: Refusal, built: Op, name: str) -> bool:
    """Whether what is built becomes the attribute of that name."""
    call = refusal.tree.at(built.span, ast.Call)
    statement = None if call is None else refusal.tree.course.places.statement(call)
    targets = statement.targets if isinstance(statement, ast.Assign) and statement.value is call else []
    return any(isinstance(one, ast.Attribute) and one.attr == name for one in targets)


_KEYS = re.compile(r"(?P<which>Missing|Unexpected) key\(s\) in state_dict: (?P<keys>.*)")


def renamed(refusal: Refusal) -> Iterator[Fix]:
    """The names without the `module.` that a wrapper put before each, or with it."""
    found = [match for one in refusal.failure.details if (match := _KEYS.search(one))]
    keys = {match["which"]: re.findall(r'"([^"]+)"', match["keys"]) for match in found}
    missing, unexpected = keys.get("Missing", []), keys.get("Unexpected", [])
    call = refusal.tree.at(refusal.op.span, ast.Call)
    given = None if call is None else argument_node(call, "state_dict", 0)
    if given is None or not missing or len(missing) != len(unexpected):
        return
    text = source(refusal.tree.text, given)
    for one, others, form in (
        (missing, unexpected, "k.removeprefix({!r})"),
        (unexpected, missing, "{!r} + k"),
    ):
        prefix = others[0].removesuffix(one[0])
        if prefix and all(other == prefix + name for name, other in zip(one, others)):
            new = f"{{{form.format(prefix)}: v for k, v in {text}.items()}}"
            yield Fix(
                f"names with{'out' * (one is missing)} {prefix}",
                "unsafe",
                (replace(refusal.tree.text, given, new),),
            )


def as_saved(refusal: Refusal) -> Iterator[Fix]:
    """The layer built as it was when the checkpoint was saved."""
    found = other_layer(refusal)
    if found is not None:
        yield from other_number(refusal, *found)
