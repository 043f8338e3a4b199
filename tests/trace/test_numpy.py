"""numpy as numpy itself has it: each expression is run for real, and what torch makes of it compared with what we say."""

from __future__ import annotations

import pathlib
import warnings

import pytest

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")

HEAD = """
import numpy as np
import torch
rng = np.random.default_rng(0)
state = np.random.RandomState(0)
x = np.random.randn(4, 6)
x32 = x.astype(np.float32)
k = np.random.randint(0, 3, size=(4, 6))
k32 = k.astype(np.int32)
b = x > 0
v = np.random.rand(6)
c = np.arange(6)
t = torch.randn(4, 6)
big = np.random.rand(300, 400)
big32 = big.astype("float32")
"""

EXPRESSIONS = """
x + 1 | x32 * 2 | x32 * 2.5 | k32 + 1 | k32 * 1.5 | k / 2 | k32 / 2 | k // 2 | k32 // k | k % 2 | x ** 2 | k ** 2 | -k32 | abs(x32)
x32 + x | x32 + k | x32 + k32 | k + k32 | x32 * np.float32(2) | x32 * np.float64(2) | x32 + np.int64(3) | k32 + np.int64(3)
1 / x32 | 2 - k32 | 2 ** k | x @ x.T | x32 @ x32.T | x @ v | k32 @ k32.T | x > 0 | x == k | ~b | b & (x < 1) | b | b.astype(int)
x.sum() | x.sum(axis=0) | k32.sum() | k32.sum(0) | b.sum() | b.mean() | k.mean() | k32.mean(axis=1) | x32.mean() | x32.mean(axis=-1, keepdims=True)
np.sum(k32) | np.prod(k32, axis=1) | np.cumsum(k32) | np.cumsum(x32, axis=0) | x32.std() | k.std(0) | x32.var() | x.max() | x32.max(1) | k32.min()
x.argmax() | x.argmax(axis=1) | np.argsort(x, axis=0) | np.sort(x32) | np.median(x32, axis=0) | np.percentile(x32, 50, axis=0) | np.ptp(x) | x.all() | x.any(axis=1)
np.where(b, 1.0, 0) | np.where(b, x32, 0) | np.where(b, x32, 0.0) | np.where(b, 1, 0) | np.where(b, x32, k) | np.maximum(x32, 0) | np.clip(x32, 0, 1) | np.minimum(k32, k)
np.exp(k32) | np.exp(x32) | np.sqrt(k) | np.log(x32) | np.sin(c) | np.abs(k32) | np.floor(x32) | np.round(x, 2) | np.sign(k32) | np.isnan(x) | np.square(k32) | np.tanh(x32)
np.power(x32, 2) | np.mod(k, 2) | np.hypot(x, x) | np.arctan2(x32, x32) | np.logical_and(b, b) | np.expm1(x32) | np.cos(np.pi * c) | np.deg2rad(c)
np.zeros(3) | np.zeros((2, 3), dtype=np.float32) | np.ones((2, 3), dtype=int) | np.full((2, 2), 7) | np.full((2, 2), 1.5) | np.full(3, True) | np.empty((3, 4), dtype="float16") | np.eye(3) | np.identity(4, dtype=np.float32)
np.arange(5) | np.arange(0, 1, 0.1) | np.arange(3.0) | np.arange(2, 10, 3, dtype=np.float32) | np.linspace(0, 1, 11) | np.linspace(0, 1, 5, dtype=np.float32) | np.logspace(0, 2, 5) | np.geomspace(1, 100, 4) | np.polynomial.legendre.leggauss(7)[0] | np.polynomial.hermite.hermgauss(5)[1]
np.zeros_like(k32) | np.ones_like(x32, dtype=int) | np.full_like(k, 2.5) | np.empty_like(x.T) | np.array([1, 2, 3]) | np.array([1.0, 2]) | np.array([[True], [False]]) | np.array([x, x]) | np.array([x32[0], x32[1]])
np.array([v.mean(), v.std()]) | np.array([[1, 2], [3, 4]], dtype=np.float32) | np.array((c, c), dtype="float32") | np.array(x32, dtype=float) | np.array([t[0], t[1]]) | np.asarray(t) | np.array(t) | np.asarray([1, 2], np.uint8)
x.T | x.transpose() | np.transpose(x32, (1, 0)) | x.reshape(3, 8) | x.reshape(-1) | x.reshape((2, -1), order="F") | x.ravel() | x.flatten() | x.T.ravel() | x.T.reshape(4, 6) | x[None] | x[:, np.newaxis] | np.expand_dims(x, -1)
np.squeeze(x[None]) | x.swapaxes(0, 1) | np.moveaxis(x[None], 0, 2) | np.broadcast_to(v, (4, 6)).copy() | np.atleast_2d(v) | x.copy() | x.T.copy() | x.copy(order="F") | np.asfortranarray(x) | np.ascontiguousarray(x.T)
x[0] | x[0, 1] | x[1:3] | x[:, ::2] | x[..., 0] | x[-1] | x[[0, 2]] | x[:, [1, 2, 3]] | x[np.array([0, 1, 1])] | x[np.array([[0], [1]]), np.array([1, 2])] | x[k[:, 0]] | x[c[:4] > 1] | x[np.ix_([0, 1], [2, 3])] | x[c[::2] // 2]
x[x.argmax(axis=0)] | v[np.argsort(v)] | c[::-1].copy() | np.flip(x, 0).copy() | x[1] * x[2] | x[:, 0] - x[:, 1] | x32[0] @ x32[1] | x32[0, 0] | x32[0, 0] * 2 | k32[0, 0] + 1 | k[0, 0] / 2
np.concatenate([x, x]) | np.concatenate([x32, k32], axis=1) | np.concatenate((x32, x32), axis=None) | np.stack([v, v]) | np.stack([x32, x32], axis=-1) | np.vstack([v, v]) | np.hstack([x, x]) | np.column_stack([v, v]) | np.dstack([x, x]) | np.append(v, 1)
np.append(c, [1, 2]) | np.concatenate([np.zeros(3), np.ones(2, dtype=int)]) | np.r_[v, v] | np.c_[v, v] | np.tile(v, 3) | np.tile(x32, (2, 1)) | np.repeat(x, 2) | np.repeat(k32, 3, axis=0) | np.roll(x, 1) | np.pad(x32, 1) | np.pad(x, ((1, 2), (0, 0)), mode="edge")
np.insert(v, 0, 1.0) | np.delete(v, 0) | np.delete(x, [0, 1], axis=0) | np.diff(x) | np.diff(k32, axis=0) | np.gradient(v) | np.outer(v, v) | np.dot(x, v) | np.dot(x32, x32.T) | np.inner(v, v) | np.kron(v, v) | np.cross(v[:3], v[3:])
np.einsum("ij,kj->ik", x, x) | np.einsum("ij->j", x32) | np.tensordot(x, x, axes=([1], [1])) | np.matmul(x[None], x.T) | np.trace(x) | np.diag(v) | np.diag(x) | np.tril(x32) | np.triu(np.ones((3, 3)), k=1) | np.vander(v, 3)
np.meshgrid(v, c)[0] | np.meshgrid(v, c, indexing="ij")[1] | np.mgrid[0:3, 0:4] | np.mgrid[0:1:5j] | np.ogrid[0:3, 0:4][1] | np.indices((2, 3)) | np.unravel_index(5, (2, 3))[0] | np.array_split(c, 4)[0] | np.split(x, 2, axis=1)[1] | np.vsplit(x, 2)[0]
np.linalg.norm(x) | np.linalg.norm(x32, axis=1) | np.linalg.norm(x32, axis=1, keepdims=True) | np.linalg.inv(x @ x.T) | np.linalg.det(x32 @ x32.T) | np.linalg.svd(x)[0] | np.linalg.svd(x32, full_matrices=False)[2] | np.linalg.eigh(x @ x.T)[0] | np.linalg.qr(x)[1]
np.linalg.solve(x @ x.T, x) | np.linalg.pinv(x32) | np.linalg.matrix_rank(x) | np.linalg.cholesky(np.eye(3)) | np.linalg.lstsq(x, x[:, 0], rcond=None)[0] | np.fft.fft(v) | np.fft.rfft(x32) | np.fft.ifft2(x) | np.fft.fftfreq(8, 0.1) | np.fft.fftshift(v)
np.random.rand(3) | np.random.rand(2, 3) | np.random.randn(2, 3) | np.random.random((2, 2)) | np.random.uniform(0, 1, (3,)) | np.random.uniform(-1, 1, size=5) | np.random.normal(0, 1, (2, 3)) | np.random.normal(size=4) | np.random.normal(v, 1.0)
np.random.randint(0, 5, 10) | np.random.randint(5, size=(2, 3)) | np.random.randint(0, 2, 4, dtype=np.uint8) | np.random.permutation(7) | np.random.permutation(x) | np.random.choice(5, 3) | np.random.choice(5, (2, 3), replace=False) if False else np.random.choice(9, (2, 3)) | np.random.choice(v, 4)
np.random.choice([1, 2], size=6, p=[0.5, 0.5]) | np.random.beta(1, 1, 5) | np.random.poisson(3, (2,)) | np.random.binomial(1, 0.5, 8) | np.random.exponential(1.0, 3) | np.random.multivariate_normal([0, 0], np.eye(2), 10) | np.random.dirichlet([1, 1, 1], 4) | np.random.standard_normal((3, 2))
rng.random(4) | rng.random((2, 3), dtype=np.float32) | rng.normal(size=(3, 2)) | rng.standard_normal((2, 2), dtype=np.float32) | rng.integers(0, 5, 4) | rng.integers(0, 5, size=(2, 2), dtype=np.int32) | rng.integers(5) | rng.choice(5, 3) | rng.choice(x, 2) | rng.permutation(x) | rng.uniform(0, 1, 3)
state.rand(3) | state.randn(2, 3) | state.randint(0, 5, 3) | state.permutation(4) | state.normal(0, 1, 3) | np.interp(v, c, c) | np.digitize(x, np.array([0.0, 1.0])) | np.searchsorted(c, v) | np.isin(k, [1, 2]) | np.histogram(x, bins=10)[0] | np.histogram(x, 5)[1] | np.histogram(k)[0]
np.unique(np.array([1, 2, 2])) | np.unique(c % 3) | np.nonzero(c > 2)[0] | np.where(c > 2)[0] | np.argwhere(c > 2) | c[c > 2] | np.bincount(c) | np.convolve(v, v) | np.convolve(v, np.ones(3) / 3, mode="valid") | np.cov(x) | np.corrcoef(x) | np.polyfit(v, v, 2) | np.polyval([1, 2], v) | np.average(x, axis=0) | np.average(x, axis=0, weights=c[:4]) | np.nanmean(x32) | np.nan_to_num(x32)
np.take(x, [0, 1], axis=1) | np.take_along_axis(x, k, axis=0) | np.count_nonzero(np.array([0, 1])) | np.lib.stride_tricks.sliding_window_view(v, 3) + 0 | np.float32(3) | np.int64(7) | np.float32(2) * 3 | np.float64(2) * 3 | np.int32(2) / 3 | np.sqrt(2) | np.float32(v.mean()) | np.prod((2, 3)) | np.log2(8) | np.ceil(7 / 2)
np.multiply(x32, x) | np.add(c, 0.5) | np.subtract(k32, 1) | np.divide(k32, 2) | np.true_divide(k, k) | np.floor_divide(k, 2) | np.equal(k, 1) | np.negative(x32) | np.conj(x) | np.angle(x + 0j) | x + 1j | x32 + 1j | (x + 0j).real.copy() | np.abs(x + 1j) | np.sinc(x32) | np.heaviside(x, 0.5)
x.astype(np.float16) | x.astype("int") | x.astype(bool) | x.astype(float) | x32.astype("uint8") | x.astype(np.float32, copy=False) | x.view() | x.T.astype(np.float32) | x32.T + 1 | x32.T * x32.T | x.T.sum(axis=0) | np.exp(x.T) | x.T @ x | x.clip(0, 1) | x.round(1) | x.repeat(2, axis=1) | x.take([0, 1]) | x.diagonal().copy() | x.cumsum() | x32.dot(x32.T) | k.argmin(1)
big + 1 | big32 / 255.0 | big32.mean(axis=0) | (big - big.mean(0)) / big.std(0) | big @ big.T | big32 @ big32.T | big.T @ big | np.sum(big32) | big.max() | big.argmax(1) | np.concatenate([big, big]) | np.stack([big32, big32]) | np.where(big > 0.5, 1.0, 0.0) | np.where(big > 0.5, big32, 0) | big > 0.5 | big.astype(int) | big[np.arange(10)] | big[:, [0, 1]] | big.T.copy() | np.pad(big, 1) | np.exp(big32) | np.sort(big, axis=0) | np.argsort(big) | np.tile(big, (2, 2)) | np.repeat(big, 2, axis=0) | np.zeros((2000, 3000)) | np.ones((2000, 3000), dtype=np.float32) | np.arange(10**6) | np.linspace(0, 1, 10**6) | np.eye(2000) | np.outer(np.arange(3000), np.arange(3000.0)) | np.random.permutation(10**6) | np.cumsum(big, axis=1) | np.clip(big32, 0, 1) | np.linalg.norm(big32, axis=1) | np.transpose(big)[::2] | np.vstack([big, big]) | np.einsum("ij,kj->ik", big32, big32) | big32[big32.argmax(0)] | np.full((1000, 1000), 3) | np.round(big, 2) | np.diff(big) | big.reshape(400, 300).T | big.sum() | big32.std() | np.mean(big32 * 2)
"""

CASES = [case.strip() for line in EXPRESSIONS.strip().splitlines() for case in line.split(" | ")]


def facts(tensor):
    return tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."), tensor.stride()


@pytest.fixture(scope="module")
def real():
    names: dict[str, object] = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        exec(HEAD, names)
        return [facts(torch.as_tensor(eval(case, names))) for case in CASES]


@pytest.fixture(scope="module")
def said(trace):
    text = HEAD + "".join(f"y{number} = torch.as_tensor({case})\n" for number, case in enumerate(CASES))
    traced = trace(text)
    found = {}
    for fact in traced.facts:
        if fact.kind == "binding" and fact.name.startswith("y"):
            value = fact.value
            found[int(fact.name[1:])] = (
                getattr(value, "shape", None),
                getattr(value, "dtype", None),
                getattr(value, "stride", None),
            )
    return found


def holds(said, real):
    """Whether all that is said is so; None says nothing (the stride of a dim of one, say)."""
    if isinstance(said, tuple):
        return len(said) == len(real) and all(a is None or holds(a, b) for a, b in zip(said, real))
    return said == real


def test_nothing_that_is_said_is_wrong(real, said):
    wrong = [
        (case, said[n], real[n])
        for n, case in enumerate(CASES)
        if n in said and said[n][0] is not None and not holds(said[n], real[n])
    ]
    assert not wrong, "\n".join(map(str, wrong))


def test_all_are_known(said):
    missing = {case for n, case in enumerate(CASES) if said.get(n, (None,))[0] is None}
    assert missing == set()


UNKNOWN_BESIDE_A_SCALAR = """
import numpy as np, torch
n, u = np.random.randint(1, 9), float(np.random.uniform(-1, 1))
m = int(n)
angle = np.sin(0.3) + 3.0 * u
small = np.float32(0.5) * m
angle += u
size = np.array([3, 4]).sum() + m
a = torch.as_tensor(np.array([angle, u]))
b = torch.as_tensor(small)
c = torch.zeros(int(size), 2)
d = torch.zeros(int(size - (5 + m)), 2)
e = torch.as_tensor(angle > u)
first, second, third = map(np.stack, ([np.zeros(3)] * 2, [object(), None], [np.ones(2)] * 2))
f, g = torch.as_tensor(first), torch.as_tensor(third)
"""


def test_a_number_that_nobody_knows_beside_a_known_scalar_has_its_dtype(trace):
    traced = trace(UNKNOWN_BESIDE_A_SCALAR)
    found = {name: (traced.shape(name), traced.fact(name).value.dtype) for name in "abce"}
    assert found == {
        "a": ((2,), "float64"),
        "b": ((), "float32"),
        "c": ((None, 2), "float32"),
        "e": ((), "bool"),
    }
    assert traced.shape("d") in ((None, 2), (2, 2))


def test_one_call_of_numpys_that_is_lost_in_a_map_loses_no_other(trace):
    traced = trace(UNKNOWN_BESIDE_A_SCALAR)
    assert (traced.shape("f"), traced.shape("g")) == ((2, 3), (2, 2))


REFUSED = """
x + np.random.randn(3, 6) | x @ x | np.dot(x, x) | np.matmul(x, v[:3]) | x.reshape(5, 5) | np.reshape(k, (-1, 7)) | np.add(x, v[1:]) | x > c[1:]
np.concatenate([x, k[:, 1:]]) | np.concatenate([x, v]) | np.vstack([x, v[1:]]) | np.hstack([x, x.T]) | np.stack([v, v[1:]]) | np.append(x, [v], axis=1)
np.einsum("ij,jk->ik", x, x) | np.tensordot(x, x, axes=1) | np.where(b, x, x.T) | np.linalg.inv(x) | np.linalg.solve(x @ x.T, v) | x.sum(axis=2) | np.mean(x, axis=3)
x.transpose(0, 1, 2) | np.transpose(x, (0, 2)) | np.squeeze(x, axis=0) | np.broadcast_to(x, (3, 6)) | np.split(x, 4, axis=1) | np.expand_dims(x, 5) | x[7] | x[:, 6] | x[0, 0, 0]
big + big.T | big @ big | np.concatenate([big, big32.T]) | big.reshape(7, -1) | big.sum(axis=2) | np.array([1, 2, 3]) + np.array([1, 2])
x.__setitem__(0, v[1:]) | x.__setitem__((slice(None), 0), v) | x.__setitem__(4, 0) | x.__iadd__(v[1:]) | v.__isub__(x)
"""
REFUSALS = [case.strip() for line in REFUSED.strip().splitlines() for case in line.split(" | ")]
STATEMENTS = {
    "x.__setitem__(0, v[1:])": "x[0] = v[1:]",
    "x.__setitem__((slice(None), 0), v)": "x[:, 0] = v",
    "x.__setitem__(4, 0)": "x[4] = 0",
    "x.__iadd__(v[1:])": "x += v[1:]",
    "v.__isub__(x)": "v -= x",
}


def test_what_does_not_fit_whatever_the_numbers_are_is_said_as_numpy_says_it(trace):
    names: dict[str, object] = {}
    exec(HEAD, names)
    words = []
    for case in REFUSALS:
        with pytest.raises((ValueError, IndexError)) as raised:
            eval(case, names)
        words.append(str(raised.value).strip())
    traced = trace(HEAD + "".join(f"{STATEMENTS.get(case, case)}\n" for case in REFUSALS))
    first = HEAD.count("\n")
    said = {line - first: message for line, message in traced.failures()}
    assert {n: word for n, word in enumerate(words) if said.get(n) != word} == {}


def test_what_only_the_numbers_decide_is_no_failure(trace):
    text = (
        HEAD
        + "np.linalg.cholesky(x @ x.T)\nnp.linalg.inv(x @ x.T)\nnp.random.rand(5)[k]\nx[x > 0] = v[v > 0]\nx[b] = 1\n"
    )
    assert trace(text).failures() == []


def test_large_arrays_take_no_room_however_many_there_are(trace):
    text = """
import numpy as np, torch
kept = [np.zeros((1 << 27,), dtype=np.float32) for _ in range(40)]
last = torch.from_numpy(kept[-1] + 1)
turned = torch.from_numpy(kept[0].reshape(4, -1).T)
other = np.ones((1 << 14, 1 << 14), dtype=np.float32)
other[:, 0] = 2
row = torch.from_numpy(other[0])
"""
    before = _pages()
    traced = trace(text)
    assert _pages() - before < 2**20  # each of 4 KB or more
    assert traced.shape("last") == (1 << 27,)
    assert traced.shape("turned") == (1 << 25, 4)
    assert traced.fact("turned").value.stride == (1, 1 << 25)
    assert traced.shape("row") == (1 << 14,)


def test_large_arrays_share_memory_with_their_views_and_with_no_other(trace):
    text = """
import numpy as np, torch
one, other = np.zeros((2000, 1000)), np.zeros((2000, 1000))
apart = torch.zeros(2 if np.shares_memory(one, other) else 3)
view = torch.zeros(2 if np.may_share_memory(one.T, one[1:]) else 3)
of_one = torch.zeros(2 if np.shares_memory(one, np.broadcast_arrays(other, one)[0]) else 3)
"""
    traced = trace(text)
    assert traced.shape("apart") == (3,) and traced.shape("view") == (2,)
    assert traced.shape("of_one") != (2,)


def _pages() -> int:
    """Pages of address space that this process has, where the system says so."""
    statm = pathlib.Path("/proc/self/statm")
    return int(statm.read_text().split()[0]) if statm.exists() else 0


def test_an_array_that_is_one_of_two_is_what_both_are(trace):
    traced = trace(
        "import numpy as np, torch, somewhere\n"
        "image = np.zeros((8, 6, 3), dtype=np.float32)\n"
        "if somewhere.flag:\n    image = image[:, ::-1] * np.array([1.0, -1.0, 1.0])\n"
        "lying = torch.from_numpy(np.zeros((4, 5)).T if somewhere.flag else np.zeros((5, 4)))\n"
        "plain = torch.from_numpy(np.ascontiguousarray(image))\n"
        "single = plain.float()\n"
        "cut = torch.tensor(np.zeros((9, 2))[:4] if somewhere.flag else np.zeros((9, 2)))\n"
    )
    plain = traced.fact("plain").value
    assert (plain.shape, plain.dtype, plain.contiguous) == ((8, 6, 3), None, True)
    assert traced.fact("single").value.dtype == "float32"
    lying = traced.fact("lying").value
    assert (lying.shape, lying.dtype, lying.stride) == ((5, 4), "float64", (None, None))
    assert traced.shape("cut") == (None, 2)
