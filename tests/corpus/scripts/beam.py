import heapq
import torch
import torch.nn as nn
import torch.nn.functional as F

class LM(nn.Module):
    def __init__(self, V=20, d=16, tie=True):
        super().__init__()
        self.emb = nn.Embedding(V, d)
        self.rnn = nn.LSTM(d, d, num_layers=2)
        self.dec = nn.Linear(d, V)
        if tie:
            self.dec.weight = self.emb.weight
    def forward(self, x, hidden=None):
        e = self.emb(x)
        o, hidden = self.rnn(e, hidden)
        return F.log_softmax(self.dec(o), dim=-1), hidden
    def init_hidden(self, bsz):
        w = next(self.parameters())
        return (w.new_zeros(2, bsz, 16), w.new_zeros(2, bsz, 16))
def repackage_hidden(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)
def batchify(data, bsz):
    nbatch = data.size(0) // bsz
    data = data.narrow(0, 0, nbatch * bsz)
    return data.view(bsz, -1).t().contiguous()
def get_batch(source, i, bptt=7):
    seq_len = min(bptt, len(source) - 1 - i)
    data = source[i:i + seq_len]
    target = source[i + 1:i + 1 + seq_len].view(-1)
    return data, target
torch.manual_seed(0)
corpus = torch.randint(0, 20, (203,))
train = batchify(corpus, 4)
model = LM()
hidden = model.init_hidden(4)
lr = 20
total = 0.
for batch, i in enumerate(range(0, train.size(0) - 1, 7)):
    data, targets = get_batch(train, i)
    model.zero_grad()
    hidden = repackage_hidden(hidden)
    output, hidden = model(data, hidden)
    loss = F.nll_loss(output.view(-1, 20), targets)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    for p in model.parameters():
        p.data.add_(p.grad, alpha=-lr)
    total += loss.item()
@torch.no_grad()
def beam_search(model, start, k=3, max_len=6, eos=2):
    V = 20
    seqs = torch.full((1, k), start, dtype=torch.long)
    scores = torch.zeros(k)
    scores[1:] = -1e9
    hidden = model.init_hidden(k)
    finished = []
    for step in range(max_len):
        logp, hidden = model(seqs[-1:], hidden)
        cand = scores.unsqueeze(1) + logp.squeeze(0)
        top, idx = cand.view(-1).topk(k)
        beam = torch.div(idx, V, rounding_mode='floor')
        tok = idx % V
        hidden = tuple(h.index_select(1, beam) for h in hidden)
        seqs = torch.cat([seqs[:, beam], tok.unsqueeze(0)], dim=0)
        scores = top
        done = tok == eos
        if done.any():
            for j in done.nonzero(as_tuple=False).view(-1).tolist():
                heapq.heappush(finished, (-scores[j].item(), seqs[:, j].tolist()))
            scores = scores.masked_fill(done, -1e9)
    if not finished:
        return seqs[:, 0], scores[0]
    s, best = heapq.heappop(finished)
    return torch.tensor(best), torch.tensor(-s)
best, score = beam_search(model, 1)
def top_k_top_p(logits, top_k=0, top_p=0.0, filt=-float('Inf')):
    top_k = min(top_k, logits.size(-1))
    if top_k > 0:
        rm = logits < torch.topk(logits, top_k)[0][..., -1, None]
        logits[rm] = filt
    if top_p > 0.0:
        sl, si = torch.sort(logits, descending=True)
        cp = torch.cumsum(F.softmax(sl, dim=-1), dim=-1)
        sr = cp > top_p
        sr[..., 1:] = sr[..., :-1].clone()
        sr[..., 0] = 0
        rm = sr.scatter(1, si, sr)
        logits = logits.masked_fill(rm, filt)
    return logits
ctx = torch.tensor([[3], [5]]).t()
model.eval()
h = None
gen = ctx
with torch.inference_mode():
    while gen.size(0) < 8:
        lp, h = model(gen[-1:], h)
        filt = top_k_top_p(lp[-1].clone(), top_k=8, top_p=0.9)
        nxt = torch.multinomial(filt.exp(), 1)
        gen = torch.cat([gen, nxt.t()])
reps = torch.unique_consecutive(gen[:, 0])
counts = torch.bincount(gen.flatten(), minlength=20)
ngrams = gen.unfold(0, 2, 1).reshape(-1, 2)
probs = counts.float() / counts.sum()
entropy = -(probs[probs > 0] * probs[probs > 0].log()).sum()
ppl = torch.exp(torch.tensor(total / (batch + 1)))
