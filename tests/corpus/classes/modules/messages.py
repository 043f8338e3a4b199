"""Messages along the edges of a graph, edge list or dense."""
import torch
import torch.nn as nn


class EdgeMLP(nn.Module):
    """message passing over an edge index [2, E]"""

    def __init__(self, node_dim, edge_dim, hidden):
        super().__init__()
        self.msg = nn.Sequential(nn.Linear(2 * node_dim + edge_dim, hidden), nn.SiLU(), nn.Linear(hidden, hidden))
        self.upd = nn.Linear(node_dim + hidden, node_dim)

    def forward(self, x, edge_index, edge_attr):
        row, col = edge_index
        m = torch.cat([x[row], x[col], edge_attr], dim=-1)
        m = self.msg(m)
        agg = torch.zeros(x.size(0), m.size(1), device=x.device)
        agg.index_add_(0, col, m)
        out = x + self.upd(torch.cat([x, agg], dim=-1))
        return out


def normalize_adj(adj):
    adj = adj + torch.eye(adj.size(0))
    deg = adj.sum(1)
    d_inv_sqrt = deg.pow(-0.5)
    d_inv_sqrt[torch.isinf(d_inv_sqrt)] = 0.
    return d_inv_sqrt[:, None] * adj * d_inv_sqrt[None, :]


class DenseGIN(nn.Module):
    def __init__(self, dim, hidden, eps=0.0):
        super().__init__()
        self.eps = nn.Parameter(torch.tensor(eps))
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))

    def forward(self, x, adj, mask=None):
        summed = torch.matmul(adj, x)
        out = self.mlp((1 + self.eps) * x + summed)
        if mask is not None:
            out = out * mask.unsqueeze(-1)
        return out
