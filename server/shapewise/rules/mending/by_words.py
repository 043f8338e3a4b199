"""What torch's own words say that is to be written instead: repairs by the beginning of its message."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ...edits.calls import add_keyword, append, remove_keyword
from ...edits.statements import replace, source
from ...queries.lineage import short
from ...vocabulary.events import Tensor
from ...vocabulary.findings import Fix
from ..telling.found import argument_node, name_for
from .schedules import of_the_optimizer, what_it_waits_for
from .states import of_the_batch
from .truths import one_number, one_truth
from .widths import words_for

if TYPE_CHECKING:
    from ..asking.refusals import Refusal

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
    sizes, given = (re.findall(r"\d+", match[name]) for name in ("sizes", "others"))
    if short(refusal.op.name) == "[]=" and statement is not None and len(sizes) == 2 and given == sizes[::-1]:
        yield Fix("add .mT", "unsafe", (append(refusal.tree.text, statement.value, ".mT"),))
    if short(refusal.op.name) != "[]=" or statement is None or int(match["wanted"]) >= int(match["given"]):
        return
    text = refusal.tree.text
    into = source(text, statement.targets[0])
    if int(match["dim"]) == len(re.findall(r"\d+", match["sizes"])) - 1:
        suffix = f"[..., : {into}.size(-1)]"
        yield Fix(f"add {suffix}", "unsafe", (append(text, statement.value, suffix),))


def _expanded(refusal: Refusal, match: re.Match[str]) -> Iterator[Fix]:
    """What does not fit where it is written or expanded to."""
    yield from _cut_to_fit(refusal, match)
    yield from _dims_behind(refusal, match)


def _dims_behind(refusal: Refusal, match: re.Match[str]) -> Iterator[Fix]:
    """A number for each channel expanded over the picture: with as many dims of size one behind it as that has more."""
    given = refusal.op.args[0] if refusal.op.args else None
    sizes, mine = ([int(one) for one in re.findall(r"\d+", match[name])] for name in ("sizes", "others"))
    more = len(sizes) - len(mine)
    if short(refusal.op.name) in ("expand_as", "expand") and isinstance(given, Tensor) and more > 0:
        if all(one in (size, 1) for one, size in zip(mine, sizes)):
            yield from refusal.behind(given, f"[..., {', '.join(['None'] * more)}]")


def _coordinates_last(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """A grid of `grid_sample` with its coordinates in the last dim."""
    grid = refusal.op.args[1] if len(refusal.op.args) > 1 else None
    if isinstance(grid, Tensor):
        yield from refusal.behind(
            grid, ".permute(0, 2, 3, 1)" if len(grid.shape) == 4 else ".permute(0, 2, 3, 4, 1)"
        )


def _other_mode(refusal: Refusal, match: re.Match[str]) -> Iterator[Fix]:
    """The interpolation of the same kind for as many dims as there are."""
    call = refusal.tree.at(refusal.op.span, ast.Call)
    node = None if call is None else argument_node(call, "mode", 3)
    mode = _LINEAR.get(match["rank"])
    if mode is not None and isinstance(node, ast.Constant):
        quote = source(refusal.tree.text, node)[0]
        new = f"{quote}{mode}{quote}"
        yield Fix(f"mode={new}", "unsafe", (replace(refusal.tree.text, node, new),))


_LINEAR = {"3": "linear", "4": "bilinear", "5": "trilinear"}


def _one_after_the_other(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """An `nn.Sequential` of the layers of a list that is called."""
    built = refusal.lineage.builder(refusal.op.args[0]) if refusal.op.args else None
    call = refusal.tree.at(built.span, ast.Call) if built is not None and refusal.here(built) else None
    sequential = name_for(refusal.tree, "torch.nn.Sequential")
    if call is not None and sequential is not None and len(call.args) == 1:
        new = f"{sequential}(*{source(refusal.tree.text, call.args[0])})"
        yield Fix("an nn.Sequential of them", "unsafe", (replace(refusal.tree.text, call, new),))


def _all_parameters(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """`[*a.parameters(), *b.parameters()]` for a list of the two iterators."""
    call, text = refusal.tree.at(refusal.op.span, ast.Call), refusal.tree.text
    given = None if call is None else argument_node(call, "params", 0)
    if isinstance(given, (ast.List, ast.Tuple)):
        edits = [
            replace(text, one, f"*{source(text, one)}") for one in given.elts if isinstance(one, ast.Call)
        ]
        yield Fix("the parameters of each: *", "unsafe", tuple(edits))


def _all_of_the_data(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """The last part as long as what the others leave."""
    call, text = refusal.tree.at(refusal.op.span, ast.Call), refusal.tree.text
    lengths = None if call is None else argument_node(call, "lengths", 1)
    if call is not None and isinstance(lengths, (ast.List, ast.Tuple)) and len(lengths.elts) > 1:
        rest = "".join(f" - {source(text, one)}" for one in lengths.elts[:-1])
        new = f"len({source(text, call.args[0])}){rest}"
        yield Fix(f"{new} in the last", "unsafe", (replace(text, lengths.elts[-1], new),))


def _smaller_kernel(refusal: Refusal, match: re.Match[str]) -> Iterator[Fix]:
    """A kernel that fits into what is left, or padding around it."""
    built, least = (
        refusal.lineage.builder(refusal.failure.layer),
        min(map(int, re.findall(r"\d+", match["input"]))),
    )
    call = refusal.tree.at(built.span, ast.Call) if built is not None and refusal.here(built) else None
    kernel = None if call is None else argument_node(call, "kernel_size", 2)
    if call is None or not isinstance(kernel, ast.Constant) or type(kernel.value) is not int:
        return
    text = refusal.tree.text
    for size in range(least - 1 + least % 2, 0, -2):
        yield Fix(f"kernel_size={size}", "unsafe", (replace(text, kernel, str(size)),))
    if kernel.value % 2 and argument_node(call, "padding", 4) is None:
        padding = f"padding={kernel.value // 2}"
        yield Fix(padding, "unsafe", (add_keyword(text, call, padding),))


def _as_many_samples(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """Queries that are learned once, for each sample of what they ask."""
    given = [(arg, node) for arg, node in zip(refusal.op.args, refusal.written) if isinstance(arg, Tensor)]
    if (
        not refusal.op.name.startswith("nn.")
        or len(given) < 2
        or any(len(one.shape) != 3 for one, _ in given[:2])
    ):
        return
    (queries, asks), (memory, asked) = given[:2]
    if queries.shape[0] == 1 != memory.shape[0] and isinstance(asked, (ast.Name, ast.Attribute)):
        suffix = f".expand({source(refusal.tree.text, asked)}.size(0), -1, -1)"
        yield Fix(f"add {suffix}", "unsafe", (append(refusal.tree.text, asks, suffix),))


def _steps_first(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """Log-probabilities of `ctc_loss` with the steps in dim 0."""
    given = next((arg for arg in refusal.op.args if isinstance(arg, Tensor)), None)
    if given is not None and len(given.shape) == 3:
        yield from refusal.behind(given, ".transpose(0, 1)")


def _width_of_keys(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """`kdim` and `vdim` of an attention whose keys are of another width than its queries."""
    built = refusal.lineage.builder(refusal.op.args[0]) if refusal.op.args else None
    given = [arg for arg in refusal.op.args if isinstance(arg, Tensor)]
    if (
        built is None
        or short(built.name) != "MultiheadAttention"
        or len(given) < 3
        or not refusal.here(built)
    ):
        return
    call, width = refusal.tree.at(built.span, ast.Call), given[1].shape[-1]
    if (
        call is None
        or width == given[0].shape[-1]
        or width != given[2].shape[-1]
        or not isinstance(width, int)
    ):
        return
    many = next(iter(words_for(refusal, built, width)), str(width))
    edit = add_keyword(refusal.tree.text, call, f"kdim={many}, vdim={many}")
    yield Fix(f"kdim={many}, vdim={many}", "unsafe", (edit,))


def _as_masked(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """A tensor laid out as its mask is, where several numbers of each place stand side by side in its last dim."""
    if len(refusal.written) != 2 or len(refusal.op.args) != 2:
        return
    (given, mask), masked = refusal.op.args, refusal.written[1]
    if not isinstance(given, Tensor) or not isinstance(mask, Tensor) or not isinstance(masked, ast.Name):
        return
    rank = len(mask.shape)
    size, places = given.shape[-1], mask.shape[-1]
    if len(given.shape) != rank or given.shape[:-1] != mask.shape[:-1] or not rank:
        return
    if isinstance(size, int) and isinstance(places, int) and places and size % places == 0:
        yield from refusal.behind(given, f".reshape(*{masked.id}.shape, -1)")


def _as_it_is_kept(refusal: Refusal, _: re.Match[str]) -> Iterator[Fix]:
    """What is written to chosen places, of the dtype of what it is written into."""
    for statement in _statements(refusal):
        into, text = statement.targets[0], refusal.tree.text
        if isinstance(into, ast.Subscript):
            suffix = f".to({source(text, into.value)}.dtype)"
            yield Fix(f"add {suffix}", "unsafe", (append(text, statement.value, suffix),))


def _statements(refusal: Refusal) -> Iterator[ast.Assign]:
    node = refusal.tree.at(refusal.op.span, ast.AST)
    statement = None if node is None else refusal.tree.course.places.statement(node)
    if isinstance(statement, ast.Assign):
        yield statement


_MENDS: tuple[tuple[re.Pattern[str], Callable[[Refusal, re.Match[str]], Iterator[Fix]]], ...] = (
    (re.compile(r"Boolean value of Tensor with more than one value is ambiguous"), one_truth),
    (re.compile(r"a Tensor with \d+ elements cannot be converted to Scalar"), one_number),
    (re.compile(r"\S+ is not an Optimizer"), of_the_optimizer),
    (re.compile(r"ReduceLROnPlateau\.step\(\) missing 1 required positional argument"), what_it_waits_for),
    (re.compile(r"The shape of the mask \[[\d, ]+\] at index \d+ does not match"), _as_masked),
    (re.compile(r"zero-dimensional tensor \(at position \d+\) cannot be concatenated"), _stacked),
    (
        re.compile(r"Expected hidden(?:\[\d\])? size \((?P<wanted>[\d, ]+)\), got \[(?P<given>[\d, ]+)\]"),
        of_the_batch,
    ),
    (re.compile(r"grid_sampler\(\): expected grid to have size \d in last dimension"), _coordinates_last),
    (re.compile(r"Got (?P<rank>\d)D input, but \w+ mode needs \dD input"), _other_mode),
    (re.compile(r'Module \[ModuleList\] is missing the required "forward" function'), _one_after_the_other),
    (
        re.compile(r"optimizer can only optimize Tensors, but one of the params is .*parameters"),
        _all_parameters,
    ),
    (re.compile(r"Sum of input lengths does not equal the length of the input dataset"), _all_of_the_data),
    (
        re.compile(r"Calculated padded input size per channel: \((?P<input>[\d x]+)\)\. Kernel size: "),
        _smaller_kernel,
    ),
    (re.compile(r"shape '\[\d+, \d+, \d+\]' is invalid for input of size"), _as_many_samples),
    (re.compile(r"input_lengths must be of size batch_size"), _steps_first),
    (re.compile(r"Index put requires the source and destination dtypes match"), _as_it_is_kept),
    (
        re.compile(
            r"mat1 and mat2 shapes cannot be multiplied|Expected size for first two dimensions of batch2"
        ),
        _width_of_keys,
    ),
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
            r"\.  Tensor sizes: \[(?P<others>[\d, ]*)\]"
        ),
        _expanded,
    ),
)
