import torch
import torch.nn as nn
import torch.nn.functional as F


def normalize_adj(adj):
    deg = adj.sum(dim=-1)
    d_inv_sqrt = deg.pow(-0.5)
    d_inv_sqrt[torch.isinf(d_inv_sqrt)] = 0.0
    return adj * d_inv_sqrt.unsqueeze(-1) * d_inv_sqrt.unsqueeze(-2)


def segment_softmax(src, index, num_nodes):
    out = src - src.max()
    out = out.exp()
    denom = torch.zeros(num_nodes, *out.shape[1:], device=src.device).index_add_(0, index, out)
    return out / (denom[index] + 1e-16)


def global_mean_pool(x, batch, size):
    summed = torch.zeros(size, x.size(1)).index_add_(0, batch, x)
    count = torch.bincount(batch, minlength=size).clamp(min=1)
    return summed / count.unsqueeze(1)


class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super(GraphConvolution, self).__init__()
        self.weight = nn.Parameter(torch.FloatTensor(in_features, out_features))
        if bias:
            self.bias = nn.Parameter(torch.FloatTensor(out_features))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.xavier_uniform_(self.weight)
        if self.bias is not None:
            self.bias.data.zero_()

    def forward(self, input, adj):
        support = torch.mm(input, self.weight)
        output = torch.spmm(adj, support)
        if self.bias is not None:
            return output + self.bias
        return output


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout):
        super(GCN, self).__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.gc2 = GraphConvolution(nhid, nclass)
        self.dropout = dropout

    def forward(self, x, adj):
        x = F.relu(self.gc1(x, adj))
        x = F.dropout(x, self.dropout, training=self.training)
        x = self.gc2(x, adj)
        return F.log_softmax(x, dim=1)


class EdgeGAT(nn.Module):
    def __init__(self, in_dim, out_dim, heads=4, concat=True):
        super().__init__()
        self.heads, self.out_dim, self.concat = heads, out_dim, concat
        self.lin = nn.Linear(in_dim, heads * out_dim, bias=False)
        self.att_src = nn.Parameter(torch.randn(1, heads, out_dim))
        self.att_dst = nn.Parameter(torch.randn(1, heads, out_dim))

    def forward(self, x, edge_index):
        n = x.size(0)
        src, dst = edge_index
        h = self.lin(x).view(n, self.heads, self.out_dim)
        a_src = (h * self.att_src).sum(-1)
        a_dst = (h * self.att_dst).sum(-1)
        alpha = F.leaky_relu(a_src[src] + a_dst[dst], 0.2)
        alpha = segment_softmax(alpha, dst, n)
        msg = h[src] * alpha.unsqueeze(-1)
        out = torch.zeros_like(h).index_add_(0, dst, msg)
        if self.concat:
            return out.reshape(n, -1)
        return out.mean(dim=1)


class GINLayer(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, dim))

    def forward(self, x, edge_index, edge_attr=None):
        row, col = edge_index[0], edge_index[1]
        message = x[row]
        if edge_attr is not None:
            message = F.relu(message + edge_attr)
        agg = torch.zeros_like(x)
        agg.scatter_add_(0, col.unsqueeze(-1).expand_as(message), message)
        return self.mlp((1 + self.eps) * x + agg)


class EdgeConv(nn.Module):
    def __init__(self, in_channels, out_channels, k):
        super().__init__()
        self.k = k
        self.conv = nn.Sequential(nn.Conv2d(2 * in_channels, out_channels, 1, bias=False), nn.BatchNorm2d(out_channels), nn.LeakyReLU(0.2))

    def knn(self, x):
        inner = -2 * torch.matmul(x.transpose(2, 1), x)
        xx = torch.sum(x**2, dim=1, keepdim=True)
        pairwise_distance = -xx - inner - xx.transpose(2, 1)
        return pairwise_distance.topk(k=self.k, dim=-1)[1]

    def get_graph_feature(self, x):
        batch_size, num_dims, num_points = x.size()
        idx = self.knn(x)
        idx_base = torch.arange(0, batch_size, device=x.device).view(-1, 1, 1) * num_points
        idx = (idx + idx_base).view(-1)
        x = x.transpose(2, 1).contiguous()
        feature = x.view(batch_size * num_points, -1)[idx, :]
        feature = feature.view(batch_size, num_points, self.k, num_dims)
        x = x.view(batch_size, num_points, 1, num_dims).repeat(1, 1, self.k, 1)
        return torch.cat((feature - x, x), dim=3).permute(0, 3, 1, 2).contiguous()

    def forward(self, x):
        x = self.get_graph_feature(x)
        x = self.conv(x)
        return x.max(dim=-1, keepdim=False)[0]


class DenseGraphTransformer(nn.Module):
    """x: (B, N, dx), e: (B, N, N, de), mask: (B, N)"""

    def __init__(self, dx, de, n_head):
        super().__init__()
        assert dx % n_head == 0
        self.df = dx // n_head
        self.n_head = n_head
        self.q, self.k, self.v = nn.Linear(dx, dx), nn.Linear(dx, dx), nn.Linear(dx, dx)
        self.e_mul = nn.Linear(de, dx)
        self.e_add = nn.Linear(de, dx)
        self.e_out = nn.Linear(dx, de)
        self.x_out = nn.Linear(dx, dx)

    def forward(self, X, E, node_mask):
        bs, n, _ = X.shape
        x_mask = node_mask.unsqueeze(-1)
        e_mask1 = x_mask.unsqueeze(2)
        e_mask2 = x_mask.unsqueeze(1)
        Q = (self.q(X) * x_mask).reshape(bs, n, self.n_head, self.df).unsqueeze(2)
        K = (self.k(X) * x_mask).reshape(bs, n, self.n_head, self.df).unsqueeze(1)
        Y = Q * K / self.df**0.5
        E1 = (self.e_mul(E) * e_mask1 * e_mask2).reshape(bs, n, n, self.n_head, self.df)
        E2 = (self.e_add(E) * e_mask1 * e_mask2).reshape(bs, n, n, self.n_head, self.df)
        Y = Y * (E1 + 1) + E2
        newE = self.e_out(Y.flatten(start_dim=3)) * e_mask1 * e_mask2
        attn = Y.softmax(dim=2)
        V = (self.v(X) * x_mask).unsqueeze(1).reshape(bs, 1, n, self.n_head, self.df)
        weighted_V = (attn * V).sum(dim=2).flatten(start_dim=2)
        newX = self.x_out(weighted_V) * x_mask
        return newX, newE
