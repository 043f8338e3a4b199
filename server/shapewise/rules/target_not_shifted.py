"""A model that sees the past and the step itself, taught to tell that very step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..queries.lineage import Lineage, lineage_of, short, tensors
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Op, Scalar, Tensor, Value
from ..vocabulary.findings import Finding, Fix, Related
from .asking.causal import are_same, as_placed, read_causally
from .asking.tree import Tree
from .telling.found import found_at

RULE = "target-not-shifted"
_LOSSES = ("cross_entropy", "CrossEntropyLoss()")
_STEPWISE = frozenset(
    "Linear() Dropout() LayerNorm() ReLU() GELU() Tanh() SiLU() Identity() linear dropout layer_norm relu gelu tanh silu float "
    "contiguous to view reshape flatten transpose permute".split()
)
"""Ops that give each step from that step."""
_RECURRENT = frozenset("LSTM() GRU() RNN()".split())
_FAR = 40
_MANY = 300
_MADE = frozenset(
    "zeros new_zeros zeros_like ones randn rand randint tensor full empty pad_sequence stack".split()
)
"""What makes a tensor of nothing that was read."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each cross entropy of what layers that see the past alone, recurrent ones or attention, say of the tokens that they were given."""
    lineage = lineage_of(log)
    for op in ops_of(log, _LOSSES):
        given = [one for one in op.args if isinstance(one, Tensor)]
        if len(given) != 2 or given[1].dtype != "int64":
            continue
        target = as_placed(lineage, given[1])
        read = _read(lineage, given[0], target) or read_causally(lineage, given[0], target)
        if read is not None and len(target.shape) == 2 and 1 not in target.shape:
            yield found_at(
                RULE,
                op.span,
                "the target of each step is the token that the model was just given there: it learns to repeat it, and not to tell what "
                "comes next. Compare logits[:, :-1] with ids[:, 1:].",
                *_fixes(lineage, target, read, tree),
                related=[Related(read.span, "the same tokens are read here")],
            )


def _fixes(lineage: Lineage, target: Tensor, read: Op, tree: Tree) -> tuple[Fix, ...]:
    """`ids[:, 1:]` where the target was cut like what the model was given, in a place of its own."""
    cut = lineage.maker(target)
    node = None if cut is None or target in read.args else tree.at(cut.span, ast.Subscript)
    last = node.slice.elts[-1] if node is not None and isinstance(node.slice, ast.Tuple) else None
    if last is None or source(tree.text, last) != ":-1":
        return ()
    return (Fix("compare with the next: 1:", "unsafe", (replace(tree.text, last, "1:"),)),)


def _read(lineage: Lineage, value: Value, tokens: Tensor) -> Op | None:
    """The embedding of just these tokens that a prediction is made of step by step, by a layer that remembers the past alone."""
    remembers = False
    for _ in range(_FAR):
        op = lineage.maker(value)
        if op is None or not op.args:
            return None
        name = short(op.name)
        given = [one for one in op.args if isinstance(one, Tensor)]
        if name in ("Embedding()", "embedding"):
            ids = given[0] if given else None
            return op if remembers and are_same(lineage, ids, tokens) else None
        if name in _RECURRENT:
            built = lineage.builder(op.args[0])
            if built is None or _is_set(built, "bidirectional") or next(tensors(op.result), None) != value:
                return None
            if len(op.args) > 2 and _may_know(lineage, op.args[2], tokens):
                return None  # an encoder that read the tokens made what it starts from
            remembers = True
        elif name not in _STEPWISE or not given:
            return None
        value = given[0]
    return None


def _is_set(built: Op, name: str) -> bool:
    value = built.argument(name)
    return value is not None and value != Scalar(False)


def _may_know(lineage: Lineage, state: Value, tokens: Tensor) -> bool:
    """Whether a state may be made of the tokens themselves, and not of others alone."""
    roots = {_whole(lineage, tokens).id, tokens.id}
    waiting, seen = list(tensors(state)), set[int]()
    while waiting:
        one = waiting.pop()
        if one.id in seen:
            continue
        seen.add(one.id)
        maker = lineage.maker(one)
        if one.id in roots or len(seen) > _MANY:
            return True
        if maker is not None and short(maker.name) not in _MADE and not (one.leaf and one.requires_grad):
            waiting += [inner for arg in maker.args for inner in tensors(arg)]
    return False


def _whole(lineage: Lineage, tokens: Tensor) -> Tensor:
    """What the tokens were cut out of."""
    cut = lineage.maker(tokens)
    inner = cut.args[0] if cut is not None and short(cut.name) == "[]" and cut.args else None
    return inner if isinstance(inner, Tensor) else tokens
