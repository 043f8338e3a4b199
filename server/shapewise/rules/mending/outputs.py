"""The outputs of a recurrent layer, of the pair that it gives, where a tensor is wanted within an `nn.Sequential`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...edits.statements import insert_before
from ...edits.text import text_map
from ...vocabulary import recurrent
from ...vocabulary.findings import Edit, Fix
from ...vocabulary.span import Span
from ..telling.found import name_for

if TYPE_CHECKING:
    from ..asking.refusals import Refusal

_A_PAIR = re.compile(r".*must be Tensor, not tuple|.*'tuple' object has no attribute")


def only_the_outputs(refusal: Refusal) -> Iterator[Fix]:
    """A layer of its own behind the recurrent one, which passes on the first of the two."""
    built = refusal.lineage.builder(refusal.op.args[0]) if refusal.op.args else None
    module = name_for(refusal.tree, "torch.nn.Module")
    if refusal.op.name != "nn.Sequential()" or built is None or module is None or not refusal.here(built):
        return
    call = refusal.tree.at(built.span, ast.Call)
    if call is None or len(call.args) != len(built.args) or not _A_PAIR.match(refusal.message):
        return
    top = next(
        (one for one in refusal.tree.course.tree.body if one.lineno <= call.lineno <= (one.end_lineno or 0)),
        None,
    )
    text = refusal.tree.text
    if top is None or "class Outputs(" in text:
        return
    edits: list[Edit] = []
    for node, part in zip(call.args, built.args):
        layer = refusal.lineage.builder(part)
        if layer is not None and layer.name in recurrent.BUILT:
            span = text_map(text).span(node)
            lead = text_map(text).line(span.line)[: span.column]
            between = f",\n{lead}" if not lead.strip() else ", "
            at = Span(span.end_line, span.end_column, span.end_line, span.end_column)
            edits.append(Edit(at, f"{between}Outputs()"))
    definition = f"class Outputs({module}):\n    def forward(self, pair):\n        return pair[0]\n\n"
    if edits:
        yield Fix(
            "pass on the outputs only, not the states",
            "unsafe",
            (insert_before(text, top, definition), *edits),
        )
