"""Trees of containers (`torch.utils._pytree`), taken apart into their leaves and put together again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from torch.utils import _pytree

from ..gate import calls
from ..unknowns.grown import grown_in
from ..unknowns.unknown import NO_SAMPLE, Lost, Unknown
from ..wall import allowed
from . import given_out, shim

if TYPE_CHECKING:
    from ..run import Env


def _flattened(tree: Any, options: dict[str, Any]) -> tuple[list[Any], Any]:
    """Leaves and structure. Raises Lost where a part may be a container of nobody knows what."""
    lost = grown_in(tree)
    if lost is not None:
        raise Lost(lost.why)
    leaves, structure = _pytree.tree_flatten(tree, **options)
    for leaf in leaves:
        if type(leaf) is Unknown and not _is_leaf(leaf):
            raise Lost(leaf.why)
    return leaves, structure


def _is_leaf(lost: Unknown) -> bool:
    return lost.tensor or bool(lost.options) or lost.kind is not None or lost.sample is not NO_SAMPLE


@shim(_pytree.tree_flatten)
def _tree_flatten(env: Env, tree: Any, **options: Any) -> tuple[list[Any], Any]:
    return _flattened(tree, options)


@shim(_pytree.tree_map)
def _tree_map(env: Env, func: Any, tree: Any, *rests: Any, **options: Any) -> Any:
    assert env.run.site is not None
    site = env.run.site
    leaves, structure = _flattened(tree, options)
    rows = [leaves, *map(structure.flatten_up_to, rests)]
    made = [calls.call(env, site, func, row, {}, "what is mapped over a tree") for row in zip(*rows)]
    return _pytree.tree_unflatten(made, structure)


@shim(_pytree.tree_unflatten)
def _tree_unflatten(env: Env, leaves: Iterable[Any], treespec: Any) -> Any:
    for given in (leaves, treespec):
        lost = given if type(given) is Unknown else grown_in(given)
        if lost is not None:
            raise Lost(lost.why)
    return _pytree.tree_unflatten(leaves, treespec)


_TAKERS = [_pytree.tree_flatten, _pytree.tree_map, _pytree.tree_unflatten]

if hasattr(_pytree, "tree_leaves"):

    @shim(_pytree.tree_leaves)
    def _tree_leaves(env: Env, tree: Any, **options: Any) -> list[Any]:
        return _flattened(tree, options)[0]

    _TAKERS.append(_pytree.tree_leaves)

if hasattr(_pytree, "tree_structure"):

    @shim(_pytree.tree_structure)
    def _tree_structure(env: Env, tree: Any, **options: Any) -> Any:
        return _flattened(tree, options)[1]

    _TAKERS.append(_pytree.tree_structure)

allowed.TAKES_UNKNOWNS.update(id(given_out(one)) for one in _TAKERS)
