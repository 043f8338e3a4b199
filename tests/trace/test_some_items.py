"""Dicts that have some of their items for certain, whatever else is in them."""

from __future__ import annotations

_TWO_WAYS = """
import random
import torch
row = {"x": torch.zeros(2, 3), "n": 4}
if random.random() < 0.5:
    row["x"] = row["x"].flip(0)
    row["flipped"] = torch.zeros(5)
"""


def test_what_a_dict_has_on_both_ways_it_has(trace):
    traced = trace(
        _TWO_WAYS
        + """
x = row["x"]
y = row.get("x")
z = torch.ones(row["n"])
row["mean"] = row["x"].mean(1)
m = row["mean"]
w = row.pop("x")
"""
    )
    assert [traced.shape(name) for name in "xyzmw"] == [(2, 3), (2, 3), (4,), (2,), (2, 3)]


def test_what_a_dict_has_on_one_way_only_it_may_have(trace):
    traced = trace(
        _TWO_WAYS
        + """
a = torch.ones(3) if "flipped" in row else torch.ones(4)
b = torch.ones(3) if "x" in row else torch.ones(4)
c = torch.ones(row.get("flipped", 2))
d = torch.ones(len(row))
row.setdefault("flipped", torch.ones(7))
e = row["flipped"]
"""
    )
    assert traced.shape("b") == (3,)
    assert traced.shape("a") == (None,)
    assert traced.shape("c") != (2,) and traced.shape("d") != (2,)
    assert not traced.knows("e")


def test_what_may_have_been_taken_out_is_not_certain(trace):
    traced = trace(
        _TWO_WAYS
        + """
if random.random() < 0.5:
    del row["x"]
a = torch.ones(3) if "x" in row else torch.ones(4)
key = random.choice(["n", "x", "flipped"])
row[key] = torch.ones(9)
b = row["n"]
"""
    )
    assert traced.shape("a") == (None,)
    assert not traced.knows("b")


def test_a_call_that_gives_back_a_dict_of_which_nothing_is_known_counts(trace):
    traced = trace(
        """
import random
import torch
def halves(row):
    return {key: value[:1] for key, value in row.items()}
a = halves({"x": torch.zeros(2, 3)})
other = {}
other[input()] = input()
b = halves(other)
"""
    )
    returned = [fact for fact in traced.facts if fact.name == "<return>"]
    assert all(getattr(fact.value, "shape", None) is None for fact in returned)


def test_a_counter_counts_none_of_what_it_may_not_have(trace):
    traced = trace(
        """
import random
import torch
from collections import Counter
counted = Counter("ab")
if random.random() < 0.5:
    counted["z"] += 1
a = torch.zeros(counted["a"])
q = torch.zeros(counted["q"] + 1)
"""
    )
    assert (traced.shape("a"), traced.shape("q")) == ((1,), (None,))
