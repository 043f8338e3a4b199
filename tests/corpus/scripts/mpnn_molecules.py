# Message passing on random molecules, no PyG. Batches are one big graph.
import random
from dataclasses import dataclass
from typing import List, Optional, Sequence
import torch
import torch.nn as nn
import torch.nn.functional as F

ATOMS = "CNOFS"
VALENCE = {"C": 4, "N": 3, "O": 2, "F": 1, "S": 2}


@dataclass
class Graph:
    x: torch.Tensor
    edge_index: torch.Tensor
    edge_attr: torch.Tensor
    y: torch.Tensor
    batch: Optional[torch.Tensor] = None

    @property
    def num_nodes(self):
        return self.x.size(0)

    def to(self, device):
        return Graph(*(v.to(device) if v is not None else None for v in vars(self).values()))


def random_molecule(rng: random.Random) -> Graph:
    n = rng.randint(4, 9)
    symbols = [rng.choice(ATOMS) for _ in range(n)]
    src, dst, attr = [], [], []
    degree = [0] * n
    for i in range(1, n):
        j = rng.randrange(i)
        order = rng.choice([0, 0, 1])
        for a, b in ((i, j), (j, i)):
            src.append(a)
            dst.append(b)
            onehot = [0.0, 0.0]
            onehot[order] = 1.0
            attr.append(onehot)
        degree[i] += 1
        degree[j] += 1
    feats = []
    for s, d in zip(symbols, degree):
        row = [float(s == a) for a in ATOMS]
        row.append(d / 4)
        row.append(VALENCE[s] / 4)
        feats.append(row)
    y = sum(VALENCE[s] for s in symbols) / n - 0.1 * max(degree)
    return Graph(torch.tensor(feats), torch.tensor([src, dst]), torch.tensor(attr), torch.tensor([y]))


def collate(graphs: Sequence[Graph]) -> Graph:
    offset, xs, eis, eas, ys, bs = 0, [], [], [], [], []
    for i, g in enumerate(graphs):
        xs.append(g.x)
        eis.append(g.edge_index + offset)
        eas.append(g.edge_attr)
        ys.append(g.y)
        bs.append(torch.full((g.num_nodes,), i, dtype=torch.long))
        offset += g.num_nodes
    return Graph(torch.cat(xs), torch.cat(eis, dim=1), torch.cat(eas), torch.cat(ys), torch.cat(bs))


def scatter_sum(src, index, dim_size):
    out = src.new_zeros((dim_size,) + src.shape[1:])
    return out.index_add_(0, index, src)


def scatter_mean(src, index, dim_size):
    total = scatter_sum(src, index, dim_size)
    count = torch.bincount(index, minlength=dim_size).clamp(min=1)
    return total / count.view(-1, *[1] * (src.dim() - 1))


def scatter_max(src, index, dim_size):
    out = torch.full((dim_size, src.size(-1)), float("-inf"))
    idx = index.unsqueeze(-1).expand_as(src)
    out = out.scatter_reduce(0, idx, src, reduce="amax", include_self=True)
    return torch.where(out.isinf(), torch.zeros_like(out), out)


def scatter_softmax(src, index, dim_size):
    mx = torch.zeros(dim_size, src.size(1)).scatter_reduce(0, index[:, None].expand_as(src), src, "amax", include_self=False)
    e = (src - mx[index]).exp()
    return e / (scatter_sum(e, index, dim_size)[index] + 1e-16)


class MLP(nn.Sequential):
    def __init__(self, *dims, act=nn.SiLU, norm=False):
        mods = []
        for i, (a, b) in enumerate(zip(dims[:-1], dims[1:])):
            mods.append(nn.Linear(a, b))
            if i < len(dims) - 2:
                if norm:
                    mods.append(nn.LayerNorm(b))
                mods.append(act())
        super().__init__(*mods)


class MPNNLayer(nn.Module):
    def __init__(self, dim, edge_dim, heads=4):
        super().__init__()
        self.heads = heads
        self.message = MLP(2 * dim + edge_dim, dim, dim)
        self.att = nn.Parameter(torch.empty(1, heads, dim // heads))
        nn.init.xavier_uniform_(self.att)
        self.gru = nn.GRUCell(dim, dim)
        self.norm = nn.BatchNorm1d(dim)

    def forward(self, h, edge_index, e):
        src, dst = edge_index
        m = self.message(torch.cat([h[src], h[dst], e], -1))
        mh = m.view(-1, self.heads, m.size(-1) // self.heads)
        alpha = scatter_softmax((mh * self.att).sum(-1), dst, h.size(0))
        agg = scatter_sum((mh * alpha[..., None]).flatten(1), dst, h.size(0))
        return self.norm(self.gru(agg, h)), alpha


class GNN(nn.Module):
    def __init__(self, in_dim, edge_dim, dim=32, layers=3, readouts=("sum", "mean", "max")):
        super().__init__()
        self.embed = nn.Linear(in_dim, dim)
        self.layers = nn.ModuleList([MPNNLayer(dim, edge_dim) for _ in range(layers)])
        self.readouts = readouts
        self.head = MLP(dim * len(readouts), dim, 1, norm=True)
        self.virtual = nn.Embedding(1, dim)
        self.vmlp = MLP(dim, dim, dim)

    def forward(self, g: Graph):
        num = int(g.batch.max()) + 1
        h = self.embed(g.x)
        v = self.virtual.weight.expand(num, -1)
        alphas = []
        for i, layer in enumerate(self.layers):
            h = h + v[g.batch]
            h, a = layer(h, g.edge_index, g.edge_attr)
            alphas.append(a)
            if i < len(self.layers) - 1:
                v = v + self.vmlp(scatter_mean(h, g.batch, num))
        table = {"sum": scatter_sum, "mean": scatter_mean, "max": scatter_max}
        pooled = torch.cat([table[r](h, g.batch, num) for r in self.readouts], dim=-1)
        return self.head(pooled).squeeze(-1), h, alphas


def normalized_adjacency(g: Graph, eps=1e-9):
    n = g.num_nodes
    A = torch.zeros(n, n)
    A[g.edge_index[0], g.edge_index[1]] = 1
    A = A + torch.eye(n)
    d = A.sum(1)
    dinv = torch.diag((d + eps).pow(-0.5))
    return dinv @ A @ dinv


def laplacian_pe(g: Graph, k=2):
    L = torch.eye(g.num_nodes) - normalized_adjacency(g)
    vals, vecs = torch.linalg.eigh(L)
    return vecs[:, 1:k + 1]


def dropout_edges(g: Graph, p: float) -> Graph:
    keep = torch.rand(g.edge_index.size(1)) >= p
    return Graph(g.x, g.edge_index[:, keep], g.edge_attr[keep], g.y, g.batch)


def loader(data: List[Graph], bs: int, shuffle: bool, rng=None):
    order = list(range(len(data)))
    if shuffle:
        rng.shuffle(order)
    for i in range(0, len(order), bs):
        yield collate([data[j] for j in order[i:i + bs]])


def main():
    rng = random.Random(4)
    torch.manual_seed(4)
    data = [random_molecule(rng) for _ in range(60)]
    for g in data:
        g.x = torch.cat([g.x, laplacian_pe(g).abs()], dim=1)
    train, val = data[:48], data[48:]
    ys = torch.cat([g.y for g in train])
    mu, sd = ys.mean(), ys.std()
    model = GNN(train[0].x.shape[1], 2)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(3):
        model.train()
        total = torch.zeros(())
        for g in loader(train, 16, True, rng):
            g = dropout_edges(g, 0.1)
            pred, _, _ = model(g)
            loss = F.huber_loss(pred, (g.y - mu) / sd)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.detach() * len(g.y)
        model.eval()
        with torch.no_grad():
            maes = []
            for g in loader(val, 6, False):
                pred, nodes, alphas = model(g)
                maes.append((pred * sd + mu - g.y).abs())
            mae = torch.cat(maes).mean()
    att = torch.stack(alphas).mean(-1)
    dense = normalized_adjacency(val[0])
    print(total.shape, mae.item() > 0, nodes.shape[1], att.shape[0], dense.shape[0] == val[0].num_nodes)


main()
