"""A model that sees the past and the step itself, taught to tell that very step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.liveness import reads
from ..program.names import last_name
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
    yield from _cut_alike(tree)
    yield from _left_unread(tree)
    yield from _both_without_the_last(tree)
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


def _cut_alike(tree: Tree) -> Iterator[Finding]:
    """`x = torch.stack([data[i : i + n] for i in at])`, and a y that is made of the very same, right behind it."""
    if "cross_entropy" not in tree.text and "CrossEntropyLoss" not in tree.text:
        return
    for one in tree.course.nodes(ast.Assign):
        assert isinstance(one, ast.Assign)
        name = one.targets[0]
        cuts = isinstance(one.value, ast.Call) and last_name(one.value.func) in ("stack", "cat")
        if not cuts or not isinstance(name, ast.Name) or not any(map(_is_cut, ast.walk(one.value))):
            continue
        block = tree.course.places.block(one)
        after = block[block.index(one) + 1 : block.index(one) + 2]
        other = after[0] if after and isinstance(after[0], ast.Assign) else None
        if other is None or ast.dump(other.value) != ast.dump(one.value):
            continue
        scope = tree.course.places.function(one) or tree.course.tree
        names = {name.id, last_name(other.targets[0])}
        if len(names) == 2 and not any(_may_change(node, names, (one, other)) for node in ast.walk(scope)):
            yield found_at(
                RULE,
                tree.span(other.value),
                f"this is cut out of the very same places as {name.id}: what comes next, which is to be told, begins one further on.",
                related=[Related(tree.span(one.value), "the same")],
            )


def _left_unread(tree: Tree) -> Iterator[Finding]:
    """`x, y = batch()` of a function of the file that returns two, where the loss takes x for the target, and nothing reads y."""
    returned = {
        one.name
        for one in tree.course.nodes(ast.FunctionDef)
        if isinstance(one, ast.FunctionDef)
        for last in one.body[-1:]
        if isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple) and len(last.value.elts) == 2
    }
    losses = tree.course.calls("torch.nn.functional.cross_entropy") if returned else []
    for one in tree.course.nodes(ast.Assign) if losses else ():
        assert isinstance(one, ast.Assign)
        pair, made = one.targets[0], one.value
        names = [part.id for part in getattr(pair, "elts", ()) if isinstance(part, ast.Name)]
        if not isinstance(made, ast.Call) or last_name(made.func) not in returned or len(names) != 2:
            continue
        scope = tree.course.places.function(one) or tree.course.tree
        if names[1] in reads(scope) or names[1].startswith("_"):
            continue
        for event in losses:
            call = event.node
            within = (
                isinstance(call, ast.Call)
                and (tree.course.places.function(call) or tree.course.tree) is scope
            )
            if not within or not isinstance(call, ast.Call) or len(call.args) < 2:
                continue
            if [node.id for node in ast.walk(call.args[1]) if isinstance(node, ast.Name)] == names[:1]:
                yield found_at(
                    RULE,
                    tree.span(call.args[1]),
                    f"the target is what the model was given, and nothing reads {names[1]}, which came with it.",
                    related=[Related(tree.span(one), f"{names[1]} comes here")],
                )


def _both_without_the_last(tree: Tree) -> Iterator[Finding]:
    """`decoder(ids[:, :-1], memory)`, whose logits are compared with `ids[:, :-1]`."""
    for event in tree.course.calls("torch.nn.functional.cross_entropy"):
        call = event.node
        if not isinstance(call, ast.Call) or len(call.args) < 2:
            continue
        cut = next((one for one in ast.walk(call.args[1]) if _is_without_the_last(one)), None)
        scope = tree.course.places.function(call) or tree.course.tree
        logits = [node.id for node in ast.walk(call.args[0]) if isinstance(node, ast.Name)]
        if cut is None or any(_is_a_slice(one) for one in ast.walk(call.args[0])):
            continue
        for made in ast.walk(scope):
            value = (
                made.value if isinstance(made, ast.Assign) and last_name(made.targets[0]) in logits else None
            )
            if isinstance(value, ast.Call) and any(ast.dump(arg) == ast.dump(cut) for arg in value.args):
                assert isinstance(cut, ast.Subscript) and isinstance(cut.slice, ast.Tuple)
                next_ones = replace(tree.text, cut.slice.elts[-1], "1:")
                yield found_at(
                    RULE,
                    tree.span(cut),
                    "the target is what the model was given, cut alike: the last was left out so that each step can tell what comes next, "
                    "which is [:, 1:].",
                    Fix("compare with the next: 1:", "unsafe", (next_ones,)),
                    related=[Related(tree.span(value), "given here")],
                )
                break


def _is_without_the_last(node: ast.AST) -> bool:
    """`ids[:, :-1]`"""
    index = node.slice if isinstance(node, ast.Subscript) else None
    return isinstance(index, ast.Tuple) and len(index.elts) == 2 and ast.unparse(index.elts[1]) == ":-1"


def _is_a_slice(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and any(isinstance(one, ast.Slice) for one in ast.walk(node.slice))


def _is_cut(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and node.slice.upper is not None
    )


def _may_change(node: ast.AST, names: set[str], made: tuple[ast.Assign, ...]) -> bool:
    """Whether it sets one of them anew, or a part of it, as a model that fills gaps does."""
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node not in made:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(
            isinstance(one, ast.Name) and one.id in names for target in targets for one in ast.walk(target)
        )
    return isinstance(node, ast.Attribute) and node.attr.endswith("_") and ast.unparse(node.value) in names


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
