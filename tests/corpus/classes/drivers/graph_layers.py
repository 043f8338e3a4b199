import torch
from graph_layers import DenseGraphTransformer, EdgeConv, EdgeGAT, GCN, GINLayer, GraphConvolution, global_mean_pool, normalize_adj, segment_softmax

for b, n, e, c, o, h, k in ((2, 11, 23, 6, 10, 3, 5), (3, 13, 29, 8, 14, 4, 7), (4, 17, 37, 15, 12, 5, 6)):
    adj = torch.rand(n, n)
    normalize_adj(adj)
    edges = torch.randint(0, n, (2, e))
    segment_softmax(torch.randn(e, h), edges[1], n)
    global_mean_pool(torch.randn(n, c), torch.randint(0, b, (n,)), b)
    GraphConvolution(c, o)(torch.randn(n, c), adj)
    GraphConvolution(c, o, bias=False)(torch.randn(n, c), adj)
    GCN(c, o, k, 0.1)(torch.randn(n, c), adj)
    EdgeGAT(c, o, h)(torch.randn(n, c), edges)
    EdgeGAT(c, o, h, concat=False)(torch.randn(n, c), edges)
    GINLayer(c, o)(torch.randn(n, c), edges)
    GINLayer(c, o)(torch.randn(n, c), edges, torch.randn(e, c))
    EdgeConv(c, o, k)(torch.randn(b, c, n))
    DenseGraphTransformer(c if c % h == 0 else c // h * h, o, h)(torch.randn(b, n, c // h * h), torch.randn(b, n, n, o), torch.ones(b, n))
