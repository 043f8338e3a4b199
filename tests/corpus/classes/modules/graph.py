"""Graph networks on plain tensors."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        if bias:
            self.bias = nn.Parameter(torch.zeros(out_features))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.xavier_uniform_(self.weight)

    def forward(self, input, adj):
        support = torch.mm(input, self.weight)
        output = torch.spmm(adj, support)
        if self.bias is not None:
            return output + self.bias
        else:
            return output


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout=0.5):
        super().__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.gc2 = GraphConvolution(nhid, nclass)
        self.dropout = dropout

    def forward(self, x, adj):
        x = F.relu(self.gc1(x, adj))
        x = F.dropout(x, self.dropout, training=self.training)
        x = self.gc2(x, adj)
        return F.log_softmax(x, dim=1)


class GraphAttentionLayer(nn.Module):
    def __init__(self, in_features, out_features, dropout=0.6, alpha=0.2, concat=True):
        super().__init__()
        self.out_features = out_features
        self.dropout = dropout
        self.concat = concat
        self.W = nn.Parameter(torch.empty(size=(in_features, out_features)))
        nn.init.xavier_uniform_(self.W.data, gain=1.414)
        self.a = nn.Parameter(torch.empty(size=(2 * out_features, 1)))
        nn.init.xavier_uniform_(self.a.data, gain=1.414)
        self.leakyrelu = nn.LeakyReLU(alpha)

    def forward(self, h, adj):
        Wh = torch.mm(h, self.W)
        e = self._prepare_attentional_mechanism_input(Wh)
        zero_vec = -9e15 * torch.ones_like(e)
        attention = torch.where(adj > 0, e, zero_vec)
        attention = F.softmax(attention, dim=1)
        attention = F.dropout(attention, self.dropout, training=self.training)
        h_prime = torch.matmul(attention, Wh)
        if self.concat:
            return F.elu(h_prime)
        else:
            return h_prime

    def _prepare_attentional_mechanism_input(self, Wh):
        Wh1 = torch.matmul(Wh, self.a[: self.out_features, :])
        Wh2 = torch.matmul(Wh, self.a[self.out_features :, :])
        e = Wh1 + Wh2.T
        return self.leakyrelu(e)


class GAT(nn.Module):
    def __init__(self, nfeat, nhid, nclass, nheads, dropout=0.6):
        super().__init__()
        self.attentions = nn.ModuleList([GraphAttentionLayer(nfeat, nhid, dropout) for _ in range(nheads)])
        self.out_att = GraphAttentionLayer(nhid * nheads, nclass, dropout, concat=False)

    def forward(self, x, adj):
        x = torch.cat([att(x, adj) for att in self.attentions], dim=1)
        x = F.elu(self.out_att(x, adj))
        return F.log_softmax(x, dim=1)


class MessagePassing(nn.Module):
    """Edges as a list of pairs, sums over what comes in."""

    def __init__(self, node_dim, edge_dim, hidden):
        super().__init__()
        self.message = nn.Sequential(nn.Linear(2 * node_dim + edge_dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
        self.update = nn.GRUCell(hidden, node_dim)

    def forward(self, h, edge_index, edge_attr):
        src, dst = edge_index
        inputs = torch.cat([h[src], h[dst], edge_attr], dim=-1)
        messages = self.message(inputs)
        agg = torch.zeros(h.size(0), messages.size(1), device=h.device)
        agg = agg.index_add(0, dst, messages)
        return self.update(agg, h)


class GlobalPool(nn.Module):
    def __init__(self, dim, num_classes):
        super().__init__()
        self.gate = nn.Linear(dim, 1)
        self.readout = nn.Linear(dim, num_classes)

    def forward(self, h, mask):
        scores = self.gate(h).squeeze(-1)
        scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=1).unsqueeze(-1)
        pooled = (weights * h).sum(dim=1)
        return self.readout(pooled)


def normalize_adj(adj):
    adj = adj + torch.eye(adj.size(0))
    deg = adj.sum(1)
    d_inv_sqrt = deg.pow(-0.5)
    d_mat = torch.diag(d_inv_sqrt)
    return d_mat @ adj @ d_mat
