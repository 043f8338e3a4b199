"""yaml: what stands in the text is read as PyYAML reads it, where PyYAML is installed; what a file says is not known."""

from __future__ import annotations

import pytest

pytest.importorskip("yaml")

HEAD = '''
import torch, yaml
from torch import nn
TEXT = """
model: {dim: 64, heads: 4, dropout: 0.1}
sizes: &sizes [2, 3]
again: *sizes
"""
'''


@pytest.mark.parametrize("read", ["safe_load(TEXT)", "load(TEXT, Loader=yaml.FullLoader)", "full_load(TEXT)"])
def test_settings_in_the_text_are_known(trace, read):
    traced = trace(
        HEAD + f"settings = yaml.{read}\nmodel = settings['model']\n"
        "z = nn.Sequential(nn.Linear(8, model['dim']), nn.Dropout(model['dropout']))(torch.zeros(3, 8))\n"
        "w = torch.zeros(settings['again'])\n"
    )
    assert traced.shape("z") == (3, 64) and traced.shape("w") == (2, 3)
    assert traced.failures() == []


@pytest.mark.parametrize(
    "text",
    [
        '"[" * 4000 + "]" * 4000',
        '"- " * 4000',
        '"? " * 4000',
        'open("settings.yaml")',
        '"a: &a {n: 3}\\nb: {<<: *a}"',
        '"n: !!python/tuple [1]"',
        '"n: [1"',
    ],
)
def test_what_is_not_read_is_not_known(trace, text):
    traced = trace(
        HEAD + f"settings = yaml.load({text}, yaml.FullLoader)\nz = torch.zeros(settings['n'], 4)\n"
    )
    assert traced.shape("z") == (None, 4)
