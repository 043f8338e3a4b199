"""The last step of sequences that were padded to the longest: of all others it is padding."""

from __future__ import annotations

from collections.abc import Iterator

from ..queries.lineage import lineage_of, short, tensors
from ..queries.ops import ops_of
from ..vocabulary import recurrent
from ..vocabulary.events import Group, Log, Op, Other, Scalar, Tensor
from ..vocabulary.findings import Finding, Related
from .asking.padding import padded
from .asking.recurrent_layers import is_batch_first, is_both_ways
from .asking.tree import Tree
from .telling.found import found_at

RULE = "last-step-of-padded"
_AFTER = frozenset("Dropout() dropout LayerNorm() layer_norm relu ReLU() tanh".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each `out[:, -1]`, or `h[-1]`, of a recurrent network that was given a batch which `pad_sequence` made, and not packed."""
    lineage = lineage_of(log)
    outs: dict[int, tuple[Op, Op, int]] = {}
    states: dict[int, tuple[Op, Op]] = {}
    for op in ops_of(log):
        if op.name in recurrent.RUN and len(op.args) > 1 and isinstance(op.result, Group):
            whole = padded(lineage, op.args[1])
            if whole is None or len(op.result.items) != 2:
                continue
            time = int(is_batch_first(lineage, op))
            outs.update((one.id, (op, whole, time)) for one in tensors(op.result.items[0]))
            first = next(tensors(op.result.items[1]), None)  # h; the cell of an LSTM is read by nobody
            if first is not None and not is_both_ways(lineage, op):
                states[first.id] = op, whole
        elif short(op.name) == "[]" and op.args and isinstance(op.args[0], Tensor):
            if op.args[0].id in outs:
                run, whole, time = outs[op.args[0].id]
                if _is_last(op, time):
                    yield _finding(op, run, whole, "the output of the last step")
            elif op.args[0].id in states and _is_last(op, 0):
                yield _finding(op, *states[op.args[0].id], "the state after the last step")
        elif short(op.name) in _AFTER:
            given = next((arg for arg in op.args if isinstance(arg, Tensor) and arg.id in outs), None)
            if given is not None and isinstance(op.result, Tensor):
                outs[op.result.id] = outs[given.id]


def _finding(op: Op, run: Op, whole: Op, what: str) -> Finding:
    return found_at(
        RULE,
        op.span,
        f"the sequences were padded to the longest: {what} is that of the padding for all others. Take each at its own end, "
        "out[torch.arange(len(lengths)), lengths - 1], or pack them with pack_padded_sequence.",
        related=[Related(whole.span, "padded here"), Related(run.span, "goes through the padding, too")],
    )


def _is_last(op: Op, dim: int) -> bool:
    """`out[:, -1]`, or `out[-1]` for the dim 0."""
    index = op.argument(at=1)
    items = index.items if isinstance(index, Group) else (index,)
    before, rest = items[:dim], items[dim + 1 :]
    return (
        len(items) > dim
        and items[dim] == Scalar(-1)
        and all(isinstance(one, Other) and one.text == "slice(None, None, None)" for one in (*before, *rest))
    )
