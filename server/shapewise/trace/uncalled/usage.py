"""What a function's own text says of its parameters: whether each is a tensor, a number, a list, a config."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from .arithmetic import is_term_of_a_tensor
from .reads import (
    Around,
    annotation_of,
    computes_with_tensors,
    fields_of,
    is_asked_as_a_tensor,
    is_asked_for_a_tuple,
    is_called,
    is_counted,
    is_divided,
    is_given_to_torch,
    is_handed_on,
    is_listed,
    is_of_classes,
    is_only_listed,
    is_only_looped,
    is_something_else,
    is_width_of_layer,
    kept_and_called,
    most_indices,
    most_items,
    only_keys,
    only_unpacked,
    parameters_of,
    walked,
    words_for,
)
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
_SURE_SHARES = frozenset("temperature temp tau lam margin smoothing eps epsilon".split())
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
    "dataset device dtype writer logger scaler path epoch epochs fn func callback tokenizer config cfg args self cls kwargs "
    "transform transforms env buffer agent policy module modules checkpoint filename".split()
)


def of_parameters(
    node: Any, signature: Any, method: bool, module: bool, around: Around, of_module: bool = False
) -> dict[str, Spec]:
    """What is made up for each parameter of a function, by name.

    `signature`: with the defaults as they are. `module`: it is `forward` of an nn.Module, whose
    parameters are tensors unless something speaks against it; `of_module`: it is a method of one.
    `around`: the other definitions that may read fields of what it is given.
    """
    made: dict[str, Spec] = {}
    computes = of_module or computes_with_tensors(node)
    for number, one in enumerate(signature.parameters.values()):
        if (
            one.kind is one.VAR_POSITIONAL
            and module
            and any(is_listed(use, one.name) for use in walked(node))
        ):
            made[one.name] = Row([tensor(one.name, node, around) for _ in range(ITEMS)], tuple, open=True)
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) or (method and number == 0):
            continue
        annotation = annotation_of(node, one.name)
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
    node: Any, specs: dict[str, Spec], module: bool, constructor: bool, around: Around
) -> dict[str, Spec]:
    """What else may be given for a parameter with a default: something for None and 0, the other flag."""
    found: dict[str, Spec] = {}
    for name, spec in specs.items():
        if constructor and isinstance(spec, Free) and _may_be_a_pair(node, name, around):
            found[name] = Row([replace(spec, label=f"{name}[{at}]") for at in range(2)], tuple)
        if not isinstance(spec, Plain):
            continue
        if type(spec.value) is int and name in ("dim", "axis"):
            found[name] = Plain(1 if spec.value == -1 else -1)
        elif type(spec.value) is str and (
            words := [one for one in words_for(node, name) if one != spec.value]
        ):
            found[name] = Plain(words[0])
        elif type(spec.value) is bool and name not in ("inplace", "training", "verbose"):
            found[name] = Plain(not spec.value)
        elif type(spec.value) is int and spec.value == 0 and constructor:  # it switches off what has a size
            found[name] = Free(name, 2, small=True)
        elif spec.value is None and name in ("dim", "axis"):
            found[name] = Plain(-1)
        elif spec.value is None and name not in ("device", "dtype"):  # no shape hangs on these
            made = (
                _of_argument(node, name, around)
                if constructor
                else _of_use(node, name, module, annotation_of(node, name), around)
            )
            is_word = isinstance(made, Plain) and type(made.value) is str
            if isinstance(made, (Free, Array, Row)) or (
                constructor and (is_word or isinstance(made, Opaque))
            ):
                found[name] = made
    return found


def _may_be_a_pair(node: Any, name: str, around: Around) -> bool:
    """Whether a number may be given as two, height and width: it is asked whether it is a tuple, here or by `pair(size)`."""
    alike = [other for other in around.constructors if name in parameters_of(other)]
    return any(
        is_asked_for_a_tuple(one, called) and (one is start or parameters_of(one) == [called])
        for start in (node, *(alike if is_handed_on(node, name) else ()))
        for one, called in around.uses(start, name)
    )


def of_constructor(node: Any, signature: Any, around: Around, method: bool = True) -> dict[str, Spec]:
    """What is made up for each parameter of an `__init__`: numbers, unless something speaks against it.

    `method`: the first one is the object.
    """
    made: dict[str, Spec] = {}
    for number, one in enumerate(signature.parameters.values()):
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) or number < method:
            continue
        made[one.name] = (
            of_default(one.name, one.default)
            if one.default is not one.empty
            else _of_argument(node, one.name, around)
        )
    return made


def _of_argument(node: Any, name: str, around: Around) -> Spec:
    """A parameter of a constructor without a default."""
    annotation = annotation_of(node, name)
    if name == "device":
        return Plain("cpu")
    if parts := _of_numbers(annotation, name):
        return parts
    fields = sorted({*fields_of(name, [node]), *fields_of(name, around.nodes, kept=True)})
    if set(fields) <= _TENSOR and (
        set(fields_of(name, [node])) & _TENSOR or is_asked_as_a_tensor(name, around.nodes)
    ):
        return tensor(name, node, around)
    if not fields and (words := words_for(node, name)):
        return Plain(words[0])
    called = kept_and_called(name, node, around.nodes)
    if fields and annotation not in ("int", "float") and not called:
        return Bundle({field: of_field(field) for field in fields})
    if any(is_called(use, name) for use in walked(node)):
        return Plain(torch.nn.Identity) if _keeps_shapes(name) else Opaque()
    if called:
        return Plain(torch.nn.ReLU()) if _keeps_shapes(name) else Opaque()
    if any(is_listed(use, name) for use in walked(node)):
        kind = tuple if is_asked_for_a_tuple(node, name) else list
        return Row([Free(f"{name}[{i}]") for i in range(max(ITEMS, most_items(name, node)))], kind, open=True)
    if annotation.startswith(_LISTS) and annotation.rpartition("[")[2] == "int]":
        return Row([Free(f"{name}[{i}]") for i in range(ITEMS)], open=True)
    if keys := only_keys(node, name):
        return Row([of_field(key) for key in keys], dict, keys=keys)
    if annotation == "float":
        return Plain(0.1)
    if annotation == "bool":
        return Plain(False)
    if annotation == "str" or name in _HANDED_IN:
        return Opaque()
    return of_field(name)


def _of_numbers(annotation: str, name: str) -> Row | None:
    """A tuple of as many numbers as its annotation says: `Tuple[int, int]`."""
    found = _INTEGERS_IN_A_TUPLE.match(annotation)
    return found and Row([Free(f"{name}[{at}]") for at in range(found[1].count("int"))], tuple)


_INTEGERS_IN_A_TUPLE = re.compile(r"(?:typing\.)?[Tt]uple\[(int(?:, int)*)\]$")
_TENSORS_IN_A_TUPLE = re.compile(
    r"(?:Optional\[)?[Tt]uple\[((?:(?:torch\.)?Tensor(?:, )?)+)\]\]?(?: \| None)?$"
)
_HANDED_IN = frozenset("layer block encoder decoder backbone module net network model trunk".split())
"""What layers are called that a constructor is given."""


def _keeps_shapes(name: str) -> bool:
    """Whether what makes such a layer, or is one, gives back the shape that it is given: norms, activations, dropout."""
    words = name.lower().split("_")
    return any(word in ("act", "activation", "nonlinearity", "norm", "drop", "dropout") for word in words)


def of_field(name: str) -> Spec:
    """A number, a share or a flag, as its name has it."""
    lower = name.lower()
    if _is_a_share(lower):
        return Plain(0.1, share=True)
    if any(word in lower for word in _FLAGS):
        return Plain(True)
    if lower in _CALLED:
        return Plain(torch.nn.ReLU())
    return Free(name, small=lower.endswith(("_idx", "_index", "_id")))


def _of_use(
    node: Any, name: str, module: bool, annotation: str, around: Around, computes: bool = False
) -> Spec:
    """A parameter of a function or method without a default. `computes`: on tensors, to all appearances."""
    if annotation in ("int",):
        return Free(name)
    if annotation == "float":
        return Plain(0.5)
    if annotation == "bool":
        return Plain(False)
    if numbers := _of_numbers(annotation, name):
        return numbers
    if several := _TENSORS_IN_A_TUPLE.match(annotation):
        count = several[1].count("Tensor")
        parts = only_unpacked(node, name)
        names = parts if len(parts) == count else (name,) * count
        return Row([tensor(part, node, around) for part in names], tuple)
    if (keys := only_keys(node, name)) and (not annotation or annotation.lower().startswith(_MAPPINGS)):
        return Row([tensor(key, node, around) for key in keys], dict, keys=keys)
    if annotation.startswith(_DICTS) and "Tensor" in annotation:
        return Row([tensor(name, node, around) for _ in range(ITEMS)], dict, open=True)
    if annotation.startswith(_LISTS) and "Tensor" in annotation and not annotation.startswith(_ONE_OF):
        return Row([tensor(name, node, around) for _ in range(ITEMS)], open=True)
    if (
        name not in _SURE
        and (parts := only_unpacked(node, name))
        and (not annotation or annotation.lower().startswith(_TUPLES))
    ):
        alike = tensor(name, node, around) if _STATE.search(name) else None
        return Row([alike or tensor(part, node, around) for part in parts], tuple)
    if module and (is_only_listed(node, name) or (name in _MAPS and is_only_looped(node, name))):
        return Row([tensor(name, node, around) for _ in range(ITEMS)], open=True)
    if "Tensor" in annotation:
        return Array()
    if annotation and not any(word in annotation for word in ("Float", "Int", "Bool", "Shaped")):
        return Opaque()
    if name in _NOT_TENSORS:
        return Opaque()
    uses = around.uses(node, name)
    read = {field for one, called in uses for field in fields_of(called, [one])}
    if module or (computes and _is_called_a_tensor(name)):
        read -= _OF_BOTH
    if read - _TENSOR - {"data", "names"}:
        return Opaque()

    if not read and _is_surely_a_share(name.lower()) and not is_something_else(node, name):
        return Plain(0.1, share=True)

    def is_one(kind: Callable[[ast.AST, str], bool]) -> bool:
        return any(kind(use, called) for one, called in uses for use in walked(one))

    if is_one(is_counted):
        return Free(name)
    if not read and not module and (is_one(is_divided) or is_one(is_width_of_layer)):
        return Free(name)
    indexed = any(most_indices(called, one) > 1 for one, called in uses)
    if read or module or indexed or is_one(is_given_to_torch) or is_one(_is_a_term):
        return tensor(name, node, around)
    if computes and not annotation:
        if _is_a_number(name) and not any(is_listed(use, name) for use in walked(node)):
            return Free(name)
        if _is_called_a_tensor(name) and not is_something_else(node, name):
            return tensor(name, node, around)
    return Opaque()


def _is_a_term(use: ast.AST, name: str) -> bool:
    return is_term_of_a_tensor(use, name, _TENSOR)


def _is_a_share(name: str) -> bool:
    """Whether a parameter is a number that decides no shape, as its name has it."""
    return not name.endswith(("dim", "size")) and any(word in name for word in _SHARES)


def _is_surely_a_share(name: str) -> bool:
    """Whether it is one wherever it stands: no tensor is called so."""
    return not _SURE_SHARES.isdisjoint(name.split("_"))


_TENSORS = frozenset(
    "x y z h u inp input inputs out output outputs pred preds prediction predictions target targets label labels "
    "logits logit probs scores values rewards dones advantages returns obs observation observations act action actions "
    "embedding embeddings emb features feature feats feat img image images imgs mask masks tokens hidden query queries "
    "keys anchor positive negative mu logvar log_var noise real fake boxes points logp log_probs samples x1 x2 x_t xt "
    "x0 x_start y_true y_pred y_hat z1 z2 mel spec waveform recon recon_x next_value residual".split()
)
"""What tensors are called, in functions that compute with tensors."""


def _is_called_a_tensor(name: str) -> bool:
    """Whether that is a tensor's name: `scores`, `pos_scores`, `target_q`."""
    return name in _TENSORS or (name.rpartition("_")[2] in _TENSORS and len(name.rpartition("_")[2]) > 1)


def _is_a_number(name: str) -> bool:
    """Whether a size or a count is called so."""
    counts = name.startswith(("num_", "n_", "dim_")) or name.endswith(
        ("_size", "_len", "_length", "_dim", "_channels")
    )
    return counts or name in _NUMBERS


_NUMBERS = frozenset(
    "size length seq_len width height channels d_in d_out d_model d_ff in_features out_features".split()
)


_MAPS = frozenset(
    "features feats feature_maps maps levels pyramid outs outputs hidden_states xs inputs".split()
)
"""What lists of tensors are called."""
_LISTS = ("list[", "List[", "Sequence[", "Iterable[", "typing.List[", "typing.Sequence[")
_ONE_OF = ("list[list", "List[List", "List[Dict", "list[dict", "List[Tuple", "list[tuple")
_DICTS = ("dict[", "Dict[", "typing.Dict[", "OrderedDict[")
_MAPPINGS = ("dict", "typing.dict", "mapping", "typing.mapping", "batch")
_STATE = re.compile(r"state|hidden|carry|^h[xc]$")
"""What recurrent layers hand on: its parts have one shape."""
_TUPLES = ("tuple", "typing.tuple", "optional[tuple", "optional[typing.tuple")


ITEMS = 3
"""As many as a list of numbers has: the widths of feature maps, and the maps."""
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


def tensor(name: str, node: Any, around: Around) -> Array:
    """A tensor, begun as its name and its indices have it: the code decides what it is."""
    made = Array(dtype=torch.int64 if name in _INTEGERS else torch.float32)
    if name in _SURE:
        made.said, made.settled = _SURE[name], True
        made.ranks = [_SURE[name], *[one for one in made.ranks if one != _SURE[name]]]
        return made
    likely = [rank for rank, names in _RANKS.items() if name in names.split()]
    uses = around.uses(node, name)
    if not likely and any(is_of_classes(use, called) for one, called in uses for use in walked(one)):
        likely, made.dtype = [1], torch.int64
    made.likely = bool(likely)
    for rank in likely or [rank for rank in [max(most_indices(called, one) for one, called in uses)] if rank]:
        made.ranks = [rank, *[other for other in made.ranks if other != rank]]
    return made
