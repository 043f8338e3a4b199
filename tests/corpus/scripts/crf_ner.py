import torch
import torch.nn as nn
from collections import Counter
from torch.utils.data import Dataset, DataLoader
from torch.nn.utils.rnn import pad_sequence

data = [("the cat sat on mats", "D N V P N"), ("a dog ran", "D N V"), ("he saw the big dog run", "N V D A N V"), ("cats run fast", "N V A")]
sents = [(s.split(), t.split()) for s, t in data]
counter = Counter(w for s, _ in sents for w in s)
vocab = {'<pad>': 0, '<unk>': 1}
for w, c in counter.most_common():
    vocab[w] = len(vocab)
tags = sorted({t for _, ts in sents for t in ts})
t2i = {t: i for i, t in enumerate(tags)}
START, STOP = len(tags), len(tags) + 1
K = len(tags) + 2
class NER(Dataset):
    def __init__(self, sents): self.sents = sents
    def __len__(self): return len(self.sents)
    def __getitem__(self, i):
        w, t = self.sents[i]
        return torch.tensor([vocab.get(x, 1) for x in w]), torch.tensor([t2i[x] for x in t], dtype=torch.long)
def collate(batch):
    xs, ys = list(zip(*batch))
    lens = torch.as_tensor([len(x) for x in xs])
    return pad_sequence(xs, batch_first=True), pad_sequence(ys, batch_first=True, padding_value=-1), lens
class BiLSTM_CRF(nn.Module):
    def __init__(self, V, K, E=8, H=12):
        super().__init__()
        self.emb = nn.Embedding(V, E, padding_idx=0)
        self.lstm = nn.LSTM(E, H // 2, bidirectional=True, batch_first=True)
        self.h2t = nn.Linear(H, K)
        self.trans = nn.Parameter(torch.randn(K, K))
        self.trans.data[START, :] = -10000
        self.trans.data[:, STOP] = -10000
        self.K = K
    def feats(self, x, lens):
        e = self.emb(x)
        p = nn.utils.rnn.pack_padded_sequence(e, lens, batch_first=True, enforce_sorted=False)
        o, _ = self.lstm(p)
        o, _ = nn.utils.rnn.pad_packed_sequence(o, batch_first=True)
        return self.h2t(o)
    def partition(self, f, mask):
        B, T, K = f.shape
        a = torch.full((B, K), -10000.)
        a[:, START] = 0.
        for t in range(T):
            s = a.unsqueeze(1) + self.trans.unsqueeze(0) + f[:, t].unsqueeze(2)
            n = torch.logsumexp(s, dim=2)
            m = mask[:, t].unsqueeze(1)
            a = torch.where(m, n, a)
        return torch.logsumexp(a + self.trans[STOP], dim=1)
    def score(self, f, y, mask):
        B, T, K = f.shape
        y = y.clamp(min=0)
        s = torch.zeros(B)
        prev = torch.full((B,), START, dtype=torch.long)
        for t in range(T):
            cur = y[:, t]
            em = f[:, t].gather(1, cur[:, None]).squeeze(1)
            s = s + (em + self.trans[cur, prev]) * mask[:, t]
            prev = torch.where(mask[:, t], cur, prev)
        return s + self.trans[STOP, prev]
    def loss(self, x, y, lens):
        f = self.feats(x, lens)
        mask = torch.arange(f.size(1))[None, :] < lens[:, None]
        return (self.partition(f, mask) - self.score(f, y, mask)).mean()
    @torch.no_grad()
    def viterbi(self, x):
        f = self.feats(x[None], torch.tensor([len(x)]))[0]
        fv = torch.full((1, self.K), -10000.)
        fv[0][START] = 0
        back = []
        for feat in f:
            nt = fv + self.trans
            best, bp = nt.max(dim=1)
            back.append(bp)
            fv = (best + feat).view(1, -1)
        term = fv + self.trans[STOP]
        tag = term.argmax().item()
        score = term[0][tag]
        path = [tag]
        for bp in reversed(back):
            tag = bp[tag].item()
            path.append(tag)
        path.pop()
        path.reverse()
        return score, torch.tensor(path)
loader = DataLoader(NER(sents), batch_size=2, collate_fn=collate)
model = BiLSTM_CRF(len(vocab), K)
opt = torch.optim.SGD(model.parameters(), lr=0.01, weight_decay=1e-4)
for ep in range(2):
    for x, y, lens in loader:
        model.zero_grad()
        l = model.loss(x, y, lens)
        l.backward()
        opt.step()
x0, y0 = NER(sents)[0]
sc, path = model.viterbi(x0)
acc = (path == y0).float().mean()
conf = torch.zeros(K, K, dtype=torch.long)
for a, b in zip(y0.tolist(), path.tolist()):
    conf[a, b] += 1
prec = conf.diagonal().float() / conf.sum(0).clamp_min(1)
