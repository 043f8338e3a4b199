"""Graph classification with hand-written message passing and batching (no PyG)."""

import dataclasses
from typing import List, Optional
import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset


@dataclasses.dataclass
class Graph:
    x: Tensor
    edge_index: Tensor
    y: int
    batch: Optional[Tensor] = None

    @property
    def num_nodes(self):
        return self.x.size(0)

    @staticmethod
    def collate(graphs: List["Graph"]) -> "Graph":
        xs, eis, ys, batch, offset = [], [], [], [], 0
        for i, g in enumerate(graphs):
            xs.append(g.x)
            eis.append(g.edge_index + offset)
            ys.append(g.y)
            batch.append(torch.full((g.num_nodes,), i, dtype=torch.long))
            offset += g.num_nodes
        return Graph(torch.cat(xs), torch.cat(eis, dim=1), torch.tensor(ys), torch.cat(batch))


class RandomGraphs(Dataset):
    def __init__(self, n, seed=0):
        self.n, self.seed = n, seed

    def __len__(self):
        return self.n

    def __getitem__(self, idx):
        rng = np.random.default_rng(self.seed + idx)
        nodes = rng.integers(5, 12)
        p = 0.2 if idx % 2 else 0.5
        adj = np.triu(rng.random((nodes, nodes)) < p, 1)
        adj = adj | adj.T
        src, dst = np.nonzero(adj)
        edge_index = torch.tensor(np.stack([src, dst]), dtype=torch.long)
        deg = torch.from_numpy(adj.sum(1)).float()
        x = torch.stack([deg, torch.ones_like(deg)], dim=1)
        return Graph(x, edge_index, idx % 2)


def scatter_mean(src, index, dim_size):
    out = torch.zeros(dim_size, src.size(1), dtype=src.dtype)
    out.index_add_(0, index, src)
    count = torch.bincount(index, minlength=dim_size).clamp(min=1)
    return out / count.unsqueeze(1)


class GCNConv(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.lin = nn.Linear(cin, cout, bias=False)
        self.bias = nn.Parameter(torch.zeros(cout))

    def forward(self, x, edge_index):
        n = x.size(0)
        loop = torch.arange(n)
        row = torch.cat([edge_index[0], loop])
        col = torch.cat([edge_index[1], loop])
        deg = torch.zeros(n).scatter_add_(0, row, torch.ones(row.size(0)))
        dis = deg.pow(-0.5)
        norm = dis[row] * dis[col]
        h = self.lin(x)
        msg = norm.view(-1, 1) * h[col]
        out = torch.zeros_like(h).index_add(0, row, msg)
        return out + self.bias


class Net(nn.Module):
    def __init__(self, hidden=16, classes=2):
        super().__init__()
        self.convs = nn.ModuleList([GCNConv(2, hidden), GCNConv(hidden, hidden)])
        self.readout = nn.Linear(2 * hidden, classes)

    def forward(self, g: Graph):
        h = g.x
        for conv in self.convs:
            h = conv(h, g.edge_index).relu()
        num_graphs = int(g.batch.max()) + 1
        mean = scatter_mean(h, g.batch, num_graphs)
        mx = torch.stack([h[g.batch == i].max(dim=0).values for i in range(num_graphs)])
        return self.readout(torch.cat([mean, mx], dim=-1))


def evaluate(model, loader):
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for g in loader:
            pred = model(g).argmax(-1)
            correct += (pred == g.y).sum().item()
            total += g.y.numel()
    return correct / total


def main():
    torch.manual_seed(0)
    train = DataLoader(RandomGraphs(40), batch_size=8, shuffle=True, collate_fn=Graph.collate)
    test = DataLoader(RandomGraphs(16, seed=1000), batch_size=8, collate_fn=Graph.collate)
    model = Net()
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(2):
        model.train()
        for g in train:
            logits = model(g)
            loss = nn.functional.cross_entropy(logits, g.y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item(), evaluate(model, test))
    single = RandomGraphs(1)[0]
    dense = torch.zeros(single.num_nodes, single.num_nodes)
    dense[single.edge_index[0], single.edge_index[1]] = 1.0
    lap = torch.diag(dense.sum(1)) - dense
    evals = torch.linalg.eigvalsh(lap)
    print(evals.shape)


if __name__ == "__main__":
    main()
