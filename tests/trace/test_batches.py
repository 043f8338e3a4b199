"""What a DataLoader and a packed sequence give, where data decides how much."""

from typing import Any

import pytest

HEAD = "import torch, somewhere\nfrom torch import nn\nfrom torch.utils.data import *\nfrom torch.nn.utils.rnn import *\n"
LINES = """
class Lines(Dataset):
    def __len__(self):
        return 10
    def __getitem__(self, i):
        return torch.zeros(i + 3, 4), i % 3
def collate(batch):
    lines, labels = zip(*batch)
    lengths = torch.tensor([len(line) for line in lines])
    return pad_sequence(lines, batch_first=True), torch.tensor(labels), lengths
"""


def test_items_that_differ_in_length_are_padded_to_what_nobody_knows(trace):
    traced = trace(
        HEAD
        + LINES
        + "for x, y, lengths in DataLoader(Lines(), batch_size=5, shuffle=True, collate_fn=collate):\n    pass\n"
        + "mask = torch.zeros(len(y), 4)[y == 0]\n"
    )
    assert traced.shape("x") == (5, None, 4)
    assert traced.shape("y") == traced.shape("lengths") == (5,)
    assert traced.fact("y").value.dtype == "int64"
    assert traced.shape("mask") == (None, 4)


def test_labels_in_a_batch_are_numbers_nobody_knows(trace):
    traced = trace(
        HEAD
        + "data = TensorDataset(torch.arange(8.0), torch.zeros(8, dtype=torch.long))\n"
        + "x, y = next(iter(DataLoader(data, batch_size=4)))\nz = x[y == 0]\n"
    )
    assert traced.shape("y") == (4,)
    assert traced.shape("z") == (None,)


def test_what_only_says_how_a_loader_runs_may_be_unknown(trace):
    traced = trace(
        HEAD
        + "data = TensorDataset(torch.zeros(8, 3))\n"
        + "loader = DataLoader(data, batch_size=4, num_workers=somewhere.n, pin_memory=somewhere.pin, shuffle=somewhere.s)\n"
        + "for (x,) in loader:\n    pass\n"
    )
    assert traced.shape("x") == (4, 3)


def test_a_share_of_the_data_has_full_batches_and_a_rest(trace):
    text = (
        HEAD
        + "import torch.distributed as dist\ndist.init_process_group('nccl')\ndata = TensorDataset(torch.zeros(64, 3))\n"
        + "loader = DataLoader(data, batch_size=4, sampler=DistributedSampler(data), drop_last={})\n"
        + "for (x,) in loader:\n    y = x\nn = torch.zeros(len(loader))\n"
    )
    assert trace(text.format(True)).shape("y") == (4, 3)
    assert trace(text.format(False)).shape("y") == (None, 3)
    assert not trace(text.format(True)).knows("n") or trace(text.format(True)).shape("n") is None


def test_packed_sequences_of_unknown_lengths_keep_batch_features_and_state(trace):
    traced = trace(
        HEAD
        + "x, lengths = torch.randn(3, 7, 5), torch.randint(1, 8, (3,))\n"
        + "packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)\n"
        + "out, (h, c) = nn.LSTM(5, 6, bidirectional=True)(packed)\ndata, sizes = out.data, out.batch_sizes\n"
        + "y, l = pad_packed_sequence(out, batch_first=True)\nz, _ = pad_packed_sequence(out, total_length=7)\n"
        + "part = torch.zeros(sizes[1], 2)\n"
    )
    assert traced.shape("data") == (None, 12)
    assert traced.shape("sizes") == (None,)
    assert traced.shape("h") == (2, 3, 6)
    assert traced.shape("y") == (3, None, 12)
    assert traced.shape("z") == (7, 3, 12)
    assert traced.shape("l") == (3,)
    assert traced.shape("part") != (3, 2)
    assert traced.fact("y").value.requires_grad
    assert not traced.failures()


def test_lengths_that_do_not_fit_are_said_in_torchs_words(trace):
    traced = trace(
        HEAD + "pack_padded_sequence(torch.zeros(3, 7, 5), torch.tensor([7, 5]), batch_first=True)\n"
    )
    assert "Expected `len(lengths)` to be equal to batch_size" in traced.failures()[0][1]


TEXTS = """
import torch
from torch.utils.data import DataLoader
lines = ["a wonderful film", "awful", "a film of some length", "no"]
words = {word: at for at, word in enumerate(sorted({word for line in lines for word in line.split()}))}
def collate(batch):
    rows = [torch.tensor([words[word] for word in line.split()]) for line in batch]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True), torch.tensor([len(row) for row in rows])
loader = DataLoader(lines, batch_size=2, collate_fn=collate)
first, lengths = next(iter(loader))
for ids, _ in loader:
    pass
"""


def test_a_loader_that_goes_through_its_data_in_order_gives_what_torch_gives(trace):
    real: dict[str, Any] = {}
    exec(TEXTS, real)
    traced = trace(TEXTS)
    for name in ("first", "lengths"):
        assert traced.shape(name) == tuple(real[name].shape)
    assert traced.shape("ids") == (2, None)  # 3 in one round, 5 in the other
    assert traced.fact("ids").value.dtype == str(real["ids"].dtype).removeprefix("torch.")


def test_a_loader_that_draws_without_end_costs_no_more_than_another(trace):
    traced = trace(
        """
        import torch
        from torch.utils.data import DataLoader, RandomSampler, TensorDataset
        data = TensorDataset(torch.zeros(50, 3))
        sampler = RandomSampler(data, replacement=True, num_samples=int(1e10))
        batches = iter(DataLoader(data, sampler=sampler, batch_size=8))
        (x,) = next(batches)
        """
    )
    assert traced.shape("x") == (8, 3) and traced.log.cut is None


def test_texts_in_a_shuffled_batch_are_not_those_of_one_item(trace):
    traced = trace(
        HEAD
        + """
class Names(Dataset):
    names = ["Sung", "Ivanovich", "Nako", "Petrov"]
    def __len__(self):
        return 4
    def __getitem__(self, i):
        return self.names[i], i % 2
for names, labels in DataLoader(Names(), batch_size=4, shuffle=True):
    lengths = torch.tensor([len(name) for name in names])
    rows = torch.zeros(len(names), lengths.max(), dtype=torch.long)
    first = torch.tensor([ord(c) for c in names[0]])
"""
    )
    assert traced.shape("labels") == traced.shape("lengths") == (4,)
    assert traced.shape("rows") == (4, None)
    assert traced.shape("first") == (None,)


def test_batches_of_nobody_knows_what_are_put_together_all_the_same(trace):
    """Else only what another loader is given would be seen, and told of all."""
    traced = trace(
        HEAD
        + LINES
        + "for x, y, lengths in DataLoader(Lines(), batch_size=5, collate_fn=collate):\n    pass\n"
        + "class Some(Lines):\n    def __len__(self):\n        return somewhere.count\n"
        + "for i, (x, y, lengths) in enumerate(DataLoader(Some(), batch_size=4, collate_fn=collate)):\n    pass\n"
    )
    assert traced.shape("lengths") == (None,)


def test_lengths_that_are_rounded_up_are_those_of_the_shortest_and_of_the_longest(trace):
    """Most items are padded to 16, and the longest to 24."""
    traced = trace(
        HEAD
        + "lines = [[1] * n for n in (14, 10, 12, 18, 9, 13, 11, 15)]\n"
        + "def collate(items):\n    longest = (max(len(i) for i in items) + 7) // 8 * 8\n"
        + "    return torch.tensor([i + [0] * (longest - len(i)) for i in items])\n"
        + "for x in DataLoader(lines, batch_size=2, shuffle=True, collate_fn=collate):\n    pass\n"
    )
    assert traced.shape("x") == (2, None)


LISTED = """
import glob
class Listed(Dataset):
    def __init__(self, names):
        self.names = names
    def __len__(self):
        return len(self.names)
    def __getitem__(self, i):
        return torch.zeros(5), self.names[i]
names = sorted(glob.glob("*.wav"))
"""


def test_a_dataset_of_nobody_knows_how_many_files(trace):
    traced = trace(
        HEAD
        + LISTED
        + "for x, name in DataLoader(Listed(names[:-2]), batch_size=4, shuffle=True, drop_last=True):\n    y = x[:, None]\n"
        + "for z, _ in DataLoader(Listed(names), batch_size=4):\n    pass\n"
    )
    assert traced.shape("x") == (4, 5) and traced.shape("y") == (4, 1, 5)
    assert traced.shape("z") == (None, 5)  # the last batch may be shorter
    assert {value.shape for value in traced.fact("z").variants} == {(4, 5), (None, 5)}


def test_parts_of_a_dataset_that_nobody_has_counted(trace):
    traced = trace(
        HEAD
        + LISTED
        + "data = Listed(names)\nfew, rest = random_split(data, [16, len(data) - 16])\n"
        + "for a, _ in DataLoader(few, batch_size=4):\n    pass\n"
        + "for b, _ in DataLoader(rest, batch_size=4, drop_last=True):\n    pass\n"
        + "every = torch.stack([rest[i][0] for i in range(len(rest))])\n"
    )
    assert traced.shape("a") == traced.shape("b") == (4, 5)
    assert traced.fact("every").value.shape in (None, (None, 5))


def test_a_dataset_that_is_only_asked_by_index_is_gone_through(trace):
    traced = trace(
        HEAD
        + LISTED
        + "for item, name in Listed(names):\n    y = item + 1\nz = torch.stack([a for a, _ in Listed(names)])\n"
    )
    assert traced.shape("y") == (5,)
    assert traced.shape("z") == (None, 5)


def test_a_sampler_without_a_length(trace):
    traced = trace(
        HEAD
        + """
class Endless(Sampler):
    def __init__(self, data):
        self.data = data
    def __iter__(self):
        at = 0
        while True:
            yield at % len(self.data)
            at += 1
class Some(Endless):
    def __iter__(self):
        for at in range(len(self.data)):
            yield at
data = TensorDataset(torch.zeros(10, 3))
batches = iter(DataLoader(data, sampler=Endless(data), batch_size=4))
for _ in range(9):
    (x,) = next(batches)
for (y,) in DataLoader(data, sampler=Some(data), batch_size=4):
    pass
"""
    )
    assert traced.shape("x") == (4, 3)
    assert traced.shape("y") == (None, 3)


def test_what_the_program_makes_of_a_batch_is_run_where_the_data_is_not_known(trace):
    traced = trace(
        HEAD
        + "def collate(items):\n    mask = torch.zeros(3)\n    both = torch.stack(items)\n    return both, mask\n"
        + "a = collate([torch.zeros(2)])\n"
        + "for x, m in DataLoader(somewhere.data, batch_size=4, collate_fn=collate):\n    pass\n"
    )
    assert traced.shape("m") == (3,)
    assert traced.fact("both").value.shape is None  # else it would be what the call above gives


def test_batches_of_a_stream_of_nobody_knows_how_many_rows(trace):
    traced = trace(
        """
import csv, torch
from torch.utils.data import DataLoader, IterableDataset

class Clicks(IterableDataset):
    def __iter__(self):
        with open("clicks.csv") as f:
            for row in csv.DictReader(f):
                words = torch.tensor([len(w) for w in row["words"].split("|")])
                yield torch.tensor([float(row[name]) for name in ("age", "price")]), words, float(row["clicked"])

def collate(rows):
    dense, words, clicked = zip(*rows)
    return torch.stack(dense), torch.cat(words), torch.tensor(clicked)

for dense, words, clicked in DataLoader(Clicks(), batch_size=32, collate_fn=collate, drop_last=True):
    pass
for a, b, c in DataLoader(Clicks(), batch_size=1):
    pass
for x, y, z in DataLoader(Clicks(), batch_size=None):
    pass
for last, _, _ in DataLoader(Clicks(), batch_size=32, collate_fn=collate):
    pass
"""
    )
    assert traced.shape("dense") == (32, 2) and traced.shape("words") == (None,)
    assert traced.shape("clicked") == (32,)
    assert traced.shape("a") == (1, 2) and traced.shape("b") == (1, None) and traced.shape("c") == (1,)
    assert traced.shape("x") == (2,) and traced.shape("y") == (None,)
    assert traced.shape("last") == (None, 2)


def test_a_batch_sampler_of_nobody_knows_which_places(trace, monkeypatch):
    from shapewise.trace import session
    from shapewise.trace.worlds import worlds

    text = """
import torch
from torch.utils.data import DataLoader, Dataset

class Lines(Dataset):
    def __init__(self):
        self.lines = open("lines.txt").read().splitlines()

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, at):
        return torch.randn(3, 8), torch.tensor([1, 2])

class Places:
    def __init__(self, number, size):
        order = sorted(range(number), key=lambda at: -at)
        self.batches = [order[at : at + size] for at in range(0, len(order), size)]

    def __iter__(self):
        yield from self.batches

    def __len__(self):
        return len(self.batches)

def collate(items):
    return torch.tensor([len(labels) for _, labels in items]), torch.stack([x for x, _ in items])

lines = Lines()
for lengths, x in DataLoader(lines, batch_sampler=Places(len(lines), 4), collate_fn=collate):
    pass
"""
    assert trace(text).shape("lengths") != (1,)
    inner = worlds.enter
    monkeypatch.setattr(worlds, "enter", lambda world: inner(worlds.World(alone=True)))
    log = session.trace("alone.py", text, {})
    shapes = [
        event.value.shape
        for event in log.events
        if getattr(event, "name", None) == "lengths" and hasattr(event.value, "shape")
    ]
    assert not any(1 in shape for shape in shapes)


@pytest.mark.parametrize("slots", ["", "__slots__ = ('x', 'n', 'labels')"])
def test_numbers_of_one_item_are_not_those_of_a_shuffled_batch(trace, slots):
    traced = trace(f"""
        import numpy as np
        import torch
        from torch.utils.data import DataLoader

        class Item:
            {slots}
            def __init__(self, n):
                self.x, self.n, self.labels = torch.zeros(4, 3), n, np.arange(n, n + 2)

            def many(self):
                return self.n

        def collate(items):
            longest, first, label = max(i.many() for i in items), int(items[0].labels[0]), items[0].labels
            return torch.zeros(longest), torch.zeros(first), torch.tensor(label), torch.stack([i.x for i in items])

        items = [Item(n) for n in (5, 6, 7, 5, 9, 11, 5, 8)]
        for most, one, label, x in DataLoader(items, batch_size=4, shuffle=True, collate_fn=collate):
            pass
        """)
    assert [traced.shape(name) for name in ("most", "one", "label", "x")] == [
        (None,),
        (None,),
        (2,),
        (4, 4, 3),
    ]


@pytest.mark.parametrize(
    ("call", "shapes"),
    [
        ("DataLoader(Lines(), 8)", ((None, 3), (None, 3))),
        ("DataLoader(Lines(), 8, shuffle=True)", ((None, 3), (None, 3))),
        ("DataLoader(Lines(), batch_size=None)", ((None, 3), (None, 3))),
        (
            "DataLoader(Lines(), 8, sampler=RandomSampler(Lines()), collate_fn=padded)",
            ((None, None), (None, None)),
        ),
    ],
)
def test_lists_of_unknown_length_stay_so_in_a_batch(trace, call, shapes):
    traced = trace(
        f"""
import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler

class Lines(Dataset):
    def __len__(self):
        return 60

    def __getitem__(self, i):
        words = [2 for word in open("x").read().split()]
        return {{"words": words, "mask": [1] * len(words)}}

def padded(items):
    most = max(len(item["words"]) for item in items)
    return {{key: [item[key] + [0] * (most - len(item[key])) for item in items] for key in ("words", "mask")}}

for batch in {call}:
    one, other = batch["words"], batch["mask"]
    a = torch.zeros(len(one), 3) if "padded" not in {call!r} else torch.tensor(one)
    b = torch.zeros(len(other), 3) if "padded" not in {call!r} else torch.tensor(other)
"""
    )
    assert (traced.shape("a"), traced.shape("b")) == shapes
