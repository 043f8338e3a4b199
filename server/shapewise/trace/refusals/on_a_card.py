"""How torch words on a card what it refuses there as it does on the CPU: its kernels have other names.

Read off a card (torch 2.11) over torch's own samples: `tests/opdb/devices.py`.
"""

from __future__ import annotations

import re

_LACKS = re.compile(r'^"(\w+)" not implemented for ')
_TYPE = re.compile(r"\bgot torch\.(?=\w+Tensor\b)")
_KERNELS = {
    "GeluKernelImpl": "GeluCUDAKernelImpl",
    "adaptive_avg_pool2d": "adaptive_avg_pool2d_cuda",
    "addmm_impl_cpu_": "addmm_cuda",
    "avg_pool2d": "avg_pool2d_out_cuda_frame",
    "binary_cross_entropy": "binary_cross_entropy_out_cuda",
    "cumsum_out_cpu": "cumsum_cuda",
    "grid_sampler_2d_cpu_kernel_impl": "grid_sampler_2d_cuda",
    "log_sigmoid_cpu": "log_sigmoid_forward_cuda",
    "log_softmax_lastdim_kernel_impl": "host_softmax",
    "reflection_pad1d": "reflection_pad1d_out",
    "replication_pad1d": "replication_pad1d_cuda",
    "replication_pad2d": "replication_pad2d_cuda",
    "replication_pad3d": "replication_pad3d_cuda",
    "rms_norm": "LayerNormKernelImpl",
    "rrelu_with_noise_out_cpu": "rrelu_with_noise_out_cuda",
    "searchsorted_out_cpu": "searchsorted_out_cuda",
    "softmax_lastdim_kernel_impl": "host_softmax",
}
"""Kernels of the CPU that are not named as those of a card with another ending."""


def said(message: str) -> str:
    """A refusal of the CPU's as a card words it."""
    lacks = _LACKS.match(message)
    if lacks is not None:
        name = lacks[1]
        there = _KERNELS.get(name, f"{name.removesuffix('_cpu')}_cuda" if name.endswith("_cpu") else name)
        return f'"{there}"{message[lacks.end(1) + 1 :]}'
    return _TYPE.sub("got torch.cuda.", message)
