import torch

from graph import GAT, GCN, GlobalPool, MessagePassing, normalize_adj

for nodes, features, hidden, classes, heads in ((20, 16, 8, 5, 3), (13, 10, 12, 4, 2), (31, 24, 6, 7, 4)):
    adj = normalize_adj((torch.rand(nodes, nodes) > 0.5).float())
    x = torch.randn(nodes, features)
    GCN(features, hidden, classes)(x, adj)
    GAT(features, hidden, classes, heads)(x, adj)

for nodes, edges, dim, edge, hidden in ((12, 40, 16, 5, 24), (9, 25, 10, 3, 32), (20, 33, 8, 6, 14)):
    MessagePassing(dim, edge, hidden)(torch.randn(nodes, dim), torch.randint(0, nodes, (2, edges)), torch.randn(edges, edge))

for batch, nodes, dim, classes in ((4, 10, 16, 3), (6, 7, 12, 5), (3, 14, 20, 8)):
    GlobalPool(dim, classes)(torch.randn(batch, nodes, dim), torch.rand(batch, nodes) > 0.3)
