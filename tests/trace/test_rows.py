"""What is made of rows of which nobody knows how many there are: columns, numbers of statistics, batches."""

from __future__ import annotations

ROWS = """
import math
import statistics
import torch
from torch.utils.data import DataLoader
torch.manual_seed(0)
rows = [(v, torch.full((3,), v), [1, 2]) for v in torch.rand(60).tolist() if v > 0.3]
"""


def test_the_columns_of_rows(check):
    traced = check(
        ROWS
        + """
numbers, vectors, pairs = zip(*rows)
a = torch.tensor(numbers)
b = torch.stack(vectors)
c = torch.tensor(pairs)
columns = list(zip(*rows))
d = torch.stack(columns[1])
e = torch.tensor([len(list(column)) for column in zip(*rows)])
"""
    )
    assert traced.shape("a") == (None,)
    assert traced.shape("b") == traced.shape("d") == (None, 3)
    assert traced.shape("c") == (None, 2)


def test_rows_that_differ_have_no_columns(check):
    check(
        "import torch\nrows = [[1.0] * (1 + (v > 0.5)) for v in torch.rand(9).tolist()]\na = [*zip(*rows)]\nb = torch.tensor(a[0])\n"
    )


def test_what_statistics_and_mathematics_give_is_a_float(check):
    traced = check(
        ROWS
        + """
values = [row[0] for row in rows]
middle, spread = statistics.mean(values), statistics.pstdev(values) or 1.0
a = torch.tensor([(v - middle) / spread for v in values])
b = torch.tensor([middle, spread])
c = torch.tensor(statistics.median([len(rows), 3]))
unknown = id(rows)
d = torch.tensor([math.sin(2 * math.pi * unknown / 24), float(unknown), math.sqrt(unknown)])
f = torch.tensor([int(unknown), len(rows)])
"""
    )
    assert traced.shape("a") == (None,)
    assert traced.shape("b") == (2,) and traced.fact("b").value.dtype == "float32"
    assert traced.shape("d") == (3,) and traced.fact("d").value.dtype == "float32"
    assert traced.shape("f") == (2,) and traced.fact("f").value.dtype == "int64"


def test_batches_of_rows_are_whole_but_for_the_last(check):
    traced = check(
        ROWS
        + """
for vectors in DataLoader([row[1] for row in rows], batch_size=4):
    x = vectors + 1
"""
    )
    assert {value.shape for value in traced.fact("x").variants} == {(4, 3), (None, 3)}
