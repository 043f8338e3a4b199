import torch

from messages import DenseGIN, EdgeMLP, normalize_adj

for batch, nodes, dim, hidden, edges, edge_dim in ((3, 12, 9, 16, 30, 5), (2, 20, 14, 8, 41, 7), (4, 9, 6, 11, 25, 10)):
    normalize_adj((torch.rand(nodes, nodes) > 0.5).float())
    EdgeMLP(dim, edge_dim, hidden)(torch.randn(nodes, dim), torch.randint(0, nodes, (2, edges)), torch.randn(edges, edge_dim))
    gin = DenseGIN(dim, hidden)
    gin(torch.randn(batch, nodes, dim), torch.rand(batch, nodes, nodes))
    gin(torch.randn(batch, nodes, dim), torch.rand(batch, nodes, nodes), torch.ones(batch, nodes))
