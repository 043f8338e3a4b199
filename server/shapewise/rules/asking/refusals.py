"""Calls that torch refuses: what the rules about them share."""

from __future__ import annotations

import ast
import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...edits.calls import append
from ...queries.lineage import Lineage, lineage_of, tensors, told
from ...queries.origins import origin, source
from ...queries.runs import TOP
from ...vocabulary.events import Failure, Group, Log, Op, Other, Size, Sizes, Tensor
from ...vocabulary.findings import Finding, Fix, Related
from ...vocabulary.span import Span
from ..mending.upstream import Mends, mends
from .tree import Tree

_log = logging.getLogger(__name__)

_LONGEST = 28
"""Characters of an operand that are shown."""
_MOST_MADE = 3
"""Operands of which it is said where they come from."""


@dataclass(frozen=True)
class Refusal:
    """One call that raises, and where to ask for its causes."""

    op: Op
    failure: Failure
    log: Log
    tree: Tree

    @cached_property
    def lineage(self) -> Lineage:
        """Where the tensors of the log come from."""
        return lineage_of(self.log)

    @cached_property
    def message(self) -> str:
        """The first line of what torch raises."""
        return self.failure.message

    @cached_property
    def match(self) -> re.Match[str]:
        """What the pattern of the rule found in the message."""
        raise AssertionError("asked without a pattern")

    @cached_property
    def operands(self) -> tuple[Tensor, ...]:
        """The tensors that the innermost function was given, or the call itself."""
        return self.failure.operands or tuple(arg for arg in self.op.args if isinstance(arg, Tensor))

    @property
    def is_of_two_devices(self) -> bool:
        """Whether some operands are on a card of NVIDIA's and others are not."""
        on_card = {(one.device or "").startswith("cuda") for one in self.operands if one.device is not None}
        return len(on_card) > 1

    @cached_property
    def written(self) -> tuple[ast.expr, ...]:
        """The operands as they are written, one for each of the op's arguments; none where that is not clear."""
        call = self.tree.at(self.op.span, ast.Call)
        nodes: tuple[ast.expr, ...] = ()
        if call is not None:
            method = isinstance(call.func, ast.Attribute) and len(call.args) == len(self.op.args) - 1
            nodes = (call.func.value, *call.args) if method else tuple(call.args)  # type: ignore[attr-defined]
            if not method and len(call.args) == len(self.op.args) - 1:
                nodes = (call.func, *call.args)  # a layer is called
        elif (binary := self.tree.at(self.op.span, ast.BinOp)) is not None:
            nodes = (binary.left, binary.right)
        elif (compared := self.tree.at(self.op.span, ast.Compare)) is not None:
            nodes = (compared.left, *compared.comparators)
        elif (subscript := self.tree.at(self.op.span, ast.Subscript)) is not None:
            nodes = (subscript.value, subscript.slice)
        if len(nodes) != len(self.op.args) or any(isinstance(node, ast.Starred) for node in nodes):
            return ()
        return nodes

    def node_of(self, tensor: Tensor) -> ast.expr | None:
        """The expression of the call that is this tensor."""
        for arg, node in zip(self.op.args, self.written):
            if isinstance(arg, Tensor) and arg.id == tensor.id:
                return node
        return None

    def name_of(self, tensor: Tensor) -> str:
        """How the call names a tensor, or nothing."""
        node = self.node_of(tensor)
        text = "" if node is None else ast.unparse(node)
        return text if len(text) <= _LONGEST else ""

    def here(self, op: Op | None) -> bool:
        """Whether an op stands in the file that is looked at."""
        return op is not None and self.log.frames[op.frame].file == self.log.file

    def born(self, tensor: Tensor, dim: int) -> tuple[Related, ...]:
        """Where a dim (from 0) of a tensor got its size, if that stands in this file."""
        found = origin(self.lineage, tensor, dim)
        if found is None:
            return ()
        at = found.built if self.here(found.built) else found.op if self.here(found.op) else None
        if at is None or at.span == self.op.span:
            return ()
        node = self.tree.at(at.span, ast.Call)
        text = "" if node is None else ast.unparse(node)
        what = text if text and len(text) <= 2 * _LONGEST else told(at.name)
        return (Related(at.span, f"{size_of(tensor.shape[dim])} comes from {what}"),)

    def made(self) -> tuple[Related, ...]:
        """Where the operands were made, or the layer built, if that stands in this file: a place each."""
        given = self.operands or tuple(one for arg in self.op.args for one in tensors(arg))
        found = made_of(given, self.op, self.lineage)
        layer = self.lineage.builder(self.failure.layer)
        if layer is not None and self.here(layer) and layer.span not in [one.span for one in found]:
            found = (*found, Related(layer.span, "the layer"))
        return found

    def behind(self, tensor: Tensor, suffix: str, title: str = "", safety: str = "unsafe") -> tuple[Fix, ...]:
        """The repair that writes something behind an operand, if the operand stands in the call."""
        node = self.node_of(tensor)
        if node is None:
            return ()
        return (Fix(title or f"add {suffix}", safety, (append(self.tree.text, node, suffix),)),)

    def finding(
        self,
        rule: str,
        shown: Iterable[str] = (),
        related: Iterable[Related] = (),
        fixes: Iterable[Fix] = (),
        severity: str = "error",
    ) -> Finding:
        """Torch's line, what it was given, and what else is known of it."""
        lines = [
            self.message,
            *self.failure.details,
            *(tuple(shown) or self.table()),
            *self._whenever(),
            *self._unless(),
        ]
        return Finding(
            rule,
            self.op.span,
            "warning" if self.failure.unless else severity,
            "\n".join(lines),
            self.message,
            tuple(related) or self.made(),
            self._all_of(tuple(fixes)),
        )

    def _all_of(self, fixes: tuple[Fix, ...]) -> tuple[Fix, ...]:
        """The repairs that a rule knows, and what else may have been meant."""
        if self.log.frames[self.op.frame].assumed or self.failure.unless:
            return fixes
        more = self.tree.mends.get(self.op.span)
        if more is None:  # once for all runs that come by
            try:
                more = mends(self)
            except Exception:  # what is refused is said, whatever becomes of repairs
                _log.exception("repairs of line %s", self.op.span.line)
                more = Mends()
            self.tree.mends[self.op.span] = more
        of_all: dict[object, Fix] = {}
        sure = [fix for fix in fixes if fix.safety == "safe"]
        for fix in (*sure, *more.first, *fixes, *more.rest):
            of_all.setdefault(fix.edits, fix)
        return tuple(of_all.values())

    def _whenever(self) -> list[str]:
        frame = self.log.frames[self.op.frame]
        return (
            [f"Nothing calls {frame.scope} here: this is so whatever it is given."] if frame.assumed else []
        )

    def _unless(self) -> list[str]:
        return [f"This is raised unless {self.failure.unless}."] if self.failure.unless else []

    def table(self) -> list[str]:
        """The operands with shape, dtype and, where it is not the CPU, device: a line each."""
        named = [(self.name_of(one), one) for one in self.operands[:6]]
        width = max((len(name) for name, _ in named), default=0)
        away = any(one.device not in (None, "cpu") for _, one in named)
        return [
            f"  {name.ljust(width)}  {one.dtype or '?'} {list_of(one.shape)}"
            + (f" on {one.device}" if away else "")
            for name, one in named
        ]


def refusals(log: Log, tree: Tree, *patterns: re.Pattern[str]) -> Iterator[Refusal]:
    """The calls that fail and that nothing catches, with a message that begins with one of the patterns.

    One mistake is told once, where it is met first: not again where a result of what failed is used, nor
    where another call fails for the width of the same layer, or a layer that could not be built, or another layer for
    that of the same tensor, nor in the same words in the same function, nor for the dtype of the same tensor. In
    functions, where the first failure ends the run, no other call that is given the same tensor is told, nor one that
    is given a dim for which a product was refused.

    Of a file that asks for a card, nothing is told here that happens beside what lies on one: where there is none the
    move to it has raised before, and where there is one `on_a_card` tells what happens.
    """
    for one in (log, tree.refused):
        for refusal in () if one is None else _refusals_in(one, tree, patterns):
            if log.on_a_card is None or not refusal.is_of_two_devices:
                yield refusal


def _refusals_in(log: Log, tree: Tree, patterns: tuple[re.Pattern[str], ...]) -> Iterator[Refusal]:
    lineage = lineage_of(log)
    blamed: dict[object, Span] = {}
    for op in log.events:
        if not isinstance(op, Op) or op.failure is None or op.failure.caught:
            continue
        culprits = _culprits(op.failure, lineage)
        scope = log.frames[op.frame].scope
        culprits |= _words(op.failure, scope)
        clashing: set[object] = set()
        followed: set[object] = set()
        if scope != TOP:
            culprits |= _refused(op.failure, lineage)
            clashing = _clashing(op.failure, lineage)
            followed = _sized(op.failure, lineage)
        if any(at != op.span for at in _blamed(culprits | followed, blamed)):
            continue
        if lineage.below_a_failure(op):
            continue
        for one in (*culprits, *clashing, op.span):
            blamed.setdefault(one, op.span)
        found = next((match for one in patterns if (match := one.match(op.failure.message))), None)
        if found is not None or not patterns:
            refusal = Refusal(op, op.failure, log, tree)
            if found is not None:
                refusal.__dict__["match"] = found
            yield refusal


def _blamed(culprits: set[object], blamed: dict[object, Span]) -> Iterator[Span]:
    """Where a failure was told that one of these had led to: of what was built also where a part of it had."""
    for one in culprits:
        if one in blamed:
            yield blamed[one]
        elif isinstance(one, Span):
            yield from (at for part, at in blamed.items() if isinstance(part, Span) and one.covers(part))


def _culprits(failure: Failure, lineage: Lineage) -> set[object]:
    """What one mistake has in common: the layers whose widths meet in it, the tensor that a layer refuses."""
    built = [lineage.builder(failure.layer)]
    for tensor in failure.operands[:2]:
        for dim in range(len(tensor.shape)):
            found = origin(lineage, tensor, dim)
            built.append(None if found is None else found.built)
    refused = {failure.operands[0].id} if failure.layer is not None and failure.operands else set()
    return {op.span for op in built if op is not None} | refused


def _refused(failure: Failure, lineage: Lineage) -> set[object]:
    """The tensors that a call within a function refuses, and what they were made of dim for dim."""
    return {one.id for tensor in failure.operands for one in lineage.as_it_was(tensor)}


_PRODUCT = re.compile(r"mat1 and mat2 shapes cannot be multiplied \(\d+x(\d+) and (\d+)x\d+\)")


def _clashing(failure: Failure, lineage: Lineage) -> set[object]:
    """The two dims that a product refuses to join, by the tensor that had each first."""
    match = _PRODUCT.match(failure.message)
    if match is None or len(failure.operands) != 2:
        return set()
    return {
        (first.id, at)
        for tensor, dim, size in zip(failure.operands, (-1, 0), map(int, match.groups()))
        if len(tensor.shape) > 1 and tensor.shape[dim] == size
        for first, at in [source(lineage, tensor, dim % len(tensor.shape))]
    }


def _sized(failure: Failure, lineage: Lineage) -> set[object]:
    """The dims of what a call is given, by the tensor that had each first."""
    found = [
        source(lineage, tensor, dim) for tensor in failure.operands[:2] for dim in range(len(tensor.shape))
    ]
    return {(tensor.id, dim) for tensor, dim in found}


_OF_DTYPES = re.compile(r"dtype|scalar type|implemented (?:for|on)\b|used as indices must be|\bbool\b")


def _words(failure: Failure, scope: str) -> set[object]:
    """What a second failure of the same mistake says again, of the same tensor or elsewhere in the function."""
    tensors = [tensor.id for tensor in failure.operands]
    about: list[object] = [(failure.message, one) for one in (*tensors, scope) if one != TOP]
    if _OF_DTYPES.search(failure.message):
        about += [("dtype", one) for one in tensors]
    return set(about)


def made_of(given: Sequence[Tensor], op: Op, lineage: Lineage) -> tuple[Related, ...]:
    """Where what an op was given was made, in the same file and elsewhere than the op: a place each."""
    found: dict[Span, Related] = {}
    for tensor in given:
        maker = lineage.maker(tensor)
        if maker is not None and maker.span != op.span and lineage.of_one_file(maker, op):
            text = f"{list_of(tensor.shape)} comes from {told(maker.name)}"
            found.setdefault(maker.span, Related(maker.span, text))
    return tuple(found.values())[:_MOST_MADE]


_OPERATORS = frozenset("+ - * / // % ** @ < <= > >= += -= *= /=".split())


def is_torchs(op: Op) -> bool:
    """Whether it is torch, or numpy, that refuses a call, and not Python that does not know a name or a type."""
    return (
        op.name.startswith(("torch.", "nn.", "einops.", "numpy."))
        or op.name in ("unpack", "attribute", "[]", "call")
        or any(isinstance(arg, Tensor) for arg in op.args)
        or any(isinstance(arg, Other) and (arg.id is not None or arg.type == "ndarray") for arg in op.args)
        or bool(op.failure is not None and op.failure.operands)
        or _lacks_an_argument(op)
        or (op.name in _OPERATORS and any(isinstance(arg, Group) and any(tensors(arg)) for arg in op.args))
    )


def _lacks_an_argument(op: Op) -> bool:
    """A method of an object that is not the file's own, called with too little: `ReduceLROnPlateau.step()`."""
    owner = op.args[0] if op.args else None
    return (
        op.failure is not None
        and isinstance(owner, Other)
        and op.failure.message.startswith(f"{owner.type}.{op.name}() missing")
    )


def list_of(shape: Sizes) -> str:
    """A shape as people write it."""
    return "[" + ", ".join(map(size_of, shape)) + "]"


def size_of(size: Size) -> str:
    """A size, or a question mark."""
    return "?" if size is None else str(size)


def aligned(shapes: Sequence[Sizes], names: Sequence[str] = (), clash: set[int] | None = None) -> list[str]:
    """Shapes one below the other, right-aligned dim by dim; the dims that disagree are marked below.

    `clash`: the dims to mark, counted from the right as -1, -2...; without it those that do not broadcast.
    """
    rank = max((len(shape) for shape in shapes), default=0)
    columns = [
        [size_of(shape[dim]) if -dim <= len(shape) else "" for shape in shapes] for dim in range(-rank, 0)
    ]
    widths = [max(map(len, column)) for column in columns]
    marked = [
        dim in clash
        if clash is not None
        else len({text for text in column if text not in ("", "1", "?")}) > 1
        for dim, column in zip(range(-rank, 0), columns)
    ]
    labels = [*names, *[""] * (len(shapes) - len(names)), ""]
    margin = max(map(len, labels)) + 2 if any(labels) else 0
    rows = [
        " ".join(column[row].rjust(width) for column, width in zip(columns, widths))
        for row in range(len(shapes))
    ]
    rows.append(" ".join(("^" * width if mark else " " * width) for mark, width in zip(marked, widths)))
    return [
        "  " + label.ljust(margin) + row.rstrip()
        for label, row in zip(labels, [row.rstrip() for row in rows])
        if row.strip()
    ]
