"""A tensor's method whose result is dropped."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..edits.statements import source
from ..program.tensors import is_tensor
from ..program.values import Value, roots
from ..queries.ops import ops_of
from ..vocabulary.events import Log, Tensor
from ..vocabulary.findings import Edit, Finding, Fix
from ..vocabulary.span import Span
from .asking.tree import Tree
from .telling.found import fix, found

RULE = "tensor-to-result-discarded"
_PURE = frozenset(
    "to cuda cpu float double half bfloat16 long int bool detach clone contiguous view reshape permute transpose squeeze "
    "unsqueeze flatten expand repeat clamp softmax log_softmax sigmoid exp log sqrt masked_fill type t".split()
)

_LAYERS = frozenset(
    "Dropout Dropout1d Dropout2d Dropout3d AlphaDropout ReLU ReLU6 LeakyReLU ELU SELU GELU SiLU Mish Sigmoid Tanh Softplus Softmax "
    "LogSoftmax Flatten MaxPool1d MaxPool2d AvgPool1d AvgPool2d".split()
)
"""Layers that do nothing but give a new tensor."""
_LEARNED = frozenset(
    "Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d LayerNorm GroupNorm RMSNorm Embedding".split()
)
"""Those with weights of which that is true as well."""
_FUNCTIONS = frozenset(
    "relu leaky_relu gelu silu elu tanh sigmoid dropout softmax log_softmax normalize max_pool2d".split()
)
_CONVERSIONS = frozenset("to cuda cpu float double half bfloat16 long".split())


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such call as a statement of its own, on what surely is a tensor; and layers that only give a new one."""
    yield from _of_layers(tree)
    yield from _of_operators(log, tree)
    for name in sorted(_PURE):
        for event in tree.course.calls(f".{name}"):
            node = event.node
            statement = tree.course.places.parent(node)
            if not isinstance(statement, ast.Expr) or not isinstance(node, ast.Call):
                continue
            if event.function is None and not event.loops and name not in _CONVERSIONS:
                continue  # shown, as in a notebook
            if event.on is None or not (
                is_tensor(event.on)
                or _from_batch(event.on, name)
                or _is_of_parameters(event.on)
                or _is_held_to_be_one(tree, node)
            ):
                continue
            if _is_tried_out(event.on, name) or _is_a_check(tree, statement):
                continue
            assert isinstance(node.func, ast.Attribute)
            owner = node.func.value
            fixes = (
                [_kept(tree, statement, owner, safe=True)]
                if isinstance(owner, (ast.Name, ast.Attribute))
                else []
            )
            yield found(
                RULE,
                tree,
                node,
                f".{name}() gives a new tensor and leaves this one as it is (only modules are moved in place). The result is "
                "dropped.",
                *fixes,
            )


def _of_layers(tree: Tree) -> Iterator[Finding]:
    """Every activation, dropout or pooling in a forward whose result is dropped."""
    paths = [f"{home}.{name}" for home in ("torch", "torch.nn.functional") for name in sorted(_FUNCTIONS)]
    for event in (*tree.course.calls("()"), *tree.course.calls(*paths)):
        node = event.node
        if not event.in_forward or not isinstance(node, ast.Call) or not event.args:
            continue
        if not isinstance(tree.course.places.parent(node), ast.Expr):
            continue
        layers = roots(event.on) if event.name == "()" else ()
        if event.name == "()" and not (layers and all(_is_pure(one) for one in layers)):
            continue
        if "inplace" in event.kwargs or "out" in event.kwargs:
            continue
        given = node.args[0] if node.args else None
        fixes = [_kept(tree, node, given)] if isinstance(given, ast.Name) else []
        yield found(
            RULE,
            tree,
            node,
            f"{ast.unparse(node.func)}() gives a new tensor and leaves the one that it is given as it is. The result is dropped.",
            *fixes,
        )


def _kept(tree: Tree, place: ast.stmt | ast.expr, owner: ast.expr, safe: bool = False) -> Fix:
    """The result bound to what it was made of, in front of the statement."""
    line, column = tree.span(place)[:2]
    return fix(
        "keep the result", Edit(Span(line, column, line, column), f"{source(tree.text, owner)} = "), safe=safe
    )


def _of_operators(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every sum, product or the like of tensors that is a statement of its own: `loss + 0.1 * penalty`."""
    places = tree.course.places
    alone = [
        one
        for one in tree.course.nodes(ast.Expr)
        if isinstance(one, ast.Expr)
        and isinstance(one.value, ast.BinOp)
        and any(isinstance(above, (ast.FunctionDef, ast.For, ast.While)) for above in places.above(one))
        and not any(isinstance(above, ast.Try) or _is_expected(above) for above in places.above(one))
    ]
    if not alone:
        return
    computed = {op.span for op in ops_of(log) if isinstance(op.result, Tensor)}
    of_tensors = {
        id(event.node)
        for event in tree.course.of_kind("op")
        if event.args and any(is_tensor(arg) for arg in event.args)
    }
    for statement in alone:
        node = statement.value
        assert isinstance(node, ast.BinOp)
        if tree.span(node) in computed or id(node) in of_tensors:
            fixes = [_kept(tree, statement, node.left)] if isinstance(node.left, ast.Name) else []
            yield found(
                RULE,
                tree,
                node,
                f"{ast.unparse(node)} gives a new tensor and changes none. The result is dropped.",
                *fixes,
            )


def _is_expected(above: ast.AST) -> bool:
    """Whether a `with` says that what is in it raises, or measures it."""
    return isinstance(above, ast.With) and any(
        word in ast.unparse(item.context_expr).lower()
        for item in above.items
        for word in ("raises", "warns", "assert", "profile", "timer")
    )


def _is_of_parameters(value: Value) -> bool:
    """Whether it is a weight of a loop over all of them, or its numbers or gradient: `p.data`."""
    while value.by == "." and value.name in ("data", "grad") and value.on is not None:
        value = value.on
    if value.by == "item" and value.on is not None:
        value = value.on
    return value.by == "for" and value.on is not None and value.on.by in (".parameters", ".named_parameters")


def _is_pure(layer: Value) -> bool:
    """Whether a layer is one of these, and does not work in place."""
    if layer.by.startswith("torch.nn.") and layer.short() in _LEARNED:
        return True
    inplace = layer.argument(
        "inplace", 0 if layer.short() in ("ReLU", "ReLU6", "SELU", "SiLU", "Mish") else 1
    )
    is_torchs = layer.by.startswith("torch.nn.") and layer.short() in _LAYERS
    return is_torchs and (
        inplace is None or inplace.const is False or "Flatten" in layer.by or "Pool" in layer.by
    )


def _is_tried_out(value: Value, name: str) -> bool:
    """Whether a new tensor is sent somewhere to see that it can be: `torch.ones(1).cuda()`."""
    return name in _CONVERSIONS and value.by.startswith("torch.") and not value.name


def _is_a_check(tree: Tree, statement: ast.Expr) -> bool:
    """Whether it is all that a `try` does: whether it can be done is what is asked."""
    around = tree.course.places.parent(statement)
    return isinstance(around, ast.Try) and around.body == [statement]


def _is_held_to_be_one(tree: Tree, node: ast.Call) -> bool:
    """Whether it stands where the text has asked for it: `if isinstance(batch, torch.Tensor):`."""
    assert isinstance(node.func, ast.Attribute)
    inside: ast.AST | None = tree.course.places.statement(node)
    name = ast.unparse(node.func.value)
    for above in tree.course.places.above(node):
        if isinstance(above, ast.If) and inside in above.body and isinstance(above.test, ast.Call):
            asked = [ast.unparse(one) for one in above.test.args]
            if asked[:1] == [name] and ast.unparse(above.test.func) in ("isinstance", "torch.is_tensor"):
                return len(asked) == 1 or asked[1] in ("torch.Tensor", "Tensor")
        inside = above
    return False


def _from_batch(value: Value, name: str) -> bool:
    """Whether it is one of the tensors that a batch of a loader is taken apart into, or that are gone over in it."""
    if name not in ("to", "cuda", "float", "long") or value.by not in ("item", "for") or value.on is None:
        return False
    batch = value.on
    if value.by == "for" and batch.by == ".values" and batch.on is not None:
        batch = batch.on
    elif value.by == "item" and batch.on is not None and batch.on.by == ".items":
        batch = batch.on.on or batch
    if batch.by != "for" or batch.on is None:
        return False
    over = batch.on
    while over.by in ("builtins.enumerate", "tqdm.tqdm", "tqdm.auto.tqdm") and over.args:
        over = over.args[0]
    is_loader = over.by == "torch.utils.data.DataLoader"
    if value.by == "for":
        return is_loader and "collate_fn" not in over.kwargs
    return is_loader or "loader" in over.name.lower()
