"""Slices of lists of which nobody knows how many items they have, or between places that nobody knows."""

from __future__ import annotations

import pytest

ROWS = """
import random
import torch
torch.manual_seed(0)
rows = [v for v in torch.rand(200).tolist() if v > 0.3]
pairs = [[v, 1.0] for v in rows]
"""


def test_a_window_over_rows_is_as_long_as_it_says(check):
    traced = check(
        ROWS
        + """
for i in range(0, len(rows) - 12 + 1, 4):
    past = torch.tensor(rows[i : i + 8])
    ahead = torch.tensor(pairs[i + 8 : i + 12])
    both = torch.tensor([[v, *pair] for v, pair in zip(rows[i : i + 8], pairs[i : i + 8])])
starts = torch.randint(len(rows) - 8, (4,))
stacked = torch.stack([torch.tensor(rows[s : s + 8]) for s in starts])
"""
    )
    assert traced.shape("past") == (8,)
    assert traced.shape("ahead") == (4, 2)
    assert traced.shape("both") == (8, 3)


CUT = [
    "for i in range(len(rows)):\n    w = torch.tensor(rows[i : i + 3])\n",
    "i = len(rows) - 2\nw = torch.tensor(rows[i : i + 3])\n",
    "w = torch.tensor(rows[: len(rows) // 2])\n",
    "w = torch.tensor(rows[2:9])\n",
    "n = int(torch.randint(5, (1,)))\nw = torch.tensor([1.0, 2.0, 3.0, 4.0][n : n + 2])\n",
    "n = int(0.8 * len(rows))\nw = torch.tensor(rows[n : len(rows)])\n",
    "few = rows[:3]\nfor i in range(3):\n    w = torch.tensor(few[i : i + 2])\n",
]


@pytest.mark.parametrize("body", CUT)
def test_a_slice_that_may_be_cut_short_is_not_said_to_be_whole(check, body):
    traced = check(ROWS + body)
    assert traced.shape("w") == (None,) or not isinstance(traced.shape("w")[0], int)


def test_whether_a_text_is_another_is_a_number_too(check):
    traced = check(
        """
import torch
words = ["a" if v > 0.5 else "b" for v in torch.rand(9).tolist()]
for word in words:
    t = torch.tensor([float(word == "a"), int(word != "b")])
"""
    )
    assert traced.shape("t") == (2,)
    assert traced.fact("t").value.dtype == "float32"


def test_a_float_that_changes_from_round_to_round_is_a_float(check):
    traced = check(
        """
import numpy as np
import torch
net = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(9)])
mean, count = np.zeros(4), 1e-4
for epoch in range(3):
    for step in range(200):
        x = np.ones((2, 4), dtype=np.float32)
        total = count + len(x)
        mean = mean + x.mean(0) * len(x) / total
        count = total
        y = net(torch.from_numpy(((x - mean) / count).astype(np.float32)))
z = torch.from_numpy(mean / count)
"""
    )
    assert traced.shape("y") == (2, 4)
    assert traced.fact("z").value.dtype == "float64"


def test_the_last_of_steps_through_what_is_as_long_as_a_file_may_be_shorter(trace):
    traced = trace(
        """
import numpy as np
import torch
data = torch.from_numpy(np.memmap("x.bin", dtype=np.float32, mode="r")).view(-1, 5)
order = torch.randperm(len(data))
for i in range(0, len(data), 16):
    part = data[i : i + 16]
    chosen = data[order[i : i + 16]]
for i in range(0, len(data) - 16, 16):
    full = data[i : i + 16]
"""
    )
    assert [traced.shape(name) for name in ("part", "chosen", "full")] == [(None, 5), (None, 5), (16, 5)]


def test_windows_over_lists_of_what_a_file_says_are_as_long_as_they_say(trace):
    traced = trace(
        """
import torch
load = [float(len(word)) for word in open("words.txt").read().split()]
rows = [[one, 1.0] for one in load]
found = []
for i in range(0, len(load) - 30 + 1, 6):
    past = torch.tensor([[one, *row] for one, row in zip(load[i : i + 24], rows[i : i + 24])])
    target = torch.tensor(load[i + 24 : i + 30])
    found.append((past, target))
first, second = found[0]
"""
    )
    assert (traced.shape("first"), traced.shape("second")) == ((24, 3), (6,))
