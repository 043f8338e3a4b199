"""Boolean masks whose True means the opposite of what the op that is given them takes it for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...edits.calls import add_keyword
from ...edits.statements import replace, source
from ...queries.lineage import Lineage, lineage_of, short, tensors
from ...queries.ops import ops_of
from ...vocabulary.events import Log, Op, Tensor, Value
from ...vocabulary.findings import Finding, Fix, Related
from ..asking.masks import before_it_fitted
from ..asking.tree import Tree
from ..asking.weights import is_product, is_very_low, softmax_dim
from ..telling.found import found_at
from .polarity import AFTER, Kept, embedded, kept_by

RULE = "mask-inverted"
UNCALLED = True
_ATTENTIVE = frozenset(
    "nn.MultiheadAttention() nn.TransformerEncoderLayer() nn.TransformerEncoder() nn.TransformerDecoderLayer() "
    "nn.TransformerDecoder() nn.Transformer() torch.nn.functional.multi_head_attention_forward".split()
)

_KEPT_ABOVE_0 = frozenset("clamp clamp_min + add".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each mask of padding, of lengths or of the past that leaves out what it was made to keep."""
    lineage = lineage_of(log)
    ids = embedded(log)
    filled: dict[int, tuple[Op, Tensor, bool]] = {}
    for op in ops_of(log):
        if not op.args:
            continue
        if (by_hand := _by_hand(op)) is not None and isinstance(op.result, Tensor):
            filled[op.result.id] = (op, *by_hand)
        for use, mask, keeps in _masks(lineage, op, filled):
            kept = kept_by(lineage, mask, ids) if mask.dtype == "bool" else None
            if kept is not None and kept.what == AFTER:
                if use is op or is_product(lineage, op):
                    yield _of_the_later(use, kept, kept.is_true == keeps, tree)
                continue
            if kept is None or kept.is_true == keeps:
                continue
            yield _finding(use, mask, keeps, kept, tree)


def _masks(
    lineage: Lineage, op: Op, filled: dict[int, tuple[Op, Tensor, bool]]
) -> Iterator[tuple[Op, Tensor, bool]]:
    """The masks that an op is given, where they are given, and whether it keeps what is True."""
    if op.name in _ATTENTIVE:
        for name, value in op.kwargs:
            if isinstance(value, Tensor) and name.endswith("mask"):
                yield op, value, False
    elif short(op.name) == "scaled_dot_product_attention":
        given = op.argument("attn_mask", at=3)
        if isinstance(given, Tensor):
            yield op, given, True
    elif short(op.name) in ("/", "div"):
        yield from _averaged(lineage, op)
    elif isinstance(op.result, Tensor) and softmax_dim(lineage, op, len(op.result.shape)) is not None:
        scores = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
        if scores is not None and scores.id in filled:
            yield filled[scores.id]


def _averaged(lineage: Lineage, op: Op) -> Iterator[tuple[Op, Tensor, bool]]:
    """The mask of `(x * mask).sum(1) / mask.sum(1)`, which keeps what is True."""
    summed, counted = (
        lineage.maker(one) if isinstance(one, Tensor) else None for one in (*op.args, None)[:2]
    )
    if counted is not None and short(counted.name) in _KEPT_ABOVE_0 and counted.args:
        counted = lineage.maker(counted.args[0])
    if summed is None or counted is None or short(summed.name) != "sum" or short(counted.name) != "sum":
        return
    product = lineage.maker(summed.args[0])
    if product is None or short(product.name) not in ("*", "mul"):
        return
    told = _as_bool(lineage, counted.args[0])
    for factor in product.args:
        mask = _as_bool(lineage, factor)
        if mask is not None and mask == told:
            yield product, mask, True


def _as_bool(lineage: Lineage, value: Value) -> Tensor | None:
    """What was True or False before it was made numbers that fit."""
    before = before_it_fitted(lineage, value) if isinstance(value, Tensor) else ()
    return next((one for one in before if one.dtype == "bool"), None)


def _by_hand(op: Op) -> tuple[Tensor, bool] | None:
    """The mask of scores that are filled with a very small number, and whether those at True are kept."""
    name, args = short(op.name), op.args
    if name in ("masked_fill", "masked_fill_") and len(args) == 3 and is_very_low(args[2]):
        return (args[1], False) if isinstance(args[1], Tensor) else None
    if name == "where" and len(args) == 3 and isinstance(args[0], Tensor):
        if is_very_low(args[2]):
            return args[0], True
        if is_very_low(args[1]):
            return args[0], False
    return None


def _of_the_later(use: Op, kept: Kept, is_kept: bool, tree: Tree) -> Finding:
    """A triangle that keeps a step and what comes after it, or leaves out both."""
    call = tree.at(kept.op.span, ast.Call)
    name = call.func.attr if call is not None and isinstance(call.func, ast.Attribute) else ""
    node = call.func if call is not None else None
    fixes: tuple[Fix, ...] = ()
    if is_kept:
        said = "each step attends to itself and to what comes after it, and the past is left out. The past is tril."
        if node is not None and name == "triu":
            turned = source(tree.text, node).removesuffix("triu") + "tril"
            fixes = (Fix("keep the past: tril", "unsafe", (replace(tree.text, node, turned),)),)
    else:
        said = "a step is left out together with those after it: the first has nothing to attend to, and its softmax is NaN. "
        said += (
            "Only what comes after it is triu(..., diagonal=1)."
            if name == "triu"
            else "tril keeps the step as well."
        )
        fixes = _next_diagonal(call, tree) if name in ("triu", "tril") else ()
    return found_at(
        RULE,
        use.span,
        f"here {said}",
        *fixes,
        related=[Related(kept.op.span, kept.what)],
    )


def _next_diagonal(call: ast.Call | None, tree: Tree) -> tuple[Fix, ...]:
    """`triu(x, diagonal=1)` for `triu(x)`, `tril(x)` for `tril(x, -1)`."""
    if call is None:
        return ()
    given = next((one.value for one in call.keywords if one.arg == "diagonal"), None)
    is_method = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) not in ("torch", "np")
    at = 0 if is_method else 1
    given = given if given is not None or len(call.args) <= at else call.args[at]
    up = isinstance(call.func, ast.Attribute) and call.func.attr == "triu"
    title = f"diagonal={int(up)}"
    edit = (
        add_keyword(tree.text, call, "diagonal=1")
        if given is None
        else replace(tree.text, given, str(int(up)))
    )
    return (Fix(title, "unsafe", (edit,)),)


def _finding(use: Op, mask: Tensor, keeps: bool, kept: Kept, tree: Tree) -> Finding:
    takes = "what is True takes part" if keeps else "what is True is left out"
    made = "True" if kept.is_true else "False"
    return found_at(
        RULE,
        use.span,
        f"here {takes}, and the mask is {made} for {kept.what}: it leaves out what it was made to keep, and keeps the rest. "
        "Turn it round with ~.",
        *_fixes(use, mask, tree),
        related=[Related(kept.op.span, f"{made} for {kept.what}")],
    )


def _fixes(use: Op, mask: Tensor, tree: Tree) -> tuple[Fix, ...]:
    """`~` before the mask, where it is written in the call."""
    call = tree.at(use.span, ast.Call)
    if call is None:
        return ()
    nodes: list[tuple[ast.expr, Value]] = []
    args = (
        use.args
        if not isinstance(call.func, ast.Attribute) or len(call.args) == len(use.args)
        else use.args[1:]
    )
    if len(args) == len(call.args):
        nodes += zip(call.args, args)
    named = dict(use.kwargs)
    nodes += [(one.value, named[one.arg]) for one in call.keywords if one.arg in named]
    node = next((node for node, value in nodes if mask in tensors(value)), None)
    if node is None:
        return ()
    written = source(tree.text, node)
    plain = isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    new = f"~{written}" if plain else f"~({written})"
    return (Fix(f"turn the mask round: {new}", "unsafe", (replace(tree.text, node, new),)),)
