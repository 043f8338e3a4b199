"""A softmax of what is a softmax already."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import replace, source
from ..program.ops import Op, call_of, calls_of_several, op_of, surely
from ..program.values import Value, constant, options_of
from ..queries.lineage import lineage_of, short
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Tensor
from ..vocabulary.findings import Finding, Fix, Related
from .asking.tree import Tree
from .telling.found import fix, found, found_at, keyword_of

RULE = "softmax-twice"
_OUTER = frozenset("softmax log_softmax gumbel_softmax".split())
_DRAWN = tuple(
    f"torch.distributions.{name}"
    for name in ("Categorical", "OneHotCategorical", "categorical.Categorical", "Multinomial")
)
_IN_PLACE = frozenset("contiguous float double half bfloat16 to clone cuda cpu detach".split())
_SAID = "The probabilities come near to each other, and none can come near 1 any more."


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every softmax, and every distribution given logits, whose input surely is a softmax over the same dim; sigmoids of either."""
    yield from _squashed_twice(log, tree)
    several = calls_of_several(tree.course)
    for event in tree.course.of_kind("call"):
        node = event.node
        if event.value is None or not isinstance(node, ast.Call) or call_of(event) in several:
            continue
        if event.name in _DRAWN:
            logits = event.kwargs.get("logits")
            inner = surely(logits, "softmax") if logits is not None else []
            if inner:
                yield found(
                    RULE,
                    tree,
                    node,
                    f"{event.value.short()} takes the softmax of logits itself, and is given probabilities. {_SAID}",
                    *_as_probs(tree, node),
                    related=_related(tree, inner),
                )
            continue
        outer = op_of(event.value)
        if outer is None or outer.name not in _OUTER or outer.operand is None:
            continue
        inner = _softmaxes(outer.operand)
        if inner and all(one.value is not outer.value and _along_one(outer, one) for one in inner):
            yield found(
                RULE,
                tree,
                node,
                f"{outer.name} of what is a softmax already. {_SAID}",
                *_once(tree, node, outer),
                related=_related(tree, inner),
            )


def _squashed_twice(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every sigmoid of what are probabilities already, as they are or a part of them."""
    lineage = lineage_of(log)
    for op in ops_of(log, ("sigmoid", "Sigmoid()")):
        value = next((arg for arg in op.args if isinstance(arg, Tensor)), None)
        for _ in range(8):
            maker = lineage.maker(value) if value is not None else None
            if maker is None or value is None:
                break
            if short(maker.name) in _PROBABLE:
                outer = tree.at(op.span, ast.Call)
                yield found_at(
                    RULE,
                    op.span,
                    f"a sigmoid of what {short(maker.name).removesuffix('()').lower()} gave: probabilities are above 0, and so all that comes "
                    "out lies between 0.5 and 0.73.",
                    *([] if outer is None or op.name.endswith("()") else _without(tree, outer)),
                    related=[Related(maker.span, "probabilities already")],
                )
                break
            if short(maker.name) not in _PARTS:
                break
            value = next((arg for arg in maker.args if isinstance(arg, Tensor)), None)


_PROBABLE = frozenset("softmax Softmax() sigmoid Sigmoid()".split())
_PARTS = _IN_PLACE | frozenset("[] view reshape squeeze unsqueeze flatten select permute transpose".split())


def _without(tree: Tree, node: ast.Call) -> list[Fix]:
    """What the call was given, in its place."""
    given = node.args[0] if node.args else node.func.value if isinstance(node.func, ast.Attribute) else None
    if given is None or isinstance(given, ast.Starred) or isinstance(given, ast.Name) and given.id == "torch":
        return []
    return [fix("take them as they are", replace(tree.text, node, source(tree.text, given)))]


def _softmaxes(value: Value) -> list[Op]:
    """The softmaxes that a value surely is, its dims where they were."""
    found_ops: list[Op] = []
    for option in options_of(value):
        op = op_of(option)
        if op is not None and op.name in _IN_PLACE and op.operand is not None:
            inner = _softmaxes(op.operand)
        else:
            inner = [op] if op is not None and op.name == "softmax" else []
        if not inner:
            return []
        found_ops += inner
    return found_ops


def _related(tree: Tree, inner: list[Op]) -> list[Related]:
    nodes = [one.value.node for one in inner if one.value.node is not None]
    return [Related(tree.span(node), "the softmax before") for node in nodes[:1]]


def _along_one(outer: Op, inner: Op) -> bool:
    """Whether both are taken along the same dim, as it is written."""
    dims = [_dim(one.value) for one in (outer, inner)]
    return dims[0] is not None and dims[0] == dims[1]


def _dim(value: Value) -> int | None:
    made = value.on if value.by == "()" and value.on is not None else value
    place = 1 if made.by.startswith(("torch.softmax", "torch.log_softmax", "torch.nn.functional")) else 0
    dim = constant(made.argument("dim", place))
    if made.by == "torch.nn.functional.gumbel_softmax" and "dim" not in made.kwargs:
        return -1
    return dim if isinstance(dim, int) else None


def _once(tree: Tree, node: ast.Call, outer: Op) -> list[Fix]:
    """Without the second one."""
    if outer.name != "softmax":
        return []
    method = isinstance(node.func, ast.Attribute) and outer.value.by == ".softmax"
    given = (
        node.func.value
        if method and isinstance(node.func, ast.Attribute)
        else node.args[0]
        if node.args
        else None
    )
    if given is None or isinstance(given, ast.Starred):
        return []
    return [fix("take it once", replace(tree.text, node, source(tree.text, given)))]


def _as_probs(tree: Tree, node: ast.Call) -> list[Fix]:
    keyword = keyword_of(node, "logits")
    if keyword is None:
        return []
    return [fix("say probs=", replace(tree.text, keyword, f"probs={source(tree.text, keyword.value)}"))]
