"""Packages that are too large to follow as a whole: a name is looked for in the module that defines it.

A folder here stands for such a package. The texts in it are interpreted in the place of its modules of
the same names: of those that build code when they run, or hold tensors in classes of their own. They are
no modules of ours, so nothing of this process imports them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_AS_THEY_ARE = frozenset({"monai"})
"""Those of which no module is written anew."""


@cache
def is_large(name: str) -> bool:
    """Whether a module belongs to such a package."""
    top = name.partition(".")[0]
    return top in _AS_THEY_ARE or (top.isidentifier() and (_HERE / top).is_dir())


@cache
def written(name: str) -> str | None:
    """The text in the place of a module, None where it is followed as it is."""
    place = _HERE.joinpath(*name.split(".")).with_suffix(".txt")
    return place.read_text("utf-8") if place.is_file() else None
