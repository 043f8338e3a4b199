import math
import torch
from torch import nn
import torch.nn.functional as F


def knn(x, k):
    inner = -2 * torch.matmul(x.transpose(2, 1), x)
    xx = torch.sum(x ** 2, dim=1, keepdim=True)
    pairwise_distance = -xx - inner - xx.transpose(2, 1)
    idx = pairwise_distance.topk(k=k, dim=-1)[1]
    return idx


def get_graph_feature(x, k=8, idx=None):
    batch_size = x.size(0)
    num_points = x.size(2)
    x = x.view(batch_size, -1, num_points)
    if idx is None:
        idx = knn(x, k=k)
    idx_base = torch.arange(0, batch_size, device=x.device).view(-1, 1, 1) * num_points
    idx = idx + idx_base
    idx = idx.view(-1)
    _, num_dims, _ = x.size()
    x = x.transpose(2, 1).contiguous()
    feature = x.view(batch_size * num_points, -1)[idx, :]
    feature = feature.view(batch_size, num_points, k, num_dims)
    x = x.view(batch_size, num_points, 1, num_dims).repeat(1, 1, k, 1)
    feature = torch.cat((feature - x, x), dim=3).permute(0, 3, 1, 2).contiguous()
    return feature


def farthest_point_sample(xyz, npoint):
    B, N, C = xyz.shape
    centroids = torch.zeros(B, npoint, dtype=torch.long)
    distance = torch.ones(B, N) * 1e10
    farthest = torch.randint(0, N, (B,), dtype=torch.long)
    batch_indices = torch.arange(B, dtype=torch.long)
    for i in range(npoint):
        centroids[:, i] = farthest
        centroid = xyz[batch_indices, farthest, :].view(B, 1, 3)
        dist = torch.sum((xyz - centroid) ** 2, -1)
        mask = dist < distance
        distance[mask] = dist[mask]
        farthest = torch.max(distance, -1)[1]
    return centroids


def index_points(points, idx):
    B = points.shape[0]
    view_shape = list(idx.shape)
    view_shape[1:] = [1] * (len(view_shape) - 1)
    repeat_shape = list(idx.shape)
    repeat_shape[0] = 1
    batch_indices = torch.arange(B, dtype=torch.long).view(view_shape).repeat(repeat_shape)
    new_points = points[batch_indices, idx, :]
    return new_points


class TNet(nn.Module):
    def __init__(self, k=3):
        super().__init__()
        self.k = k
        self.conv1 = nn.Conv1d(k, 32, 1)
        self.conv2 = nn.Conv1d(32, 64, 1)
        self.fc = nn.Linear(64, k * k)
        self.bn1, self.bn2 = nn.BatchNorm1d(32), nn.BatchNorm1d(64)

    def forward(self, x):
        bs = x.size(0)
        h = F.relu(self.bn1(self.conv1(x)))
        h = F.relu(self.bn2(self.conv2(h)))
        h = torch.max(h, 2)[0]
        init = torch.eye(self.k, requires_grad=True).repeat(bs, 1, 1)
        return self.fc(h).view(-1, self.k, self.k) + init


class PointNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.tnet = TNet()
        self.mlp = nn.Sequential(nn.Conv1d(3, 64, 1), nn.BatchNorm1d(64), nn.ReLU(), nn.Conv1d(64, 128, 1))
        self.head = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, classes))

    def forward(self, pts):
        m = self.tnet(pts)
        x = torch.bmm(pts.transpose(1, 2), m).transpose(1, 2)
        x = self.mlp(x)
        g, which = x.max(dim=-1)
        return self.head(g), m, which


class EdgeConvNet(nn.Module):
    def __init__(self, k=8, out=4):
        super().__init__()
        self.k = k
        self.c1 = nn.Sequential(nn.Conv2d(6, 16, 1, bias=False), nn.BatchNorm2d(16), nn.LeakyReLU(0.2))
        self.c2 = nn.Sequential(nn.Conv2d(32, 32, 1, bias=False), nn.BatchNorm2d(32), nn.LeakyReLU(0.2))
        self.lin = nn.Linear(2 * 48, out)

    def forward(self, x):
        b = x.size(0)
        x1 = self.c1(get_graph_feature(x, k=self.k)).max(dim=-1, keepdim=False)[0]
        x2 = self.c2(get_graph_feature(x1, k=self.k)).max(dim=-1, keepdim=False)[0]
        x = torch.cat((x1, x2), dim=1)
        p1 = F.adaptive_max_pool1d(x, 1).view(b, -1)
        p2 = F.adaptive_avg_pool1d(x, 1).view(b, -1)
        return self.lin(torch.cat((p1, p2), 1))


class MAB(nn.Module):
    def __init__(self, dim_Q, dim_K, dim_V, num_heads, ln=False):
        super(MAB, self).__init__()
        self.dim_V = dim_V
        self.num_heads = num_heads
        self.fc_q, self.fc_k, self.fc_v = nn.Linear(dim_Q, dim_V), nn.Linear(dim_K, dim_V), nn.Linear(dim_K, dim_V)
        if ln:
            self.ln0 = nn.LayerNorm(dim_V)
            self.ln1 = nn.LayerNorm(dim_V)
        self.fc_o = nn.Linear(dim_V, dim_V)

    def forward(self, Q, K):
        Q = self.fc_q(Q)
        K, V = self.fc_k(K), self.fc_v(K)
        dim_split = self.dim_V // self.num_heads
        Q_ = torch.cat(Q.split(dim_split, 2), 0)
        K_ = torch.cat(K.split(dim_split, 2), 0)
        V_ = torch.cat(V.split(dim_split, 2), 0)
        A = torch.softmax(Q_.bmm(K_.transpose(1, 2)) / math.sqrt(self.dim_V), 2)
        O = torch.cat((Q_ + A.bmm(V_)).split(Q.size(0), 0), 2)
        O = O if getattr(self, 'ln0', None) is None else self.ln0(O)
        O = O + F.relu(self.fc_o(O))
        O = O if getattr(self, 'ln1', None) is None else self.ln1(O)
        return O


class SetTransformer(nn.Module):
    def __init__(self, dim_input=3, num_outputs=1, dim_output=4, num_inds=6, dim_hidden=32, num_heads=4):
        super().__init__()
        self.I = nn.Parameter(torch.Tensor(1, num_inds, dim_hidden))
        self.S = nn.Parameter(torch.Tensor(1, num_outputs, dim_hidden))
        nn.init.xavier_uniform_(self.I)
        nn.init.xavier_uniform_(self.S)
        self.mab0 = MAB(dim_hidden, dim_input, dim_hidden, num_heads, ln=True)
        self.mab1 = MAB(dim_input, dim_hidden, dim_hidden, num_heads, ln=True)
        self.pma = MAB(dim_hidden, dim_hidden, dim_hidden, num_heads)
        self.out = nn.Linear(dim_hidden, dim_output)

    def forward(self, X):
        H = self.mab0(self.I.repeat(X.size(0), 1, 1), X)
        X = self.mab1(X, H)
        pooled = self.pma(self.S.repeat(X.size(0), 1, 1), X)
        return self.out(pooled).squeeze(1)


torch.manual_seed(0)
pts = torch.randn(4, 64, 3)
labels = torch.tensor([0, 1, 2, 3])
centers = farthest_point_sample(pts, 8)
sub = index_points(pts, centers)
xs = pts.transpose(1, 2)
pointnet, dgcnn, st = PointNet(), EdgeConvNet(), SetTransformer()
params = [p for m in (pointnet, dgcnn, st) for p in m.parameters()]
opt = torch.optim.Adam(params, lr=1e-3)
for _ in range(2):
    out, m, which = pointnet(xs)
    reg = torch.norm(torch.eye(3) - torch.bmm(m, m.transpose(1, 2)), dim=(1, 2)).mean()
    loss = F.cross_entropy(out, labels) + 0.001 * reg
    loss = loss + F.cross_entropy(dgcnn(xs), labels) + F.cross_entropy(st(pts), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    perm = torch.randperm(64)
    drift = (st.eval()(pts) - st(pts[:, perm])).abs().max()
    chamfer = torch.cdist(pts, pts + 0.01).min(dim=2)[0].mean(dim=1)
print(sub.shape, loss.item(), drift, chamfer)
