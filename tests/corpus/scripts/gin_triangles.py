# graph classification: count triangles parity on random graphs, GIN by hand
import random
from collections import namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, Subset

Graph = namedtuple("Graph", ["x", "edge_index", "y"])
random.seed(0); np.random.seed(0); torch.manual_seed(0)

def random_graph(n, p):
    a = (np.random.rand(n, n) < p).astype(np.int64)
    a = np.triu(a, 1)
    a = a + a.T
    return a

def to_graph(a):
    src, dst = np.nonzero(a)
    edge_index = torch.tensor(np.stack([src, dst]), dtype=torch.long)
    deg = torch.tensor(a.sum(1))
    x = F.one_hot(deg.clamp(max=7), num_classes=8).float()
    tri = np.trace(np.linalg.matrix_power(a, 3)) // 6
    y = torch.tensor(int(tri > 3))
    return Graph(x, edge_index, y)

class GraphDataset(Dataset):
    def __init__(self, count):
        self.graphs = []
        for _ in range(count):
            n = random.randint(6, 14)
            self.graphs.append(to_graph(random_graph(n, 0.35)))
    def __len__(self): return len(self.graphs)
    def __getitem__(self, i): return self.graphs[i]

class Batch:
    def __init__(self, x, edge_index, batch, y):
        self.x, self.edge_index, self.batch, self.y = x, edge_index, batch, y
    def to(self, device):
        for k in ("x", "edge_index", "batch", "y"):
            setattr(self, k, getattr(self, k).to(device))
        return self
    @property
    def num_graphs(self):
        return self.y.size(0)

def collate(graphs):
    xs, edges, batch, ys = [], [], [], []
    offset = 0
    for i, g in enumerate(graphs):
        n = g.x.shape[0]
        xs.append(g.x)
        edges.append(g.edge_index + offset)
        batch.append(torch.full((n,), i, dtype=torch.long))
        ys.append(g.y)
        offset += n
    return Batch(torch.cat(xs), torch.cat(edges, 1), torch.cat(batch), torch.stack(ys))

def scatter_sum(src, index, dim_size):
    out = src.new_zeros(dim_size, src.size(1))
    return out.index_add(0, index, src)

def scatter_mean(src, index, dim_size):
    total = scatter_sum(src, index, dim_size)
    count = torch.zeros(dim_size, 1).index_add_(0, index, torch.ones(index.numel(), 1))
    return total / count.clamp(min=1)

class GINConv(nn.Module):
    def __init__(self, din, dout):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(nn.Linear(din, dout), nn.BatchNorm1d(dout), nn.ReLU(), nn.Linear(dout, dout))
    def forward(self, x, edge_index):
        row, col = edge_index
        agg = scatter_sum(x[row], col, x.size(0))
        return self.mlp((1 + self.eps) * x + agg)

class GIN(nn.Module):
    def __init__(self, din, hidden, n_layers, n_out, readout="sum"):
        super().__init__()
        dims = [din] + [hidden] * n_layers
        self.convs = nn.ModuleList([GINConv(a, b) for a, b in zip(dims[:-1], dims[1:])])
        self.heads = nn.ModuleList([nn.Linear(d, n_out) for d in dims])
        self.readout = scatter_sum if readout == "sum" else scatter_mean
        self.drop = nn.Dropout(0.3)
    def forward(self, data):
        h = data.x
        states = [h]
        for conv in self.convs:
            h = F.relu(conv(h, data.edge_index))
            states.append(h)
        score = 0
        for head, state in zip(self.heads, states):
            pooled = self.readout(state, data.batch, data.num_graphs)
            score = score + self.drop(head(pooled))
        return score

device = "cuda" if torch.cuda.is_available() else "cpu"
dataset = GraphDataset(160)
perm = torch.randperm(len(dataset)).tolist()
train_set, test_set = Subset(dataset, perm[:128]), Subset(dataset, perm[128:])
train_loader = DataLoader(train_set, batch_size=32, shuffle=True, collate_fn=collate)
test_loader = DataLoader(test_set, batch_size=32, collate_fn=collate)
model = GIN(8, 32, 3, 2, readout="mean").to(device)
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    model.train()
    total = 0
    for data in train_loader:
        data = data.to(device)
        opt.zero_grad()
        out = model(data)
        loss = F.cross_entropy(out, data.y)
        loss.backward()
        opt.step()
        total += loss.item() * data.num_graphs
    model.eval()
    correct = 0
    confusion = torch.zeros(2, 2, dtype=torch.long)
    with torch.no_grad():
        for data in test_loader:
            data = data.to(device)
            pred = model(data).max(dim=1)[1]
            correct += pred.eq(data.y).sum().item()
            for t, p in zip(data.y, pred):
                confusion[t, p] += 1
    print(epoch, total / len(train_set), correct / len(test_set), confusion.tolist())
