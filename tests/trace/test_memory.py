"""A call that real torch is asked about takes little memory, however large its result would be."""

from __future__ import annotations

import sys

import pytest
import torch

from shapewise.trace import memory, session
from shapewise.trace.refusals.replay import verdict

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the system tells no sizes")


def test_what_takes_much_is_refused_as_long_as_it_lasts():
    with memory.little():
        torch.empty(memory.LITTLE // 4, dtype=torch.uint8)
        with pytest.raises(RuntimeError, match="can't allocate memory"):
            torch.empty(2 * memory.LITTLE, dtype=torch.uint8)
    torch.empty(2 * memory.LITTLE, dtype=torch.uint8)  # nothing of it is touched


def test_real_torch_is_not_asked_for_a_large_result():
    """It computes all before it refuses integers."""
    session.prepare()
    many = torch.ones((), dtype=torch.int64).expand(64, 64, 1024, 1024)
    weights = torch.ones(64)
    assert (
        verdict(torch.instance_norm, (many, weights, weights, None, None, True, 0.1, 1e-5, True), {}) is None
    )


def test_it_is_bounded_while_a_trace_runs_too(trace, monkeypatch):
    """No file may be opened then."""
    seen: list[object] = []
    bound = memory.bound
    monkeypatch.setattr(memory, "bound", lambda more: seen.append(bound(more)) or seen[-1])
    trace("""
        import torch
        x = torch.ones(4, 3, dtype=torch.int64)
        y = torch.instance_norm(x, None, None, None, None, True, 0.1, 1e-5, True)
        z = torch.histogram(torch.ones(5), 3)
    """)
    assert seen and None not in seen


def test_what_has_no_kernel_for_fake_tensors_is_not_computed_of_much(trace):
    traced = trace("""
        import torch
        x = torch.ones(1, 1 << 20).expand(1 << 12, 1 << 20)
        q, tau = torch.geqrf(x)
        y = torch.ones(3)
    """)
    assert not traced.failures() and traced.shape("y") == (3,)
