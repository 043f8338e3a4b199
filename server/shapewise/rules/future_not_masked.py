"""A model that is taught to tell the next token, and whose attention sees it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..queries.lineage import Lineage, lineage_of, short, tensors
from ..queries.ops import ops_of
from ..vocabulary.events import Group, Log, Op, Other, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Related
from .asking.causal import as_placed
from .asking.tree import Tree
from .asking.weights import SOFTMAX
from .telling.found import found_at

RULE = "future-not-masked"
_LOSSES = ("cross_entropy", "CrossEntropyLoss()")
_SCALES = frozenset("/ * div mul float to type_as contiguous".split())
_STACKS = {
    "TransformerEncoder()": ("mask", "is_causal"),
    "TransformerEncoderLayer()": ("src_mask", "is_causal"),
}
_MANY = 4_000


class _Cut(NamedTuple):
    """Tokens cut out of a longer row: of which one, and whether all but the last, or all but the first."""

    of: int
    first: bool


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each cross entropy with `ids[:, 1:]` of what is made of `ids[:, :-1]` by attention that nothing masks."""
    lineage = lineage_of(log)
    every: Sequence[Op] = ()
    for loss in ops_of(log, _LOSSES):
        given = [one for one in loss.args if isinstance(one, Tensor)]
        if len(given) != 2 or given[1].dtype != "int64":
            continue
        target = _cut(lineage, as_placed(lineage, given[1]))
        if target is None or target.first:
            continue
        every = every or ops_of(log)
        read = _read(lineage, every, target.of, given[0])
        if read is None:
            continue
        seeing = list(_attention(lineage, every, read))
        open_ones = [op for op, is_open in seeing if is_open]
        if open_ones and len(open_ones) == len(seeing):
            yield found_at(
                RULE,
                open_ones[0].span,
                "the target of each step is the next token, which this attention sees: it learns to copy it, and knows nothing when it has "
                "to write. Mask what comes later (is_causal, or a mask of -inf above the diagonal).",
                related=[Related(loss.span, "told the next token here")],
            )


def _cut(lineage: Lineage, tokens: Tensor) -> _Cut | None:
    """Which part of which row of tokens it is: `ids[:, :-1]`, `ids[:, 1:]`."""
    op = lineage.maker(tokens)
    whole = op.args[0] if op is not None and short(op.name) == "[]" and len(op.args) > 1 else None
    index = op.args[1] if op is not None and whole is not None else None
    last = index.items[-1] if isinstance(index, Group) and index.items else None
    if not isinstance(whole, Tensor) or len(whole.shape) != 2 or not isinstance(last, Other):
        return None
    if len(tokens.shape) != 2 or tokens.shape[0] != whole.shape[0]:
        return None
    words = {"slice(None, -1, None)": True, "slice(1, None, None)": False}
    return _Cut(whole.id, words[last.text]) if last.text in words else None


def _read(lineage: Lineage, ops: Sequence[Op], whole: int, logits: Tensor) -> Op | None:
    """The embedding of all tokens but the last of a row, if a prediction is made of it, and of no other."""
    behind = _behind(lineage, logits)
    read = [
        op
        for op in ops
        if short(op.name) in ("Embedding()", "embedding")
        and _made(op) & behind
        and not _is_of_positions(lineage, op)
    ]
    cuts = [
        cut
        for op in read
        for one in op.args
        if isinstance(one, Tensor) and one.dtype == "int64" and (cut := _cut(lineage, one)) is not None
    ]
    tokens = [op for op in read if any(isinstance(one, Tensor) and _cut(lineage, one) for one in op.args)]
    return tokens[0] if len(read) == len(cuts) == 1 and cuts[0] == _Cut(whole, True) else None


def _is_of_positions(lineage: Lineage, op: Op) -> bool:
    """Whether it is the places of steps that are looked up, `emb(torch.arange(t))`, and no tokens."""
    given = next((one for one in op.args if isinstance(one, Tensor) and one.dtype == "int64"), None)
    for _ in range(6):
        maker = lineage.maker(given) if given is not None else None
        if maker is None or short(maker.name) == "arange":
            return maker is not None
        given = next((one for one in maker.args if isinstance(one, Tensor)), None)
    return False


def _behind(lineage: Lineage, tensor: Tensor) -> set[int]:
    """The tensors that one is made of."""
    seen, waiting = set[int](), [tensor]
    while waiting and len(seen) < _MANY:
        one = waiting.pop()
        maker = None if one.id in seen else lineage.maker(one)
        seen.add(one.id)
        if maker is not None:
            waiting += [inner for arg in maker.args for inner in tensors(arg)]
    return seen


def _made(op: Op) -> set[int]:
    return {one.id for one in tensors(op.result)}


def _attention(lineage: Lineage, ops: Sequence[Op], read: Op) -> Iterator[tuple[Op, bool]]:
    """The attention between the steps of what was read, and whether each sees all of them."""
    derived = _made(read)
    for op in ops:
        given = [one for arg in op.args for one in tensors(arg)]
        own = [one for one in given if one.id in derived]
        if not own:
            continue
        derived |= _made(op)
        name, named = short(op.name), dict(op.kwargs)
        if name == "MultiheadAttention()":
            if len(own) > 1 and own[0].id == own[1].id:
                yield op, len(op.args) == 4 and not _said(named, "attn_mask", "is_causal", "key_padding_mask")
        elif name == "scaled_dot_product_attention":
            if len(own) > 2 and own[0].shape[-2:-1] == own[1].shape[-2:-1]:
                yield op, len(op.args) == 3 and not _said(named, "attn_mask", "is_causal")
        elif name in _STACKS:
            yield op, len(op.args) == 2 and not _said(named, *_STACKS[name])
        elif name in SOFTMAX and own[0].shape[-1] == own[0].shape[-2:][0] and len(own[0].shape) > 2:
            yield op, _is_of_bare_scores(lineage, own[0])
        elif name.startswith(("Transformer", "flex_", "flash_")):
            yield op, False


def _said(named: dict[str, Value], *names: str) -> bool:
    return any(named.get(name) not in (None, Scalar(None), Scalar(False)) for name in names)


def _is_of_bare_scores(lineage: Lineage, scores: Tensor) -> bool:
    """Whether scores are a product of queries and keys, scaled and no more."""
    for _ in range(8):
        op = lineage.maker(scores)
        if op is None:
            return False
        if short(op.name) in ("@", "matmul", "bmm", "einsum", "baddbmm"):
            return short(op.name) != "baddbmm"
        inner = [one for one in op.args if isinstance(one, Tensor)]
        if short(op.name) not in _SCALES or not inner or any(one.shape for one in inner[1:]):
            return False
        scores = inner[0]
    return False
