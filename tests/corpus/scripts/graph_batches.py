"""Graph batching with variable sizes, message passing, top-k pooling, contrastive edges."""
import random
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Graphs(Dataset):
    def __init__(self, n=40, seed=0):
        rng = random.Random(seed)
        self.items = []
        for _ in range(n):
            nodes = rng.randint(4, 9)
            x = torch.randn(nodes, 6)
            adj = (torch.rand(nodes, nodes) < 0.4).triu(1)
            src, dst = adj.nonzero(as_tuple=True)
            edge_index = torch.stack([torch.cat([src, dst]), torch.cat([dst, src])])
            self.items.append((x, edge_index, int(edge_index.size(1) > nodes)))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    xs, edges, ys, owner = [], [], [], []
    offset = 0
    for i, (x, e, y) in enumerate(batch):
        xs.append(x)
        edges.append(e + offset)
        owner.append(torch.full((x.size(0),), i, dtype=torch.long))
        ys.append(y)
        offset += x.size(0)
    return torch.cat(xs), torch.cat(edges, dim=1), torch.cat(owner), torch.tensor(ys)


class Layer(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin = nn.Linear(2 * d_in, d_out)

    def forward(self, x, edge_index):
        src, dst = edge_index
        messages = x[src]
        agg = torch.zeros_like(x).index_add_(0, dst, messages)
        deg = torch.bincount(dst, minlength=x.size(0)).clamp(min=1).unsqueeze(-1)
        h = torch.cat([x, agg / deg], dim=-1)
        return F.relu(self.lin(h))


class TopK(nn.Module):
    def __init__(self, d, ratio=0.5):
        super().__init__()
        self.score = nn.Linear(d, 1)
        self.ratio = ratio

    def forward(self, x, edge_index, owner):
        s = torch.tanh(self.score(x)).squeeze(-1)
        k = max(1, int(self.ratio * x.size(0)))
        top, idx = torch.topk(s, k)
        pooled = x[idx] * top.unsqueeze(-1)
        mask = torch.zeros(x.size(0), dtype=torch.bool)
        mask[idx] = True
        keep = mask[edge_index[0]] & mask[edge_index[1]]
        remap = torch.cumsum(mask.long(), 0) - 1
        new_edges = remap[edge_index[:, keep]]
        return x[mask], new_edges, owner[mask]


class Net(nn.Module):
    def __init__(self, d=6, hidden=16, classes=2):
        super().__init__()
        self.a, self.b = Layer(d, hidden), Layer(hidden, hidden)
        self.pool = TopK(hidden)
        self.out = nn.Linear(hidden, classes)

    def forward(self, x, edge_index, owner, n_graphs):
        h = self.a(x, edge_index)
        h, edge_index, owner = self.pool(h, edge_index, owner)
        h = self.b(h, edge_index)
        g = torch.zeros(n_graphs, h.size(1)).index_add(0, owner, h)
        return self.out(g), h


def link_loss(h, edge_index):
    n_edges = edge_index.size(1)
    neg = torch.randint(0, h.size(0), (2, n_edges))
    pos_s = (h[edge_index[0]] * h[edge_index[1]]).sum(-1)
    neg_s = (h[neg[0]] * h[neg[1]]).sum(-1)
    scores = torch.cat([pos_s, neg_s])
    labels = torch.cat([torch.ones(n_edges), torch.zeros(n_edges)])
    return F.binary_cross_entropy_with_logits(scores, labels)


torch.manual_seed(0)
loader = DataLoader(Graphs(), batch_size=8, shuffle=True, collate_fn=collate)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(2):
    for x, edge_index, owner, y in loader:
        n = y.size(0)
        logits, h = net(x, edge_index, owner, n)
        loss = F.cross_entropy(logits, y) + 0.1 * link_loss(x, edge_index)
        opt.zero_grad()
        loss.backward()
        opt.step()
sizes = torch.bincount(owner)
parts = torch.split(x, sizes.tolist())
padded = nn.utils.rnn.pad_sequence(parts, batch_first=True)
valid = torch.arange(padded.size(1))[None, :] < sizes[:, None]
flat = padded[valid]
num_valid = int(valid.sum())
again = torch.zeros(num_valid, 6)
print(loss.item(), padded.shape, flat.shape, again.shape)
