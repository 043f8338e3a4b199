"""Names of torch's own insides that packages use all the same."""

from __future__ import annotations


def test_tensors_by_device_and_dtype(trace):
    """As `pytorch_optimizer` takes its parameters."""
    traced = trace("""
import torch
from torch.utils._foreach_utils import _group_tensors_by_device_and_dtype
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2).double())
groups = _group_tensors_by_device_and_dtype([list(model.parameters())], with_indices=True)
shapes = []
for (device, dtype), ((params,), indices) in groups.items():
    for p in params:
        shapes.append(torch.zeros(indices[0] + 1, *p.shape, dtype=dtype))
a, b, c, d = sorted(shapes, key=lambda one: one.shape)
""")
    assert [traced.shape(name) for name in "abcd"] == [(1, 4), (1, 4, 3), (3, 2), (3, 2, 4)]
    assert traced.fact("c").value.dtype == "float64"


def test_isinstance_of_torch_jit(trace):
    traced = trace("""
import torch
x = torch.zeros(3)
a = torch.zeros(1 if torch.jit.isinstance(x, torch.Tensor) else 2)
b = torch.zeros(1 if torch.jit.isinstance([x], list[torch.Tensor]) else 2)
""")
    assert traced.shape("a") == (1,)
    assert traced.shape("b") == (None,)
