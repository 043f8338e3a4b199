import copy
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader

class TwoCrop:
    def __init__(self, base): self.base = base
    def __call__(self, x): return [self.base(x), self.base(x)]
def augment(x):
    if torch.rand(1) < 0.5:
        x = torch.flip(x, dims=[-1])
    x = x + 0.1 * torch.randn_like(x)
    return x.clamp(0, 1)
class Imgs(Dataset):
    def __init__(self, n, transform=None):
        self.data = torch.rand(n, 3, 16, 16)
        self.y = torch.randint(0, 4, (n,))
        self.transform = transform
    def __len__(self): return len(self.data)
    def __getitem__(self, i):
        x = self.data[i]
        if self.transform:
            x = self.transform(x)
        return x, self.y[i]
class Encoder(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(True), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU(True), nn.AdaptiveAvgPool2d((1, 1)))
        self.proj = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, dim))
    def forward(self, x):
        h = self.backbone(x).squeeze()
        return F.normalize(self.proj(h), dim=1)
def info_nce(features, n_views=2, temperature=0.07):
    bs = features.shape[0] // n_views
    labels = torch.cat([torch.arange(bs) for _ in range(n_views)], dim=0)
    labels = (labels.unsqueeze(0) == labels.unsqueeze(1)).float()
    sim = torch.matmul(features, features.T)
    mask = torch.eye(labels.shape[0], dtype=torch.bool)
    labels = labels[~mask].view(labels.shape[0], -1)
    sim = sim[~mask].view(sim.shape[0], -1)
    positives = sim[labels.bool()].view(labels.shape[0], -1)
    negatives = sim[~labels.bool()].view(sim.shape[0], -1)
    logits = torch.cat([positives, negatives], dim=1)
    labels = torch.zeros(logits.shape[0], dtype=torch.long)
    return logits / temperature, labels
class MoCo(nn.Module):
    def __init__(self, base, dim=16, K=32, m=0.99, T=0.07):
        super().__init__()
        self.K, self.m, self.T = K, m, T
        self.encoder_q = base(dim)
        self.encoder_k = copy.deepcopy(self.encoder_q)
        for p in self.encoder_k.parameters():
            p.requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(dim, K), dim=0))
        self.register_buffer("queue_ptr", torch.zeros(1, dtype=torch.long))
    @torch.no_grad()
    def _momentum(self):
        for pq, pk in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            pk.data = pk.data * self.m + pq.data * (1. - self.m)
    @torch.no_grad()
    def _enqueue(self, keys):
        bs = keys.shape[0]
        ptr = int(self.queue_ptr)
        assert self.K % bs == 0
        self.queue[:, ptr:ptr + bs] = keys.T
        ptr = (ptr + bs) % self.K
        self.queue_ptr[0] = ptr
    def forward(self, im_q, im_k):
        q = self.encoder_q(im_q)
        with torch.no_grad():
            self._momentum()
            idx = torch.randperm(im_k.size(0))
            k = self.encoder_k(im_k[idx])
            k = k[torch.argsort(idx)]
        l_pos = torch.einsum('nc,nc->n', [q, k]).unsqueeze(-1)
        l_neg = torch.einsum('nc,ck->nk', [q, self.queue.clone().detach()])
        logits = torch.cat([l_pos, l_neg], dim=1) / self.T
        labels = torch.zeros(logits.shape[0], dtype=torch.long)
        self._enqueue(k)
        return logits, labels
loader = DataLoader(Imgs(16, TwoCrop(augment)), batch_size=8, shuffle=True, drop_last=True)
net = Encoder()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for images, target in loader:
    imgs = torch.cat(images, dim=0)
    feats = net(imgs)
    logits, labels = info_nce(feats)
    loss = F.cross_entropy(logits, labels)
    opt.zero_grad(); loss.backward(); opt.step()
    _, pred = logits.topk(5, 1, True, True)
    correct = pred.t().eq(labels.view(1, -1).expand_as(pred.t()))
    acc1 = correct[:1].reshape(-1).float().sum(0, keepdim=True).mul_(100.0 / 16)
moco = MoCo(Encoder)
for (a, b), _ in loader:
    out, lab = moco(a, b)
    l = F.cross_entropy(out, lab); l.backward()
# triplet mining
emb = F.normalize(torch.randn(10, 8, requires_grad=True), dim=1)
lab = torch.randint(0, 3, (10,))
dist = torch.cdist(emb, emb)
same = lab[:, None] == lab[None, :]
pos_d = (dist * same.float()).max(1, keepdim=True)[0]
neg_d = (dist + dist.max().item() * same.float()).min(1, keepdim=True)[0]
trip = F.relu(pos_d - neg_d + 0.3).mean()
anc, pos = torch.where(same & ~torch.eye(10, dtype=torch.bool))
pairs = emb[anc] - emb[pos]
clip_logits = (scale := nn.Parameter(torch.tensor(2.6))).exp() * emb @ emb.t()
gt = torch.arange(len(clip_logits))
clip_loss = (F.cross_entropy(clip_logits, gt) + F.cross_entropy(clip_logits.t(), gt)) / 2
