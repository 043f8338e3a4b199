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


DRAWN = """
import itertools
import torch
from torch import nn
data, ix = torch.randn(100, 4), torch.randint(90, (32,))
seen, numbers = [], itertools.count()
"""


def test_rounds_that_nothing_tells_apart_are_not_all_run(trace):
    traced = trace(
        DRAWN
        + """
a = torch.stack([data[i : i + 8] * 2 for i in ix])
b = torch.stack([torch.cat([data[i], data[i + 1]]).abs() for i in ix.tolist()])
"""
    )
    assert traced.shape("a") == (32, 8, 4) and traced.shape("b") == (32, 8)
    products = [event for event in traced.log.events if getattr(event, "name", None) == "*"]
    assert 0 < len(products) < 8


def test_rounds_that_leave_something_behind_are_run(trace):
    traced = trace(
        DRAWN
        + """
def moved(x):
    return x + next(numbers)

a = [seen.append(1) or data[i] + 1 for i in ix]
appended = torch.zeros(len(seen))
b = [data[i] + next(numbers) for i in ix]
c = [data[i] + [*itertools.islice(numbers, 1)][0] for i in ix]
d = [moved(data[i]) for i in ix]
counted = torch.zeros(next(numbers))
"""
    )
    assert traced.shape("appended") == (32,) and traced.shape("counted") == (96,)
