"""A word model over lines of a text: the vocabulary is filled line by line, rows are padded by hand."""
from collections import Counter

import torch
import torch.nn as nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)
POEM = """the wind is low and the sea is grey
a gull goes over the harbour wall
we mend the nets at the end of the day
and none of us speaks of the boats at all"""
LINES = (POEM + "\n").strip().split("\n") * 45
WIDTH, BATCH, STEPS, DIM = 12, 10, 8, 24


class Words:
    def __init__(self):
        self.index, self.names, self.counts = {}, [], Counter()

    def add(self, word):
        if word not in self.index:
            self.index[word] = len(self.names)
            self.names.append(word)
        self.counts[word] += 1

    def __len__(self):
        return len(self.names)


def gather(lines):
    words, total = Words(), 0
    words.add("<pad>")
    for line in lines:
        found = line.split() + ["<eol>"]
        total += len(found)
        for word in found:
            words.add(word)
    ids = torch.zeros(total, dtype=torch.long)
    at = 0
    rows = []
    for line in lines:
        row = []
        for word in line.split() + ["<eol>"]:
            ids[at] = words.index[word]
            row.append(words.index[word])
            at += 1
        row.extend([0] * (WIDTH - len(row)))
        rows.append(row)
    return words, ids, torch.tensor(rows)


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.table = nn.Embedding(size, DIM)
        self.rnn = nn.GRU(DIM, DIM, batch_first=True)
        self.out = nn.Linear(DIM, size)

    def forward(self, x, h):
        y, h = self.rnn(self.table(x), h)
        return self.out(y.reshape(-1, y.size(2))), h


words, ids, rows = gather(LINES)
stream = ids[: ids.size(0) // BATCH * BATCH].view(BATCH, -1)
model = Model(len(words))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
losses = []
h = torch.zeros(1, BATCH, DIM)
for start in range(0, stream.size(1) - STEPS, STEPS):
    x, y = stream[:, start : start + STEPS], stream[:, start + 1 : start + 1 + STEPS]
    logits, h = model(x, h.detach())
    loss = nn.functional.cross_entropy(logits, y.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    norm = clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    losses.append(loss.detach())
curve = torch.tensor(losses)
mask = rows != 0
lengths = mask.sum(1)
embedded = model.table(rows)
pooled = (embedded * mask.unsqueeze(-1)).sum(1) / lengths.unsqueeze(1)
share = torch.tensor([words.counts[name] for name in words.names]) / ids.numel()
with torch.no_grad():
    word, state, said = ids[:1].view(1, 1), torch.zeros(1, 1, DIM), []
    for _ in range(6):
        logits, state = model(word, state)
        word = torch.multinomial(logits.exp(), 1)
        said.append(words.names[word.item()])
print(" ".join(said), curve.shape, pooled.shape)
