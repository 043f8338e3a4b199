"""Checks that torch's own Python makes of data: they hold, or there is nothing to be said of what comes after."""

from __future__ import annotations

from typing import Any

import pytest

from shapewise.trace.fakes import validated

CALLS = {
    "torch.distributions.Normal(torch.zeros(3), torch.rand(3) + 1, validate_args=True).sample()": (3,),
    "torch.distributions.Categorical(probs=torch.rand(2, 5), validate_args=True).logits": (2, 5),
    "torch.nn.utils.clip_grad_norm_([weight], 1.0, error_if_nonfinite=True)": (),
    "torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(4, 4)).weight": (4, 4),
}


@pytest.mark.parametrize("call", CALLS)
def test_what_passes_is_known(trace: Any, call: str) -> None:
    head = "import torch\nweight = torch.nn.Parameter(torch.randn(4))\nweight.square().sum().backward()\n"
    traced = trace(f"{head}out = {call}\n")
    names: dict[str, Any] = {}
    exec(f"{head}out = {call}\n", names)
    assert traced.shape("out") == CALLS[call] == tuple(names["out"].shape)
    assert traced.failures() == []


def test_a_condition_of_the_file_takes_both_ways(trace: Any) -> None:
    text = """
        import torch
        x = torch.randn(3)
        y = x
        if x.isnan().any():
            y = torch.zeros(4)
            raise ValueError("no number")
        if (x > 0).all():
            y = torch.zeros(5)
        z = y + 1
        """
    assert trace(text).shape("z") != (3,)


TEXT = """\
def check(x, y):
    if x.any(): raise ValueError("any")
    if not (x.all() and y.all()):
        print(x)
        raise ValueError("all")
    assert x.sum() > 0
    if x.any() or not y.all():
        raise ValueError("both")
    if x.any():
        return x
    if x.max() > 3:
        torch._assert(False, "too large")
"""


def test_which_lines_are_checks(tmp_path: Any) -> None:
    (tmp_path / "package.py").write_text(TEXT)
    assert validated._checks(str(tmp_path / "package.py")) == {2: False, 3: True, 6: True, 11: False}
    assert validated._checks(str(tmp_path / "none.py")) == {}
