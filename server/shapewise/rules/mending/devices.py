"""Bringing what was left on the CPU to the others: where it is made, where its layer is built, or before it is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...edits.calls import add_keyword, append
from ...edits.statements import insert_before
from ...queries.lineage import short
from ...queries.runs import TOP
from ...vocabulary.events import Bound, Op, Tensor
from ...vocabulary.findings import Fix

if TYPE_CHECKING:
    from ..asking.refusals import Refusal

_MAKERS = frozenset(
    "tensor zeros ones full empty arange linspace eye rand randn randint randperm as_tensor".split()
)
_DEVICE = re.compile(r"(device|dev)$", re.IGNORECASE)


def to_the_others(refusal: Refusal, left: Tensor, maker: Op | None) -> Iterator[Fix]:
    """Repairs of an op that is given `left` on the CPU, beside others on a card. `maker`: what made it first, if a tensor did."""
    is_of_a_function = maker is not None and refusal.log.frames[maker.frame].scope != TOP
    if is_of_a_function:
        yield from _where_it_is_made(refusal, maker)
    yield from _where_it_is_used(refusal, left)
    if not is_of_a_function:
        yield from _where_it_is_made(refusal, maker)
    if maker is None and left not in refusal.op.args and (built := _model_around(refusal)) is not None:
        device = _device_at(refusal, built, None)
        if device is not None:
            edit = append(refusal.tree.text, built, f".to({device})")
            yield Fix(f"add .to({device}) where it is built", "unsafe", (edit,))


def _where_it_is_made(refusal: Refusal, maker: Op | None) -> Iterator[Fix]:
    if maker is None or short(maker.name) not in _MAKERS or not refusal.here(maker):
        return
    call = refusal.tree.at(maker.span, ast.Call)
    device = None if call is None else _device_at(refusal, call, maker.frame)
    if call is not None and device is not None:
        yield Fix(
            f"add device={device}", "unsafe", (add_keyword(refusal.tree.text, call, f"device={device}"),)
        )


def _where_it_is_used(refusal: Refusal, left: Tensor) -> Iterator[Fix]:
    text, node = refusal.tree.text, refusal.node_of(left)
    device = None if node is None else _device_at(refusal, node, refusal.op.frame) or _of_another(refusal)
    if node is None or device is None:
        return
    yield Fix(f"add .to({device})", "unsafe", (append(text, node, f".to({device})"),))
    statement = refusal.tree.course.places.statement(node)
    if isinstance(node, ast.Name) and isinstance(
        statement, (ast.Assign, ast.Expr, ast.AugAssign, ast.Return)
    ):
        line = f"{node.id} = {node.id}.to({device})"
        yield Fix(f"{line} before it", "unsafe", (insert_before(text, statement, line),))


def to_the_cpu(refusal: Refusal, wanted: Tensor) -> Iterator[Fix]:
    """The repair of an op that takes an argument from the CPU alone."""
    node = refusal.node_of(wanted)
    if node is not None:
        yield Fix("add .cpu()", "safe", (append(refusal.tree.text, node, ".cpu()"),))


def _of_another(refusal: Refusal) -> str | None:
    """The device of the first operand that is on a card, if it has a name."""
    other = next((one for one in refusal.operands if one.device != "cpu"), None)
    name = "" if other is None else refusal.name_of(other)
    return f"{name}.device" if re.fullmatch(r"[\w.]+", name) else None


def _model_around(refusal: Refusal) -> ast.expr | None:
    """The expression at the top of the file that builds the layer which was not moved, or the model that it is a part of."""
    built = refusal.lineage.builder(refusal.failure.layer)
    if built is None:
        return None
    frame, span = refusal.log.frames[built.frame], built.span
    while frame.parent is not None and frame.site is not None:
        span = frame.site
        frame = refusal.log.frames[frame.parent]
    if frame.file != refusal.log.file:
        return None
    node: ast.expr | None = refusal.tree.at(span, ast.Call)
    places = refusal.tree.course.places
    while node is not None and isinstance(above := places.parent(node), (ast.Call, ast.List, ast.Starred)):
        node = above  # within `nn.Sequential(...)`
    return node if isinstance(node, ast.Call) else None


def _device_at(refusal: Refusal, node: ast.AST, frame: int | None) -> str | None:
    """What the card is called at a place: a name in its function, the device of an argument, a name of the file's."""
    places = refusal.tree.course.places
    function = next(
        (one for one in places.above(node) if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))), None
    )
    if function is not None:
        given = [one.arg for one in (*function.args.args, *function.args.kwonlyargs)]
        local = next((name for name in (*given, *_assigned(function.body)) if _DEVICE.search(name)), None)
        if local is not None:
            return local
        for event in refusal.log.events if frame is not None else ():
            if isinstance(event, Bound) and event.frame == frame and event.kind == "parameter":
                if isinstance(event.value, Tensor) and (event.value.device or "cpu") != "cpu":
                    return f"{event.name}.device"
    return next((name for name in _assigned(refusal.tree.course.tree.body) if _DEVICE.search(name)), None)


def _assigned(body: list[ast.stmt]) -> Iterator[str]:
    for statement in body:
        for target in statement.targets if isinstance(statement, ast.Assign) else ():
            if isinstance(target, ast.Name):
                yield target.id
