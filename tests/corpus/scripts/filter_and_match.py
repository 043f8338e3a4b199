"""Filtering, matching and grouping: the sizes that come out are decided by data."""
import torch
import torch.nn.functional as F


def non_max(boxes, scores, threshold=0.5):
    order = scores.argsort(descending=True)
    boxes = boxes[order]
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    lt = torch.maximum(boxes[:, None, :2], boxes[None, :, :2])
    rb = torch.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh.prod(-1)
    iou = inter / (area[:, None] + area[None] - inter)
    n = len(boxes)
    upper = torch.triu(iou, diagonal=1)
    suppressed = (upper > threshold).any(0)
    return order[~suppressed]


def match(pred, target, threshold=0.3):
    cost = torch.cdist(pred, target)
    best, who = cost.min(dim=1)
    good = best < threshold * best.max()
    matched = pred[good]
    partners = target[who[good]]
    rest = pred[~good]
    offsets = partners - matched
    return matched, offsets, rest


def group_mean(values, keys):
    unique, inverse, counts = torch.unique(keys, return_inverse=True, return_counts=True)
    sums = torch.zeros(len(unique), values.size(1)).index_add(0, inverse, values)
    means = sums / counts[:, None]
    centred = values - means[inverse]
    return unique, means, centred


def focal(logits, labels, gamma=2.0):
    p = logits.sigmoid()
    ce = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
    pt = torch.where(labels > 0.5, p, 1 - p)
    return (ce * (1 - pt) ** gamma).mean()


def compact(x, pad=0):
    mask = x != pad
    tokens = x[mask]
    lengths = mask.sum(1)
    rows = torch.repeat_interleave(torch.arange(x.size(0)), lengths)
    packed = torch.stack([rows, tokens], dim=1)
    back = x.new_full(x.shape, pad)
    back[mask] = tokens
    return packed, back


def both(a, b):
    if len(a) < len(b):
        a, b = b, a
    k = min(len(a), len(b))
    joined = torch.cat([a, b])
    pairs = torch.stack([a[:k], b[:k]])
    return joined, pairs


torch.manual_seed(0)
boxes = torch.rand(30, 4)
boxes[:, 2:] += boxes[:, :2]
scores = torch.rand(30)
confident = scores > 0.3
kept_boxes, kept_scores = boxes[confident], scores[confident]
keep = non_max(kept_boxes, kept_scores)
final = kept_boxes[keep]
num_final = final.shape[0]
ids = torch.arange(num_final)
pred, target = torch.randn(25, 3), torch.randn(12, 3)
positive = target[target[:, 0] > 0]
matched, offsets, rest = match(pred, positive)
unique, means, centred = group_mean(torch.randn(50, 5), torch.randint(0, 7, (50,)))
chosen = torch.rand(50) < 0.5
g_unique, g_means, g_centred = group_mean(torch.randn(50, 5)[chosen], torch.randint(0, 7, (50,))[chosen])
labels = (torch.rand(25) > 0.5).float()
valid = torch.rand(25) > 0.2
loss = focal(torch.randn(25)[valid], labels[valid])
tokens = torch.randint(0, 4, (6, 9))
packed, back = compact(tokens)
left, right = pred[pred[:, 0] > 0], pred[pred[:, 0] <= 0]
joined, pairs = both(left, right)
same, twice = both(left, left)
sample = pred[torch.randperm(len(pred))[: len(left)]]
m = left.size(0)
noise = torch.randn(m, 3)
mixed = left + 0.1 * noise
gram = mixed @ mixed.T
off = gram[~torch.eye(m, dtype=torch.bool)].view(m, m - 1)
windows = mixed.flatten().unfold(0, 3, 3)
halves = mixed[: m // 2]
rest_half = mixed[m // 2:]
print(final.shape, loss.item(), packed.shape, joined.shape, off.shape, windows.shape)
