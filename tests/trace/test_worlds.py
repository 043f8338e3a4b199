"""What only data decides: its rank, dtype and other dims are known, its own size is not."""

import pytest

from shapewise.vocabulary.events import Bound

HEAD = """
import random, math
import torch
import torch.nn.functional as F
x = torch.randn(10, 4)
mask = x[:, 0] > 0
"""


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        ("z = x[mask]", (None, 4)),
        ("z = x[mask].sum(0)", (4,)),
        ("z = x[mask][:5]", (None, 4)),
        ("z = x[mask].mean()", ()),
        ("z = x[mask, 1]", (None,)),
        ("z = torch.nonzero(mask)", (None, 1)),
        ("z, inverse = torch.unique(torch.randint(0, 9, (50,)), return_inverse=True)", (None,)),
        ("_, z = torch.unique(torch.randint(0, 9, (50,)), return_inverse=True)", (50,)),
        ("z = x[x[:, 1].argmax()]", (4,)),
        ("z = x[torch.randperm(10)[:3]]", (3, 4)),
        ("n = mask.sum().item()\nz = torch.zeros(n, 3)", ("n", 3)),
        ("n = random.randint(3, 9)\nz = torch.zeros(n // 100 + 2)", (2,)),
        ("n = random.randint(3, 9)\nz = torch.zeros(n % 3 + 1)", (None,)),
        ("n = random.randint(3, 9)\nz = x[:n]", ("n", 4)),
        ("n = random.randint(3, 12)\nz = x[:n]", (None, 4)),
        ("n = random.randint(3, 9)\nz = torch.randn(10, 3)[:, :n]", (10, 3)),
        ("z = torch.zeros(int(random.random() * 10))", (None,)),
        (
            "i = torch.randint(100 - 8, (4,))\nd = torch.arange(100)\nz = torch.stack([d[j : j + 8] for j in i])",
            (4, 8),
        ),
        ("z = torch.stack([row.sum() for row in x[mask]])", (None,)),
        ("y = x[mask]\nz = torch.zeros(1) if len(y) == 0 else y.mean(0)", (None,)),
        ("y = torch.zeros(10)\ny[mask] = x[mask, 0]\nz = y", (10,)),
        ("parts = x.split((x > 0).sum(0).tolist())\nz = parts[2]", (None, 4)),
        ("z = F.cross_entropy(x[mask], torch.randint(0, 4, (10,))[mask])", ()),
        ("m = torch.randint(0, 90, (4,)); z = F.one_hot(m, m.max() + 1)", (4, None)),
        ("m = torch.randint(0, 90, (4,)); z = F.one_hot(m, max(m.max() + 1, 8))[:, :8]", (4, 8)),
    ],
)
def test_what_data_decides(trace, code, shape):
    traced = trace(HEAD + code + "\n")
    assert traced.shape("z") == shape
    assert traced.failures() == []


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        ("z = torch.randn(6, 6)[~torch.eye(6, dtype=torch.bool)]", (30,)),
        ("lengths = torch.tensor([5, 3, 2])\nz = torch.zeros(3, int(lengths.max()))", (3, 5)),
        ("lengths = torch.tensor([5, 3, 2])\nz = torch.arange(3).repeat_interleave(lengths)", (10,)),
        ("a, z, b = torch.randn(10, 2).split(torch.tensor([5, 3, 2]).tolist())", (3, 2)),
        ("t = torch.arange(5)\nz = t[t > 2]", (2,)),
        ("t = torch.zeros(4, dtype=torch.bool)\nt[1:3] = True\nz = x[:4][t]", (2, 4)),
        ("t = torch.zeros(4, dtype=torch.bool)\nt[x[:4, 0] > 0] = True\nz = x[:4][t]", (None, 4)),
        ("z = F.one_hot(torch.tensor([0, 2, 1]))", (3, 3)),
        (
            "from collections import namedtuple\nP = namedtuple('P', 'a b')\nz = torch.cat(P(torch.ones(2), torch.ones(3)))",
            (5,),
        ),
        ("a = torch.arange(9)\nz = a[torch.tensor(2) : torch.tensor(5)]", (3,)),
        ("w = torch.ones(3, requires_grad=True)\nz = x[:3][w > 0]", (None, 4)),
    ],
)
def test_values_of_literals(trace, code, shape):
    assert trace(HEAD + code + "\n").shape("z") == shape


TALLY = "t = torch.randint(0, 100, (50,))\n"


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        ("z = torch.bincount(t, minlength=100)", (None,)),
        ("z = torch.bincount(t, minlength=100).view(10, 10)", (10, 10)),
        ("z = torch.zeros(100) + torch.bincount(t, minlength=100)", (100,)),
        ("z = torch.zeros(100)\nz += torch.bincount(t, minlength=100)", (100,)),
        ("z = x[mask] + torch.ones(7, 1)", (7, 4)),
        ("z = x[mask] + x[x[:, 1] > 0]", (None, 4)),
        ("w = torch.randn(4, 7).T.requires_grad_()\nz = x[mask] * w[:, :1].expand(7, 4)", (7, 4)),
        ("z = x[mask].T.reshape(2, 14)", (2, 14)),
        ("z = x[mask].reshape(7, -1)", (7, None)),
    ],
)
def test_a_size_is_what_it_has_to_fit(trace, code, shape):
    traced = trace(HEAD + TALLY + code + "\n")
    assert traced.shape("z") == shape
    assert traced.failures() == []


def test_what_is_written_into_does_not_get_another_size(trace):
    traced = trace(HEAD + "z = x[mask, 0]\nz += torch.ones(7)\n")
    assert traced.shape("z") is None and traced.failures() == []


@pytest.mark.parametrize(
    "code",
    [
        "z = torch.zeros(5 + len(found) - len(others))",
        "n, m = len(found), len(others)\nz = torch.zeros(5 + n - m)",
    ],
)
def test_two_numbers_are_not_one_because_both_are_unknown(trace, code):
    head = "found, others = x[mask], x[x[:, 1] > 0]\n"
    assert trace(HEAD + head + code + "\n").shape("z") == (None,)


def test_a_loader_of_nobody_knows_how_many_items_has_a_full_batch(trace):
    traced = trace(
        """
import torch
from torch.utils.data import DataLoader, TensorDataset
rows = [[float(word) for word in line.split(",")[:1]] for line in open("rows.csv")]
layer = torch.nn.Linear(1, 1)
y = torch.zeros(3)
for (x,) in DataLoader(TensorDataset(torch.tensor(rows)), batch_size=64, shuffle=True, drop_last=True):
    y = layer(x[:, :1])
"""
    )
    assert traced.shape("y", line=7) == (64, 1)


def test_a_part_between_two_unknown_places_has_its_other_sizes(trace):
    traced = trace(
        HEAD
        + "first, last = int(x.argmax()), int(x.argmin())\nz = torch.zeros(2, 90)[:, first:last].view(2, -1, 1)\n"
    )
    assert traced.shape("z") == (2, None, 1)


def test_a_mask_that_does_not_fit_fails(trace):
    traced = trace(HEAD + "z = torch.zeros(4, 2)[mask]\n")
    assert traced.failures() == [
        (
            6,
            "The shape of the mask [10] at index 0 does not match the shape of the indexed tensor [4, 2] at index 0",
        )
    ]


@pytest.mark.parametrize(
    ("code", "refused"),
    [
        ("z = 1 - (a > 0)", "Subtraction, the `-` operator, with a bool tensor is not supported."),
        ("z = -(a > 0)", "Negation, the `-` operator, on a bool tensor is not supported."),
        ("z = F.binary_cross_entropy_with_logits(a, a > 0)", "Subtraction, the `-` operator, with two bool"),
        ("z = a & a", "\"bitwise_and_cpu\" not implemented for 'Float'"),
        ("z = a & (a > 0)", "\"bitwise_and_cpu\" not implemented for 'Float'"),
        ("z = torch.std((a > 0).long())", "std and var only support floating point and complex dtypes"),
    ],
)
def test_a_dtype_is_refused_however_many_there_are(trace, code, refused):
    rows = "import csv\na = torch.tensor([[float(one) for one in row[:4]] for row in csv.reader(open('a.csv'))])\n"
    for made in ("a = x[mask]\n", rows):
        ((_, message),) = trace(HEAD + made + code + "\n").failures()
        assert message.startswith(refused)


def test_a_size_of_data_meets_another_dim_than_its_own(trace):
    traced = trace(HEAD + "a = x[mask]\nweights = a.sum(1)\nz = a * weights\n")
    refused = "The size of tensor a (4) must match the size of tensor b (?) at non-singleton dimension 1"
    assert traced.failures() == [(8, refused)]


def test_a_product_sums_over_a_size_of_data_that_is_the_other_dims(trace):
    refused = "mat1 and mat2 shapes cannot be multiplied (?x4 and ?x4)"
    assert trace(HEAD + "a = x[mask]\nz = a @ (a + 1)\n").failures() == [(7, refused)]


@pytest.mark.parametrize(
    "code",
    [
        "z = a * a.sum(1, keepdim=True)",
        "z = a * x[x[:, 1] > 0].sum(1)",
        "z = a * torch.zeros(torch.unique(x.long()).numel())",
        "z = a.T * a.sum(1)",
        "z = (a @ a.T) * a.sum(1)",
        "z = a @ torch.zeros(torch.unique(x.long()).numel(), 4)",
        "z = a.T @ a @ torch.eye(4)",
        "one = x[:, 0] == 3.0\nz = x[one] * x[one].sum(1)",
        "kinds = torch.unique(x[:, 0].long())\nmeans = torch.stack([x[x[:, 0] == k].mean(0) for k in kinds])\nz = means @ means",
    ],
)
def test_a_size_of_data_that_may_be_the_one_it_meets_is_no_failure(trace, code):
    assert trace(HEAD + "a = x[mask]\n" + code + "\n").failures() == []


def test_sizes_that_may_be_equal_are_no_failure(trace):
    traced = trace(HEAD + "a = x[mask]\nb = x[x[:, 1] > 0]\nz = a + b\nq = x + a\nlater = torch.zeros(2)\n")
    assert traced.failures() == []
    assert traced.shape("later") == (2,)


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        ("lens = torch.tensor([3, 5, 7])\nz = torch.zeros(int(lens[k]))", (None,)),
        ("lens = torch.tensor([3, 5, 7])\nlens[k] = 3\nz = torch.zeros(int(lens[0]))", (None,)),
        ("lens = torch.tensor([3, 5, 7])\nlens[k % 2] = 3\nz = torch.zeros(int(lens[0]))", (None,)),
        ("lens = torch.tensor([3, 5, 7])\nlens += k\nz = torch.zeros(int(lens[0]))", (None,)),
        ("z = torch.zeros(int(torch.arange(6).clamp(max=k).max()))", ("k",)),
        ("z = torch.zeros(int(torch.full((3,), k)[0]))", ("k",)),
        ("z = torch.zeros(int(torch.tensor([0, k])[1]))", (None,)),
        ("rows, cols = [], []\nfor i in range(4):\n    if random.random() < 0.5:\n        continue\n"
         "    rows.extend(thing.tolist())\n    cols.extend([i] * 3)\nz = torch.tensor([rows, cols])", None),
    ],
)  # fmt: skip
def test_a_number_that_may_be_any_is_none_of_them(trace, code, shape):
    assert trace(HEAD + "import thing\nk = random.randint(0, 2)\n" + code + "\n").shape("z") == shape


@pytest.mark.parametrize(
    ("code", "shapes"),
    [
        ("y = x[mask]\nn = len(y)\nz = y * 2", [(None, 4), ("n", 4)]),
        ("y = x[mask]\nn = y.shape[0]\nz = torch.cat([y, x])", [(None, 4), ("n + 10", 4)]),
        ("y = x[mask]\nn = y.size(0)\nz = torch.cat([y, y]).flatten()", [(None, 4), ("8*n",)]),
        ("y, z = x[mask], x[mask]\nn = len(y)\ny = y + z", [("n", 4), (None, 4)]),
        ("y, w = x[mask], x[x[:, 1] > 0]\nn = len(y)\nz = w.clone()", [(None, 4), (None, 4)]),
        ("y = x[x > 0]\nn = y.numel()\nn = 7\nz = y.exp()", [(None,), (None,)]),
        (
            "h = random.randint(2, 9)\nw = random.randint(2, 9)\nz = torch.zeros(h, w)\ny = z.T",
            [("w", "h"), ("h", "w")],
        ),
        (
            "n = random.randint(2, 2000)\nfor i in range(3):\n    n = random.randint(2, 2000)\n    z = torch.zeros(n)\ny = z",
            [(None,), (None,)],
        ),
        (
            "k = len(set(open('a').read()))\nlayer = torch.nn.Linear(4, k)\nz = layer(x)\ny = layer.weight",
            [("k", 4), (10, "k")],
        ),
    ],
)
def test_a_size_has_the_name_that_the_code_gives_it(trace, code, shapes):
    traced = trace(HEAD + code + "\n")
    assert [traced.shape("y"), traced.shape("z")] == shapes
    assert traced.failures() == []


@pytest.mark.parametrize(
    "code",
    [
        "y, w = x[mask], x[x[:, 1] > 0]\nk = min(len(y), len(w))\nz = y * 2\ny = w * 2",
        "y, w = x[mask], x[x[:, 1] > 0]\nk = max(len(y), len(w))\nz = y * 2\ny = w * 2",
        "y, w = x[mask], x[x[:, 1] > 0]\nk = len(w)\nz = y[:k]\ny = y * 2",
        "y = x[mask]\nm = len(y)\nhalf = m // 2\nz = y[half:]\ny = x[x[:, 1] > 0]",
    ],
)
def test_what_only_may_be_as_large_has_no_name(trace, code):
    traced = trace(HEAD + code + "\n")
    assert [traced.shape("y"), traced.shape("z")] == [(None, 4), (None, 4)]


@pytest.mark.parametrize(
    "code",
    [
        "y = kept if flag else other",
        "if flag:\n    y = kept\nelse:\n    y = other",
        "y = torch.zeros(len(kept) if flag else len(other), 4)",
        "y = random.choice([kept, other])",
        "y = random.choice([kept, kept * 2, other])",
        "y = [kept, other][random.randint(0, 1)]",
        "both = [kept, other]\nrandom.shuffle(both)\ny = both[0]",
        "a, b = kept, other\nif len(a) > len(b):\n    a, b = b, a\nk = min(n, m)\ny = b",
        "a, b = kept, other\nif len(a) < len(b):\n    a, b = b, a\nk = max(n, m)\ny = b",
    ],
)
def test_one_of_two_has_the_name_of_neither(trace, code):
    head = (
        HEAD
        + "from somewhere import flag\nkept, other = x[mask], x[x[:, 1] > 0]\nn, m = len(kept), len(other)\n"
    )
    assert trace(head + code + "\nz = y * 2").shape("z") == (None, 4)


@pytest.mark.parametrize(
    ("sizes", "shape"),
    [((3, 5), (4, None)), ((3, 3), (4, 3)), ((3, 3, 5), (4, None)), ((3, 3, 3, 5, 3), (4, None))],
)
def test_after_a_shuffle_any_item_may_be_anywhere(trace, sizes, shape):
    items = ", ".join(f"torch.zeros(4, {size})" for size in sizes)
    for at in range(len(sizes)):
        code = f"items = [{items}]\nrandom.shuffle(items)\nz = items[{at}]"
        assert trace(HEAD + code).shape("z") == shape


def test_samples_that_a_loader_puts_together_are_not_of_one_size(trace):
    traced = trace(
        HEAD
        + """
from torch.utils.data import DataLoader, Dataset
class Lines(Dataset):
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.zeros(random.randint(1, 99))
def collate(batch):
    total = sum(len(one) for one in batch)
    return torch.cat(batch)
def use(flat):
    return flat * 2
for flat in DataLoader(Lines(), batch_size=4, collate_fn=collate):
    used = use(flat)
"""
    )
    returned = {fact.scope: fact.value.shape for fact in traced.facts if fact.kind == "return"}
    assert returned["collate"] == (None,)
    assert returned["use"] == ("N",)


def test_two_sizes_of_a_sample_are_one_only_if_they_are_in_every_sample(trace):
    traced = trace(
        """
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader
lengths = [(3, 3), (2, 4), (5, 2), (4, 4), (6, 3), (5, 5), (3, 3), (2, 4), (5, 2), (4, 4), (6, 6)] * 4
data = [(torch.zeros(a), torch.zeros(b), torch.ones(a)) for a, b in lengths]
def collate(batch):
    return [pad_sequence(part, batch_first=True) for part in zip(*batch)]
def forward(source, target, mask):
    both = source + mask
    shorter = target[:, 1:]
for source, target, mask in DataLoader(data, batch_size=4, shuffle=True, collate_fn=collate):
    forward(source, target, mask)
"""
    )
    assert traced.shape("both") == (4, "D")
    assert "D " not in str(traced.shape("shorter"))


def test_dims_of_a_parameter_have_names(trace):
    traced = trace(
        HEAD
        + """
def area(boxes, others):
    B2 = 3
    widths = boxes[:, 2] - boxes[:, 0]
    pairs = widths[:, None] * others[:, 3]
    both = torch.cat([boxes, others])
    return pairs

class Head(torch.nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.linear = torch.nn.Linear(4, classes)

    def forward(self, x):
        return self.linear(x)

def cut(values):
    n, d = values.shape
    return values[:, : d // 2]

kept, rest = x[mask], x[x[:, 1] > 0]
z = area(kept, rest)
same = area(kept, kept)
scores = Head(int((x[:, 3] > 0).sum()))(kept)
plain = area(x, x)
cut(kept)
"""
    )
    shapes = {fact.name: fact for fact in traced.facts if fact.kind == "parameter"}
    seen = [value.shape for value in shapes["boxes"].variants]
    assert seen == [("B", 4), (10, 4)]
    assert [value.shape for value in shapes["others"].variants] == [("B3", 4), ("B", 4), (10, 4)]
    pairs = next(fact for fact in traced.facts if fact.name == "pairs")
    assert [value.shape for value in pairs.variants] == [("B", "B3"), ("B", "B"), (10, 10)]
    both = next(fact for fact in traced.facts if fact.name == "both")
    assert [value.shape for value in both.variants] == [("B + B3", 4), ("2*B", 4), (20, 4)]
    logits = next(fact for fact in traced.facts if fact.scope == "Head.forward" and fact.kind == "return")
    assert logits.value.shape == ("B", "classes")
    assert traced.shape("z") == (None, None)
    assert (traced.shape("values"), shapes["values"].value.shape) == (("n", 4), ("n", 4))


def test_what_may_be_equal_is_taken_both_ways(trace):
    traced = trace(
        HEAD
        + """
y, w = x[mask], x[x[:, 1] > 0]
if len(y) == len(w):
    z = torch.zeros(3)
else:
    z = torch.zeros(4)
after = z
"""
    )
    assert traced.shape("after") == (None,)


def test_a_list_that_nobody_can_count_does_not_disagree_with_other_worlds(trace):
    traced = trace(
        """
import torch

def unpack(x, sizes):
    x = x.split(sizes, -1)
    x = (y.unflatten(-1, (-1, 1)) for y, size in zip(x, sizes))
    x = (y.squeeze(-1) for y in x)
    return tuple(x)

found = torch.unique(torch.randint(0, 5, (10,)))
rows = torch.randn(len(found), 6)
a, b = unpack(rows[:1].expand(3, 6), [2, 4])
c, d = unpack(rows[0].expand(3, 6), [2, 4])
"""
    )
    assert [traced.shape(name) for name in "abcd"] == [(3, 2), (3, 4), (3, 2), (3, 4)]


def test_a_helper_is_compared_between_worlds_call_by_call(trace):
    traced = trace(
        """
import torch

def widen(t, times):
    if times > 2:
        return torch.cat([t, t], -1)
    return t

x = torch.randn(10, 3)
for row in x[x[:, 0] > 0]:
    widen(row, 1)
y = widen(torch.zeros(4, 3), 3)
z = widen(torch.zeros(4, 3), 2)
"""
    )
    assert (traced.shape("y"), traced.shape("z")) == ((4, 6), (4, 3))


def test_a_call_that_only_another_world_makes_is_heard_where_it_leads(trace):
    traced = trace(
        """
import torch

def double(t):
    both = torch.cat([t, t])
    return both

x = torch.randn(10)
found = x[x > 0]
if len(found) == 0:
    double(torch.zeros(7))
else:
    double(torch.zeros(5))
"""
    )
    both = next(fact for fact in traced.facts if fact.name == "both")
    assert {value.shape for value in both.variants} == {(10,), (14,)}


def test_in_a_hurry_what_holds_whatever_the_data_is_known(trace, monkeypatch):
    from shapewise.trace import all_worlds
    from shapewise.trace.control import HURRY, STOP

    others = all_worlds._others

    def late(*args, **kwargs):
        HURRY.set()
        STOP.set()
        return others(*args, **kwargs)

    monkeypatch.setattr(all_worlds, "_others", late)
    try:
        traced = trace(HEAD + "y = x[mask]\nz = torch.zeros(3, 5)\n")
    finally:
        HURRY.clear()
        STOP.clear()
    assert traced.shape("y") is None
    assert traced.shape("z") == (3, 5)


def test_what_fails_on_a_way_that_only_another_world_takes_is_no_mistake(trace):
    text = """
import torch
def means(lengths):
    t = torch.tensor(lengths)
    if len(t) >= 100:
        return t.unfold(0, 100, 1)
    return t
few = means([1.0])
many = means([float(len(word)) for word in open("words.txt").read().split()])
"""
    assert trace(text).failures() == []


def test_what_follows_a_way_that_this_world_leaves_is_no_mistake(trace):
    """Targets are classes or shares of them, but in the last call, where they are classes in every world."""
    traced = trace(
        """
        import random, torch
        import torch.nn.functional as F
        def loss_of(logits, target):
            if target.ndim == 1:
                return F.cross_entropy(logits, target)
            return torch.sum(-target * F.log_softmax(logits, -1), -1).mean()
        logits = torch.zeros(48, 5)
        for step in range(3):
            target = torch.arange(48) % 5
            if random.random() < 0.5:
                target = torch.eye(5)[target] * 0.5
            loss = loss_of(logits, target)
        last = loss_of(logits, torch.arange(48) % 5)
        after = logits @ torch.zeros(9, 2)
        """
    )
    assert [line for line, _ in traced.failures()] == [14]


def test_numbers_that_a_generator_gives_add_up_as_those_of_a_list(trace):
    traced = trace(
        """
        import torch
        from torch import nn
        rows, words = (len(set(open(name).read().split())) for name in ("rows", "words"))
        sizes = [(4, 2), (rows, min(50, rows)), (words, min(50, words))]
        table = torch.zeros(5, 2 + sizes[1][1] + sizes[2][1])
        out = nn.Linear(sum(width for _, width in sizes), 3)(table)
        wide = torch.zeros(5, max(width for _, width in sizes))
        """
    )
    assert not traced.failures()
    assert traced.shape("out") == (5, 3)
    assert traced.shape("wide") == (5, None)


def test_steps_over_a_size_that_data_decides_are_not_known(trace):
    """It is 50 where there are many words, and none where there is no word."""
    traced = trace(
        """
        import torch
        words = len(set(open("words").read().split()))
        table = torch.zeros(5, min(50, words))
        rows = torch.zeros(5, 4)[torch.zeros(5) > 0]
        """
    )
    assert traced.shape("table") == (5, None) and traced.fact("table").value.stride in (None, (None, 1))
    assert traced.fact("rows").value.stride == (4, 1)


SPLIT = """
import torch
words = open("names.txt").read().splitlines()
first, second = int(0.8 * len(words)), int(0.9 * len(words))
lengths = torch.tensor([[len(w), 1, 2] for w in words[first:second]])
ids = torch.tensor([ord(c) for c in " ".join(words)])
n = int(0.9 * len(ids))
train = ids[:n]
x = torch.stack([train[i : i + 8] for i in torch.randint(len(train) - 8, (4,))])
"""


def test_a_share_of_a_length_is_one_of_its_size(trace):
    traced = trace(SPLIT)
    assert traced.shape("lengths") == (None, 3)  # from one number to another, which are not equal
    assert traced.shape("x") == (4, 8)
    assert not traced.failures()


def test_layers_of_a_loop_that_worlds_run_another_number_of_times_stay_known(trace):
    traced = trace(
        """
        import random
        import torch
        from torch import nn
        layers = nn.ModuleList([nn.Linear(4, 8), nn.Linear(8, 16), nn.Linear(16, 2)])
        def net(x):
            for layer in layers:
                x = layer(x)
            return x
        for number in range(random.randint(1, 4)):
            y = net(torch.zeros(5, 4))
        z = torch.zeros(random.randint(2, 5), 3)
        """
    )
    bound = [e for e in traced.log.events if isinstance(e, Bound) and (e.name, e.kind) == ("x", "binding")]
    assert {event.value.shape for event in bound} == {(5, 8), (5, 16), (5, 2)}
