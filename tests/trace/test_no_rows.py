"""Where something fails in the world of no rows only, it says nothing of the conditions behind it: both ways are told."""

from __future__ import annotations

import pytest

FEW = """
import torch

boxes = torch.rand(100, 4)
boxes = boxes[boxes[:, 0] > 0.2]
mask = torch.zeros(len(boxes), dtype=torch.bool) | ({flag})
kept = boxes[~mask]
if kept.size(0) > 10:
    kept = kept[:10]
after = kept
"""

SUPPRESSED = """
import torch

def detect(locs, score, top_k=10):
    boxes = locs[score > 0.2]
    suppress = torch.zeros(len(boxes), dtype=torch.bool)
    for box in range(boxes.size(0)):
        suppress = torch.max(suppress, (boxes @ boxes.T)[box] > 0.3)
    kept = torch.cat([boxes[~suppress]], dim=0)
    if kept.size(0) > top_k:
        kept = kept[:top_k]
    return kept

after = detect(torch.rand(100, 4), torch.rand(100))
"""


@pytest.mark.parametrize("flag", ["boxes[0, 0] > 0.3", "boxes[-1].sum() > 1"])
def test_a_row_that_is_not_there(trace, flag):
    """`boxes[0]` says that there is one, not that more than ten are kept."""
    assert trace(FEW.format(flag=flag)).shape("after") == (None, 4)


def test_rounds_over_no_rows(trace):
    assert trace(SUPPRESSED).shape("after") == (None, 4)


def test_an_item_that_is_not_there_has_the_other_dims(trace):
    found = trace("import torch\nx = torch.randn(3, 4, 5)\na = x[7]\nb = x[:, -9]\nc = x[:0][0]")
    assert tuple(map(found.shape, "abc")) == ((4, 5), (3, 5), (4, 5))
