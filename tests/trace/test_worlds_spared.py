"""Which worlds are traced, and what was found out of them is kept from one edit to the next."""

import pytest

from shapewise.queries.facts import facts_of

HEAD = """
import random, math
import torch
import torch.nn.functional as F
x = torch.randn(10, 4)
mask = x[:, 0] > 0
"""


@pytest.mark.parametrize(
    "code",
    [
        "z = torch.full((4,), k)",
        "z = torch.tensor([k, 1])",
        "z = x[k]",
        "x[mask] = 0.0\nz = x",
        "x[:, k:] = 0.0\nz = x",
        "z = x.masked_fill(x > 0, k / 3).clamp(min=k)",
        "z = random.choice([x, torch.zeros(10, 4)])",
    ],
)
def test_numbers_that_change_no_shape_ask_for_no_other_world(code, monkeypatch, trace):
    from shapewise.trace import all_worlds

    traced = trace(HEAD + "k = random.randint(0, 2)\n" + code + "\n")
    monkeypatch.setattr(all_worlds, "OTHERS", -1.0)  # with no time for another one
    alone = trace(HEAD + "k = random.randint(0, 2)\n" + code + "\n")
    assert traced.shape("z") == alone.shape("z") is not None


def counted(monkeypatch):
    """Filled with an item for each world that is traced from now on."""
    from shapewise.trace import all_worlds

    worlds: list[None] = []
    inner = all_worlds.run_in
    monkeypatch.setattr(all_worlds, "run_in", lambda *how, **more: worlds.append(None) or inner(*how, **more))
    return worlds


@pytest.mark.parametrize(
    ("code", "number"),
    [
        ("n = 3", 1),
        ("i = torch.randint(7, (1,))[0]\ny = x[i : i + 3]\nn = 3", 2),
        ("i = torch.randint(7, (1,))[0]\ny = x[i : i + 3]\nn = x.long().sum().item()\nprint(n + 1)", 2),
        ("n = x.long().sum().item()\ny = torch.zeros(n, 4).sum(0)", 3),
    ],
)
def test_a_world_in_which_nothing_would_be_otherwise_is_spared(code, number, monkeypatch, trace):
    worlds = counted(monkeypatch)
    trace(HEAD + code + "\n")
    assert len(worlds) == number


DECIDED = """
n = random.randint(1, 9)
y = torch.zeros(n, 4)
if len(y) > 4:
    z = torch.zeros(3)
else:
    z = torch.zeros(5)
w = torch.zeros(2)
"""


@pytest.mark.usefixtures("trace")
@pytest.mark.parametrize(
    "edit",
    [
        ("torch.zeros(2)", "torch.zeros(6)"),
        ("import torch\n", "import torch\n\n\n"),
        ("len(y) > 4", "len(y) > 3"),
        ("random.randint(1, 9)", "random.randint(5, 9)"),
        ("random.randint(1, 9)", "7"),
        ("y = torch.zeros(n, 4)", "y = torch.zeros(4, n)"),
        ("if len(y) > 4:", "if n > 2:\n    w = y\nif len(y) > 4:"),
    ],
)
def test_what_was_found_out_before_an_edit_changes_nothing(edit):
    from shapewise.trace import session

    def facts(file, text):
        return facts_of(session.trace(file, text, {}))

    text = HEAD + DECIDED
    first = facts("/edited.py", text)
    assert [fact.value.shape for fact in first if fact.name == "z"][-1:] != [(3,)]
    assert facts("/edited.py", text) == first
    edited = text.replace(*edit)
    assert edited != text
    assert facts("/edited.py", edited) == facts("/fresh.py", edited)
    assert facts("/edited.py", text) == first


SUPPRESSED = """
def kept(scores):
    order = scores.argsort()
    while order.numel() > 0:
        order = order[1:][scores[order[1:]] < 0.5]
    return order
z = kept(torch.randn(6))
w = torch.zeros(2)
"""
LEFT = """
words = ["emma", "olivia", "ava"]
random.shuffle(words)
found = []
for word in words:
    for letter in word:
        found.append(ord(letter))
rows = torch.tensor(found)
for at in range(0, len(rows), 8):
    part = rows[at : at + 8]
    for one in range(part.shape[0]):
        z = part[one] * 2
w = torch.zeros(2)
"""
TWICE = """
def first(n):
    for _ in range(n):
        y = torch.zeros(3)
    return y
def second(n):
    for _ in range(n):
        y = torch.zeros(4)
    return y
z = first(len(x[mask])), second(3)
w = torch.zeros(2)
"""


@pytest.mark.usefixtures("trace")
@pytest.mark.parametrize(
    ("code", "settled"),
    [
        (DECIDED, ("random.randint(1, 9)", "7")),
        (SUPPRESSED, ("[scores[order[1:]] < 0.5]", "")),
        (LEFT, ("random.shuffle(words)", "")),
        (TWICE, ("len(x[mask])", "6")),
    ],
)
def test_what_was_found_out_before_an_edit_is_not_found_out_again(code, settled, monkeypatch):
    from shapewise.trace import session
    from shapewise.trace.control import STOP

    def facts(file, text):
        worlds.clear()
        return facts_of(session.trace(file, text, {}))

    worlds = counted(monkeypatch)
    text = HEAD + code
    first = facts("/again.py", text)
    assert len(worlds) > 5  # some of it is only found out by a second round
    assert facts("/again.py", text) == first
    assert len(worlds) <= 5
    STOP.set()
    try:
        facts("/again.py", text)
    finally:
        STOP.clear()
    edited = text.replace("torch.zeros(2)", "torch.zeros(6)")
    after = facts("/again.py", edited)
    assert len(worlds) <= 5
    assert after == facts("/fresh.py", edited)
    assert facts("/again.py", text.replace(*settled)) == facts("/fresh.py", text.replace(*settled))


def test_of_items_that_differ_in_part_the_rest_is_known_in_one_world(monkeypatch, trace):
    from shapewise.trace import all_worlds

    monkeypatch.setattr(all_worlds, "OTHERS", -1.0)
    traced = trace(
        """
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
class Boxes(Dataset):
    def __len__(self):
        return 12
    def __getitem__(self, index):
        boxes = np.zeros((1 + index % 5, 4), np.float32)
        return torch.zeros(3, 8, 8), torch.from_numpy(boxes), str(index)
def collate(batch):
    pictures, boxes, names = zip(*batch)
    return torch.stack(pictures), torch.cat(boxes), boxes[0], names
for pictures, boxes, first, names in DataLoader(Boxes(), batch_size=4, shuffle=True, collate_fn=collate):
    scaled = pictures / 255
"""
    )
    assert traced.shape("scaled") == (4, 3, 8, 8)
    assert all(traced.fact(name).value.shape in (None, (None, 4)) for name in ("boxes", "first"))
