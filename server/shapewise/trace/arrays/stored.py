"""Arrays in files: what the file has written itself (`np.save`, `tofile`) is read as it was written. No file is opened."""

from __future__ import annotations

import math
from pathlib import PurePath
from typing import Any

from ..stdlib import files, objects
from ..unknowns.unknown import Unknown
from ..worlds import worlds
from .array import KINDS, Array, blank, made, np

_WHY = "what is read from a file is not known"
_NUMBERS, _NAMED, _RAW = "npy", "npz", "raw"


def _copy(value: Any) -> Any:
    """What `np.load` gives of an array that was saved. Of one that lies otherwise in memory it is not followed."""
    if type(value) is not Array or value._memory.unlaid or not value._held.flags.c_contiguous:
        return Unknown(_WHY)
    known = value._memory.known
    return made(value._held.copy(), True) if known else blank(value.shape, value.dtype)


def _with(suffix: str, file: Any) -> Any:
    """A path as numpy writes to it."""
    if isinstance(file, (str, PurePath)):
        return str(file) if str(file).endswith(suffix) else f"{file}{suffix}"
    return file


def save(file: Any, arr: Any, *args: Any, **options: Any) -> None:
    """`np.save`."""
    files.put(_with(".npy", file), objects.Saved(_copy(arr), _NUMBERS))


def savez(file: Any, *args: Any, **named: Any) -> None:
    """`np.savez`."""
    every = {**{f"arr_{number}": arg for number, arg in enumerate(args)}, **named}
    held = {name: _copy(value) for name, value in every.items()}
    files.put(_with(".npz", file), objects.Saved(held, _NAMED))


class Named(dict[str, Any]):
    """What `np.load` gives of several arrays: by name, and to be closed."""

    def __init__(self, held: dict[str, Any]) -> None:
        super().__init__((name, _copy(one)) for name, one in held.items())
        self.files = [*held]

    def close(self) -> None:
        pass

    def __enter__(self) -> Named:
        return self

    def __exit__(self, *details: Any) -> None:
        pass


def load(file: Any, *args: Any, **options: Any) -> Any:
    """`np.load`."""
    held = files.content(file)
    if type(held) is not objects.Saved or held.form not in (_NUMBERS, _NAMED):
        return Unknown(_WHY)
    return Named(held.value) if held.form == _NAMED else _copy(held.value)


def tofile(self: Array, fid: Any, *args: Any, **options: Any) -> None:
    """`ndarray.tofile`."""
    held = objects.Saved(_copy(self), _RAW) if not args and not options else Unknown(_WHY)
    files.put(fid, held)


def fromfile(file: Any, dtype: Any = float, count: Any = -1, sep: Any = "", offset: Any = 0) -> Any:
    """`np.fromfile`: the numbers in one row."""
    held = files.content(file)
    if type(held) is Unknown:
        return in_a_row(file, dtype)
    plain = type(count) is int and type(offset) is int and sep == ""
    if not plain or type(held) is not objects.Saved or held.form != _RAW or type(held.value) is not Array:
        return Unknown(_WHY)
    array, kind = held.value, np.dtype(dtype)
    size = (array.size * array.itemsize - offset) // kind.itemsize
    size = min(size, count) if count >= 0 else size
    if array._memory.known and array.dtype == kind and not offset:
        return made(array._held.reshape(-1)[:size].copy(), True)
    return blank((size,), kind) if size >= 0 else Unknown(_WHY)


def in_a_row(buffer: Any, dtype: Any = float, count: Any = -1, *args: Any, **options: Any) -> Any:
    """`np.frombuffer`, `np.fromstring`: nobody knows how many numbers of a type, in one row."""
    if type(dtype) is Unknown or np.dtype(dtype).kind not in KINDS:
        return Unknown(_WHY)
    size = count if type(count) is int and count >= 0 else worlds.size()
    return blank((size,), np.dtype(dtype))


def memmap(
    filename: Any,
    dtype: Any = np.uint8 if np is not None else None,
    mode: Any = "r+",
    offset: Any = 0,
    shape: Any = None,
    order: Any = "C",
) -> Any:
    """`np.memmap`."""
    sizes = (shape,) if type(shape) is int else shape
    if sizes is not None and not (
        isinstance(sizes, tuple) and all(type(size) is int and size >= 0 for size in sizes)
    ):
        return Unknown(_WHY)
    if mode == "w+" and sizes is not None and order == "C":
        files.put(filename, objects.Saved(blank((math.prod(sizes),), np.dtype(dtype)), _RAW))
        return blank(sizes, np.dtype(dtype))
    whole = fromfile(filename, dtype, offset=offset)
    if sizes is None:
        return whole
    return blank(sizes, np.dtype(dtype)) if order == "C" else Unknown(_WHY)


Array.tofile = tofile  # type: ignore[attr-defined]
FUNCTIONS = {
    "save": save,
    "savez": savez,
    "savez_compressed": savez,
    "load": load,
    "fromfile": fromfile,
    "frombuffer": in_a_row,
    "fromstring": in_a_row,
    "memmap": memmap,
}
