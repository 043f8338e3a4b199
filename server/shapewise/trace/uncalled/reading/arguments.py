"""What the text of a constructor says of its parameters: numbers, unless something speaks against it."""

from __future__ import annotations

import ast
import re
from typing import Any

import torch

from ..inputs.sizes import SMALL, Free
from ..inputs.specs import Bundle, Opaque, Plain, Row, Spec
from .compared import literals, words_anywhere
from .flags import is_field_only_asked, is_only_asked
from .keys import only_keys
from .lists import is_listed, most_items, numbers_unpacked
from .reads import (
    Around,
    fields_of,
    is_asked_as_a_tensor,
    is_asked_for_a_tuple,
    is_called,
    is_name,
    kept_and_called,
    walked,
)
from .tensors import ITEMS, TENSOR, is_annotated, is_taken_for_one, tensor

_SHARES = ("drop", "prob", "momentum", "eps", "temperature", "alpha", "beta", "gamma", "slope", "decay")
"""What words begin with that are such numbers."""
_SHARES_TO_THE_LETTER = frozenset("rate lrate lr".split())
_COUNTS = frozenset(
    "dilation sample sampling frame upsample downsample expansion reduction atrous compression".split()
)
"""What there is a whole number of: `dilation_rate`."""
SIZES = (
    "dim",
    "dims",
    "size",
    "sizes",
    "channels",
    "features",
    "planes",
    "width",
    "units",
    "layers",
    "blocks",
    "heads",
)
"""What names of sizes end in, whatever they are sizes of: `residual_channels`, `gamma_dim`."""
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
            else of_argument(node, one.name, around)
        )
    return made


def of_argument(node: Any, name: str, around: Around) -> Spec:
    """A parameter of a constructor without a default."""
    annotation = around.annotation(node, name)
    if name == "device":
        return Plain("cpu")
    parts = of_numbers(annotation, name)
    if parts and (
        len(parts.items) > 1 or not is_shape(name)
    ):  # `input_shape: Tuple[int]` has any number of them
        return parts
    if numbers := [one for one in literals(node, name) if type(one) is int and one > 0]:
        return Free(name, choices=tuple(numbers))
    handed = [field for one, called in around.uses(node, name)[1:] for field in fields_of(called, [one])]
    fields = sorted({*fields_of(name, [node]), *fields_of(name, around.nodes, kept=True), *handed})
    if annotation == "str" or (fields and _TEXT.issuperset(fields)):
        words = words_anywhere(node, name, around)
        return Plain(words[0]) if words else Opaque()
    if set(fields) <= TENSOR and (
        set(fields_of(name, [node])) & TENSOR or is_asked_as_a_tensor(name, around.nodes)
    ):
        return tensor(name, node, around)
    if is_annotated(annotation) or (not annotation and is_taken_for_one(node, name, around)):
        return tensor(name, node, around)
    if not fields and (words := words_anywhere(node, name, around)):
        return Plain(words[0])
    if _OF_CONVOLUTIONS.fullmatch(annotation) or (not annotation and is_convolution(name, node)):
        return Plain(CONVOLUTIONS[0])  # the others are tried as what it may be as well
    if (of_class := _CLASS.match(annotation)) and of_class[1] in around.classes:
        return Plain(around.classes[of_class[1]])
    if annotation.startswith(_DICTS) or (fields and _DICT.issuperset(fields)):
        if annotation and not annotation.replace(" ", "").endswith((",int]", "dict", "Dict")):
            return Opaque()
        keys = tuple(map(str, range(ITEMS)))
        return Row([Free(f"{name}[{key}]") for key in keys], dict, open=True, keys=keys)
    called = kept_and_called(name, node, around.nodes)
    if fields and annotation not in ("int", "float") and not called:
        return Bundle(
            {
                field: Plain(True) if is_field_only_asked(node, name, field, around) else of_field(field)
                for field in fields
            }
        )
    if any(is_called(use, name) for use in walked(node)):
        return Plain(torch.nn.Identity) if keeps_shapes(name) else Opaque()
    if called:
        return Plain(torch.nn.ReLU()) if keeps_shapes(name) else Opaque()
    if not annotation and (count := numbers_unpacked(node, name, around.nodes)) > 1:
        return Row([Free(f"{name}[{at}]") for at in range(count)], tuple)
    if not annotation and (keys := only_keys(node, name)):
        return Row([of_field(key) for key in keys], dict, keys=keys)
    uses = around.uses(node, name)
    is_tuple = any(is_asked_for_a_tuple(*use) for use in uses)
    is_single = annotation == "int" or (not is_tuple and any(_is_made_a_list(*use) for use in uses))
    is_single |= _begins_a_list(node, name)
    if not is_single and any(is_listed(use, name) for use in walked(node)):
        kind = tuple if is_tuple else list
        return Row([Free(f"{name}[{i}]") for i in range(max(ITEMS, most_items(name, node)))], kind, open=True)
    if annotation.startswith(LISTS) and annotation.rpartition("[")[2] == "int]":
        return Row([Free(f"{name}[{i}]") for i in range(ITEMS)], open=True)
    if keys := only_keys(node, name):
        return Row([of_field(key) for key in keys], dict, keys=keys)
    if annotation == "float":
        return Plain(0.1)
    if annotation == "bool":
        return Plain(False)
    if is_only_asked(node, name, around):
        return Plain(True)  # the other way is tried as what else may be given
    if name in _HANDED_IN or _is_a_layer(annotation, around):
        return Opaque()
    if any(_is_copied(use, one) for other, one in uses for use in walked(other)):
        return Opaque()
    return Opaque() if is_shape(name) and not annotation else of_field(name)


def _is_a_layer(annotation: str, around: Around) -> bool:
    """Whether a parameter is a layer, as its annotation has it: of torch's, or of a class of the file."""
    annotation = said_of(annotation)
    cls = around.classes.get(annotation)
    is_own = isinstance(cls, type) and issubclass(cls, torch.nn.Module)
    return is_own or annotation in ("Module", "nn.Module", "torch.nn.Module")


def said_of(annotation: str) -> str:
    """What an annotation says of a parameter that need not be given: `Optional[Encoder]`, `Encoder | None`."""
    found = _OPTIONAL.match(annotation)
    return annotation if found is None else found[1] or found[2]


_OPTIONAL = re.compile(r"(?:\w+\.)?Optional\[([\w.]+)\]$|([\w.]+) \| None$")


def _is_copied(use: ast.AST, name: str) -> bool:
    """Whether a parameter is copied with all that is in it, as layers are of which there are to be several."""
    return (
        isinstance(use, ast.Call)
        and ast.unparse(use.func).rpartition(".")[2] == "deepcopy"
        and any(is_name(arg, name) for arg in use.args)
    )


def _is_made_a_list(node: Any, name: str) -> bool:
    """Whether a function makes a list of a parameter that is none: `if not isinstance(sizes, list): sizes = [sizes] * n`."""
    asked = any(
        isinstance(use, ast.Call)
        and is_name(use.func, "isinstance")
        and bool(use.args)
        and is_name(use.args[0], name)
        for use in walked(node)
    )
    return asked and any(
        (isinstance(use, (ast.List, ast.Tuple)) and use.elts and all(is_name(one, name) for one in use.elts))
        or (isinstance(use, ast.ListComp) and is_name(use.elt, name))
        for use in walked(node)
    )


def _begins_a_list(node: Any, name: str) -> bool:
    """Whether a parameter is made the first of a list that has its name from then on: `widths = [widths] + more[:-1]`."""
    return any(
        isinstance(use, ast.Assign)
        and is_name(use.targets[0], name)
        and isinstance(use.value, ast.BinOp)
        and isinstance(use.value.left, ast.List)
        and any(is_name(one, name) for one in use.value.left.elts)
        for use in walked(node)
    )


_TEXT = frozenset("split lower upper strip lstrip rstrip startswith endswith replace".split())
"""Methods that texts have, and nothing else that a constructor is given."""
_DICT = frozenset("items keys values get".split())
"""Methods of dicts."""
_DICTS = ("dict", "Dict", "typing.Dict", "Mapping", "typing.Mapping")
_CLASS = re.compile(r"(?:typing\.)?[Tt]ype\[(\w+)\]$")
"""The annotation of what is one of the file's own classes, not an object of one."""


CONVOLUTIONS = (torch.nn.Conv2d, torch.nn.Conv1d, torch.nn.Conv3d)
_OF_CONVOLUTIONS = re.compile(r"(?:typing\.)?[Tt]ype\[(?:[\w.]+\.)?_ConvNd\]")


def is_convolution(name: str, node: Any) -> bool:
    """Whether a parameter is a kind of convolution, as its name has it, that a constructor makes layers of: `conv(cin, cout, 3)`."""
    is_named = not {"conv", "convolution"}.isdisjoint(name.lower().split("_"))
    return is_named and any(is_called(use, name) and len(use.args) > 1 for use in walked(node))  # type: ignore[attr-defined]


def of_numbers(annotation: str, name: str) -> Row | None:
    """A tuple of as many numbers as its annotation says: `Tuple[int, int]`."""
    found = _INTEGERS_IN_A_TUPLE.match(annotation)
    return found and Row([Free(f"{name}[{at}]") for at in range(found[1].count("int"))], tuple)


def is_shape(name: str) -> bool:
    """Whether a parameter is a shape, as its name has it: nobody knows of how many sizes."""
    return name == "shape" or name.endswith("_shape")


_INTEGERS_IN_A_TUPLE = re.compile(r"(?:typing\.)?[Tt]uple\[(int(?:, int)*)\]$")
LISTS = ("list[", "List[", "Sequence[", "Iterable[", "typing.List[", "typing.Sequence[")
_HANDED_IN = frozenset("layer block encoder decoder backbone module net network model trunk".split())
"""What layers are called that a constructor is given."""


def keeps_shapes(name: str) -> bool:
    """Whether what makes such a layer, or is one, gives back the shape that it is given: norms, activations, dropout."""
    words = name.lower().split("_")
    return any(word in _KEEP_SHAPES for word in words)


_KEEP_SHAPES = frozenset("act activation nonlinearity norm batchnorm layernorm drop dropout".split())


def of_field(name: str) -> Spec:
    """A number, a share, a flag or a text, as its name has it."""
    lower = name.lower()
    if lower.rpartition("_")[2] == "name":
        return Plain(name)
    if is_a_share(lower):
        return Plain(0.1, share=True)
    if any(word in lower for word in _FLAGS) and not lower.endswith(SIZES):
        return Plain(True)
    if lower in _CALLED:
        return Plain(torch.nn.ReLU())
    return Free(name, small=lower.endswith(("_idx", "_index", "_id")))


def of_default(name: str, default: Any) -> Spec:
    """A parameter or a field with a default: an integer is a size like any other, all else is what it is."""
    if type(default) is int and 0 < default < _DIMS and _is_one_of_the_dims(name):
        return Plain(default)
    if type(default) is int and default > 0:
        counts = default < SMALL and not (default == 1 and is_width(name)) and not _is_limit(name)
        return Free(name, default, small=counts)
    if type(default) in (list, tuple) and 0 < len(default) <= 32 and any(type(one) is int for one in default):
        return Row([of_default(f"{name}[{at}]", one) for at, one in enumerate(default)], type(default))
    return Plain(default)


def _is_limit(name: str) -> bool:
    """Whether a parameter is how large something may be at most, as its name has it: `max_batch_size`."""
    words = name.lower().split("_")
    return words[0] == "max" and words[-1] in ("size", "len", "length")


def is_width(name: str) -> bool:
    """Whether a parameter is how wide something is, as its name has it: `hidden_size: int = 1` says that it has to be given."""
    words = name.lower().split("_")
    return words[-1] in _WIDE and _NO_WIDTHS.isdisjoint(words)


_WIDE = frozenset("dim dims size channels features planes width units".split())
_NO_WIDTHS = frozenset(
    "kernel stride pad padding patch window block group groups batch step dilation pool seq image img num".split()
)
_DIMS = 5
"""A default below this is one of a tensor's dims, where the name has it."""
_WIDTHS = frozenset(
    "in out input output hidden embed emb embedding latent model head state action obs ff mlp inner proj label".split()
)


def _is_one_of_the_dims(name: str) -> bool:
    """Whether a parameter says which dim is meant, and not how large one is: `softmax_dim`, but not `output_dim`."""
    stem, _, last = name.rpartition("_")
    return last.endswith(("dim", "axis")) and last != "ndim" and stem.rpartition("_")[2] not in _WIDTHS


def is_a_share(name: str) -> bool:
    """Whether a parameter is a number that decides no shape, as its name has it."""
    words = name.split("_")
    if name.endswith(SIZES) or not _COUNTS.isdisjoint(words):
        return False
    return any(
        (word.startswith(_SHARES) and word != "alphabet") or word in _SHARES_TO_THE_LETTER for word in words
    )
