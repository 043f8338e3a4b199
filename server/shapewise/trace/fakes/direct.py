"""Ops that are asked of torch's meta kernels themselves, without fake tensors between."""

from __future__ import annotations

import torch

DIRECT = frozenset(
    getattr(getattr(torch.ops.aten, name), overload)
    for name, overload in (
        ("view", "default"),
        ("_unsafe_view", "default"),
        ("transpose", "int"),
        ("t", "default"),
        ("permute", "default"),
        ("expand", "default"),
        ("detach", "default"),
        ("alias", "default"),
        ("unsqueeze", "default"),
        ("select", "int"),
        ("slice", "Tensor"),
        ("addmm", "default"),
        ("mm", "default"),
        ("bmm", "default"),
        ("relu", "default"),
        ("add", "Tensor"),
        ("sub", "Tensor"),
        ("mul", "Tensor"),
        ("div", "Tensor"),
        ("mean", "dim"),
        ("sum", "dim_IntList"),
        ("sigmoid", "default"),
        ("tanh", "default"),
        ("silu", "default"),
        ("gelu", "default"),
        ("exp", "default"),
        ("pow", "Tensor_Scalar"),
        ("rsqrt", "default"),
        ("_softmax", "default"),
        ("_log_softmax", "default"),
        ("sigmoid_", "default"),
        ("tanh_", "default"),
        ("relu_", "default"),
        ("add_", "Tensor"),
        ("sub_", "Tensor"),
        ("mul_", "Tensor"),
        ("div_", "Tensor"),
        ("split", "Tensor"),
        ("unsafe_split", "Tensor"),
        ("split_with_sizes", "default"),
        ("unbind", "int"),
        ("squeeze", "dim"),
        ("squeeze", "dims"),
        ("embedding", "default"),
        ("gather", "default"),
        ("native_layer_norm", "default"),
        ("native_batch_norm", "default"),
        ("native_group_norm", "default"),
        ("max_pool2d_with_indices", "default"),
        ("nll_loss_forward", "default"),
        ("nll_loss_backward", "default"),
        ("threshold_backward", "default"),
        ("_softmax_backward_data", "default"),
        ("_log_softmax_backward_data", "default"),
        ("empty", "memory_format"),
        ("clone", "default"),
        ("cat", "default"),
        ("stack", "default"),
    )
)
"""Ops whose meta kernel says what fake tensors find out with more in Python between, some 3 to 20 times as slow.

`tests/trace/test_remembered.py` holds each of them against fake tensors.
"""
NORMS = frozenset((torch.ops.aten.native_layer_norm.default, torch.ops.aten.native_batch_norm.default))
