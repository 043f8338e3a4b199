"""The first step of what a recurrent network gives, taken for what it has come to: it has seen one item."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace
from ..queries.lineage import Lineage, lineage_of, short, tensors
from ..queries.ops import ops_of
from ..vocabulary import recurrent
from ..vocabulary.events import Bound, Group, Log, Op, Other, Scalar, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from ..vocabulary.span import Span
from .asking.recurrent_layers import is_batch_first, is_both_ways
from .asking.refusals import list_of
from .asking.tree import Tree
from .telling.found import found_at

RULE = "first-step-read"
UNCALLED = True
_TURNED = frozenset("flip fliplr flipud roll".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each output of a network that goes one way, of several steps, of which nothing but the first is read, nor its final state."""
    lineage = lineage_of(log)
    runs: dict[int, tuple[Op, int]] = {}
    reads: dict[Span, dict[Span, Op]] = {}
    elsewhere = set[Span]()
    for event in log.events:
        if isinstance(event, Op) and event.name in recurrent.RUN and isinstance(event.result, Group):
            time = int(is_batch_first(lineage, event))
            out = next(tensors(event.result.items[0]), None)
            if out is None or len(out.shape) != 3 or out.shape[time] == 1 or is_both_ways(lineage, event):
                continue
            if not _is_turned(lineage, event):
                runs.update((one.id, (event, time)) for one in tensors(event.result))
        elif isinstance(event, Bound) and event.kind == "return":
            elsewhere.update(runs[one.id][0].span for one in tensors(event.value) if one.id in runs)
        elif isinstance(event, Op):
            given = [one for arg in (*event.args, *dict(event.kwargs).values()) for one in tensors(arg)]
            for run, time in (runs[one.id] for one in given if one.id in runs):
                if _is_first(event, run, time):
                    reads.setdefault(run.span, {})[event.span] = event
                else:
                    elsewhere.add(run.span)
    for run in {op.span: op for op in ops_of(log) if op.name in recurrent.RUN}.values():
        found = [] if run.span in elsewhere else list(reads.get(run.span, {}).values())
        if len(found) == 1:
            yield _finding(found[0], run, int(is_batch_first(lineage, run)), tree)


def _is_turned(lineage: Lineage, run: Op) -> bool:
    """Whether it is given its items in another order: the first step of what it gives is then the last."""
    given = run.args[1] if len(run.args) > 1 else None
    for _ in range(6):
        op = lineage.maker(given) if given is not None else None
        if op is None:
            return False
        if short(op.name) in _TURNED or short(op.name) == "[]":
            return True
        given = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
    return False


def _is_first(op: Op, run: Op, time: int) -> bool:
    """`out[:, 0]`, or `out[0]` where the time comes first."""
    if short(op.name) != "[]" or not isinstance(run.result, Group) or op.args[0] != run.result.items[0]:
        return False
    index = op.argument(at=1)
    items = index.items if isinstance(index, Group) else (index,)
    rest = (*items[:time], *items[time + 1 :])
    return (
        len(items) > time
        and items[time] == Scalar(0)
        and all(isinstance(one, Other) and one.text == "slice(None, None, None)" for one in rest)
    )


def _finding(op: Op, run: Op, time: int, tree: Tree) -> Finding:
    whole = op.args[0]
    assert isinstance(whole, Tensor)
    return found_at(
        RULE,
        op.span,
        f"the network goes forward along dim {time} of {list_of(whole.shape)}: at step 0 it has seen the first item alone, and nothing of what "
        "comes after is ever read. What it has come to is at the last step.",
        *_fixes(op, time, tree),
        related=[Related(run.span, "goes one way")],
    )


def _fixes(op: Op, time: int, tree: Tree) -> tuple[Fix, ...]:
    node = tree.at(op.span, ast.Subscript)
    index = node.slice if node is not None else None
    at = (
        index.elts[time]
        if isinstance(index, ast.Tuple) and len(index.elts) > time
        else index
        if time == 0
        else None
    )
    if not isinstance(at, ast.Constant):
        return ()
    return (Fix("the last step", "unsafe", (replace(tree.text, at, "-1"),)),)
