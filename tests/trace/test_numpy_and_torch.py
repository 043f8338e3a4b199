"""Arrays where tensors stand, and tensors where arrays do: each expression is run for real and compared."""

from __future__ import annotations

import warnings

import pytest

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")

HEAD = """
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset, default_collate
rng = np.random.default_rng(0)
A = rng.normal(size=(2, 3))
A32 = A.astype(np.float32)
K = rng.integers(0, 2, size=(2, 3))
B = A > 0
T = torch.ones(2, 3)
I = torch.ones(2, 3, dtype=torch.int64)
G = torch.ones(2, 3, requires_grad=True)
known = np.array([1, 2])


class Items(torch.utils.data.Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return A32[index % 2], np.float32(1.5), K[0, 0], index


def changed():
    a = np.zeros(3)
    a[0] = 2
    return torch.ones(int(a[0]), 2)


def doubled(n):
    a = np.array([1])
    for _ in range(n):
        a = a * 2
    return torch.ones(int(a[0]), 2)


batch = next(iter(DataLoader(Items(), batch_size=4)))
"""

EXPRESSIONS = """
T * A | T - A32 | T @ A.T | I * A32 | T * np.float64(2) | np.float64(2) * T | I * np.float32(2) | np.float32(2) * I | I * np.int64(2) | I / np.int64(2)
T * A.mean() | T * A32.mean() | I * A.mean() | I * K.sum() | I / K.sum() | A.mean() * T | A32.sum() / I | K.max() - I | T ** A.std() | T > A.mean() | T / np.sqrt(3) | T + np.pi | I + np.pi
np.sin(T) | np.exp(I) | np.abs(T) | np.add(T, A) | np.maximum(T, 0) | np.greater(T, 0) | np.isnan(T) | np.matmul(T, T.T) | T * np.array(2.0)
torch.tensor(np.float64(1)) | torch.tensor(np.float32(1)) | torch.tensor(np.int32(1)) | torch.tensor(A.mean()) | torch.tensor(A32.mean()) | torch.tensor(K[0, 0]) | torch.as_tensor(A32.max())
torch.tensor([np.float64(1), np.float64(2)]) | torch.tensor([np.float32(1), np.float32(2)]) | torch.tensor([np.int64(1)]) | torch.tensor([A.mean(), A.std()]) | torch.tensor([A32.mean(), 1.0]) | torch.tensor([1, np.float64(1.0)])
torch.tensor([A, A]) | torch.tensor([A32[0], A32[1]]) | torch.tensor((A, A)) | torch.tensor([A32, [[1, 2, 3], [1, 2, 3]]]) | torch.as_tensor([A, A]) | torch.FloatTensor([A, A]) | torch.LongTensor([K, K]) | torch.Tensor([A, A])
torch.FloatTensor(A) | torch.Tensor(A) | torch.LongTensor(K) | torch.FloatTensor(A.T) | torch.tensor(A.T) | torch.as_tensor(A.T) | torch.from_numpy(A.T) | torch.tensor(A.T.copy()) | torch.tensor(A.T, dtype=torch.float32)
torch.from_numpy(A.T).float() | torch.tensor(A[:, ::2]) | torch.from_numpy(A[:, ::2]) | torch.from_numpy(A[1]) | torch.tensor(A, dtype=torch.float, requires_grad=True) | torch.asarray(A) | torch.from_numpy(np.array(1.0)) | torch.tensor(known)
T[np.array([0, 1])] | T[np.array([True, False])] | T[np.int64(0)] | T[:, np.array([0, 1])] | T[K[0, 0]] | T[known - 1] | T.new_tensor(A) | T.reshape(np.prod(T.shape)) | torch.zeros(np.int64(3), 2) | torch.zeros(tuple(np.array([3, 2])))
torch.full((2,), np.float64(3)) | torch.full((2,), np.int64(3)) | torch.arange(np.int64(4)) | torch.arange(0, np.prod((2, 3))) | torch.linspace(0, np.pi, 5) | torch.pow(T, np.float64(2)) | torch.clamp(T, np.float64(0), np.float64(1))
torch.from_numpy(T.numpy()) | torch.from_numpy(T.numpy().T) | torch.from_numpy(G.detach().numpy() * 2) | torch.from_numpy(T.cpu().numpy()[0]) | torch.tensor(I.numpy().mean()) | torch.from_numpy(np.stack([T.numpy(), T.numpy()])) | torch.from_numpy(np.array([t.numpy() for t in T]))
torch.from_numpy(np.concatenate([T, T])) | torch.tensor(np.array([T, T])) | torch.from_numpy(np.random.randn(*T.shape).astype(T.numpy().dtype)) | torch.zeros(known.tolist()) | torch.zeros(*known) | torch.zeros(len(A), A.shape[1]) | torch.zeros(known.max(), int(known.sum()))
default_collate([A, A]) | default_collate([np.float64(1.0), np.float64(1.0)]) | default_collate([np.int64(1), np.int64(2)]) | batch[0] | batch[1] | batch[2] | batch[3] | changed() | doubled(3) | doubled(1000)
torch.nn.functional.one_hot(torch.from_numpy(K), 4) | torch.from_numpy(A) * torch.from_numpy(A32) | torch.nn.Linear(int(np.prod((1, 28, 28))), 4)(torch.zeros(2, 784)) | torch.stack([torch.from_numpy(a) for a in A]) | torch.cat([torch.tensor(row) for row in A])
torch.tensor(np.where(B, 1, 0)) | torch.from_numpy(B) | torch.from_numpy(np.eye(3)[known]) | torch.from_numpy(A.astype(np.float16)) | torch.tensor(list(A)) | torch.tensor(sum(A)) | torch.tensor(np.arange(3) / 2).float() | torch.tensor(A.tolist()[0][:0])
torch.from_numpy(A[B]) | torch.tensor(A[A > 0.5]) | torch.from_numpy(np.nonzero(B)[0]) | torch.from_numpy(np.where(A[0] > 0)[0]) | torch.from_numpy(np.argwhere(B)) | torch.from_numpy(np.unique(K)) | torch.from_numpy(np.flatnonzero(B))
torch.zeros(int(K.max()) + 1, 2) | torch.from_numpy(np.zeros((K.max() + 1, 3))) | torch.from_numpy(np.random.rand(np.random.randint(1, 4), 5)) | torch.from_numpy(A[: np.random.randint(1, 2)]) | torch.tensor(K.tolist()) | torch.tensor(A.tolist())
torch.from_numpy(A * np.random.rand()) | torch.from_numpy(np.random.randn() * A32) | torch.from_numpy(A32 + float(A.mean())) | torch.tensor(np.sqrt(1.0 - np.random.beta(1.0, 1.0))) | torch.from_numpy(A[np.random.randint(2)]) | torch.nn.Embedding(2, 5)(torch.from_numpy(K))
torch.from_numpy(A[np.random.choice(2)]) | torch.from_numpy(A[:, np.random.permutation(3)]) | torch.from_numpy(A[int(A.argmax()) // 3]) | torch.tensor(np.random.randint(0, 5)) | torch.tensor(np.random.rand()) | torch.tensor([np.random.rand(), 1.0]) | torch.tensor(A.max().item())
torch.zeros(3, 4)[:, np.random.randint(4)] | [torch.zeros(2), torch.zeros(2)][K[0, 0]] | torch.tensor(np.array([v for v in A[0] if v > -9])) | torch.from_numpy(np.arange(K.max() + 2))
"""

CASES = [case.strip() for line in EXPRESSIONS.strip().splitlines() for case in line.split(" | ")]


def facts(tensor):
    return (
        tuple(tensor.shape),
        str(tensor.dtype).removeprefix("torch."),
        tensor.stride(),
        tensor.requires_grad,
    )


@pytest.fixture(scope="module")
def real():
    names: dict[str, object] = {}
    found = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        exec(HEAD, names)
        for case in CASES:
            try:
                found.append(facts(eval(case, names)))
            except Exception as error:
                found.append(error)
    return found


@pytest.fixture(scope="module")
def said(trace):
    traced = trace(HEAD + "".join(f"y{number} = {case}\n" for number, case in enumerate(CASES)))
    found = {}
    for fact in traced.facts:
        if fact.kind == "binding" and fact.name.startswith("y"):
            value = fact.value
            names = ("shape", "dtype", "stride", "requires_grad")
            found[int(fact.name[1:])] = tuple(getattr(value, name, None) for name in names)
    return found


def holds(said, real):
    """Whether all that is said is so; None says nothing."""
    if isinstance(real, Exception) or said is None:
        return said is None
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


def test_all_are_known_but_for_what_data_decides(real, said):
    missing = {
        case
        for n, case in enumerate(CASES)
        if said.get(n, (None,))[0] is None and not isinstance(real[n], Exception)
    }
    assert missing == set()


def test_the_lines_below_an_error_name_real_classes_too():
    from shapewise.trace.refusals.replay import details

    error = TypeError("got (ndarray), but expected one of:\n (!ndarray!, !FakeTensor!)\n")
    assert details(error) == ("(!numpy.ndarray!, !Tensor!)",)
