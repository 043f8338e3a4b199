import torch
import torch.nn as nn
import torch.optim as optim
import itertools
import random

random.seed(0)


class SortingDataset(torch.utils.data.Dataset):
    def __init__(self, size, length):
        self.data = [random.sample(range(100), length) for _ in range(size)]

    def __len__(self):
        return len(self.data)

    def __getitem__(self, idx):
        seq = self.data[idx]
        order = sorted(range(len(seq)), key=lambda i: seq[i])
        return torch.tensor(seq, dtype=torch.float) / 100.0, torch.tensor(order)


class Attention(nn.Module):
    def __init__(self, hidden_size, units):
        super(Attention, self).__init__()
        self.W1 = nn.Linear(hidden_size, units, bias=False)
        self.W2 = nn.Linear(hidden_size, units, bias=False)
        self.V = nn.Linear(units, 1, bias=False)

    def forward(self, encoder_out, decoder_hidden, mask=None):
        # encoder_out: (B, L, H), decoder_hidden: (B, H)
        decoder_hidden = decoder_hidden.unsqueeze(1)
        uj = self.W1(encoder_out) + self.W2(decoder_hidden)
        uj = torch.tanh(uj)
        uj = self.V(uj).squeeze(-1)
        if mask is not None:
            uj = uj.masked_fill(mask, -1e9)
        aj = uj.softmax(-1)
        context = (aj.unsqueeze(-1) * encoder_out).sum(1)
        return context, uj


class PtrNet(nn.Module):
    def __init__(self, d_embed, d_hidden, weights_dim):
        super().__init__()
        self.embed = nn.Linear(1, d_embed)
        self.encoder = nn.LSTM(d_embed, d_hidden // 2, batch_first=True, bidirectional=True)
        self.decoder_cell = nn.LSTMCell(d_embed + d_hidden, d_hidden)
        self.attention = Attention(d_hidden, weights_dim)
        self.start = nn.Parameter(torch.randn(1, d_embed) * 0.02)

    def forward(self, x, y=None, teacher_force_ratio=0.5):
        batch_size, length = x.shape
        emb = self.embed(x.unsqueeze(-1))
        enc_out, (h, c) = self.encoder(emb)
        hx = h.transpose(0, 1).reshape(batch_size, -1)
        cx = c.permute(1, 0, 2).flatten(1)
        dec_in = self.start.expand(batch_size, -1)
        mask = torch.zeros(batch_size, length, dtype=torch.bool)
        outputs = []
        pointers = torch.zeros(batch_size, length, dtype=torch.long)
        for t in range(length):
            context, scores = self.attention(enc_out, hx, mask)
            hx, cx = self.decoder_cell(torch.cat([dec_in, context], dim=-1), (hx, cx))
            _, logits = self.attention(enc_out, hx, mask)
            outputs.append(logits)
            pred = logits.argmax(-1)
            teacher = y is not None and random.random() < teacher_force_ratio
            idx = y[:, t] if teacher else pred
            pointers[:, t] = pred
            mask = mask.scatter(1, idx.unsqueeze(1), True)
            dec_in = emb[torch.arange(batch_size), idx]
        return torch.stack(outputs, dim=1), pointers


def train_one_epoch(model, loader, optimizer):
    model.train()
    total = 0.0
    for bat, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        logits, _ = model(x, y, teacher_force_ratio=1.0)
        loss = nn.functional.cross_entropy(logits.reshape(-1, logits.size(-1)), y.reshape(-1))
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / (bat + 1)


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    hits, n = 0, 0
    for x, y in loader:
        _, pointers = model(x)
        hits += (pointers == y).all(dim=1).sum().item()
        n += x.size(0)
    return hits / n


LENGTH = 6
train_loader = torch.utils.data.DataLoader(SortingDataset(64, LENGTH), batch_size=16, shuffle=True)
test_loader = torch.utils.data.DataLoader(SortingDataset(20, LENGTH), batch_size=8)
ptr = PtrNet(16, 32, 16)
opt = optim.Adam(ptr.parameters())
for epoch in range(2):
    l = train_one_epoch(ptr, train_loader, opt)
    print('epoch', epoch, 'loss %.4f' % l, 'acc', accuracy(ptr, test_loader))

x, y = next(iter(test_loader))
logits, pointers = ptr(x)
sorted_x = torch.gather(x, 1, pointers)
inversions = sum((sorted_x[:, i] > sorted_x[:, j]).float() for i, j in itertools.combinations(range(LENGTH), 2))
print(sorted_x[0], inversions)
