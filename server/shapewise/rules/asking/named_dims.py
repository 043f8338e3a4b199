"""What the text calls the dims of tensors: `B, C, H, W = x.shape`, and the sizes that a view is asked for.

A name is a word of the text (`C`, `self.heads`, `h * w`, or `4` where a view says so) and holds for one tensor and what is made of it dim by dim.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...queries.lineage import Lineage, short
from ...queries.origins import before
from ...vocabulary.events import Bound, Log, Op, Tensor
from ...vocabulary.span import Span
from .einops_patterns import groups_of
from .tree import Tree

Names = tuple[frozenset[str], ...]
_FAR = 32
_NONE: frozenset[str] = frozenset()


class NamedDims:
    """The names of a log's tensors, by their ids."""

    def __init__(self, log: Log, lineage: Lineage, tree: Tree) -> None:
        self._lineage = lineage
        self._names: dict[tuple[int, int], frozenset[str]] = {}
        read: dict[Span, list[tuple[int, str]]] = {}
        for shape, dim, name in _read(tree):
            read.setdefault(tree.span(shape), []).append((dim, name))
        for event in log.events:
            if isinstance(event, Bound):
                if isinstance(event.value, Tensor):
                    for dim, name in read.get(event.span, ()):
                        self._name(event.value, dim, frozenset((name,)))
            elif short(event.name) in ("view", "reshape") and isinstance(event.result, Tensor):
                for dim, names in enumerate(asked(event, tree)):
                    self._name(event.result, dim, names)
            elif event.name == "einops.rearrange" and isinstance(event.result, Tensor):
                for dim, names in enumerate(_of_pattern(event)):
                    self._name(event.result, dim, names)

    def _name(self, tensor: Tensor, dim: int, names: frozenset[str]) -> None:
        rank = len(tensor.shape)
        if -rank <= dim < rank:
            place = tensor.id, dim % rank
            self._names[place] = self._names.get(place, _NONE) | names

    def of(self, tensor: Tensor) -> Names:
        """What each dim of a tensor is called, followed back through ops that keep it."""
        return tuple(self._of(tensor, dim) for dim in range(len(tensor.shape)))

    def _of(self, tensor: Tensor, dim: int) -> frozenset[str]:
        found = _NONE
        for _ in range(_FAR):
            found |= self._names.get((tensor.id, dim), _NONE)
            op = self._lineage.maker(tensor)
            if op is None or op.failure is not None:
                break
            earlier = before(op, tensor, dim) or _in_its_place(op, tensor, dim)
            if earlier is None:
                break
            tensor, dim = earlier
        return found


def _in_its_place(op: Op, tensor: Tensor, dim: int) -> tuple[Tensor, int] | None:
    """The same pixels, or steps, before a convolution that leaves as many of them."""
    inner = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
    if inner is None or op.name not in _CONVOLUTIONS or len(inner.shape) != len(tensor.shape):
        return None
    spatial = dim >= len(tensor.shape) - _CONVOLUTIONS[op.name]
    return (inner, dim) if spatial and inner.shape[dim] == tensor.shape[dim] is not None else None


_CONVOLUTIONS = {"nn.Conv1d()": 1, "nn.Conv2d()": 2, "nn.Conv3d()": 3}


def asked(op: Op, tree: Tree) -> Names:
    """How the sizes of a view are written; nothing for one that is computed."""
    call = tree.at(op.span, ast.Call)
    if call is None or not isinstance(op.result, Tensor) or not isinstance(call.func, ast.Attribute):
        return ()
    written = call.args
    if len(written) == 1 and isinstance(written[0], (ast.Tuple, ast.List)):
        written = written[0].elts
    if len(written) != len(op.result.shape) or any(isinstance(one, ast.Starred) for one in written):
        return ()
    return tuple(_word(one) for one in written)


def _of_pattern(op: Op) -> Names:
    """What einops calls the dims of its result: `'b h n d'` of `'b n (h d) -> b h n d'`. No words of the code, so in quotes."""
    groups = groups_of(op)
    if not isinstance(op.result, Tensor) or len(groups) != len(op.result.shape):
        return ()
    if any(len(words) != 1 for words in groups):
        return ()
    return tuple(frozenset((f"'{word}'",)) if word.isidentifier() else _NONE for (word,) in groups)


def _word(node: ast.expr) -> frozenset[str]:
    plain = isinstance(node, ast.Name) or (
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    )
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value > 1:
        return frozenset((str(node.value),))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        factors = [*_word(node.left), *_word(node.right)]
        names = all(not factor.isdigit() for factor in factors)
        return frozenset((" * ".join(factors),)) if len(factors) == 2 and names else _NONE
    if not plain:
        size = _size(node)
        return _NONE if size is None else frozenset((_spelt(*size),))
    return frozenset((ast.unparse(node),))


def _size(node: ast.AST) -> tuple[ast.expr, int] | None:
    """The tensor and the dim of `x.shape[0]` and `x.size(0)`."""
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "shape"
    ):
        owner, dim = node.value.value, node.slice
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "size"
        and len(node.args) == 1
    ):
        owner, dim = node.func.value, node.args[0]
    else:
        return None
    try:
        number = ast.literal_eval(dim)
    except ValueError:
        return None
    return (owner, number) if type(number) is int else None


def _spelt(owner: ast.expr, dim: int) -> str:
    return f"{ast.unparse(owner)}.shape[{dim}]"


def _read(tree: Tree) -> Iterator[tuple[ast.expr, int, str]]:
    """Each tensor whose sizes are read, which of its dims, and what that is called then."""
    for node in tree.course.places.nodes:
        size = _size(node)
        if size is not None:
            yield size[0], size[1], _spelt(*size)
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], node.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts))
        for one, given in pairs:
            size = _size(given)
            if size is not None and isinstance(one, ast.Name):
                yield size[0], size[1], one.id
            elif isinstance(one, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in one.elts):
                yield from _taken_apart(one, given)


def _taken_apart(names: ast.Tuple, value: ast.expr) -> Iterator[tuple[ast.expr, int, str]]:
    """`B, C, H, W = x.shape`"""
    if isinstance(value, ast.Call) and not value.args and not value.keywords:
        value = value.func
    if isinstance(value, ast.Attribute) and value.attr in ("shape", "size"):
        for dim, name in enumerate(names.elts):
            if isinstance(name, ast.Name) and name.id != "_":
                yield value.value, dim, name.id
