"""`[nn.Linear(d, d)] * n`: one layer, n times in the list."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.names import last_name
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Fix
from .asking.tree import Tree
from .telling.found import found

RULE = "layers-shared-by-list"
_HOLDERS = ("Sequential", "ModuleList")
_WEIGHED = (
    "Linear Bilinear LazyLinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding LSTM GRU RNN LSTMCell "
    "GRUCell RNNCell MultiheadAttention TransformerEncoderLayer TransformerDecoderLayer BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm "
    "GroupNorm PReLU"
).split()


_ON_PURPOSE = re.compile(r"shar(e|ing)|\btied|\btie[_ ]|same weights|albert|universal", re.IGNORECASE)
"""Words beside such a list, or in a name of the class, that say that one layer is meant."""


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Each list of one layer with weights that is multiplied, where it is given to a Sequential or a ModuleList."""
    places = tree.course.places
    for given in places.nodes:
        if type(given) is not ast.BinOp or type(given.op) is not ast.Mult:
            continue
        for row, times in ((given.left, given.right), (given.right, given.left)):
            if not isinstance(row, ast.List) or len(row.elts) != 1 or isinstance(times, ast.List):
                continue
            layer, holder = row.elts[0], places.parent(given)
            if isinstance(holder, ast.Starred):
                holder = places.parent(holder)
            if (
                not isinstance(holder, ast.Call)
                or last_name(holder.func) not in _HOLDERS
                or len(holder.args) != 1
            ):
                continue
            own = {node.name: node for node in places.nodes if isinstance(node, ast.ClassDef)}
            if (
                isinstance(layer, ast.Call)
                and _has_weights(layer, own, set())
                and not _is_one(times)
                and not _is_on_purpose(tree, given)
            ):
                yield found(
                    RULE,
                    tree,
                    given,
                    "this is one layer, as often in the list as it is multiplied: all of them have the same weights. A layer each is "
                    "made by a comprehension.",
                    *_fixes(tree, given, layer, times),
                )


def _is_on_purpose(tree: Tree, given: ast.BinOp) -> bool:
    places = tree.course.places
    statement, at = places.statement(given), places.parent(given)
    while at is not None and not isinstance(at, ast.ClassDef):
        at = places.parent(at)
    if statement is None:
        return False
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    lines = tree.text.splitlines()[first - 1 : last]
    above = tree.text.splitlines()[first - 2] if first > 1 else ""
    said = [
        *lines,
        above if above.lstrip().startswith("#") else "",
        at.name if isinstance(at, ast.ClassDef) else "",
    ]
    return _ON_PURPOSE.search("\n".join(said)) is not None


def _has_weights(layer: ast.AST, own: dict[str, ast.ClassDef], seen: set[str]) -> bool:
    """Whether a layer with weights is made in there, or in the classes of the file that are."""
    for node in ast.walk(layer):
        if isinstance(node, ast.Call):
            name = last_name(node.func)
            if name in _WEIGHED and name not in own:
                return True
            if name in own and name not in seen and _has_weights(own[name], own, seen | {name}):
                return True
    return False


def _is_one(times: ast.expr) -> bool:
    return isinstance(times, ast.Constant) and times.value in (0, 1)


def _fixes(tree: Tree, given: ast.BinOp, layer: ast.expr, times: ast.expr) -> Iterator[Fix]:
    text = f"[{source(tree.text, layer)} for _ in range({source(tree.text, times)})]"
    yield Fix("a layer each", "unsafe", (replace(tree.text, given, text),))
