"""What a card has no kernel for, and the CPU has."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from .devices import CPU, OnTheCard, tensors_in, where

SCALAR_NAMES = {
    torch.bool: "Bool",
    torch.uint8: "Byte",
    torch.int8: "Char",
    torch.int16: "Short",
    torch.int32: "Int",
    torch.int64: "Long",
    torch.float16: "Half",
    torch.bfloat16: "BFloat16",
    torch.float32: "Float",
    torch.float64: "Double",
}
"""Torch's words for dtypes, in C++."""
_HALF = (torch.float16, torch.bfloat16)
_PRODUCTS = frozenset(
    (
        functional.linear,
        *(
            getattr(owner, name)
            for owner in (torch, torch.Tensor)
            for name in ("matmul", "mm", "bmm", "mv", "dot", "addmm", "baddbmm")
        ),
        torch.Tensor.__matmul__,
        torch.Tensor.__rmatmul__,
    )
)
_HALVES = {
    torch.linalg.eigh: "linalg_eigh_cuda",
    torch.linalg.eigvalsh: "linalg_eigh_cuda",
    torch.linalg.eig: "linalg_eig_cuda",
    torch.linalg.eigvals: "linalg_eig_cuda",
    torch.cdist: "cdist_cuda",
}


def lacking(func: Any, args: tuple[Any, ...]) -> None:
    """A card multiplies no matrices of integers, and decomposes none of halves. Raises OnTheCard."""
    kernel = _HALVES.get(func)
    product = func in _PRODUCTS
    if (kernel is None and not product) or not args or not isinstance(args[0], torch.Tensor):
        return
    first = args[0]
    if where(first) == CPU or not all(tensor.numel() for tensor in tensors_in(args)):
        return  # no kernel of a card is asked
    is_exact = not (first.is_floating_point() or first.is_complex())
    if first.dtype not in SCALAR_NAMES or not (is_exact if product else first.dtype in _HALF):
        return
    if product:
        two = [one for one in args if isinstance(one, torch.Tensor)][-2:]
        kernel = _of_product(sorted(one.dim() for one in two))
    raise OnTheCard(f"\"{kernel}\" not implemented for '{SCALAR_NAMES[first.dtype]}'")


def _of_product(dims: list[int]) -> str:
    if dims == [1, 1]:
        return "dot"
    if dims == [1, 2]:
        return "addmv_impl_cuda"
    return "addmm_cuda" if dims[0] <= 2 else "baddbmm_cuda"
