"""Dicts and other containers of which some items are known, whatever else is in them."""

from __future__ import annotations

HEAD = "import random, torch, somewhere\nfrom collections import Counter, deque\n"

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


def test_a_copy_has_what_it_was_copied_from(trace):
    traced = trace(
        "import copy\n"
        + _TWO_WAYS
        + """
a = dict(row, y=torch.zeros(7))
b = {**row, "y": torch.zeros(7)}
c = copy.deepcopy({"x": torch.zeros(2, 3)} if random.random() < 0.5 else {"x": torch.zeros(2, 3)})
d = copy.copy(row)
e = row.copy()
ax, ay, bx, by = a["x"], a["y"], b["x"], b["y"]
cx, dx, ex = c["x"], d["x"], e["x"]
f = copy.deepcopy({**row, "n": 5})["x"]
e["x"] = torch.zeros(9)
x = row["x"]
"""
    )
    assert [traced.shape(name) for name in ("ax", "bx", "cx", "dx", "ex", "f", "x")] == [(2, 3)] * 7
    assert traced.shape("ay") == traced.shape("by") == (7,)


def test_a_copy_may_have_more_too(trace):
    traced = trace(
        "import copy\n"
        + _TWO_WAYS
        + """
copies = [dict(row), {**row}, copy.copy(row), copy.deepcopy(row), row.copy()]
for one in copies:
    many = torch.zeros(len(one))
    more = torch.zeros(3) if "flipped" in one else torch.zeros(4)
over = {"x": torch.zeros(8), "flipped": torch.zeros(8), **row}
f = over["flipped"]
n = torch.zeros(len(over))
"""
    )
    assert traced.shape("many") == traced.shape("more") == (None,)
    assert not traced.knows("f") and traced.shape("n") == (None,)


def test_one_of_two_dicts_may_have_what_either_may_have(trace):
    traced = trace(
        _TWO_WAYS
        + """
other = {"x": torch.zeros(2, 3), "n": 4}
for one, two in ((row, other), (other, row)):
    either = one if random.random() < 0.5 else two
    x = either["x"]
    many = torch.zeros(len(either))
    more = torch.zeros(3) if "flipped" in either else torch.zeros(4)
    rows = torch.stack([either["x"] for _ in either])
    pair = [one, 1] if random.random() < 0.5 else [two, 1]
    paired = torch.zeros(len(pair[0]))
"""
    )
    assert traced.shape("x") == (2, 3)
    assert traced.shape("many") == traced.shape("more") == traced.shape("paired") == (None,)
    assert traced.shape("rows") in (None, (None, 2, 3))


def test_a_copied_list_is_as_long(trace):
    traced = trace("""
import copy, random, torch
rows = [torch.zeros(2, 3)]
while random.random() < 0.5:
    rows.append(torch.zeros(2, 3))
a, b, c = rows.copy(), copy.copy(rows), copy.deepcopy(rows)
x, y, z = a[0], b[-1], torch.stack(c)
a.append(torch.zeros(4))
w = torch.stack(rows)
n = torch.zeros(len(b))
""")
    assert traced.shape("x") == traced.shape("y") == (2, 3)
    assert traced.shape("z") == traced.shape("w") == (None, 2, 3)
    assert traced.shape("n") == (None,)


def test_what_is_in_a_container_of_unknown_length_is_not_said_from_what_was_seen_of_it(trace):
    traced = trace(
        HEAD
        + """
seen, vocab, waiting, counts = set(), {}, deque(), Counter()
for word in somewhere.words():
    seen.add(word)
    vocab[word] = 1
    waiting.append(word)
    counts[word] += 1
a = torch.zeros(3 if "the" in seen else 4)
b = torch.zeros(3 if "the" not in seen else 4)
c = torch.zeros(3 if seen == {"the"} else 4)
d = torch.zeros(3 if seen <= {"the"} else 4)
e = torch.zeros(3 if vocab == {} else 4)
f = torch.zeros(3 if waiting == deque() else 4)
g = torch.zeros(3 if counts == Counter() else 4)
h = torch.zeros(3 if seen is vocab or vocab == None else 4)
"""
    )
    assert [traced.shape(name) for name in "abcdefg"] == [(None,)] * 7
    assert traced.shape("h") == (4,)


def test_a_set_that_a_long_loop_fills_has_such_items_as_it_was_given(trace):
    traced = trace(
        HEAD
        + """
pairs = set()
while len(pairs) < 300:
    pairs.add((random.randint(0, 9), random.randint(0, 9)))
some = torch.tensor(sorted(pairs))
one = torch.tensor(list(pairs)[0])
counts = {}
for head, tail in pairs:
    if (head, tail) not in counts:
        counts[(head, tail)] = 4
    else:
        counts[(head, tail)] += 1
weight = torch.Tensor([counts[(head, tail)]])
unlike = {(1, 2, 3)}
while len(unlike) < 300:
    unlike.add((random.randint(0, 9), 1))
other = torch.zeros(len(list(unlike)[0]))
few = {1, 2}
few.add(somewhere.number())
total = torch.zeros(sum(few), len(few))
"""
    )
    assert traced.shape("some") == (None, 2)
    assert traced.shape("one") == (2,)
    assert traced.shape("weight") == (1,)
    assert traced.shape("other") == (None,)
    assert traced.shape("total") == (None, None)


def test_a_list_of_lists_of_unknown_length_keeps_what_they_hold(trace):
    traced = trace("""
        import torch
        episodes = []
        for number in range(3):
            steps = []
            for step in range(8):
                done = torch.rand(1).item() < 0.1
                steps.append((torch.zeros(4), number, done))
                if done:
                    break
            episodes.append(steps)
        last = torch.stack([state for state, _, _ in episodes[-1]])
        states, actions = [], []
        for steps in episodes:
            for state, action, done in steps:
                states.append(state)
                actions.append([action])
        every, taken = torch.stack(states), torch.tensor(actions)
        rows = [[state for state, _, _ in steps] for steps in episodes]
        some = torch.stack(rows[int(torch.randint(0, 3, ()))])
        """)
    assert [traced.shape(name) for name in ("last", "every", "taken", "some")] == [
        (None, 4),
        (None, 4),
        (None, 1),
        (None, 4),
    ]


def test_what_is_ordered_by_what_nobody_knows_is_one_of_what_there_is(trace):
    traced = trace("""
        import torch
        batches = [torch.randn(n + 1, 4) for n in range(5)]
        scored = [(batch.mean().item(), batch) for batch in batches]
        ranked = sorted(scored, key=lambda pair: pair[0], reverse=True)
        every, first = torch.cat([batch for _, batch in ranked]), ranked[0][1]
        best, last = max(scored, key=lambda pair: pair[0])[1], min(scored)[1]
        values = torch.tensor(sorted(value for value, _ in scored))
        largest = sorted(batches, key=lambda batch: batch.sum())[-1]
        longest = max(scored, key=lambda pair: len(pair[1]))[1]

        model, asked = torch.nn.Linear(4, 1), []
        optimizer = torch.optim.LBFGS(model.parameters(), line_search_fn="strong_wolfe")
        def closure():
            optimizer.zero_grad()
            loss = model(batches[0]).mean()
            loss.backward()
            asked.append(loss.item())
            return loss
        loss = optimizer.step(closure)
        curve = torch.tensor(asked)
        """)
    shapes = {
        "every": (15, 4),
        "first": (None, 4),
        "best": (None, 4),
        "last": (None, 4),
        "values": (5,),
        "largest": (None, 4),
        "longest": (5, 4),
        "loss": (),
        "curve": (None,),
    }
    assert {name: traced.shape(name) for name in shapes} == shapes
