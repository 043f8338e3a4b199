"""Packed sequences and recurrent layers."""

import copy
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

# pack const
from torch.nn.utils.rnn import (
    pack_padded_sequence,
    pad_packed_sequence,
    pad_sequence,
    pack_sequence,
    unpad_sequence,
    PackedSequence,
)

x = torch.randn(3, 7, 5)
lengths = torch.tensor([7, 5, 2])
p = pack_padded_sequence(x, lengths, batch_first=True)
data = p.data
bs = p.batch_sizes
rnn = nn.LSTM(5, 6, batch_first=True)
out, (h, c) = rnn(p)
od = out.data
y, l = pad_packed_sequence(out, batch_first=True)

# pack enforce_sorted list
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

x = torch.randn(7, 3, 5)
p = pack_padded_sequence(x, [2, 7, 5], enforce_sorted=False)
d, b, si, ui = p
rnn = nn.GRU(5, 6, 2, bidirectional=True)
out, h = rnn(p)
y, l = nn.utils.rnn.pad_packed_sequence(out)
last = h[-1]
cat = torch.cat([h[-2], h[-1]], dim=1)

# pack lengths computed
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

seqs = [torch.randn(n, 5) for n in (4, 2, 3)]
lengths = torch.tensor([len(s) for s in seqs])
x = nn.utils.rnn.pad_sequence(seqs, batch_first=True)
p = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
rnn = nn.RNN(5, 6, batch_first=True)
out, h = rnn(p)
y, l = pad_packed_sequence(out, batch_first=True, total_length=10)
z = nn.utils.rnn.pad_sequence(seqs)
q = nn.utils.rnn.pad_sequence(seqs, batch_first=True, padding_value=-1.0)
packed = nn.utils.rnn.pack_sequence(seqs, enforce_sorted=False)
u = nn.utils.rnn.unpad_sequence(q, lengths, batch_first=True)

# sort
x = torch.randn(3, 7, 5)
lengths = torch.tensor([2, 7, 5])
lengths, perm = lengths.sort(0, descending=True)
x = x[perm]
p = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
out, h = nn.GRU(5, 4, batch_first=True)(p)
out, lens = nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
_, inv = perm.sort()
out = out[inv]
hh = h[:, inv]

# packed hx
p = nn.utils.rnn.pack_padded_sequence(torch.randn(3, 7, 5), torch.tensor([7, 7, 1]), batch_first=True)
h0 = torch.zeros(2, 3, 6)
c0 = torch.zeros(2, 3, 6)
o, (h, c) = nn.LSTM(5, 6, bidirectional=True)(p, (h0, c0))
pp = nn.utils.rnn.PackedSequence(torch.relu(o.data), o.batch_sizes)
y, l = nn.utils.rnn.pad_packed_sequence(pp)

# rnn forms
r = nn.LSTM(5, 6, proj_size=3, batch_first=True)
o, (h, c) = r(torch.randn(2, 4, 5))
o2, (h2, c2) = r(torch.randn(4, 5))
g = nn.GRU(5, 6, 2, bidirectional=True)
o3, h3 = g(torch.randn(4, 2, 5))
o4, h4 = g(torch.randn(4, 5))
cell = nn.LSTMCell(5, 6)
hx = cx = torch.zeros(2, 6)
hx, cx = cell(torch.randn(2, 5), (hx, cx))
gc = nn.GRUCell(5, 6)(torch.randn(2, 5))
rc = nn.RNNCell(5, 6)(torch.randn(2, 5), torch.zeros(2, 6))
w = r.weight_ih_l0
for name, p in r.named_parameters():
    if "weight" in name:
        nn.init.orthogonal_(p)
r.flatten_parameters()
