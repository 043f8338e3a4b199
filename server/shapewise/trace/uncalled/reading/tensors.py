"""What tensors are begun as: their rank and dtype, as their names and their indices have them."""

from __future__ import annotations

import ast
import re
from typing import Any

import torch

from ..inputs.specs import Array
from .lists import most_indices
from .reads import Around, calls, is_attribute, is_name, is_of_classes, kept_as, walked

TENSOR = frozenset(
    name
    for name in dir(torch.Tensor)
    if not name.startswith("_") and name not in ("data", "names", "name", "item", "apply_")
) - frozenset(dir(torch.nn.Module)) - frozenset(
    "index count sort copy_ numpy values dim".split()
) | frozenset(("shape", "dim"))
"""Attributes that tensors have, and modules have not."""
ITEMS = 3
"""As many as a list of numbers has: the widths of feature maps, and the maps."""
_RANKS = {
    1: "t time times timestep timesteps step sigma sigmas labels label target targets index",
    2: "edge_index ids tokens token idx input_ids token_type_ids attention_mask position_ids src tgt words sentences",
    4: "img imgs image images picture pixel_values frame feature_map feat feats fmap",
}
SURE = {"edge_index": 2}
"""Ranks that a name always has."""
_INTEGERS = frozenset(
    "edge_index ids tokens token idx input_ids token_type_ids position_ids words index".split()
)


_TENSOR = re.compile(r"(?:Optional\[)?(?:torch\.)?(\w*)Tensor\]?(?: \| None)?$")
_DTYPES = {"Long": torch.int64, "Int": torch.int64, "Bool": torch.bool}


def is_annotated(annotation: str) -> bool:
    """Whether an annotation says that a parameter is a tensor: `Tensor`, `Optional[torch.Tensor]`, `torch.LongTensor`."""
    return _TENSOR.match(annotation) is not None


def dtype_of(annotation: str) -> torch.dtype | None:
    """The dtype that an annotation says: `torch.BoolTensor`."""
    found = _TENSOR.match(annotation)
    return _DTYPES.get(found[1]) if found else None


_TAKE = frozenset(
    "register_buffer Parameter is_tensor zeros_like ones_like rand_like randn_like Normal Bernoulli Categorical Beta Gamma "
    "Laplace LogNormal Poisson Exponential MultivariateNormal OneHotCategorical RelaxedBernoulli RelaxedOneHotCategorical "
    "TransformedDistribution".split()
)
"""Calls that are given tensors, though a constructor's parameter is one: distributions are of a batch."""


def is_taken_for_one(node: Any, name: str, around: Around) -> bool:
    """Whether a constructor hands a parameter to a call that wants a tensor, here or once it is kept, or indexes with it.

    `nn.Parameter(x)`, `Normal(self.loc, self.scale)`, `torch.is_tensor(x)`.
    """
    if any(is_index_beside(use, name) for use in walked(node)):
        return True
    kept = kept_as(node, name)
    given = (
        arg
        for one in (node, *around.nodes)
        for called, use in calls(one)
        if called.rpartition(".")[2] in _TAKE
        for arg in (*use.args, *(keyword.value for keyword in use.keywords))
    )
    return any(is_name(arg, name) or any(is_attribute(arg, one) for one in kept) for arg in given)


def is_index_beside(use: ast.AST, name: str) -> bool:
    """Whether a parameter is an index beside one that is given dims for it: `x[rows[:, None, None], index]`."""
    if not isinstance(use, ast.Subscript) or not isinstance(use.slice, ast.Tuple):
        return False
    others = [one.slice for one in use.slice.elts if isinstance(one, ast.Subscript)]
    spread = (one for other in others if isinstance(other, ast.Tuple) for one in other.elts)
    is_spread = any(isinstance(one, ast.Constant) and one.value is None for one in spread)
    return is_spread and any(is_name(one, name) for one in use.slice.elts)


def _is_cut_behind(use: ast.AST, name: str) -> bool:
    """Whether a parameter is cut along its last dim, whatever stands before: no vector is written so (`t[..., :half]`)."""
    return (
        isinstance(use, ast.Subscript)
        and is_name(use.value, name)
        and isinstance(use.slice, ast.Tuple)
        and isinstance(first := use.slice.elts[0], ast.Constant)
        and first.value is ...
    )


def tensor(name: str, node: Any, around: Around) -> Array:
    """A tensor, begun as its name, its annotation and its indices have it: the code decides what it is."""
    said = dtype_of(around.annotation(node, name))
    lengths = name == "length" or name.endswith(("lengths", "lens", "_length", "_len"))
    made = Array(dtype=said or (torch.int64 if name in _INTEGERS or lengths else torch.float32))
    if name in SURE:
        made.said, made.settled = SURE[name], True
        made.ranks = [SURE[name], *[one for one in made.ranks if one != SURE[name]]]
        return made
    likely = [1] if lengths else [rank for rank, names in _RANKS.items() if name in names.split()]
    uses = around.uses(node, name)
    if likely == [1] and any(_is_cut_behind(use, called) for one, called in uses for use in walked(one)):
        likely = []
    if any(is_index_beside(use, called) for one, called in uses for use in walked(one)):
        made.dtype = torch.int64
    if not likely and any(is_of_classes(use, called) for one, called in uses for use in walked(one)):
        likely, made.dtype = [1], torch.int64
    made.likely = bool(likely)
    for rank in likely or [rank for rank in [max(most_indices(called, one) for one, called in uses)] if rank]:
        made.ranks = [rank, *[other for other in made.ranks if other != rank]]
    return made
