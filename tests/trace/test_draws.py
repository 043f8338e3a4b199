"""What follows from a seed in the text is drawn as it really is; what something else may have drawn before is not known."""

import random
import textwrap

import numpy as np
import pytest
import torch

PYTHONS = """
    import random
    import torch
    random.seed(42)
    words = ["a", "bbb", "cc", "ddddd", "eeee"]
    random.shuffle(words)
    a = torch.zeros(len(words[0]), len(words[1]), len(words[2]))
    b = torch.zeros(random.randint(1, 9), random.choice([3, 5, 7]), len(random.choice(words)))
    c = torch.zeros(random.sample(range(9), 2)[1] + 1, random.randrange(2, 40, 3), int(random.gauss(30, 4)))
    own = random.Random("x")
    d = torch.zeros(own.randint(1, 9), int(own.uniform(1, 9)), own.choices([1, 2, 3], k=4)[2], own.getrandbits(3) + 1)
    for i in range(3):
        e = torch.zeros(random.randint(1, 100))
    f = torch.zeros(random.randint(1, 100))
    random.seed(7)
    g = torch.zeros(random.randint(1, 1000))
"""
NUMPYS = """
    import numpy as np
    import torch
    np.random.seed(3)
    picked = np.random.rand(20) > 0.5
    a = torch.zeros(np.random.randint(3, 9), int(np.random.permutation(9)[3]) + 1, np.random.choice([1, 2, 3, 4]))
    b = torch.from_numpy(np.arange(20)[picked])
    rng = np.random.default_rng(7)
    c = torch.zeros(int(rng.integers(1, 30)), int(rng.normal(30, 3)), int(rng.choice(9)) + 1)
    d = torch.from_numpy(np.unique(rng.integers(0, 9, 12)))
    order = np.arange(6)
    rng.shuffle(order)
    e = torch.zeros(int(order[0]) + 1, int(order[1]) + 1)
    rows = np.random.RandomState(0).randn(12, 2)
    f = torch.tensor(rows[rows[:, 0] > 0])
    names = [1, 2, 3, 4, 5]
    np.random.shuffle(names)
    g = torch.zeros(names[0], names[1])
    table = rng.permutation(np.arange(12).reshape(6, 2))
    h = torch.zeros(int(table[0, 0]) + 1, int(rng.choice(table, 2)[1, 1]) + 1)
    i = torch.from_numpy(rng.standard_normal((3, 2), dtype=np.float32))
    j = torch.zeros(int(rng.poisson(40)), int(rng.multinomial(20, [0.5, 0.5])[0]) + 1)
"""


@pytest.mark.parametrize("text", [PYTHONS, NUMPYS], ids=["python", "numpy"])
def test_a_seed_decides(trace, text):
    names, before = {}, (random.getstate(), np.random.get_state())
    exec(textwrap.dedent(text), names)
    random.setstate(before[0])
    np.random.set_state(before[1])
    traced = trace(text)
    tensors = {name: value for name, value in names.items() if isinstance(value, torch.Tensor)}
    assert len(tensors) > 6
    for name, real in tensors.items():
        if name != "e" or text is NUMPYS:
            assert traced.shape(name) == tuple(real.shape), name
            assert traced.fact(name).value.dtype == str(real.dtype).removeprefix("torch."), name
    assert (random.getstate(), np.random.get_state()[1].tolist()) == (before[0], before[1][1].tolist())


OPENED = {
    "no seed": "x = torch.zeros(random.randint(1, 9))",
    "no known seed": "random.seed(somewhere.seed)\nx = torch.zeros(random.randint(1, 9))",
    "a call that is not followed": "random.seed(1)\nsomewhere.call()\nx = torch.zeros(random.randint(1, 9))",
    "a draw on one way": "random.seed(1)\nif somewhere.flag:\n    random.random()\nx = torch.zeros(random.randint(1, 9))",
    "a seed on one way": "random.seed(1)\nif somewhere.flag:\n    random.seed(2)\nx = torch.zeros(random.randint(1, 9))",
    "uncounted rounds": "r = random.Random(1)\nfor _ in somewhere.items:\n    r.random()\nx = torch.zeros(r.randint(1, 9))",
    "rounds that end by data": "r = random.Random(1)\nfor _ in range(9):\n    if torch.rand(()) > 0.5:\n        break\n    r.random()\n"
    "x = torch.zeros(r.randint(1, 9))",
    "rounds that are cut off": "r = random.Random(1)\nlayer = torch.nn.Linear(3, 3)\nfor _ in range(3000):\n    layer(torch.zeros(2, 3))\n"
    "    r.random()\nx = torch.zeros(r.randint(1, 9))",
    "numbers that are not known": "r = random.Random(1)\nr.randint(0, somewhere.n)\nx = torch.zeros(r.randint(1, 9))",
    "a generator handed over": "r = random.Random(1)\nsomewhere.use(lambda: r.random())\nx = torch.zeros(r.randint(1, 9))",
    "what no seed decides": "x = torch.zeros(random.SystemRandom(1).randint(1, 9))",
    "items of a dataset": """
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 9
    def __getitem__(self, index):
        return torch.zeros(random.Random(index).randint(1, 9))
x = next(iter(torch.utils.data.DataLoader(Data(), 1)))[0]
""",
    "draws of a dataset": """
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 9
    def __getitem__(self, index):
        random.random()
        return torch.zeros(3)
random.seed(1)
for batch in torch.utils.data.DataLoader(Data(), 1):
    pass
x = torch.zeros(random.randint(1, 9))
""",
    "numpy's, a draw on one way": "rng = np.random.default_rng(1)\nif somewhere.flag:\n    rng.random()\nx = torch.zeros(int(rng.integers(1, 9)))",
    "numpy's, a call that is not followed": "np.random.seed(1)\nsomewhere.call()\nx = torch.zeros(np.random.randint(1, 9))",
    "numpy's, no seed": "rng = np.random.default_rng()\nx = torch.zeros(int(rng.integers(1, 9)))",
}


@pytest.mark.parametrize("text", OPENED.values(), ids=OPENED.keys())
def test_what_else_may_have_drawn(trace, text):
    traced = trace("import random, torch, somewhere\nimport numpy as np\n" + text)
    assert traced.shape("x") == (None,)


def test_items_of_unlike_sizes_are_in_any_order(trace):
    traced = trace("""
import random
import numpy as np
import torch
class Graph:
    def __init__(self, n):
        self.x = torch.zeros(n, 4)
sizes = [5 + i % 2 for i in range(13)]
rows = [{"x": torch.zeros(n, 4)} for n in sizes]
graphs = [Graph(n) for n in sizes]
pairs = [(n, "a") for n in sizes]
arrays = [np.zeros((4, n)) for n in sizes]
alike = [{"x": torch.zeros(3, 4)} for n in sizes]
for one in (rows, graphs, pairs, arrays, alike):
    random.shuffle(one)
a, b, c, d, e = rows[0]["x"], graphs[0].x, torch.zeros(pairs[0][0]), torch.from_numpy(arrays[0]), alike[0]["x"]
""")
    assert traced.shape("a") == traced.shape("b") == (None, 4)
    assert traced.shape("c") == (None,) and traced.shape("d") == (4, None)
    assert traced.shape("e") == (3, 4)
