"""Generators that data decides the way of: what they give, however often."""

from __future__ import annotations

import pytest

ROWS = """
import torch
torch.manual_seed(0)
rows = [v for v in torch.rand(40).tolist() if v > 0.1]
"""


def test_batches_of_rows_that_nobody_counted(check):
    traced = check(
        ROWS
        + """
def batches(rows, size):
    for start in range(0, len(rows) - size, size):
        yield torch.tensor(rows[start : start + size])

for batch in batches(rows, 8):
    x = batch * 2
for number, batch in enumerate(batches(rows, 4)):
    y = torch.stack([batch, batch])
"""
    )
    assert traced.shape("x") == (8,)
    assert traced.shape("y") == (2, 4)


def test_what_is_left_over_is_given_too(check):
    traced = check(
        ROWS
        + """
def batches(rows):
    batch = []
    for i in range(len(rows)):
        if rows[i] < 0.2:
            continue
        batch.append(torch.zeros(3))
        if len(batch) == 4:
            yield torch.stack(batch)
            batch = []
    if batch:
        yield torch.stack(batch)

for batch in batches(rows):
    x = batch + 1
"""
    )
    assert traced.shape("x") in ((None, 3), None)


def test_one_after_a_loop_that_nobody_counts(check):
    traced = check(
        ROWS
        + """
def parts():
    yield torch.zeros(2, 3)
    for v in rows:
        yield torch.zeros(2, 4)
    yield torch.zeros(2, 5)

for part in parts():
    x = part + 1
"""
    )
    assert {value.shape for value in traced.fact("x").variants} == {(2, 3), (2, 4), (2, 5)}


def test_either_way(check):
    traced = check(
        ROWS
        + """
def parts():
    for i in range(3):
        if rows[0] > 0.5:
            yield torch.zeros(2)
        else:
            yield torch.ones(3)

for part in parts():
    x = part + 1
"""
    )
    assert (3,) in {value.shape for value in traced.fact("x").variants} | {traced.shape("x")} or traced.shape(
        "x"
    ) in ((None,), None)


def test_a_generator_over_a_generator(check):
    traced = check(
        ROWS
        + """
def one():
    for v in rows:
        yield torch.full((3,), v)

def another(source):
    for item in source:
        yield item.unsqueeze(0), 1

def tree(depth):
    if depth:
        yield from tree(depth - 1)
    for v in rows:
        yield torch.full((4,), v)

def through(source):
    for x, n in zip(source, range(5)):
        yield x, n

for item, n in another(one()):
    x = item + n
for item, n in another(list(one())):
    y = item + n
for item, n in through(one()):
    z = item + n
every = [part + 1 for part in one()]
for item in tree(2):
    w = item + 1
"""
    )
    assert traced.shape("w") == (4,)
    assert traced.shape("x") == (1, 3)


def test_a_generator_without_end(check):
    traced = check(
        ROWS
        + """
def endless():
    while True:
        for v in rows:
            yield torch.full((3,), v)

source = endless()
for step in range(4):
    x = next(source)
for item in source:
    w = item + 1
    break
for step, item in zip(range(4), endless()):
    y = item + step
for item in endless():
    z = item + 1
    if z.sum() > 4:
        break
"""
    )
    assert traced.shape("x") == traced.shape("w") == traced.shape("z") == (3,)


def test_what_comes_through_another_iterator_is_not_taken_for_its_items(check):
    check(
        ROWS
        + """
def one():
    for v in rows:
        yield torch.zeros(3)

def pairs():
    yield 1, torch.zeros(2)
    yield from ((n, t) for n, t in enumerate(one()))

def lists():
    yield list(one())

for n, t in pairs():
    x = t + n
for every in lists():
    y = torch.stack(every)
z = torch.stack(list(one()))
u = torch.stack([*map(torch.relu, one())])
v = torch.stack(list(part[:2] for part in one()))
"""
    )


@pytest.mark.parametrize(
    "text",
    [
        "class Maker:\n    def __init__(self):\n        self.size = 4\n    def items(self, rows):\n        for row in rows:\n            yield torch.zeros(self.size)\n"
        "maker = Maker()\nfor x in maker.items(rows):\n    maker.size *= 2\n",
        "sizes = [3]\ndef items():\n    for row in rows:\n        yield torch.zeros(sizes[0])\nfor x in items():\n    sizes[0] += 1\n",
        "size = 3\ndef items():\n    for row in rows:\n        yield torch.zeros(size)\nfor x in items():\n    size += 1\n",
    ],
)
def test_what_changes_between_two_items_is_not_known(trace, text):
    assert not trace("import json, torch\nrows = json.load(open('x.json'))\n" + text).knows("x")
