"""A stand-in for tqdm's bars: the loop goes over what they wrap, whatever else they are asked is unknown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..unknowns.unknown import Unknown


class Bar:
    """`tqdm(items, ...)`."""

    def __init__(self, items: Any = (), *args: Any, **options: Any) -> None:
        self.items = items

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *details: Any) -> None:
        return None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Unknown("of a progress bar")


def trange(*args: Any, **options: Any) -> Bar:
    """`tqdm.trange`."""
    return Bar(range(*args))


BARS = {
    path: {"tqdm": Bar, "trange": trange}
    for path in ("tqdm", "tqdm.auto", "tqdm.autonotebook", "tqdm.notebook", "tqdm.rich", "tqdm.std")
}
"""The members of its modules."""
