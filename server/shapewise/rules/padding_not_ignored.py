"""Padded labels that the loss counts like any other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.calls import add_keyword
from ..edits.statements import insert_after, source
from ..program.course import Course
from ..program.events import Event
from ..program.folding import usual, usual_number
from ..program.names import word_of
from ..program.ops import PLACING, losses, numbers_of, op_of
from ..program.values import Value, constant, number, roots, within
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix, Related
from .asking.loaders import collated
from .asking.tree import Tree
from .telling.found import fix, found, keyword_of

RULE = "padding-not-ignored"
_COPIES = (".clone", ".to", ".long", ".contiguous", ".detach", ".cuda")
_TENSORS = ("torch.tensor", "torch.LongTensor", "torch.as_tensor")
_FILLED = ("torch.full", "torch.zeros")
_PAD = ("torch.nn.utils.rnn.pad_sequence",)


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """A cross entropy whose target surely is a padded batch, and that ignores nothing of it; labels that are the tokens, padding and all."""
    yield from _of_tokens(tree)
    yield from _of_embedded(tree)
    for loss in losses(tree.course):
        if loss.name not in ("cross_entropy", "nll_loss") or loss.target is None:
            continue
        padded = [_padded(one, tree.course) for one in numbers_of(loss.target)]
        if not padded or not all(padded) or constant(loss.option("reduction")) == "none":
            continue
        if _is_changed(loss.target, tree.course):
            continue
        ignored = loss.option("ignore_index")
        pad = padded[0]
        assert pad is not None
        filler = _filler(pad)
        known = -100.0 if ignored is None else usual_number(ignored)
        if filler is None or known is None or filler == known or loss.option("weight") is not None:
            continue
        where = [Related(tree.span(pad.node), "padded here")] if pad.node is not None else []
        yield found(
            RULE,
            tree,
            loss.event.node,
            f"the target is padded with {filler:g}, and the loss counts the padding as labels. Pad with -100, which "
            f"it ignores, or say ignore_index={filler:g}.",
            *(_fixes(tree, loss.made.node, filler) if ignored is None else ()),
            related=where,
        )


_MASKED = re.compile(r"[!=]= *(self\.|\w+\.)*\w*pad\w*|\.(eq|ne)\((self\.)?\w*pad", re.IGNORECASE)
"""Where a mask of the padding is made."""


def _of_embedded(tree: Tree) -> Iterator[Finding]:
    """A target cut out of the very tokens that an `nn.Embedding(padding_idx=...)` is given, in a file that masks padding."""
    if (
        "padding_idx" not in tree.text
        or not _MASKED.search(tree.text)
        or re.search(r"-100|ignore_", tree.text)
    ):
        return
    embedded: dict[int, tuple[float, Event]] = {}
    for event in tree.course.calls("()"):
        layers = roots(event.on)
        pads = {_padding_of(one) for one in layers}
        if event.args and len(pads) == 1 and (pad := pads.pop()) is not None:
            embedded[id(_whole(event.args[0]))] = pad, event
    told: set[ast.AST] = set()
    for loss in losses(tree.course):
        if loss.name != "cross_entropy" or loss.target is None or loss.event.node in told:
            continue
        options = ("ignore_index", "weight", "reduction")
        if any(loss.option(one) is not None for one in options) or "**" in loss.made.kwargs:
            continue
        found_pad = embedded.get(id(_whole(loss.target)))
        if found_pad is None:
            continue
        pad, event = found_pad
        told.add(loss.event.node)
        yield found(
            RULE,
            tree,
            loss.event.node,
            f"the target is cut out of tokens that are embedded with padding_idx={pad:g}, and the loss counts the padding as labels. Say "
            f"ignore_index={pad:g}.",
            *_fixes(tree, loss.made.node, pad),
            related=[Related(tree.span(event.node), "embedded here")],
        )


def _padding_of(layer: Value) -> float | None:
    """The token that an embedding takes for padding."""
    given = layer.argument("padding_idx", 2) if layer.by == "torch.nn.Embedding" else None
    return None if given is None else usual_number(given)


def _whole(value: Value) -> Value:
    """What parts were cut out of, laid out otherwise or not."""
    for _ in range(8):
        op = op_of(value)
        if value.by == "[]" and value.on is not None:
            value = value.on
        elif value.by == "[]" and value.args:
            value = value.args[0]
        elif op is not None and op.name in PLACING and op.operand is not None:
            value = op.operand
        else:
            break
    return value


def _of_tokens(tree: Tree) -> Iterator[Finding]:
    """`labels = batch["input_ids"].clone()` where a tokenizer has padded, in a file that never says -100."""
    if "input_ids" not in tree.text or "-100" in tree.text or "DataCollatorFor" in tree.text:
        return
    for one in tree.course.nodes(ast.Assign):
        assert isinstance(one, ast.Assign)
        value, target = one.value, one.targets[0]
        func = value.func if isinstance(value, ast.Call) and not value.args else None
        if (
            not isinstance(func, ast.Attribute)
            or func.attr not in ("clone", "copy")
            or word_of(target) != "labels"
        ):
            continue
        tokens, function = func.value, tree.course.places.function(one)
        if (
            word_of(tokens) != "input_ids"
            or not isinstance(tokens, ast.Subscript | ast.Attribute)
            or function is None
        ):
            continue
        padded = next(
            (call for call in ast.walk(function) if isinstance(call, ast.Call) and _pads(call)), None
        )
        if padded is None or re.search(
            r"masked_fill|ignore_index|torch\.where|pad_token", ast.unparse(function)
        ):
            continue
        whole, fixes = source(tree.text, tokens.value), []
        if func.attr == "clone":
            mask = (
                f'{whole}["attention_mask"]'
                if isinstance(tokens, ast.Subscript)
                else f"{whole}.attention_mask"
            )
            line = f"{source(tree.text, target)}[{mask} == 0] = -100"
            fixes = [fix("leave the padding out", insert_after(tree.text, one, line))]
        yield found(
            RULE,
            tree,
            one,
            "the labels are the tokens with their padding, and the loss of the model counts it: it ignores -100 and nothing else. Set the labels "
            "to -100 where the attention mask is 0.",
            *fixes,
            related=[Related(tree.span(padded), "padded here")],
        )


def _pads(call: ast.Call) -> bool:
    given = keyword_of(call, "padding")
    return (
        given is not None
        and isinstance(given.value, ast.Constant)
        and given.value.value in (True, "longest", "max_length")
    )


def _filler(pad: Value) -> float | None:
    """The number that fills up what is shorter."""
    if pad.by in _PAD:
        value = pad.argument("padding_value", 2)
        return 0.0 if value is None else usual_number(value)
    if pad.by in _FILLED:
        return 0.0 if pad.by != "torch.full" else usual_number(pad.argument("fill_value", 1))
    return number(_repeated(pad))


def _is_filled_row_by_row(value: Value, course: Course) -> bool:
    """Whether it is a table of labels into which a loop writes rows as long as they are: `out[i, : len(row)] = row`."""
    if value.by not in _FILLED:
        return False
    dtype, fill = value.kwargs.get("dtype"), value.argument("fill_value", 1)
    if dtype is None and (value.by != "torch.full" or fill is None or type(constant(usual(fill))) is not int):
        return False
    if dtype is not None and dtype.path not in ("torch.long", "torch.int64"):
        return False
    writes = [use for use in course.uses(value) if use.kind == "store" and use.on is value]
    return len(writes) == 1 and bool(writes[0].loops) and _as_long_as_it_is(writes[0].args[0])


def _as_long_as_it_is(index: Value) -> bool:
    """Whether an index is a row, and of it what is before a length."""
    row, part = index.args if index.by == "tuple" and len(index.args) == 2 else (None, None)
    return (
        row is not None
        and part is not None
        and part.by == "slice"
        and len(part.args) == 1
        and (part.args[0].by == "builtins.len")
    )


def _repeated(value: Value) -> Value | None:
    """The filler of `torch.tensor([row + [0] * (longest - len(row)) for row in rows])`."""
    given = value.args[0] if value.by in _TENSORS and value.args else None
    row = given.args[-1] if given is not None and given.by == "listcomp" else None
    if row is None or row.by != "+" or row.args[1].by != "*":
        return None
    filled = [one for one in row.args[1].args if one.by == "list" and len(one.args) == 1]
    counted = any(one.by == "builtins.len" for one in within(row.args[1], 4))
    return filled[0].args[0] if len(filled) == 1 and counted else None


def _fixes(tree: Tree, made: ast.AST | None, filler: float) -> list[Fix]:
    if not isinstance(made, ast.Call):
        return []
    return [fix("leave the padding out", add_keyword(tree.text, made, f"ignore_index={filler:g}"))]


def _padded(value: Value, course: Course) -> Value | None:
    """The padding that made it, if one did; also where it has been sliced or copied since, and never written to."""
    while value.by in ("[]", *_COPIES) and value.on is not None and collated(course, value) is None:
        if _is_written_to(value, course) or (value.by == "[]" and not all(map(_is_a_part, value.args))):
            return None
        value = value.on
    inner = collated(course, value)
    if inner is not None:
        return _padded(inner, course)
    if _is_filled_row_by_row(value, course):
        return value
    return (
        value
        if (value.by in _PAD or _repeated(value) is not None) and not _is_written_to(value, course)
        else None
    )


def _is_a_part(index: Value) -> bool:
    """Whether an index is a slice or a number, or of such: no mask, which may leave the padding out."""
    return index.by in ("slice", "const") or (index.by == "tuple" and all(map(_is_a_part, index.args)))


def _is_changed(target: Value, course: Course) -> bool:
    """Whether something is written into what a target was taken from, or into a part of it: `batch["labels"][pad] = -100`."""
    mine = {id(one) for one in within(target, 8)}
    for use in course.events:
        if use.on is not None and (use.kind == "store" or (use.kind == "call" and use.name.endswith("_"))):
            if id(use.on) in mine or (use.on.by in ("[]", "item") and id(use.on.on) in mine):
                return True
    return False


def _is_written_to(value: Value, course: Course) -> bool:
    return any(
        use.on is value and (use.kind == "store" or (use.kind == "call" and use.name.endswith("_")))
        for use in course.uses(value)
    )
