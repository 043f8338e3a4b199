"""Lists of unknown length, as long as follows from others: what is cut off and filled up has one length."""

from __future__ import annotations

_WORDS = """
import random
import torch
import nowhere
words = nowhere.load().split()
ids = [len(word) for word in words]
"""


def test_what_is_cut_off_and_filled_up_is_as_long_as_that(trace):
    traced = trace(
        _WORDS
        + """
def encode(ids, most):
    ids = ids[: most - 2]
    ids = [1] + [i + 1 for i in ids] + [2]
    mask = [1] * len(ids) + [0] * (most - len(ids))
    ids += [0] * (most - len(ids))
    return torch.tensor(ids), torch.LongTensor(mask)
a, b = encode(ids, 16)
rest = ids[:8]
rest.append(0)
rest.extend([0] * (9 - len(rest)))
c = torch.tensor(rest)
d = torch.tensor([rest, ids[:9] + [0] * (9 - len(ids[:9]))])
sentences = [[1, 2, 3], [4, 5], [6, 7, 8, 9]]
one = sentences[random.randrange(3)]
e = torch.tensor([0] + one + [0] * (29 - len(one)))
"""
    )
    assert [traced.shape(name) for name in "abcde"] == [(16,), (16,), (9,), (2, 9), (30,)]
    assert not traced.failures()


def test_what_is_not_filled_up_is_not_known(trace):
    traced = trace(
        _WORDS
        + """
cut = ids[:16]
a = torch.tensor(cut)
b = torch.tensor(ids + [0] * (16 - len(ids)))
full = cut + [0] * (16 - len(cut))
for word in words:
    full.append(0)
c = torch.tensor(full)
other = cut + [0] * (16 - len(cut))
other[2:4] = []
d = torch.tensor(other)
third = cut + [0] * (16 - len(cut))
if words:
    third.append(1)
e = torch.tensor(third)
fourth = cut + [0] * (16 - len(cut))
fourth.pop()
f = torch.tensor(fourth)
"""
    )
    assert [traced.shape(name) for name in "abce"] == [(None,)] * 4
    assert (traced.shape("d"), traced.shape("f")) == ((None,), (None,))


def test_what_is_mapped_over_columns_is_given_all_of_each(trace):
    traced = trace(
        """
import random
import torch
rows = []
for k in range(50):
    if random.random() < 0.5:
        rows.append([[0] * 30, [1] * 3])
a, b = map(torch.LongTensor, zip(*rows))
c = torch.zeros(list(map(len, zip(*rows)))[0])
d, e = map(torch.LongTensor, zip(*[[1, 2], [3, 4], [5, 6]]))
"""
    )
    assert [traced.shape(name) for name in "abcde"] == [(None, 30), (None, 3), (None,), (3,), (3,)]


def test_at_least_one_is_not_called_as_what_may_be_none(trace):
    traced = trace("""
import torch, somewhere
n = len(somewhere.rows)
k = (torch.rand(3) > 0.5).sum().item()
a = torch.zeros(max(n, 1))
b = torch.zeros(max(1, k))
c = torch.zeros(n or 1)
rest = torch.rand(9)
size = rest[rest > 0.5].shape[0]
d = torch.zeros(max(size, 1))
e, f = torch.zeros(n), torch.zeros(size)
""")
    assert [traced.shape(name) for name in "abcdef"] == [
        (None,),
        (None,),
        (None,),
        (None,),
        ("n",),
        ("size",),
    ]


def test_a_slice_up_to_what_data_decides_may_end_anywhere_in_a_known_dim(check):
    traced = check("""
import torch, somewhere
x = torch.randn(5, 4)
mask = torch.rand(5) > 0.5
n = int(mask.sum())
rows = x[mask].shape[0]
a, b, c, d, e = x[-n:], x[:-n], x[n:], x[:n], x[-rows:]
f, g, h = x[:, :n], x[:, : n % 5], x[: n + 1, : n + 1]
k = torch.randint(0, 5, ()).item()
i, j = x[-k:], x[..., k:]
l = x[:: n + 1]
""")
    assert [traced.shape(name) for name in "abcdeil"] == [(None, 4)] * 7
    assert [traced.shape(name) for name in "fgj"] == [(5, None)] * 3
    assert all(traced.fact(name).value.contiguous is None for name in "fghjl")
    assert traced.fact("a").value.contiguous is True


def test_what_is_padded_to_the_longest_is_not_called_as_one_of_them(trace):
    traced = trace("""
import torch, somewhere
from torch.nn.utils.rnn import pad_sequence
x = torch.randn(5, 4)
v = x[:, 0][torch.rand(5) > 0.5]
n = len(v)
a = pad_sequence([v, v, x[:, 0]])
b = pad_sequence([v, v], batch_first=True)
""")
    assert traced.shape("a") == (None, 3)
    assert traced.shape("b") == (2, "n")
