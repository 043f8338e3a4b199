import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Dict, List, Tuple
from torch.utils.data import Dataset, DataLoader

def box_iou(b1, b2):
    area1 = (b1[:, 2] - b1[:, 0]) * (b1[:, 3] - b1[:, 1])
    area2 = (b2[:, 2] - b2[:, 0]) * (b2[:, 3] - b2[:, 1])
    lt = torch.max(b1[:, None, :2], b2[:, :2])
    rb = torch.min(b1[:, None, 2:], b2[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, :, 0] * wh[:, :, 1]
    return inter / (area1[:, None] + area2 - inter)
def cxcywh_to_xyxy(x):
    cx, cy, w, h = x.unbind(-1)
    b = [(cx - 0.5 * w), (cy - 0.5 * h), (cx + 0.5 * w), (cy + 0.5 * h)]
    return torch.stack(b, dim=-1)
def nms(boxes, scores, thr=0.5):
    order = scores.argsort(descending=True)
    keep = []
    while order.numel() > 0:
        i = order[0]
        keep.append(i.item())
        if order.numel() == 1:
            break
        iou = box_iou(boxes[i].unsqueeze(0), boxes[order[1:]]).squeeze(0)
        order = order[1:][iou <= thr]
    return torch.tensor(keep, dtype=torch.long)
class Shapes(Dataset):
    def __init__(self, n=8, S=32): self.n, self.S = n, S
    def __len__(self): return self.n
    def __getitem__(self, i) -> Tuple[torch.Tensor, Dict]:
        g = torch.Generator().manual_seed(i)
        k = i % 3 + 1
        xy = torch.rand(k, 2, generator=g) * 16
        wh = torch.rand(k, 2, generator=g) * 12 + 4
        boxes = torch.cat([xy, xy + wh], 1)
        img = torch.zeros(3, self.S, self.S)
        for b in boxes.int().tolist():
            x0, y0, x1, y1 = b
            img[:, y0:y1, x0:x1] = 1
        return img, {'boxes': boxes, 'labels': torch.randint(0, 2, (k,), generator=g)}
def collate(batch):
    imgs, targets = zip(*batch)
    return torch.stack(imgs), list(targets)
class Head(nn.Module):
    def __init__(self, c, A, C):
        super().__init__()
        self.cls = nn.Conv2d(c, A * C, 3, padding=1)
        self.reg = nn.Conv2d(c, A * 4, 3, padding=1)
        self.C = C
        nn.init.constant_(self.cls.bias, -math.log((1 - 0.01) / 0.01))
    def forward(self, feats: List[torch.Tensor]):
        cl, rg = [], []
        for f in feats:
            N, _, H, W = f.shape
            c = self.cls(f).view(N, -1, self.C, H, W).permute(0, 3, 4, 1, 2).reshape(N, -1, self.C)
            r = self.reg(f).view(N, -1, 4, H, W).permute(0, 3, 4, 1, 2).reshape(N, -1, 4)
            cl.append(c); rg.append(r)
        return torch.cat(cl, 1), torch.cat(rg, 1)
class FPN(nn.Module):
    def __init__(self, chs=(8, 16), out=8):
        super().__init__()
        self.stem = nn.Conv2d(3, chs[0], 3, 4, 1)
        self.down = nn.Conv2d(chs[0], chs[1], 3, 2, 1)
        self.lat = nn.ModuleList(nn.Conv2d(c, out, 1) for c in chs)
    def forward(self, x):
        c1 = F.relu(self.stem(x)); c2 = F.relu(self.down(c1))
        p2 = self.lat[1](c2)
        p1 = self.lat[0](c1) + F.interpolate(p2, size=c1.shape[-2:], mode='nearest')
        return [p1, p2]
def anchors(feats, S, sizes=((8,), (16,))):
    out = []
    for f, ss in zip(feats, sizes):
        H, W = f.shape[-2:]
        sy, sx = S / H, S / W
        ys, xs = torch.meshgrid((torch.arange(H) + 0.5) * sy, (torch.arange(W) + 0.5) * sx, indexing='ij')
        for s in ss:
            out.append(torch.stack([xs, ys, torch.full_like(xs, s), torch.full_like(ys, s)], -1).view(-1, 4))
    return torch.cat(out)
def match(anc, tgt, hi=0.5, lo=0.4):
    iou = box_iou(cxcywh_to_xyxy(anc), tgt['boxes'])
    val, idx = iou.max(dim=1)
    idx = idx.clone()
    labels = tgt['labels'][idx].clone()
    labels[val < hi] = -2
    labels[val < lo] = -1
    best = iou.max(dim=0).indices
    labels[best] = tgt['labels']
    idx[best] = torch.arange(len(best))
    return idx, labels
def focal(logits, t, a=0.25, g=2.0):
    p = logits.sigmoid()
    ce = F.binary_cross_entropy_with_logits(logits, t, reduction='none')
    pt = p * t + (1 - p) * (1 - t)
    return ((a * t + (1 - a) * (1 - t)) * ce * (1 - pt) ** g).sum()
loader = DataLoader(Shapes(), batch_size=4, collate_fn=collate)
backbone, head = FPN(), Head(8, 1, 2)
params = [*backbone.parameters(), *head.parameters()]
opt = torch.optim.SGD(params, lr=1e-3, momentum=0.9)
for imgs, targets in loader:
    feats = backbone(imgs)
    cls, reg = head(feats)
    anc = anchors(feats, imgs.shape[-1])
    losses = []
    for i, tgt in enumerate(targets):
        idx, lab = match(anc, tgt)
        fg = lab >= 0
        valid = lab != -2
        onehot = torch.zeros_like(cls[i])
        onehot[fg, lab[fg]] = 1
        lc = focal(cls[i][valid], onehot[valid]) / max(1, fg.sum().item())
        gt = tgt['boxes'][idx[fg]]
        lr = F.l1_loss(reg[i][fg], gt / 32, reduction='sum') / fg.sum().clamp(min=1)
        losses.append({'cls': lc, 'reg': lr})
    total = {k: sum(l[k] for l in losses) / len(losses) for k in losses[0]}
    loss = sum(total.values())
    opt.zero_grad(); loss.backward(); opt.step()
with torch.no_grad():
    imgs, targets = next(iter(loader))
    feats = backbone(imgs)
    c, r = head(feats)
    scores, labels = c.sigmoid().max(-1)
    sc, ix = scores[0].topk(10)
    bx = cxcywh_to_xyxy(r[0, ix].exp() * anchors(feats, 32)[ix])
    keep = nms(bx, sc)
    final = bx[keep]
    recs = [{'score': s, 'box': b} for s, b in zip(sc[keep], final)]
