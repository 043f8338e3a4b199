"""`is_causal=True` without the mask that it is a hint about."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..program.events import Event
from ..program.values import roots
from ..vocabulary.events import Log, Op, Scalar
from ..vocabulary.findings import Finding, Fix
from .asking.refusals import Refusal, refusals
from .asking.tree import Tree
from .telling.found import found, name_for

RULE = "mha-is-causal-without-mask"
_PATTERN = re.compile(r"Need attn_mask if specifying the is_causal hint")
_SAID = "is_causal says what attn_mask is; it makes none."
_OTHERWISE = "Torch refuses this in training, and its fast path of eval() lets every position see all others."
_MASK_AT = 5


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every attention that is called so, also where no run comes."""
    ran = {op.span for op in log.events if isinstance(op, Op)}
    for refusal in refusals(log, tree, _PATTERN):
        yield refusal.finding(RULE, [_SAID], fixes=_fixes(refusal))
    for event in tree.course.calls("()"):
        if tree.span(event.node) not in ran and _is_without_mask(event):
            yield found(RULE, tree, event.node, f"{_SAID} {_OTHERWISE}")


def _is_without_mask(event: Event) -> bool:
    """Whether an attention of torch's is surely called so by its text."""
    layers = roots(event.on)
    causal = event.argument("is_causal")
    return (
        bool(layers)
        and all(one.by == "torch.nn.MultiheadAttention" for one in layers)
        and causal is not None
        and causal.const is True
        and not {"attn_mask", "**"} & event.kwargs.keys()
        and len(event.args) <= _MASK_AT
        and not any(arg.spread for arg in event.args)
    )


def _fixes(refusal: Refusal) -> Iterator[Fix]:
    call = refusal.tree.at(refusal.op.span, ast.Call)
    maker = name_for(refusal.tree, "torch.nn.Transformer.generate_square_subsequent_mask")
    query = refusal.operands[0] if refusal.operands else None
    name = "" if query is None else refusal.name_of(query)
    if call is None or maker is None or query is None or not name.isidentifier():
        return
    built = refusal.lineage.builder(refusal.failure.layer)
    first = built is not None and built.argument("batch_first") == Scalar(True)
    dim = 1 if first and len(query.shape) == 3 else 0
    mask = f"attn_mask={maker}({name}.size({dim}))"
    yield Fix("pass a causal mask", "safe", (add_keyword(refusal.tree.text, call, mask),))
