"""What a function's own text says of its parameters: whether each is a tensor, a number, a list, a config."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import torch

from .sizes import SMALL, Free
from .specs import Array, Bundle, Opaque, Plain, Row, Spec

_TENSOR = frozenset(
    name
    for name in dir(torch.Tensor)
    if not name.startswith("_") and name not in ("data", "names", "name", "item", "apply_")
) - frozenset(dir(torch.nn.Module)) - frozenset(
    "index count sort copy_ numpy values dim".split()
) | frozenset(("shape", "dim"))
_OF_BOTH = frozenset("to type float half double bfloat16 cpu cuda requires_grad_".split())
"""What modules have as well."""
_SHARES = (
    "drop",
    "prob",
    "rate",
    "momentum",
    "eps",
    "temperature",
    "alpha",
    "beta",
    "gamma",
    "lr",
    "slope",
    "decay",
)
_FLAGS = (
    "use_",
    "is_",
    "with_",
    "bias",
    "causal",
    "residual",
    "bidirectional",
    "affine",
    "learnable",
    "return_",
)
_CALLED = ("act", "activation", "nonlinearity", "norm_layer", "act_layer")
_NOT_TENSORS = frozenset(
    "model net network optimizer optim criterion loss_fn scheduler loader dataloader train_loader val_loader test_loader "
    "dataset device writer logger scaler path epoch epochs fn func callback tokenizer config cfg args self cls kwargs "
    "transform transforms env buffer agent policy module modules checkpoint filename".split()
)


def of_parameters(
    node: Any, signature: Any, method: bool, module: bool, around: list[Any], of_module: bool = False
) -> dict[str, Spec]:
    """What is made up for each parameter of a function, by name.

    `signature`: with the defaults as they are. `module`: it is `forward` of an nn.Module, whose
    parameters are tensors unless something speaks against it; `of_module`: it is a method of one.
    `around`: the other definitions that may read fields of what it is given.
    """
    made: dict[str, Spec] = {}
    computes = of_module or _computes(node)
    for number, one in enumerate(signature.parameters.values()):
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) or (method and number == 0):
            continue
        annotation = _annotation(node, one.name)
        if one.default is not one.empty:
            made[one.name] = of_default(one.name, one.default)
        else:
            made[one.name] = _of_use(node, one.name, module, annotation, around, computes)
    return made


def of_default(name: str, default: Any) -> Spec:
    """A parameter or a field with a default: an integer is a size like any other, all else is what it is."""
    if type(default) is int and 0 < default < _DIMS and name.endswith(("dim", "axis")):
        return Plain(default)
    if type(default) is int and default > 0:
        return Free(name, default, small=default < SMALL)
    if type(default) in (list, tuple) and 0 < len(default) <= 32 and any(type(one) is int for one in default):
        return Row([of_default(f"{name}[{at}]", one) for at, one in enumerate(default)], type(default))
    return Plain(default)


_DIMS = 5
"""A default below this is one of a tensor's dims, where the name has it."""


def options(
    node: Any, specs: dict[str, Spec], module: bool, constructor: bool, around: list[Any]
) -> dict[str, Spec]:
    """What else may be given for a parameter with a default: something for None, the other flag."""
    found: dict[str, Spec] = {}
    for name, spec in specs.items():
        if not isinstance(spec, Plain):
            continue
        if type(spec.value) is bool and name not in ("inplace", "training", "verbose"):
            found[name] = Plain(not spec.value)
        elif spec.value is None and name not in ("device", "dtype"):  # no shape hangs on these
            made = (
                _of_argument(node, name, around)
                if constructor
                else _of_use(node, name, module, _annotation(node, name), around)
            )
            if isinstance(made, (Free, Array, Row)) or (isinstance(made, Opaque) and constructor):
                found[name] = made
    return found


def of_constructor(node: Any, signature: Any, around: list[Any]) -> dict[str, Spec]:
    """What is made up for each parameter of an `__init__`: numbers, unless something speaks against it."""
    made: dict[str, Spec] = {}
    for number, one in enumerate(signature.parameters.values()):
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) or number == 0:
            continue
        made[one.name] = (
            of_default(one.name, one.default)
            if one.default is not one.empty
            else _of_argument(node, one.name, around)
        )
    return made


def _of_argument(node: Any, name: str, around: list[Any]) -> Spec:
    """A parameter of a constructor without a default."""
    annotation = _annotation(node, name)
    fields = sorted({*_fields(name, [node]), *_fields(name, around, kept=True)})
    if set(_fields(name, [node])) & _TENSOR and set(fields) <= _TENSOR:
        return tensor(name, node)
    if fields and annotation not in ("int", "float"):
        return Bundle({field: of_field(field) for field in fields})
    if any(_is_called(use, name) for use in ast.walk(node)):
        return Plain(torch.nn.Identity) if _keeps_shapes(name) else Opaque()
    if _kept_and_called(name, node, around):
        return Plain(torch.nn.ReLU()) if _keeps_shapes(name) else Opaque()
    if any(_is_listed(use, name) for use in ast.walk(node)):
        return Row([Free(f"{name}[{i}]") for i in range(ITEMS)], open=True)
    if annotation == "float":
        return Plain(0.1)
    if annotation == "bool":
        return Plain(False)
    if annotation == "str":
        return Opaque()
    return of_field(name)


def _keeps_shapes(name: str) -> bool:
    """Whether what makes such a layer, or is one, gives back the shape that it is given: norms, activations, dropout."""
    words = name.lower().split("_")
    return any(word in ("act", "activation", "nonlinearity", "norm", "drop", "dropout") for word in words)


def of_field(name: str) -> Spec:
    """A number, a share or a flag, as its name has it."""
    lower = name.lower()
    if any(word in lower for word in _SHARES) and not lower.endswith(("dim", "size")):
        return Plain(0.1, share=True)
    if any(word in lower for word in _FLAGS):
        return Plain(True)
    if lower in _CALLED:
        return Plain(torch.nn.ReLU())
    return Free(name)


def _of_use(
    node: Any, name: str, module: bool, annotation: str, around: list[Any], computes: bool = False
) -> Spec:
    """A parameter of a function or method without a default. `computes`: on tensors, to all appearances."""
    if annotation in ("int",):
        return Free(name)
    if annotation == "float":
        return Plain(0.5)
    if annotation == "bool":
        return Plain(False)
    if annotation.startswith(_DICTS) and "Tensor" in annotation:
        return Row([tensor(name, node) for _ in range(ITEMS)], dict, open=True)
    if annotation.startswith(_LISTS) and "Tensor" in annotation and not annotation.startswith(_ONE_OF):
        return Row([tensor(name, node) for _ in range(ITEMS)], open=True)
    if module and _is_only_listed(node, name):
        return Row([tensor(name, node) for _ in range(ITEMS)], open=True)
    if "Tensor" in annotation:
        return Array()
    if annotation and not any(word in annotation for word in ("Float", "Int", "Bool", "Shaped")):
        return Opaque()
    if name in _NOT_TENSORS:
        return Opaque()
    read = set(_fields(name, [node]))
    if module or (computes and name in _TENSORS):
        read -= _OF_BOTH
    if read - _TENSOR - {"data", "names"}:
        return Opaque()
    if any(_is_counted(use, name) for use in ast.walk(node)):
        return Free(name)
    if not read and not module and any(_is_divided(use, name) for use in ast.walk(node)):
        return Free(name)
    if read or module or any(_is_given_to_torch(use, name) for use in ast.walk(node)):
        return tensor(name, node)
    if computes and not annotation:
        if name in _TENSORS and not _is_something_else(node, name):
            return tensor(name, node)
        if _is_a_number(name) and not any(_is_listed(use, name) for use in ast.walk(node)):
            return Free(name)
    return Opaque()


_TENSORS = frozenset(
    "x y z h u inp input inputs out output outputs pred preds prediction predictions target targets label labels "
    "logits logit probs scores values rewards dones advantages returns obs observation observations act action actions "
    "embedding embeddings emb features feature feats feat img image images imgs mask masks tokens hidden query queries "
    "keys anchor positive negative mu logvar log_var noise real fake boxes points logp log_probs samples x1 x2 x_t xt "
    "x0 x_start y_true y_pred y_hat z1 z2 mel spec waveform recon recon_x next_value residual".split()
)
"""What tensors are called, in functions that compute with tensors."""


def _is_a_number(name: str) -> bool:
    """Whether a size or a count is called so."""
    counts = name.startswith(("num_", "n_")) or name.endswith(("_size", "_len", "_length", "_dim"))
    return counts or name in ("size", "length", "seq_len", "width", "height", "channels")


def _computes(node: Any) -> bool:
    """Whether a function calls torch, or methods of tensors on what it is given."""
    return any(
        isinstance(use, ast.Attribute)
        and isinstance(use.value, ast.Name)
        and (use.value.id in ("torch", "F") or use.attr in ("unsqueeze", "float", "sum", "view", "reshape"))
        for use in ast.walk(node)
    )


def _is_something_else(node: Any, name: str) -> bool:
    """Whether a parameter is called, looped over, or asked what it is."""
    for use in ast.walk(node):
        if _is_called(use, name) or (
            isinstance(use, (ast.For, ast.comprehension)) and _is_name(use.iter, name)
        ):
            return True
        asked = isinstance(use, ast.Call) and isinstance(use.func, ast.Name) and use.func.id == "isinstance"
        if asked and any(_is_name(arg, name) for arg in use.args):  # type: ignore[attr-defined]
            return True
    return False


_LISTS = ("list[", "List[", "Sequence[", "Iterable[", "typing.List[", "typing.Sequence[")
_ONE_OF = ("list[list", "List[List", "List[Dict", "list[dict", "List[Tuple", "list[tuple")
_DICTS = ("dict[", "Dict[", "typing.Dict[", "OrderedDict[")
ITEMS = 3
"""As many as a list of numbers has: the widths of feature maps, and the maps."""


def _is_only_listed(node: Any, name: str) -> bool:
    """Whether a parameter is used as a list is, its length asked for, and as nothing else."""
    uses = list(ast.walk(node))
    named = [use for use in uses if isinstance(use, ast.Name) and use.id == name]
    listed = [use for use in uses if _is_listed(use, name) and not _is_cut(use)]
    measured = any(isinstance(use, ast.Call) and _is_name(use.func, "len") for use in listed)
    return measured and len(named) == len(listed)


def _is_cut(use: ast.AST) -> bool:
    """Whether this is an index that a list does not take."""
    return isinstance(use, ast.Subscript) and isinstance(use.slice, ast.Tuple)


_RANKS = {
    1: "t time times timestep timesteps step sigma sigmas lengths labels label target targets index",
    2: "edge_index ids tokens token idx input_ids token_type_ids attention_mask position_ids src tgt words sentences",
    4: "img imgs image images picture pixel_values frame feature_map feat feats fmap",
}
_SURE = {"edge_index": 2}
"""Ranks that a name always has."""
_INTEGERS = frozenset(
    "edge_index ids tokens token idx input_ids token_type_ids position_ids words lengths index".split()
)


def tensor(name: str, node: Any) -> Array:
    """A tensor, begun as its name and its indices have it: the code decides what it is."""
    made = Array(dtype=torch.int64 if name in _INTEGERS else torch.float32)
    if name in _SURE:
        made.said, made.settled = _SURE[name], True
        made.ranks = [_SURE[name], *[one for one in made.ranks if one != _SURE[name]]]
        return made
    likely = [rank for rank, names in _RANKS.items() if name in names.split()]
    for rank in likely or [rank for rank in [_indexed(name, node)] if rank > 1]:
        made.ranks = [rank, *[other for other in made.ranks if other != rank]]
    return made


def _indexed(name: str, node: Any) -> int:
    """The most dims that an index names: two in `boxes[:, None, :2]`; 0 if it is never indexed so."""
    counts = [0]
    for use in ast.walk(node):
        if isinstance(use, ast.Subscript) and _is_name(use.value, name) and isinstance(use.slice, ast.Tuple):
            one_each = [
                one for one in use.slice.elts if not (isinstance(one, ast.Constant) and one.value is None)
            ]
            if not any(isinstance(one, ast.Constant) and one.value is ... for one in one_each):
                counts.append(len(one_each))
    return max(counts)


def _annotation(node: Any, name: str) -> str:
    for arg in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
        if arg.arg == name and arg.annotation is not None:
            found = arg.annotation
            return str(found.value) if isinstance(found, ast.Constant) else ast.unparse(found)
    return ""


def _fields(name: str, nodes: list[Any], kept: bool = False) -> Iterator[str]:
    """The fields that are read of a parameter, and of `self.<parameter>`; of that alone, if it is `kept` there."""
    for node in nodes:
        for use in ast.walk(node):
            if isinstance(use, ast.Attribute) and isinstance(use.ctx, ast.Load):
                value = use.value
                if (
                    not kept
                    and isinstance(value, ast.Name)
                    and value.id == name
                    or isinstance(value, ast.Attribute)
                    and value.attr == name
                    and _is_self(value.value)
                ):
                    yield use.attr


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _is_called(use: ast.AST, name: str) -> bool:
    return isinstance(use, ast.Call) and isinstance(use.func, ast.Name) and use.func.id == name


def _kept_and_called(name: str, node: Any, around: list[Any]) -> bool:
    kept = {
        target.attr
        for use in ast.walk(node)
        if isinstance(use, ast.Assign) and isinstance(use.value, ast.Name) and use.value.id == name
        for target in use.targets
        if isinstance(target, ast.Attribute) and _is_self(target.value)
    }
    return any(
        isinstance(use, ast.Call)
        and isinstance(use.func, ast.Attribute)
        and use.func.attr in kept
        and _is_self(use.func.value)
        for other in around
        for use in ast.walk(other)
    )


def _is_listed(use: ast.AST, name: str) -> bool:
    """Whether a parameter is used as a list here."""
    if isinstance(use, (ast.For, ast.comprehension)):
        return _is_name(use.iter, name)
    if isinstance(use, ast.Subscript):
        return _is_name(use.value, name)
    if isinstance(use, ast.Starred):
        return _is_name(use.value, name)
    return (
        isinstance(use, ast.Call)
        and isinstance(use.func, ast.Name)
        and use.func.id in ("len", "zip", "enumerate", "list", "tuple", "sum", "reversed")
        and any(_is_name(arg, name) for arg in use.args)
    )


_COUNTING = frozenset(
    "range torch.arange torch.zeros torch.ones torch.empty torch.rand torch.randn torch.eye math.sqrt math.log".split()
)
_SIZED = frozenset("view reshape expand repeat chunk tile unflatten new_zeros new_ones".split())
"""Methods that are told sizes."""


def _is_counted(use: ast.AST, name: str) -> bool:
    """Whether a parameter is used as an integer here."""
    if not isinstance(use, ast.Call):
        return False
    called = ast.unparse(use.func)
    given = [
        one
        for arg in use.args
        for one in (arg.elts if isinstance(arg, (ast.Tuple, ast.List)) else [arg])
        if _is_name(one, name)
    ]
    if called == "torch.linspace":
        return len(use.args) > 2 and _is_name(use.args[2], name)
    method = isinstance(use.func, ast.Attribute) and not _is_name(use.func.value, "torch")
    sized = method and called.rsplit(".", 1)[-1] in _SIZED
    return bool(given) and (called in _COUNTING or sized)


def _is_divided(use: ast.AST, name: str) -> bool:
    """Whether a parameter is computed with as an integer here."""
    return (
        isinstance(use, ast.BinOp)
        and isinstance(use.op, (ast.FloorDiv, ast.Mod))
        and (_is_name(use.left, name) or _is_name(use.right, name))
    )


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_given_to_torch(use: ast.AST, name: str) -> bool:
    if isinstance(use, ast.BinOp) and isinstance(use.op, ast.MatMult):
        return any(_is_name(inner, name) for inner in ast.walk(use))
    return (
        isinstance(use, ast.Call)
        and ast.unparse(use.func).split(".")[0]
        in ("torch", "F", "nn", "einops", "rearrange", "repeat", "reduce", "einsum")
        and any(_is_name(inner, name) for arg in use.args for inner in ast.walk(arg))
    )
