# %% [markdown]
# # Exercises: indexing, broadcasting, einsum
# %%
import math
import torch as t
from torch import Tensor

MAIN = __name__ == "__main__"


def assert_all_equal(actual: Tensor, expected: Tensor) -> None:
    mask = actual == expected
    if not mask.all().item():
        bad = mask.logical_not().nonzero()
        raise AssertionError(f"{len(bad)} mismatches, first at {bad[0]}")
    print("Passed!")


# %%
def rearrange_1() -> Tensor:
    return t.arange(3, 9).reshape(3, 2)


def temperatures_average(temps: Tensor) -> Tensor:
    assert len(temps) % 7 == 0
    weeks = temps.view(-1, 7)
    return weeks.mean(dim=1)


def temperatures_differences(temps: Tensor) -> Tensor:
    avg = temperatures_average(temps)
    return temps - t.repeat_interleave(avg, 7)


def temperatures_normalized(temps: Tensor) -> Tensor:
    weeks = temps.view(-1, 7)
    avg = weeks.mean(1, keepdim=True)
    std = weeks.std(1, keepdim=True)
    return ((weeks - avg) / std).flatten()


if MAIN:
    temps = t.tensor([71, 72, 70, 75, 71, 72, 70, 75, 80, 85, 80, 78, 72, 83], dtype=t.float32)
    expected = rearrange_1()
    weekly = temperatures_average(temps)
    diff = temperatures_differences(temps)
    norm = temperatures_normalized(temps)
    print(weekly, diff.abs().max(), norm.std())


# %%
def identity_matrix(n: int) -> Tensor:
    assert n >= 0
    return (t.arange(n)[:, None] == t.arange(n)).float()


def sample_distribution(probs: Tensor, n: int) -> Tensor:
    assert abs(probs.sum() - 1.0) < 0.001
    return (t.rand(n, 1) > t.cumsum(probs, dim=0)).sum(dim=-1)


def classifier_accuracy(scores: Tensor, true_classes: Tensor) -> Tensor:
    assert true_classes.max() < scores.shape[1]
    return (scores.argmax(dim=1) == true_classes).float().mean()


def integrate_rows(matrix: Tensor) -> Tensor:
    return matrix.cumsum(dim=-1)


def gather_2d(matrix: Tensor, indexes: Tensor) -> Tensor:
    assert matrix.ndim >= indexes.ndim
    out = matrix.gather(1, indexes)
    assert out.shape == indexes.shape
    return out


def total_price_gather(prices: Tensor, items: Tensor) -> float:
    assert items.max() < prices.shape[0]
    return prices.gather(0, items).sum().item()


def collect_columns(matrix: Tensor, column_indexes: Tensor) -> Tensor:
    return matrix[:, column_indexes]


if MAIN:
    eye = identity_matrix(4)
    assert_all_equal(eye, t.eye(4))
    n = 2000
    probs = t.tensor([0.05, 0.1, 0.1, 0.2, 0.15, 0.4])
    freqs = t.bincount(sample_distribution(probs, n), minlength=6) / n
    scores = t.tensor([[0.75, 0.5, 0.25], [0.1, 0.5, 0.4], [0.1, 0.7, 0.2]])
    acc = classifier_accuracy(scores, t.tensor([0, 1, 0]))
    mat = t.arange(15).view(3, 5)
    rows = integrate_rows(mat)
    picked = gather_2d(mat, t.tensor([[0, 1, 3], [1, 4, 0], [4, 3, 2]]))
    price = total_price_gather(t.tensor([0.5, 1, 1.5, 2, 2.5]), t.tensor([0, 0, 1, 1, 4, 3, 2]))
    cols = collect_columns(mat, t.tensor([0, 2, 2]))
    print(freqs, acc, price, cols.shape)


# %%
def einsum_trace(mat):
    return t.einsum("ii->", mat)


def einsum_mv(mat, vec):
    return t.einsum("ij,j->i", mat, vec)


def einsum_inner(a, b):
    return t.einsum("i,i", a, b)


if MAIN:
    m = t.randn(4, 4)
    tr = einsum_trace(m)
    mv = einsum_mv(m, t.ones(4))
    inner = einsum_inner(mv, mv)
    q, k, v = t.randn(3, 2, 10, 4, 8).unbind(0)
    attn_scores = t.einsum("bqnh,bknh->bnqk", q, k) / math.sqrt(q.shape[-1])
    mask = t.triu(t.ones(10, 10, dtype=t.bool), diagonal=1)
    attn_scores.masked_fill_(mask, -1e5)
    pattern = attn_scores.softmax(-1)
    z = t.einsum("bnqk,bknh->bqnh", pattern, v)
    bilinear = t.einsum("bi,oij,bj->bo", t.randn(5, 3), t.randn(7, 3, 4), t.randn(5, 4))
    diag = t.einsum("bii->bi", t.randn(3, 6, 6))
    cov = t.einsum("nd,ne->de", t.randn(100, 3), t.randn(100, 3)) / 99


# %% ray tracing
def make_rays_1d(num_pixels: int, y_limit: float) -> Tensor:
    rays = t.zeros((num_pixels, 2, 3), dtype=t.float32)
    t.linspace(-y_limit, y_limit, num_pixels, out=rays[:, 1, 1])
    rays[:, 1, 0] = 1
    return rays


def intersect_rays_1d(rays: Tensor, segments: Tensor) -> Tensor:
    NR = rays.size(0)
    NS = segments.size(0)
    rays = rays[..., :2]
    segments = segments[..., :2]
    rays = rays.unsqueeze(1).repeat(1, NS, 1, 1)
    segments = segments.unsqueeze(0).repeat(NR, 1, 1, 1)
    O, D = rays[:, :, 0], rays[:, :, 1]
    L_1, L_2 = segments[:, :, 0], segments[:, :, 1]
    mat = t.stack([D, L_1 - L_2], dim=-1)
    dets = t.linalg.det(mat)
    is_singular = dets.abs() < 1e-8
    assert is_singular.shape == (NR, NS)
    mat[is_singular] = t.eye(2)
    vec = L_1 - O
    sol = t.linalg.solve(mat, vec)
    u, v = sol[..., 0], sol[..., 1]
    return ((u >= 0) & (v >= 0) & (v <= 1) & ~is_singular).any(dim=-1)


def raytrace_mesh(rays: Tensor, triangles: Tensor) -> Tensor:
    NR, NT = rays.size(0), triangles.size(0)
    A, B, C = triangles.unsqueeze(1).expand(NT, NR, 3, 3).unbind(dim=2)
    O, D = rays.expand(NT, NR, 2, 3).unbind(dim=2)
    mat = t.stack([-D, B - A, C - A], dim=3)
    dets = t.linalg.det(mat)
    is_singular = dets.abs() < 1e-8
    mat[is_singular] = t.eye(3)
    sol = t.linalg.solve(mat, O - A)
    s, u, v = sol.unbind(dim=2)
    intersects = (u >= 0) & (v >= 0) & (u + v <= 1) & ~is_singular
    s[~intersects] = float("inf")
    return s.min(dim=0).values


if MAIN:
    rays1d = make_rays_1d(9, 10.0)
    segments = t.tensor([[[1.0, -12.0, 0.0], [1, -6.0, 0.0]], [[0.5, 0.1, 0.0], [0.5, 1.15, 0.0]], [[2, 12.0, 0.0], [2, 21.0, 0.0]]])
    hit = intersect_rays_1d(rays1d, segments)
    ys, zs = t.meshgrid(t.linspace(-1, 1, 6), t.linspace(-1, 1, 5), indexing="ij")
    rays2d = t.zeros(30, 2, 3)
    rays2d[:, 1, 0] = 1
    rays2d[:, 1, 1] = ys.flatten()
    rays2d[:, 1, 2] = zs.flatten()
    tris = t.randn(7, 3, 3) + t.tensor([3.0, 0, 0])
    dist = raytrace_mesh(rays2d, tris)
    image = dist.view(6, 5).nan_to_num(posinf=0)
    print(hit, image.shape, z.shape, bilinear.shape, cov.shape, inner)
