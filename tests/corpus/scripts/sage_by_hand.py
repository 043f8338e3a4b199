import torch
import torch.nn as nn
import torch.nn.functional as F


def scatter_mean(src, index, dim_size):
    out = torch.zeros(dim_size, src.size(1), dtype=src.dtype, device=src.device)
    out.index_add_(0, index, src)
    count = torch.zeros(dim_size, device=src.device).scatter_add_(0, index, torch.ones_like(index, dtype=torch.float))
    return out / count.clamp(min=1).unsqueeze(-1)


def scatter_softmax(scores, index, dim_size):
    maxes = torch.full((dim_size, scores.size(1)), float("-inf"))
    maxes = maxes.scatter_reduce(0, index[:, None].expand_as(scores), scores, reduce="amax")
    ex = (scores - maxes[index]).exp()
    denom = torch.zeros(dim_size, scores.size(1)).index_add(0, index, ex)
    return ex / (denom[index] + 1e-16)


def add_self_loops(edge_index, num_nodes):
    loop = torch.arange(num_nodes, dtype=torch.long)
    loop = loop.unsqueeze(0).repeat(2, 1)
    return torch.cat([edge_index, loop], dim=1)


def gcn_norm(edge_index, num_nodes):
    row, col = edge_index
    deg = torch.bincount(col, minlength=num_nodes).float()
    deg_inv_sqrt = deg.pow(-0.5)
    deg_inv_sqrt[deg_inv_sqrt == float("inf")] = 0
    return deg_inv_sqrt[row] * deg_inv_sqrt[col]


class SAGEConv(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.lin_self = nn.Linear(in_dim, out_dim)
        self.lin_neigh = nn.Linear(in_dim, out_dim, bias=False)

    def forward(self, x, edge_index):
        src, dst = edge_index[0], edge_index[1]
        neigh = scatter_mean(x[src], dst, x.size(0))
        return F.normalize(self.lin_self(x) + self.lin_neigh(neigh), p=2, dim=-1)


class GATv2Conv(nn.Module):
    def __init__(self, in_dim, out_dim, heads=4):
        super().__init__()
        self.heads, self.out_dim = heads, out_dim
        self.lin_l = nn.Linear(in_dim, heads * out_dim)
        self.lin_r = nn.Linear(in_dim, heads * out_dim)
        self.att = nn.Parameter(torch.empty(1, heads, out_dim))
        nn.init.xavier_uniform_(self.att)

    def forward(self, x, edge_index):
        N, H, C = x.size(0), self.heads, self.out_dim
        x_l = self.lin_l(x).view(N, H, C)
        x_r = self.lin_r(x).view(N, H, C)
        src, dst = edge_index
        e = F.leaky_relu(x_l[src] + x_r[dst], 0.2)
        alpha = (e * self.att).sum(dim=-1)
        alpha = scatter_softmax(alpha, dst, N)
        msg = x_l[src] * alpha.unsqueeze(-1)
        out = torch.zeros(N, H, C).index_add_(0, dst, msg)
        return out.mean(dim=1)


class Net(nn.Module):
    def __init__(self, in_dim, hidden, classes):
        super().__init__()
        self.conv1 = SAGEConv(in_dim, hidden)
        self.conv2 = GATv2Conv(hidden, hidden)
        self.head = nn.Linear(hidden, classes)

    def encode(self, x, edge_index):
        x = F.relu(self.conv1(x, edge_index))
        x = F.dropout(x, p=0.5, training=self.training)
        return F.elu(self.conv2(x, edge_index))

    def forward(self, x, edge_index):
        return self.head(self.encode(x, edge_index))

    def decode(self, z, edges):
        return (z[edges[0]] * z[edges[1]]).sum(-1)


torch.manual_seed(12)
num_nodes, num_edges, num_features, num_classes = 300, 1500, 24, 5
edge_index = torch.randint(0, num_nodes, (2, num_edges))
mask = edge_index[0] != edge_index[1]
edge_index = edge_index[:, mask]
edge_index = add_self_loops(edge_index, num_nodes)
norm = gcn_norm(edge_index, num_nodes)
adj = torch.sparse_coo_tensor(edge_index, norm, (num_nodes, num_nodes)).coalesce()
x = torch.randn(num_nodes, num_features)
smooth = torch.sparse.mm(adj, x)
x = torch.cat([x, smooth], dim=1)
y = torch.randint(num_classes, (num_nodes,))
perm = torch.randperm(num_nodes)
train_mask = torch.zeros(num_nodes, dtype=torch.bool)
train_mask[perm[:200]] = True
test_mask = ~train_mask

model = Net(x.size(1), 32, num_classes)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)


def train():
    model.train()
    optimizer.zero_grad()
    z = model.encode(x, edge_index)
    logits = model.head(z)
    loss = F.cross_entropy(logits[train_mask], y[train_mask])
    neg = torch.randint(0, num_nodes, edge_index.shape)
    pos_score, neg_score = model.decode(z, edge_index), model.decode(z, neg)
    scores = torch.cat([pos_score, neg_score])
    labels = torch.cat([torch.ones(pos_score.size(0)), torch.zeros(neg_score.size(0))])
    loss = loss + 0.1 * F.binary_cross_entropy_with_logits(scores, labels)
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def test():
    model.eval()
    pred = model(x, edge_index).argmax(dim=-1)
    accs = []
    for m in (train_mask, test_mask):
        correct = pred[m] == y[m]
        accs.append(int(correct.sum()) / int(m.sum()))
    confusion = torch.zeros(num_classes, num_classes, dtype=torch.long)
    idx = y[test_mask] * num_classes + pred[test_mask]
    confusion += torch.bincount(idx, minlength=num_classes ** 2).reshape(num_classes, num_classes)
    return accs, confusion


best = 0
for epoch in range(1, 6):
    loss = train()
    (train_acc, test_acc), confusion = test()
    if test_acc > best:
        best = test_acc
        state = {k: v.clone() for k, v in model.state_dict().items()}
    print(f"{epoch:02d} {loss:.4f} {train_acc:.3f} {test_acc:.3f}", confusion.diag().sum() / confusion.sum())
recall = confusion.diag() / confusion.sum(1).clamp(min=1)
print(recall)
