"""`DataFrame.merge` of tables of which not all columns are known, by columns that are."""

from __future__ import annotations

from typing import Any

from ...unknowns.unknown import Lost
from .held import BY_DATA, Data, Given, pandas, wrapped


def merged(left: Data, given: Given, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The rows are those that the keys say. Raises Lost where these are not known. `given`: both tables."""
    right = given.tables[1]
    named = {**dict(zip(("right", "how", "on", "left_on", "right_on"), args)), **kwargs}
    if not all(isinstance(one.real, pandas().DataFrame) and one.loose is None for one in (left, right)):
        raise Lost(BY_DATA)
    shared = [name for name in left.real.columns if name in right.real.columns]
    on = named.get("on")
    apart = any(named.get(key) for key in ("left_on", "right_on", "left_index", "right_index"))
    both = _names(on) if on is not None else [] if apart else shared
    for table, own in ((left, "left_on"), (right, "right_on")):
        if table.rest or table.hidden.intersection([*both, *_names(named.get(own))]):
            raise Lost(BY_DATA)
    real = given.call("merge", left.real.merge, args, kwargs)
    old = {*left.real.columns, *right.real.columns}
    hidden, untyped = (
        frozenset(name for name in real.columns if name in some or (some and name not in old))
        for some in (left.hidden | right.hidden, left.untyped | right.untyped)
    )
    return wrapped(Data(real, hidden, untyped))


def _names(keys: Any) -> list[Any]:
    return [] if keys is None else keys if type(keys) is list else [keys]
