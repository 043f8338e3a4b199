import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Optional, Tuple

def scatter_softmax(src, index, n):
    m = torch.full((n,) + src.shape[1:], float('-inf')).scatter_reduce(0, index.unsqueeze(-1).expand_as(src), src, reduce='amax')
    e = (src - m[index]).exp()
    s = torch.zeros((n,) + src.shape[1:]).index_add_(0, index, e)
    return e / (s[index] + 1e-16)
def degree(index, n):
    return torch.zeros(n).scatter_add_(0, index, torch.ones(index.numel()))
class MessagePassing(nn.Module):
    def __init__(self, aggr='add'):
        super().__init__()
        self.aggr = aggr
    def message(self, x_j, **kw):
        raise NotImplementedError
    def update(self, out): return out
    def propagate(self, edge_index, x, **kwargs):
        src, dst = edge_index
        msg = self.message(x[src], **kwargs)
        out = torch.zeros(x.size(0), *msg.shape[1:], dtype=msg.dtype)
        out.index_add_(0, dst, msg)
        if self.aggr == 'mean':
            out = out / degree(dst, x.size(0)).clamp(min=1).unsqueeze(-1)
        return self.update(out)
class GCNConv(MessagePassing):
    def __init__(self, i, o):
        super().__init__('add')
        self.lin = nn.Linear(i, o, bias=False)
        self.bias = nn.Parameter(torch.zeros(o))
    def forward(self, x, edge_index):
        n = x.size(0)
        loops = torch.arange(n).unsqueeze(0).repeat(2, 1)
        edge_index = torch.cat([edge_index, loops], dim=1)
        row, col = edge_index
        deg = degree(col, n)
        dis = deg.pow(-0.5)
        dis[dis == float('inf')] = 0
        norm = dis[row] * dis[col]
        return self.propagate(edge_index, self.lin(x), norm=norm) + self.bias
    def message(self, x_j, norm): return norm.view(-1, 1) * x_j
class SAGEConv(MessagePassing):
    def __init__(self, i, o):
        super().__init__(aggr='mean')
        self.l, self.r = nn.Linear(i, o), nn.Linear(i, o)
    def forward(self, x, ei): return self.l(self.propagate(ei, x)) + self.r(x)
    def message(self, x_j): return x_j
class GAT(nn.Module):
    def __init__(self, i, o, heads=2):
        super().__init__()
        self.W = nn.Linear(i, o * heads, bias=False)
        self.a_src = nn.Parameter(torch.empty(1, heads, o))
        self.a_dst = nn.Parameter(torch.empty(1, heads, o))
        self.heads, self.o = heads, o
        nn.init.xavier_uniform_(self.a_src); nn.init.xavier_uniform_(self.a_dst)
    def forward(self, x, ei, return_attn: Optional[bool] = False):
        n = x.size(0)
        h = self.W(x).view(n, self.heads, self.o)
        s, d = ei[0], ei[1]
        alpha = (h * self.a_src).sum(-1)[s] + (h * self.a_dst).sum(-1)[d]
        alpha = F.leaky_relu(alpha, 0.2)
        alpha = scatter_softmax(alpha, d, n)
        out = torch.zeros_like(h).index_add(0, d, h[s] * alpha.unsqueeze(-1))
        out = out.flatten(1)
        return (out, alpha) if return_attn else out
class Net(nn.Module):
    def __init__(self, f, h, c):
        super().__init__()
        self.convs = nn.ModuleDict({'gcn': GCNConv(f, h), 'gat': GAT(h, h // 2), 'sage': SAGEConv(h, h)})
        self.head = nn.Linear(h, c)
    def forward(self, x, ei, batch):
        for name, conv in self.convs.items():
            x = conv(x, ei)
            if name != 'sage':
                x = F.elu(x)
                x = F.dropout(x, p=0.2, training=self.training)
        ng = int(batch.max()) + 1
        pooled = torch.zeros(ng, x.size(1)).index_add_(0, batch, x)
        cnt = torch.bincount(batch, minlength=ng)
        pooled = pooled / cnt.unsqueeze(1)
        return self.head(pooled), x
torch.manual_seed(0)
N, E = 12, 30
x = torch.randn(N, 5)
edge_index = torch.randint(0, N, (2, E))
mask = edge_index[0] != edge_index[1]
edge_index = edge_index[:, mask]
edge_index = torch.unique(torch.cat([edge_index, edge_index.flip(0)], dim=1), dim=1)
batch = torch.tensor([0] * 4 + [1] * 4 + [2] * 4)
y = torch.tensor([0, 1, 0])
net = Net(5, 8, 2)
opt = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-4)
for epoch in range(3):
    net.train()
    opt.zero_grad()
    out, h = net(x, edge_index, batch)
    loss = F.nll_loss(F.log_softmax(out, dim=-1), y)
    loss.backward()
    opt.step()
net.eval()
pred = net(x, edge_index, batch)[0].argmax(dim=1)
acc = (pred == y).sum().item() / len(y)
adj = torch.zeros(N, N)
adj[edge_index[0], edge_index[1]] = 1.
lap = torch.diag(adj.sum(1)) - adj
evals, evecs = torch.linalg.eigh(lap)
pe = evecs[:, 1:4]
sp = torch.sparse_coo_tensor(edge_index, torch.ones(edge_index.size(1)), (N, N))
ax = torch.sparse.mm(sp, x)
nodes, counts = batch.unique(return_counts=True)
dense = torch.stack([h[batch == b] for b in nodes])
