"""What the rounds of a loop make longer: lists, numbers and tensors, and what is known of them at its end."""

import pytest

HEAD = "import torch, somewhere\nfrom torch import nn\nt = torch.zeros(2, 3)\nnet = nn.Linear(3, 3)\ndeep = nn.Sequential(net, nn.ReLU(), net)\n"


def grown(check, body, after, rounds=1000):
    """What is known after a loop that is cut off: its body calls enough of torch's to be."""
    text = (
        HEAD + body.replace("STEP", "y = deep(t) + 1; y = deep(y) * 2").replace("ROUNDS", str(rounds)) + after
    )
    return check(text)


def test_a_list_that_every_round_appends_to(check):
    traced = grown(
        check,
        "ys, ls = [], []\nfor i in range(ROUNDS):\n    STEP\n    ys.append(y)\n    ls.append(y.sum().item())\n",
        "z = torch.stack(ys)\nl = torch.tensor(ls)\nn = torch.zeros(len(ls), 2)\nk = ys[-1]\n",
    )
    assert traced.shape("z") == (1000, 2, 3)
    assert traced.shape("n") == (1000, 2)
    assert traced.shape("k") == (2, 3)


def test_a_number_that_every_round_adds_to(check):
    traced = grown(
        check,
        "n = m = 0\nfor i in range(ROUNDS):\n    STEP\n    n += 1\n    m = 3 + m\n",
        "z = torch.zeros(n, 2)\nu = torch.zeros(m)\n",
    )
    assert traced.shape("z") == (1000, 2)
    assert traced.shape("u") == (3000,)


def test_the_last_shorter_batch_is_counted_too(check):
    traced = grown(
        check,
        "ds = torch.utils.data.TensorDataset(torch.randn(4003, 3), torch.randn(4003))\n"
        "seen, out = 0, []\nfor i, (x, _) in enumerate(torch.utils.data.DataLoader(ds, batch_size=4)):\n"
        "    y = deep(x) + 1; y = deep(y) * 2; y = deep(y) * 3\n    seen += x.size(0)\n    out.append(y)\n",
        "z = torch.zeros(seen)\nu = torch.cat(out)\n",
    )
    assert traced.shape("z") == (4003,)
    assert traced.shape("u") == (4003, 3)


def test_a_list_that_grows_in_a_loop_within_a_loop(check):
    traced = grown(
        check,
        "every, n = [], 0\nfor e in range(20):\n    mine = []\n    for i in range(ROUNDS):\n        STEP\n"
        "        mine.append(y)\n        n += 2\n    every.append(torch.stack(mine).mean())\n",
        "z = torch.stack(every)\nu = torch.zeros(n)\n",
        rounds=100,
    )
    assert traced.shape("z") == (20,)
    assert traced.shape("u") == (4000,)


def test_a_list_of_which_nobody_knows_how_often_it_grows(check):
    traced = grown(
        check,
        "ys = []\nfor i in range(ROUNDS):\n    STEP\n    if somewhere.flag:\n        ys.append(y)\nys.append(t)\n",
        "z = torch.stack(ys)\n",
        rounds=300,
    )
    assert traced.shape("z") == (None, 2, 3)


UNEVEN = [
    # loops whose growth is not what the last rounds before the cut-off were
    "n = 0\nfor i in range(ROUNDS):\n    STEP\n    n += 1 if i < 500 else 2\n",
    "n = 0\nfor i in range(ROUNDS):\n    STEP\n    n += 1\n    if i == 500:\n        n = 0\n",
    "n = 0\nfor i in range(ROUNDS):\n    STEP\n    if i % 7:\n        continue\n    n += 1\n",
    "n = 0\nfor i in range(ROUNDS):\n    STEP\n    n += 1\n    if i == 700:\n        break\n",
    "n = 1\nfor i in range(ROUNDS):\n    STEP\n    n = n * 2 % 1001\n",
    "n = m = 0\nfor i in range(ROUNDS):\n    STEP\n    n += m\n    m += 1\n",
    "n = m = 0\nfor i in range(ROUNDS):\n    STEP\n    m += 1\n    n = min(m, 50)\n",
    "n, step = 0, 1\nfor i in range(ROUNDS):\n    STEP\n    n += step\n    if n > 100:\n        step = 2\n",
    "n = 0\nfor i in range(ROUNDS):\n    STEP\n    n += 1\n    n %= 13\n",
    "n = 10_000\nfor i in range(ROUNDS):\n    STEP\n    n -= 3\n",
    "n = 0\nfor i in range(ROUNDS):\n    STEP\n    n = i\n",
    "n = 0\ni = 0\nwhile i < ROUNDS:\n    STEP\n    i += 1\n    n += 2\n",
    "ys = []\nfor i in range(ROUNDS):\n    STEP\n    if i % 10 == 0:\n        ys.append(y)\nn = len(ys)\n",
    "ys = []\nfor i in range(ROUNDS):\n    STEP\n    ys.append(y)\n    if len(ys) > 50:\n        ys.pop(0)\nn = len(ys)\n",
    "ys = []\nfor i in range(ROUNDS):\n    STEP\n    ys.append(y)\n    if len(ys) == 50:\n        ys = []\nn = len(ys)\n",
    "ys = []\nfor i in range(ROUNDS):\n    STEP\n    ys.append(y)\n    del ys[:-20]\nn = len(ys)\n",
    "ys = []\nfor i in range(ROUNDS):\n    STEP\n    ys.append(y)\n    ys = ys[-30:]\nn = len(ys)\n",
    "ys = []\nfor i in range(ROUNDS):\n    STEP\n    ys += [y]\nn = len(ys)\n",
    "ys = []\nfor i in range(ROUNDS):\n    STEP\n    ys.extend([y] * 2)\nn = len(ys)\n",
    "ys = []\nfor i in range(ROUNDS):\n    STEP\n    ys.append(y)\n    if i == 900:\n        ys.clear()\nn = len(ys)\n",
    "import collections\nys = collections.deque(maxlen=64)\nfor i in range(ROUNDS):\n    STEP\n    ys.append(y)\nn = len(ys)\n",
    "ys, zs = [], []\nfor i in range(ROUNDS):\n    STEP\n    ys.append(y)\n    zs.extend(ys[:2])\nn = len(zs)\n",
    "ys = {}\nfor i in range(ROUNDS):\n    STEP\n    ys[i] = y\nn = len(ys)\n",
    "ys = {'a': []}\nfor i in range(ROUNDS):\n    STEP\n    ys['a'].append(y)\nn = len(ys['a'])\n",
    "ys = set()\nfor i in range(ROUNDS):\n    STEP\n    ys.add(i // 2)\nn = len(ys)\n",
    "ys = []\nfor i in range(ROUNDS):\n    STEP\n    ys.append([])\nys[0].append(t)\nn = len(ys[1]) + len(ys)\n",
    "ys = []\ndef add(k):\n    if k % 3 == 0:\n        return\n    ys.append(t)\nfor i in range(ROUNDS):\n    STEP\n    add(i)\nn = len(ys)\n",
    "class A:\n    n = 0\na = A()\nfor i in range(ROUNDS):\n    STEP\n    a.n += 1\nn = a.n\n",
    "ys = []\nfor i in range(ROUNDS):\n    STEP\n    try:\n        if i == 600:\n            raise ValueError\n        ys.append(y)\n    except ValueError:\n        pass\nn = len(ys)\n",
    "ys = []\nfor e in range(30):\n    for i in range(40):\n        STEP\n        ys.append(y)\n    if e == 20:\n        ys.clear()\nn = len(ys)\n",
    "ys = []\nfor e in range(30):\n    for i in range(e):\n        STEP\n        ys.append(y)\nn = len(ys)\n",
    "ys, old = [], None\nfor i in range(ROUNDS):\n    STEP\n    if old is not None:\n        ys.append(y)\n    old = y\nn = len(ys)\n",
    "ys, xs = [], [1]\nfor i in range(ROUNDS):\n    STEP\n    xs.append(1)\n    ys.append(y)\n    if len(xs) > 900:\n        ys.append(y)\nn = len(ys)\n",
    "a = b = c = d = 0\nfor i in range(ROUNDS):\n    STEP\n    d = c\n    c = b\n    b = a\n    a = 5 if i > 500 else 0\nn = d\n",
]


@pytest.mark.parametrize("body", UNEVEN)
def test_what_is_said_of_a_cut_off_loop_is_true(check, body):
    grown(check, body, "z = torch.zeros(n)\nu = torch.zeros(n, 2)\n")


def test_a_tensor_that_every_round_makes_longer(check):
    traced = grown(
        check,
        "x = t[:1]\nc = {'k': (t, [t])}\nfor i in range(ROUNDS):\n    STEP\n    x = torch.cat([x, y[:1].detach()])\n"
        "    c['k'] = (torch.cat([c['k'][0], t]), [t])\n",
        "z = x + 1\nu = c['k'][0]\n",
        rounds=300,
    )
    assert traced.shape("z") == (301, 3)
    assert traced.shape("u") == (602, 3)


LONGER = [
    # tensors that grow otherwise than in the last rounds before the cut-off
    "x = t\nfor i in range(ROUNDS):\n    STEP\n    x = torch.cat([x, t])[-50:]\n",
    "x = t\nfor i in range(ROUNDS):\n    STEP\n    x = torch.cat([x, t])[-250:]\n",
    "x = t\nfor i in range(ROUNDS):\n    STEP\n    if i % 2:\n        x = torch.cat([x, t])\n",
    "x = t\nfor i in range(ROUNDS):\n    STEP\n    x = torch.cat([x, t] if i < 200 else [x, t, t])\n",
    "x = t\nfor i in range(ROUNDS):\n    STEP\n    x = torch.cat([x, t])\n    if i == 250:\n        break\n",
    "x = t\nfor i in range(ROUNDS):\n    STEP\n    x = torch.cat([x, t])\n    if len(x) > 270:\n        x = t\n",
    "x = torch.zeros(500, 3)\nfor i in range(ROUNDS):\n    STEP\n    x = x[1:]\n",
    "x = torch.zeros(100, 3)\nfor i in range(ROUNDS):\n    STEP\n    x = x[1:]\n",
    "x = t\nfor i in range(ROUNDS):\n    STEP\n    x = torch.cat([x, x])[: 2 * len(x) - 1]\n    x = x[:40]\n",
    "x = u = t\nfor i in range(ROUNDS):\n    STEP\n    x = torch.cat([x, u])\n    u = torch.cat([u, t])\n    x = x[:60]\n",
    "x = t\nfor e in range(3):\n    x = t\n    for i in range(ROUNDS):\n        STEP\n        x = torch.cat([x, t * e])\n",
    "x = t.half()\nfor i in range(ROUNDS):\n    STEP\n    x = torch.cat([x, t.half()])\n    if i == 200:\n        x = x.float()\n",
    "x = t\nfor i in range(ROUNDS):\n    STEP\n    try:\n        x = torch.cat([x, t])\n        if i == 200:\n            raise ValueError\n"
    "    except ValueError:\n        x = x[:2]\n",
]


@pytest.mark.parametrize("body", LONGER)
def test_what_is_said_of_a_tensor_that_grew_is_true(check, body):
    grown(check, body, "z = x + 1\n", rounds=300)


HIDDEN = [
    "hs = [t, t, t]\nfor i in range(ROUNDS):\n    STEP\n    hs[i % 3] = y\n",
    "hs = [t, t, t]\nfor i in range(ROUNDS):\n    STEP\n    hs[i % 3] = y.sum(0) if i > 200 else y\n",
    "hs = [None] * 3\nfor i in range(ROUNDS):\n    STEP\n    hs[i % 3] = t\n",
    "hs = {0: t}\nfor i in range(ROUNDS):\n    STEP\n    hs[i % 2] = y\n",
]


@pytest.mark.parametrize("body", HIDDEN)
def test_what_is_set_at_an_unknown_index_may_be_any(check, body):
    grown(check, body, "z = hs[0] + 1\nu = hs[1]\n", rounds=300)


def test_a_long_list_of_windows_over_an_array_is_counted(trace):
    traced = trace(
        """
import numpy as np
import torch
series = np.zeros((900, 5), dtype=np.float32)
windows = []
for i in range(len(series) - 48 + 1):
    windows.append(series[i : i + 48])
x = torch.from_numpy(np.array(windows))
y = torch.from_numpy(np.stack(windows))
"""
    )
    assert traced.shape("x") == traced.shape("y") == (853, 48, 5)


def test_what_grows_in_inference_mode_is_known_at_the_end(trace):
    traced = trace(
        "import torch\nnet = torch.nn.Linear(8, 8)\n\n\n@torch.inference_mode()\ndef more(x):\n    cache = [None]\n"
        "    for i in range(200):\n        y = net(x[:, -1:])\n        for _ in range(20):\n            y = net(y)\n"
        "        cache[0] = y if cache[0] is None else torch.cat([cache[0], y], 1)\n        x = torch.cat([x, y], 1)\n"
        "    return x, cache[0]\n\n\nx, kept = more(torch.zeros(2, 5, 8))\n"
    )
    assert (traced.shape("x", 17), traced.shape("kept")) == ((2, 205, 8), (2, 200, 8))


def test_a_vocabulary_is_filled_line_by_line_to_its_end(trace):
    traced = trace(
        HEAD
        + """
class Vocabulary:
    def __init__(self):
        self.words = {}
    def add(self, word):
        if word not in self.words:
            self.words[word] = len(self.words)
lines = ["the quick brown fox jumps over the lazy dog", "pack my box", "how vexingly quick"] * 60
words, count = Vocabulary(), 0
for line in lines:
    for word in line.split() + ["<eos>"]:
        words.add(word)
        count += 1
ids = torch.zeros(count, dtype=torch.long)
table = torch.zeros(len(words.words), 2)
"""
    )
    assert traced.shape("ids") == (60 * 18,)
    assert traced.shape("table") == (14, 2)


def test_a_row_that_a_round_makes_and_fills_is_as_long_after_the_loop(check):
    traced = check(
        HEAD
        + """
lines = ["a b", "c"] if somewhere.flag else ["d e f", "g", "h"]
rows, padded = [], []
for line in lines:
    row = []
    for k in range(5):
        row.append(float(k))
    rows.append(row)
    other = [len(line)] * 2
    other.extend([0] * 3)
    padded.append(other)
a = torch.tensor(rows)
b = torch.tensor(padded)
c = torch.tensor(row)
many = []
for n in range(3000):
    row = list(range(3))
    row.append(torch.rand(()).item())
    x = deep(t)
    many.append(row)
d = torch.tensor(many)
many[0].append(1.0)
e = torch.tensor(many[1])
"""
    )
    assert traced.shape("a") == traced.shape("b") == (None, 5)
    assert traced.shape("c") == (5,)
    assert traced.shape("d") == (3000, 4)
    assert traced.shape("e") == (4,)


def test_a_list_that_rounds_fill_by_another_name_has_nobody_knows_how_many(check):
    traced = check(
        HEAD
        + """
kept = {"a": [1.0], "b": [2.0]}
for n in range(3 if somewhere.flag else 4):
    mine = kept["a"]
    mine.append(1.0)
    if n == 0:
        late = []
    late.append(2.0)
    before = late
    before.append(3.0)
a = torch.tensor(kept["a"])
b = torch.tensor(late)
c = torch.tensor(kept["b"])
"""
    )
    assert traced.shape("a") == traced.shape("b") == (None,)
    assert traced.shape("c") == (1,)


def test_a_list_that_one_way_makes_is_what_that_way_made_of_it(check):
    traced = check(
        HEAD
        + """
found = [[0, 0, 0]]
if somewhere.flag:
    row = []
    for k in range(3):
        row.append(k)
    found.append(row)
a = torch.tensor(found)
"""
    )
    assert traced.shape("a") == (None, 3)


@pytest.mark.parametrize("empties", ["del model.saved[:]", "model.saved = []", "model.saved.clear()"])
def test_a_list_that_is_emptied_in_each_round_holds_no_graph_of_the_round_before(trace, empties):
    traced = trace(
        f"""
from itertools import count
import torch
from torch import nn

model = nn.Linear(4, 1)
model.saved = []

def finish():
    loss = torch.stack([value.square() for value in model.saved]).sum()
    loss.backward()
    {empties}

for episode in count(1):
    for step in range(100):
        model.saved.append(model(torch.rand(1, 4)))
        if torch.rand(()).item() > 0.5:
            break
    finish()
"""
    )
    assert traced.failures() == []


def test_a_list_of_an_unknown_length_is_an_index_of_one(trace):
    traced = trace(
        """
import torch
x = torch.randn(13, 127, 8)
rows, columns = [], []
for i in range(126):
    for j in range(i + 1, 127):
        rows.append(i), columns.append(j)
product = x[:, rows] * x[:, columns]
"""
    )
    assert traced.shape("product") == (13, None, 8) and not traced.failures()


def test_what_becomes_longer_in_nobody_knows_how_many_rounds_keeps_the_rest(trace):
    traced = trace("""
import torch
from torch import nn
words = open("data.txt").read().split()
h, m, ids = torch.zeros(0, 4), torch.zeros(4, 1), torch.zeros(1, 1, dtype=torch.long)
best, kept = -1, torch.zeros(1)
embed = nn.Embedding(64, 4)
for word in words:
    h = torch.cat([h, torch.ones(1, 4)])
    m = torch.cat([m, torch.ones(4, 1)], 1)
    seen = embed(ids) + embed(torch.arange(ids.shape[1]))
    ids = torch.cat([ids, seen[:, -1].argmax(-1, keepdim=True)], 1)
    if len(word) > best:
        best, kept = len(word), torch.full((3,), 1.0)
a, b, c, d = nn.Linear(4, 2)(h), h.mean(0), m[:, -1], h.view(-1, 2, 2)
e = nn.Linear(3, 2)(kept)
""")
    assert not traced.failures()
    assert [traced.shape(name) for name in ("h", "m", "ids")] == [(None, 4), (4, None), (1, None)]
    assert [traced.shape(name) for name in "abcd"] == [(None, 2), (4,), (4,), (None, 2, 2)]
    assert traced.shape("seen") == (1, None, 4)
    assert traced.shape("e") in ((2,), None)
