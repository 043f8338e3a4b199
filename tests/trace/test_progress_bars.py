"""Bars of tqdm, however they are imported: the loop goes over what they wrap."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "bar",
    [
        "from tqdm import tqdm\nbar = tqdm(rows, desc='a')",
        "import tqdm\nbar = tqdm.tqdm(rows, total=len(rows))",
        "import tqdm.auto as t\nbar = t.tqdm(rows)",
    ],
)
def test_a_bar_gives_what_it_wraps(trace, bar):
    pytest.importorskip("tqdm")
    traced = trace(
        f"import torch\nrows = list(torch.zeros(4, 3))\n{bar}\nfor z in bar:\n    bar.set_postfix(n=1)\n"
    )
    assert traced.shape("z") == (3,)


def test_a_count_wrapped_in_a_bar(trace):
    pytest.importorskip("tqdm")
    traced = trace("import torch, tqdm\nfor i in tqdm.trange(2, 3):\n    z = torch.zeros(i)\n")
    assert traced.shape("z") == (2,)
