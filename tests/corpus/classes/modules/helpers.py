"""Functions of tensors that every project has."""
import math

import torch
import torch.nn.functional as F


def sinusoidal_positions(seq_len, dim):
    position = torch.arange(seq_len).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
    pe = torch.zeros(seq_len, dim)
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


def subsequent_mask(size):
    attn_shape = (1, size, size)
    mask = torch.triu(torch.ones(attn_shape), diagonal=1).type(torch.uint8)
    return mask == 0


def lengths_to_mask(lengths, max_len):
    ids = torch.arange(max_len, device=lengths.device)
    mask = ids[None, :] < lengths[:, None]
    return mask


def masked_mean(x, mask, dim=1):
    mask = mask.unsqueeze(-1).float()
    total = (x * mask).sum(dim=dim)
    count = mask.sum(dim=dim).clamp(min=1e-6)
    return total / count


def sdpa(q, k, v, causal=False):
    L, S = q.size(-2), k.size(-2)
    scale = 1 / math.sqrt(q.size(-1))
    bias = torch.zeros(L, S, dtype=q.dtype, device=q.device)
    if causal:
        allowed = torch.ones(L, S, dtype=torch.bool).tril(diagonal=0)
        bias = bias.masked_fill(allowed.logical_not(), float("-inf"))
    weight = q @ k.transpose(-2, -1) * scale
    weight = weight + bias
    weight = torch.softmax(weight, dim=-1)
    return weight @ v


def pairwise_cosine(a, b):
    a = F.normalize(a, dim=-1)
    b = F.normalize(b, dim=-1)
    sim = torch.einsum("nd,md->nm", a, b)
    return sim


def gumbel_softmax_sample(logits, tau=1.0, hard=False):
    gumbels = -torch.empty_like(logits).exponential_().log()
    y_soft = ((logits + gumbels) / tau).softmax(-1)
    if hard:
        index = y_soft.max(-1, keepdim=True)[1]
        y_hard = torch.zeros_like(logits).scatter_(-1, index, 1.0)
        return y_hard - y_soft.detach() + y_soft
    return y_soft


def unfold_patches(images, patch):
    b, c, h, w = images.shape
    x = images.unfold(2, patch, patch).unfold(3, patch, patch)
    x = x.permute(0, 2, 3, 1, 4, 5)
    return x.reshape(b, (h // patch) * (w // patch), c * patch * patch)


def grid_coordinates(height, width):
    ys = torch.linspace(-1, 1, height)
    xs = torch.linspace(-1, 1, width)
    grid_y, grid_x = torch.meshgrid(ys, xs, indexing="ij")
    grid = torch.stack((grid_x, grid_y), dim=-1)
    return grid.reshape(-1, 2)


def top_k_top_p(logits, top_k=0, top_p=1.0):
    if top_k > 0:
        values, _ = torch.topk(logits, top_k)
        logits = logits.masked_fill(logits < values[:, -1:], float("-inf"))
    sorted_logits, sorted_indices = torch.sort(logits, descending=True)
    cumulative = torch.cumsum(sorted_logits.softmax(dim=-1), dim=-1)
    remove = cumulative > top_p
    remove = torch.cat([torch.zeros_like(remove[:, :1]), remove[:, :-1]], dim=-1)
    remove = remove.scatter(1, sorted_indices, remove)
    return logits.masked_fill(remove, float("-inf"))


def mixup(x, y, lam):
    index = torch.randperm(x.size(0))
    mixed_x = lam * x + (1 - lam) * x[index]
    y_a, y_b = y, y[index]
    return mixed_x, y_a, y_b


def relative_positions(query_length, key_length):
    context = torch.arange(query_length)[:, None]
    memory = torch.arange(key_length)[None, :]
    relative = memory - context
    bucket = relative.abs().clamp(max=16)
    return bucket


def ring_average(values, alpha):
    out = []
    state = torch.zeros_like(values[:, 0])
    for t in range(values.size(1)):
        state = alpha * state + (1 - alpha) * values[:, t]
        out.append(state)
    return torch.stack(out, dim=1)


def covariance(x):
    n = x.size(0)
    centered = x - x.mean(dim=0, keepdim=True)
    cov = centered.t() @ centered / (n - 1)
    return cov


def whitening(x, eps=1e-5):
    cov = covariance(x)
    values, vectors = torch.linalg.eigh(cov)
    scale = torch.diag(1.0 / torch.sqrt(values.clamp(min=eps)))
    return x @ vectors @ scale
