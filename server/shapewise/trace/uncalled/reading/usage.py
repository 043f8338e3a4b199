"""What a function's own text says of its parameters: whether each is a tensor, a number, a list, a config."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

import torch

from ..inputs.sizes import Free
from ..inputs.specs import Array, Opaque, Plain, Row, Spec
from .arguments import LISTS, is_shape, keeps_shapes, of_default, of_numbers
from .arithmetic import is_moved_term, is_term_of_a_tensor
from .compared import ANOTHER, words_for
from .keys import keys_of
from .lists import (
    Parts,
    is_listed,
    is_only_listed,
    is_only_looped,
    is_only_taken_apart,
    items_of_a_state,
    most_indices,
    most_items,
    numbers_unpacked,
    only_unpacked,
)
from .reads import (
    Around,
    calls,
    computes_with_tensors,
    fields_of,
    is_called,
    is_counted,
    is_divided,
    is_given_to_torch,
    is_name,
    is_something_else,
    is_width_of_layer,
    walked,
)
from .tensors import ITEMS, SURE, TENSOR, dtype_of, is_annotated, is_index_beside, tensor

_CALLED = frozenset(
    "self.tokenizer self.tokenize self.encode_text self.log self.log_dict self.print self.register_buffer".split()
)
"""What modules are asked for beside their layers: `self.log(name, value)`."""
_OF_BOTH = frozenset("to type float half double bfloat16 cpu cuda requires_grad_".split())
"""What modules have as well."""
_SURE_SHARES = frozenset("temperature temp tau lam margin smoothing eps epsilon".split())
"""What numbers are called that decide no shape, wherever they stand."""
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
            count = max(ITEMS, most_items(one.name, node))
            made[one.name] = Row([tensor(one.name, node, around) for _ in range(count)], tuple, open=True)
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) or (method and number == 0):
            continue
        annotation = around.annotation(node, one.name)
        if one.default is not one.empty:
            made[one.name] = of_default(one.name, one.default)
        else:
            spec = of_use(node, one.name, module, annotation, around, computes)
            if isinstance(spec, Opaque) and of_module and not annotation and one.name not in _NOT_TENSORS:
                if any(_is_given_to_a_layer(use, one.name, around) for use in walked(node)):
                    spec = tensor(one.name, node, around)
            made[one.name] = spec
    return made


def _is_given_to_a_layer(use: ast.AST, name: str, around: Around) -> bool:
    """Whether a parameter of a module's method is the first that one of its layers is called with: `self.net(state)`."""
    if not isinstance(use, ast.Call) or not use.args or not is_name(use.args[0], name):
        return False
    layer = ast.unparse(use.func)
    return layer.startswith("self.") and layer not in around.functions and layer not in _CALLED


def of_use(
    node: Any, name: str, module: bool, annotation: str, around: Around, computes: bool = False
) -> Spec:
    """A parameter of a function or method without a default. `computes`: on tensors, to all appearances."""
    optional = _OPTIONAL.match(annotation)
    annotation = next(filter(None, optional.groups())) if optional else annotation
    first = _first_of(annotation)
    if first == "int":
        return Free(name)
    if first == "float":
        return Plain(0.5)
    if annotation == "bool":
        return Plain(False)
    if name == "device" and (not annotation or "device" in annotation):
        return Plain(torch.device("cpu"))  # no shape hangs on it, and which it is, is not told
    if numbers := of_numbers(_TUPLE_OF_A_CHOICE.sub(r"\1", annotation), name):
        return numbers
    if several := _TENSORS_IN_A_TUPLE.match(annotation):
        count = several[1].count("Tensor")
        parts = only_unpacked(node, name)
        names = parts if len(parts) == count else (name,) * count
        return _unpacked(names, node, around)
    if (keys := keys_of(node, name, around)) and (not annotation or annotation.lower().startswith(_MAPPINGS)):
        return Row([tensor(key, node, around) for key in keys], dict, keys=keys)
    if not annotation and (words := words_for(node, name)) and ANOTHER not in words:
        return Plain(words[0])
    if annotation.startswith(_DICTS) and "Tensor" in annotation:
        return Row([tensor(name, node, around) for _ in range(ITEMS)], dict, open=True)
    if annotation.startswith(LISTS) and "Tensor" in annotation and not annotation.startswith(_ONE_OF):
        return Row(_items(name, node, around), open=True)
    if not annotation and _SIZES.search(name) and (count := numbers_unpacked(node, name, ())) > 1:
        return Row([Free(f"{name}[{at}]") for at in range(count)], tuple)
    if (
        name not in SURE
        and (parts := only_unpacked(node, name))
        and (not annotation or annotation.lower().startswith(_TUPLES))
    ):
        alike = tensor(name, node, around) if _STATE.search(name) else None
        return _unpacked(parts, node, around, alike)
    if (
        _STATE.search(name)
        and (not annotation or annotation.lower().startswith(_TUPLES))
        and (count := max(items_of_a_state(one, called) for one, called in around.uses(node, name)))
    ):
        return _unpacked((name,) * count, node, around, tensor(name, node, around))
    is_tensor = is_annotated(annotation)
    if (
        module
        and not is_tensor
        and (
            is_only_listed(node, name)
            or (not annotation and is_only_taken_apart(node, name))
            or (name in _MAPS and is_only_looped(node, name))
        )
    ):
        return Row(_items(name, node, around), open=True)
    if "Tensor" in annotation:
        return Array(dtype=dtype_of(annotation) or torch.float32)
    if any(is_called(use, name) for use in walked(node)):
        return Plain(torch.nn.Identity()) if keeps_shapes(name) else Opaque()
    if (annotation == "str" or annotation.startswith("Literal[")) and (words := words_for(node, name)):
        return Plain(words[0])
    if annotation and not any(word in annotation for word in ("Float", "Int", "Bool", "Shaped")):
        return Opaque()
    if name in _NOT_TENSORS:
        return Opaque()
    uses = around.uses(node, name)
    read = {field for one, called in uses for field in fields_of(called, [one])}
    moved = any(is_moved_term(use, called, _OF_BOTH) for one, called in uses for use in walked(one))
    if module or moved or (computes and _is_called_a_tensor(name)):
        read -= _OF_BOTH
    if read - TENSOR - {"data", "names"}:
        return Opaque()

    if (
        name in ("dim", "axis")
        and not annotation
        and any(_is_the_dim_meant(one, called) for one, called in uses)
    ):
        return Plain(1)  # another is tried as what else may be given

    if not read and _is_surely_a_share(name.lower()) and not is_something_else(node, name):
        return Plain(0.1, share=True)

    def is_one(kind: Callable[[ast.AST, str], bool]) -> bool:
        return any(kind(use, called) for one, called in uses for use in walked(one))

    if is_one(is_counted):
        return Opaque() if is_shape(name) else Free(name)
    if not read and not module and (is_one(is_divided) or is_one(is_width_of_layer)):
        return Free(name)
    indexed = any(most_indices(called, one) > 1 for one, called in uses)
    indexed |= is_one(_is_cut_by_dims) or is_one(is_index_beside)
    if read or module or moved or indexed or is_one(is_given_to_torch) or is_one(_is_a_term):
        return tensor(name, node, around)
    if computes and not annotation:
        if _is_a_number(name) and not any(is_listed(use, name) for use in walked(node)):
            return Free(name)
        if _is_called_a_tensor(name) and not is_something_else(node, name):
            return tensor(name, node, around)
    return Opaque()


def _unpacked(parts: Parts, node: Any, around: Around, alike: Array | None = None) -> Row:
    """The tensors in a tuple that is unpacked into these names. `alike`: what each is."""
    items: list[Spec] = [
        (alike or tensor(part, node, around))
        if isinstance(part, str)
        else _unpacked(part, node, around, alike)
        for part in parts
    ]
    return Row(items, tuple)


_TUPLE_OF_A_CHOICE = re.compile(r"^(?:typing\.)?Union\[((?:typing\.)?[Tt]uple\[[^\]]*\]),.*")
"""An annotation that leaves the choice of something else than the numbers it begins with."""


def _items(name: str, node: Any, around: Around) -> list[Spec]:
    """The tensors in a list of which nobody has said how long it is."""
    return [tensor(name, node, around) for _ in range(max(ITEMS, most_items(name, node, apart=True)))]


def _first_of(annotation: str) -> str:
    """The first of several types that an annotation leaves the choice of: `Union[float, Tuple[float, float]]`."""
    inner = annotation.removeprefix("typing.")
    inner = inner.removeprefix("Union[") if inner.startswith("Union[") else inner
    return re.split(r"[,|]", inner)[0].strip()


def _is_cut_by_dims(use: ast.AST, name: str) -> bool:
    """Whether a parameter is indexed as only tensors are: `rays[..., 2]`."""
    return (
        isinstance(use, ast.Subscript)
        and is_name(use.value, name)
        and isinstance(use.slice, ast.Tuple)
        and any(isinstance(one, ast.Constant) and one.value is ... for one in use.slice.elts)
    )


def _is_a_term(use: ast.AST, name: str) -> bool:
    return is_term_of_a_tensor(use, name, TENSOR)


def _is_the_dim_meant(node: Any, name: str) -> bool:
    """Whether a parameter says which dim of a tensor is meant: `x.unsqueeze(dim)`, `torch.cat(parts, dim=dim)`."""
    return any(
        any(one.arg in ("dim", "axis") and is_name(one.value, name) for one in use.keywords)
        or (called.rpartition(".")[2] in _ALONG and any(is_name(arg, name) for arg in use.args))
        for called, use in calls(node)
    )


_ALONG = frozenset(
    "unsqueeze squeeze size select narrow index_select flip cumsum cumprod sum mean softmax log_softmax argmax argmin "
    "sort topk unbind".split()
)
"""What takes the number of a dim."""


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
_OPTIONAL = re.compile(
    r"(?:\w+\.)?Optional\[((?:\w+\.)?[LlSs](?:ist|equence)\[.*\])\]$|([Ll]ist\[.*\]) \| None$"
)
"""A list of tensors that need not be given."""
_ONE_OF = ("list[list", "List[List", "List[Dict", "list[dict", "List[Tuple", "list[tuple")
_DICTS = ("dict[", "Dict[", "typing.Dict[", "OrderedDict[")
_MAPPINGS = ("dict", "typing.dict", "mapping", "typing.mapping", "batch")
_STATE = re.compile(r"state|hidden|carry|^h[xc]$")
"""What recurrent layers hand on: its parts have one shape."""
_SIZES = re.compile(r"(?:^|_)(?:size|shape|dims|resolution|hw|stride|kernel|patch|pads?|paddings?|grid)$")
"""What several numbers are called that are sizes: `height, width = spatial_dims`."""
_TUPLES = ("tuple", "typing.tuple", "optional[tuple", "optional[typing.tuple")
_TENSORS_IN_A_TUPLE = re.compile(
    r"(?:Optional\[)?[Tt]uple\[((?:(?:torch\.)?Tensor(?:, )?)+)\]\]?(?: \| None)?$"
)
