"""What torch's kernels check of devices, read from the list of its ops that torch brings along.

`torchgen/packaged/ATen/native/native_functions.yaml` says of each op of `aten` how it is dispatched, and whether a check
that its tensors stand on one device is generated for it (`torchgen/dest/register_dispatch_key.py`), or is left to what
walks over its operands (`TensorIterator`), or is not made at all.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

import torch

_LIST = "packaged/ATen/native/native_functions.yaml"
_OP = re.compile(r"^- func: ([\w.]+)\(", re.MULTILINE)
_CUDA = re.compile(r"^    (?:\w+, )*CUDA\b", re.MULTILINE)
_DELEGATE = re.compile(r"^  structured_delegate: (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Kernel:
    """What is checked of the devices of an op's tensors."""

    method: str | None = None
    """The wrapper that checks that they are one, as torch names it in its words; None where it checks nothing."""
    iterates: bool = False
    """Whether its operands are walked over together: then a number of no dims may stand on the CPU."""


@functools.cache
def kernel(op: torch._ops.OpOverload) -> Kernel:
    """Nothing is checked by an op of which torch's list says nothing."""
    name = op._schema.name.removeprefix("aten::")
    overload = op._schema.overload_name
    text = _texts().get(f"{name}.{overload}" if overload else name)
    if text is None:
        return Kernel()
    delegate = _DELEGATE.search(text)
    whole = text if delegate is None else text + _texts().get(delegate[1], "")
    if "device_check: NoCheck" in text:
        return Kernel(
            iterates="# TensorIterator" in text or "structured_inherits: TensorIteratorBase" in whole
        )
    if not _CUDA.search(whole):
        return Kernel()
    structured = delegate is not None or "structured: True" in text
    parts = (name, overload) if structured and overload else (name,) if structured else (overload, name)
    return Kernel(method=f"wrapper_CUDA_{'_'.join(parts)}")


@functools.cache
def _texts() -> dict[str, str]:
    """What the list says of each op, by its name. Empty where torch has come without it."""
    try:
        import torchgen  # type: ignore[import-untyped]

        text = Path(torchgen.__path__[0], _LIST).read_text("utf-8")
    except (ImportError, OSError):
        return {}
    starts = [*_OP.finditer(text)]
    ends = [*(one.start() for one in starts[1:]), len(text)]
    return {one[1]: text[one.start() : end] for one, end in zip(starts, ends)}
