"""Towns and their countries by their letters: shuffled strings in a batch, padded and sorted where it is used."""
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(1)
TOWNS = [("Lyon", "fr"), ("Bordeaux", "fr"), ("Graz", "at"), ("Innsbruck", "at"), ("Porto", "pt"), ("Coimbra", "pt")]


class Towns(Dataset):
    def __init__(self, times):
        rows = TOWNS * times
        self.names = [name for name, _ in rows]
        self.lands = [land for _, land in rows]
        self.all_lands = sorted(set(self.lands))

    def __getitem__(self, at):
        return self.names[at], self.lands[at]

    def __len__(self):
        return len(self.names)


train_set = Towns(4)
loader = DataLoader(train_set, batch_size=12, shuffle=True)


def tensors(names, lands):
    codes = [[ord(c) for c in name] for name in names]
    lengths = torch.LongTensor([len(row) for row in codes])
    padded = torch.zeros(len(codes), lengths.max(), dtype=torch.long)
    for at, (row, length) in enumerate(zip(codes, lengths)):
        padded[at, :length] = torch.LongTensor(row)
    lengths, order = lengths.sort(descending=True)
    target = torch.LongTensor([train_set.all_lands.index(land) for land in lands])
    return padded[order], lengths, target[order] if len(lands) else target


class Reader(nn.Module):
    def __init__(self, hidden, lands, layers=2):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.letters = nn.Embedding(256, hidden)
        self.gru = nn.GRU(hidden, hidden, layers, bidirectional=True)
        self.out = nn.Linear(hidden, lands)

    def forward(self, x, lengths):
        x = x.t()
        batch = x.size(1)
        start = torch.zeros(self.layers * 2, batch, self.hidden)
        packed = pack_padded_sequence(self.letters(x), lengths.numpy())
        out, last = self.gru(packed, start)
        return self.out(last[-1])


model = Reader(32, len(train_set.all_lands))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
history = []
for epoch in range(2):
    right = 0
    for names, lands in loader:
        x, lengths, y = tensors(names, lands)
        scores = model(x, lengths)
        loss = nn.functional.cross_entropy(scores, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        best = scores.data.max(1, keepdim=True)[1]
        right += best.eq(y.view_as(best)).sum()
        history.append(loss)
    share = right / len(train_set)
curve = torch.tensor([loss.item() for loss in history])
for name in ("Braga", "Linz"):
    x, lengths, _ = tensors([name], [])
    land = model(x, lengths).argmax(1)
