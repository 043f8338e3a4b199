"""An item at a place that nobody knows: what all items share is known of it, and nothing that only some have."""

from __future__ import annotations

from typing import Any

import pytest

LISTS = """
import random
from collections import namedtuple
import torch
Graph = namedtuple("Graph", ["x", "edges", "label"])
tensors = [torch.zeros(size, 8) for size in (5, 7, 5, 9)]
pairs = [(torch.zeros(size, 8), size % 2) for size in (5, 7, 5, 9)]
graphs = [Graph(torch.zeros(n, 4), torch.zeros(2, e), "a" * n) for n, e in ((3, 8), (3, 9), (4, 8), (5, 1))]
rows = [torch.arange(6) for _ in range(100)]
"""


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("tensors[i]", (None, 8)),
        ("tensors[order[0]]", (None, 8)),
        ("pairs[i][0]", (None, 8)),
        ("graphs[i].x", (None, 4)),
        ("graphs[i].edges", (2, None)),
        ("random.choice(graphs).edges", (2, None)),
        ("rows[i]", (6,)),
        ("torch.cat([graphs[i].x, graphs[i].x])", (None, 4)),
    ],
)
def test_an_item_at_an_unknown_place_has_what_all_items_share(trace, expression, shape):
    program = f"{LISTS}order = torch.randperm(4)\ni = order.tolist()[0]\nx = {expression}\n"
    real: dict[str, Any] = {}
    exec(program, real)
    traced = trace(program)
    assert traced.shape("x") == shape
    assert len(real["x"].shape) == len(shape)
    assert traced.fact("x").value.dtype == str(real["x"].dtype).removeprefix("torch.")


def test_a_list_is_read_at_a_tensor_of_which_nobody_knows_the_number(trace):
    traced = trace(
        """
        import torch
        groups = [torch.arange(10) + i for i in range(6)]
        batch = []
        for c in torch.randperm(len(groups))[:3]:
            rows = groups[c]
            batch.append(rows[torch.randperm(len(rows))[:4]])
        batch = torch.stack(batch).t().reshape(-1)
        """
    )
    assert traced.shape("rows") == (10,)
    assert traced.shape("batch") == (12,)


def test_items_that_are_alike_by_chance_where_a_loader_looks_are_not_taken_for_all(trace):
    """The first, the last and the one in the middle have as many rows; most others have not."""
    traced = trace(
        """
        import torch
        from torch.utils.data import DataLoader, Dataset
        class Boxes(Dataset):
            def __len__(self):
                return 81
            def __getitem__(self, i):
                return torch.zeros(3, 8, 8), torch.zeros(1 + i % 8, 4)
        def collate(batch):
            pictures, boxes = zip(*batch)
            return torch.stack(pictures), list(boxes)
        for pictures, boxes in DataLoader(Boxes(), batch_size=9, shuffle=True, collate_fn=collate):
            first = boxes[0]
        """
    )
    assert traced.shape("pictures") == (9, 3, 8, 8)
    assert traced.shape("first") == (None, 4)


def test_a_list_of_named_tuples_that_a_long_loop_fills_keeps_its_length(trace):
    traced = trace(
        """
        import somewhere, torch
        from collections import namedtuple
        Item = namedtuple("Item", ["x", "label"])
        items = []
        for _ in range(900):
            n = int(somewhere.length)
            items.append(Item(torch.zeros(n, 3).relu().exp(), torch.tensor(n)))
        counts = torch.zeros(len(items))
        x = items[17].x
        """
    )
    assert traced.shape("x") == (None, 3)
    assert traced.shape("counts") == (900,)


def test_a_table_that_is_filled_by_places_nobody_knows_is_filled(trace):
    traced = trace(
        """
import torch
def lattice(x, rows, columns):
    table = [[None] * columns for _ in range(rows)]
    table[0][0] = torch.zeros(4)
    for i in range(rows):
        for j in range(columns):
            if i == 0 and j == 0:
                continue
            table[i][j] = (table[i - 1][j] if i > 0 else table[i][j - 1]) + x[i]
    return torch.stack([torch.stack(row) for row in table])
x, y = torch.zeros(int(torch.randint(20, 40, (1,))), 4), torch.zeros(int(torch.randint(3, 7, (1,))), 4)
z = lattice(x, x.shape[0], y.shape[0])
"""
    )
    assert traced.shape("z") == (None, None, 4)
    assert not any(getattr(event, "failure", None) for event in traced.log.events)
