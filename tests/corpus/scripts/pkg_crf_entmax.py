# needs: pytorch-crf entmax
# beside: torchcrf entmax
import torch
from torch import nn
from torchcrf import CRF
from entmax import sparsemax, entmax15


class Tagger(nn.Module):
    def __init__(self, vocab, tags, dim=24, hidden=32):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.gru = nn.GRU(dim, hidden // 2, bidirectional=True, batch_first=True)
        self.att = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, tags)
        self.crf = CRF(tags, batch_first=True)

    def emissions(self, tokens):
        h, _ = self.gru(self.emb(tokens))
        scores = h @ self.att(h).transpose(1, 2)
        weights = entmax15(scores, dim=-1)
        return self.out(h + weights @ h)

    def forward(self, tokens, tags, mask):
        return -self.crf(self.emissions(tokens), tags, mask=mask, reduction='mean')

    @torch.no_grad()
    def decode(self, tokens, mask):
        return self.crf.decode(self.emissions(tokens), mask=mask)


torch.manual_seed(3)
tokens = torch.randint(1, 50, (4, 9))
lengths = torch.tensor([9, 7, 5, 3])
mask = torch.arange(9)[None] < lengths[:, None]
tokens = tokens * mask
tags = torch.randint(0, 5, (4, 9))
model = Tagger(50, 5)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(3):
    loss = model(tokens, tags, mask)
    opt.zero_grad()
    loss.backward()
    opt.step()
best = model.decode(tokens, mask)
p = sparsemax(torch.tensor([[1.0, 0.9, -3.0]]), dim=-1)
print([len(b) for b in best], p)
