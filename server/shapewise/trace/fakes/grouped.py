"""`grouped_mm`, of which torch's kernel for fake tensors asks for bfloat16, and those of the CPU and of cards do not.

The checks are those of `check_valid_strides` and its callers in ATen/native/GroupedMMUtils.h (torch 2.13).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import _meta_registrations

_DTYPES = (torch.float32, torch.float16)
_ALIGNED = 16
"""Bytes: each row of a matrix, or each column, begins at a multiple of them."""


def install() -> None:
    """Once a process. Older torch has no such op."""
    original = getattr(_meta_registrations, "_meta_grouped_mm_common", None)
    made = getattr(_meta_registrations, "_create_grouped_mm_output_tensor", None)
    if original is None or made is None:
        return

    def kernel(
        mat_a: torch.Tensor, mat_b: torch.Tensor, scale_a: Any, scale_b: Any, offs: Any = None, **options: Any
    ) -> Any:
        """Of `(S, K)` and `(G, K, N)` it is `(S, N)`; of `(G, M, K)` and `(G, K, N)`, `(G, M, N)`."""
        if scale_a is None and options.get("bias") is None and _fits(mat_a, mat_b, offs):
            return made(mat_a, mat_b, offs, options.get("out_dtype"))
        return original(mat_a, mat_b, scale_a, scale_b, offs, **options)  # real torch is asked what it says

    _meta_registrations._meta_grouped_mm_common = kernel


def _fits(mat_a: torch.Tensor, mat_b: torch.Tensor, offs: torch.Tensor | None) -> bool:
    """Raises RuntimeError, in torch's words, for strides that no kernel takes."""
    if mat_a.dtype != mat_b.dtype or mat_a.dtype not in _DTYPES:
        return False
    if not all(one.dim() in (2, 3) for one in (mat_a, mat_b)):
        return False
    flat = [one.dim() == 2 for one in (mat_a, mat_b)]
    if not all(flat) and mat_a.size(-1) != mat_b.size(-2):
        return False
    if (offs is not None) != any(flat) or (offs is not None and (offs.dim(), offs.dtype) != (1, torch.int32)):
        return False
    for one in (mat_a, mat_b):
        _check_strides(one)
    return True


def _check_strides(matrix: torch.Tensor) -> None:
    (rows, columns), (down, along) = matrix.shape[-2:], matrix.stride()[-2:]
    if down == 1 and along >= max(1, rows):
        outer = along
    elif along == 1 and down >= max(1, columns):
        outer = down
    else:
        raise RuntimeError(
            f"Invalid strides/sizes, got {[*matrix.stride()]} for strides and {[*matrix.shape]} for sizes"
        )
    if outer * matrix.element_size() % _ALIGNED:
        raise RuntimeError("strides should be multiple of 16 bytes")
