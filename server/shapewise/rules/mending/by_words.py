"""What torch's own words say that is to be written instead: repairs by the beginning of its message."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ...fixes.edits import append
from ...fixes.statements import remove_keyword, replace, source
from ...queries.lineage import short
from ...vocabulary.events import Tensor
from ...vocabulary.findings import Fix
from ..found import argument_node, name_for

if TYPE_CHECKING:
    from ..refusals import Refusal

_SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def by_words(refusal: Refusal) -> Iterator[Fix]:
    """The repairs of each beginning that fits."""
    for beginning, mend in _MENDS:
        match = beginning.match(refusal.message)
        if match is not None:
            yield from mend(refusal, match)


def _stacked(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """`torch.stack` of single numbers, which `cat` does not take."""
    call, stack = refusal.tree.at(refusal.op.span, ast.Call), name_for(refusal.tree, "torch.stack")
    if call is not None and stack is not None:
        yield Fix("stack them", "unsafe", (replace(refusal.tree.text, call.func, stack),))


def _turned(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """`.mT` for the `.t()` of a batch of matrices."""
    call, text = refusal.tree.at(refusal.op.span, ast.Call), refusal.tree.text
    if call is not None and isinstance(call.func, ast.Attribute) and not call.args:
        yield Fix("use .mT", "unsafe", (replace(text, call, f"{source(text, call.func.value)}.mT"),))


def _inverted(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """`~mask` for `1 - mask`."""
    node, text = refusal.tree.at(refusal.op.span, ast.BinOp), refusal.tree.text
    if node is not None and isinstance(node.left, ast.Constant):
        mask = source(text, node.right)
        mask = mask if isinstance(node.right, _SIMPLE) else f"({mask})"
        yield Fix(f"~{mask}", "unsafe", (replace(text, node, f"~{mask}"),))


def _target(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """Class numbers made one column for each class; ones or zeros made as large as what they are compared with."""
    if len(refusal.operands) < 2:
        return
    scores, target = refusal.operands[:2]
    node, given, text = refusal.node_of(target), refusal.node_of(scores), refusal.tree.text
    if node is None:
        return
    one_hot = name_for(refusal.tree, "torch.nn.functional.one_hot")
    if one_hot is not None and target.dtype == "int64" and scores.shape[:-1] == target.shape:
        new = f"{one_hot}({source(text, node)}, {scores.shape[-1]}).float()"
        yield Fix(f"a column for each class: {new}", "unsafe", (replace(text, node, new),))
    maker = refusal.lineage.maker(target)
    kind = "" if maker is None else short(maker.name)
    like = name_for(refusal.tree, f"torch.{kind}_like") if kind in ("ones", "zeros") else None
    if like is not None and isinstance(given, (ast.Name, ast.Attribute)):
        new = f"{like}({source(text, given)})"
        yield Fix(new, "unsafe", (replace(text, node, new),))


def _groups(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """As many groups as channels, as a depthwise convolution has, or one."""
    call, text = refusal.tree.at(refusal.op.span, ast.Call), refusal.tree.text
    groups = None if call is None else argument_node(call, "groups", 6)
    channels = None if call is None else argument_node(call, "in_channels", 0)
    if call is None or groups is None or channels is None:
        return
    many = source(text, channels)
    yield Fix(f"groups={many}", "unsafe", (replace(text, groups, many),))
    if any(one.arg == "groups" for one in call.keywords):
        yield Fix("without groups", "unsafe", (remove_keyword(text, call, "groups"),))


def _all_dims(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """All dims in a permute that has one too few: the last put behind the batch, or behind the next."""
    call, given, text = refusal.tree.at(refusal.op.span, ast.Call), refusal.op.args[0], refusal.tree.text
    if call is None or not isinstance(call.func, ast.Attribute) or not isinstance(given, Tensor):
        return
    rank = len(given.shape)
    for at in range(1, rank - 1):
        order = ", ".join(map(str, [*range(at), rank - 1, *range(at, rank - 1)]))
        new = f"{source(text, call.func.value)}.permute({order})"
        yield Fix(f"permute({order})", "unsafe", (replace(text, call, new),))


def _rows_for_columns(refusal: Refusal, match: re.Match[str]) -> Iterator[Fix]:
    """Turned before it is taken apart: `src, dst = edges.t()`."""
    given, wanted = refusal.op.args[0] if refusal.op.args else None, int(match["wanted"])
    if not isinstance(given, Tensor) or len(given.shape) != 2 or given.shape[1] != wanted:
        return
    node = refusal.tree.at(refusal.op.span, ast.expr)
    statement = None if node is None else refusal.tree.course.places.statement(node)
    value = statement.value if isinstance(statement, ast.Assign) else node
    if value is not None:
        yield Fix("add .t()", "unsafe", (append(refusal.tree.text, value, ".t()"),))


def _cut_to_fit(refusal: Refusal, match: re.Match[str]) -> Iterator[Fix]:
    """What is written into a part of a tensor, cut to as much as that has: of `d` numbers every second, and `d` is odd."""
    statement = next(iter(_statements(refusal)), None)
    if short(refusal.op.name) != "[]=" or statement is None or int(match["wanted"]) >= int(match["given"]):
        return
    text = refusal.tree.text
    into = source(text, statement.targets[0])
    if int(match["dim"]) == len(re.findall(r"\d+", match["sizes"])) - 1:
        suffix = f"[..., : {into}.size(-1)]"
        yield Fix(f"add {suffix}", "unsafe", (append(text, statement.value, suffix),))


def _statements(refusal: Refusal) -> Iterator[ast.Assign]:
    node = refusal.tree.at(refusal.op.span, ast.AST)
    statement = None if node is None else refusal.tree.course.places.statement(node)
    if isinstance(statement, ast.Assign):
        yield statement


_MENDS: tuple[tuple[re.Pattern[str], Callable[[Refusal, re.Match[str]], Iterator[Fix]]], ...] = (
    (re.compile(r"zero-dimensional tensor \(at position \d+\) cannot be concatenated"), _stacked),
    (re.compile(r"t\(\) expects a tensor with <= 2 dimensions"), _turned),
    (re.compile(r"Subtraction, the `-` operator, with a bool tensor is not supported"), _inverted),
    (re.compile(r"(?:Target size|Using a target size) \(torch\.Size"), _target),
    (re.compile(r"(?:in|out)_channels must be divisible by groups"), _groups),
    (
        re.compile(r"permute\(sparse_coo\): number of dimensions in the tensor input does not match"),
        _all_dims,
    ),
    (re.compile(r"too many values to unpack \(expected (?P<wanted>\d+)\)"), _rows_for_columns),
    (
        re.compile(
            r"The expanded size of the tensor \((?P<wanted>\d+)\) must match the existing size \((?P<given>\d+)\) at "
            r"non-singleton dimension (?P<dim>\d+)\.  Target sizes: \[(?P<sizes>[\d, ]*)\]"
        ),
        _cut_to_fit,
    ),
)
