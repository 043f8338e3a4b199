"""What tensors are begun as: their rank and dtype, as their names and their indices have them."""

from __future__ import annotations

from typing import Any

import torch

from .reads import Around, is_of_classes, most_indices, walked
from .specs import Array

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
    1: "t time times timestep timesteps step sigma sigmas lengths labels label target targets index",
    2: "edge_index ids tokens token idx input_ids token_type_ids attention_mask position_ids src tgt words sentences",
    4: "img imgs image images picture pixel_values frame feature_map feat feats fmap",
}
SURE = {"edge_index": 2}
"""Ranks that a name always has."""
_INTEGERS = frozenset(
    "edge_index ids tokens token idx input_ids token_type_ids position_ids words lengths index".split()
)


def tensor(name: str, node: Any, around: Around) -> Array:
    """A tensor, begun as its name and its indices have it: the code decides what it is."""
    made = Array(dtype=torch.int64 if name in _INTEGERS else torch.float32)
    if name in SURE:
        made.said, made.settled = SURE[name], True
        made.ranks = [SURE[name], *[one for one in made.ranks if one != SURE[name]]]
        return made
    likely = [rank for rank, names in _RANKS.items() if name in names.split()]
    uses = around.uses(node, name)
    if not likely and any(is_of_classes(use, called) for one, called in uses for use in walked(one)):
        likely, made.dtype = [1], torch.int64
    made.likely = bool(likely)
    for rank in likely or [rank for rank in [max(most_indices(called, one) for one, called in uses)] if rank]:
        made.ranks = [rank, *[other for other in made.ranks if other != rank]]
    return made
