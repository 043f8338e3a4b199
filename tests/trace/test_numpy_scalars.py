"""numpy's scalars that nobody knows, beside Python's numbers: in lists, in loops, and where either may stand."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

HEAD = "import numpy as np, torch, somewhere\nz = np.random.uniform(0, 1, 3)\nz32 = z.astype(np.float32)\n"


def test_a_list_that_grew_by_scalars_has_nobody_knows_how_many(trace):
    traced = trace(
        HEAD
        + """
rows, flat = [], []
for x in somewhere.rows:
    rows.append([z[0]])
    flat.append(np.cos(z[0]))
a = torch.tensor(rows, dtype=torch.float)
b = torch.tensor(flat)
c = torch.FloatTensor(flat)
"""
    )
    assert traced.shape("a") == (None, 1)
    assert traced.shape("b") == traced.shape("c") == (None,)


def test_a_tensor_of_a_number_and_a_scalar_has_the_dtype_of_both(check):
    traced = check(
        HEAD
        + """
a = torch.tensor([np.random.uniform(), z[0]])
b = torch.tensor([np.random.uniform(), z32[0]])
c = torch.tensor([[z[1]], [2.0]])
d = torch.tensor([z[0], z32[1]], dtype=torch.float16)
"""
    )
    assert traced.fact("a").value.dtype == "float64"
    assert traced.fact("b").value.dtype == "float32"


def test_what_is_a_number_until_the_first_round_is_followed(check):
    traced = check(
        HEAD
        + """
advantage, kept = 0.0, []
for item in z32[::-1]:
    advantage = 0.9 * advantage + item
    kept.append([advantage])
a = torch.tensor(kept)
reward = 0
if somewhere.flag:
    reward = -z[0]
b = torch.tensor([reward / 100.0, reward], dtype=torch.float)
c = torch.tensor([reward / 100.0, 1.0])
d = torch.tensor(np.array([reward * 2, 1.5]))
"""
    )
    assert traced.shape("a") == (3, 1)
    assert traced.shape("b") == traced.shape("c") == (2,)
    assert traced.fact("c").value.dtype is None


def test_a_loop_that_changes_a_scalar_comes_to_rest(trace):
    traced = trace(
        HEAD
        + """
total, kept = 0, []
while somewhere.flag():
    total = total + z[1]
    kept.append(total)
    x = torch.zeros(4, 2)
y = x + 1
t = torch.tensor(kept, dtype=torch.float)
"""
    )
    assert traced.shape("y") == (4, 2)
    assert traced.shape("t") == (None,)


def test_what_is_left_of_a_float_is_a_float(check):
    traced = check(
        HEAD
        + """
angle = np.random.uniform(-3.0, 3.0)
a = torch.tensor([(angle + 3.0) % 6.0 - 3.0, angle % 2])
"""
    )
    assert traced.shape("a") == (2,)


def test_a_tensor_class_takes_an_array_of_its_dtype_as_it_lies_in_memory(check):
    traced = check(
        HEAD
        + """
labels = np.where(np.eye(4)[[0, 1, 2, 3, 1]])[1]
a = torch.LongTensor(labels)
b = torch.LongTensor(np.arange(10)[::2])
c = torch.FloatTensor(np.arange(10)[::2])
d = torch.FloatTensor(np.ones((3, 4), np.float32).T)
e = torch.FloatTensor(np.ones((6, 4))[::2])
f = torch.Tensor(np.ones((6, 4), np.float32)[::2])
"""
    )
    assert traced.fact("b").value.stride == (2,)
    assert traced.fact("b").value.contiguous is False


def test_powers_and_remainders_of_what_may_be_a_number_or_a_tensor_are_followed(check):
    traced = check(
        HEAD
        + """
variance = 0
if somewhere.flag:
    variance = torch.rand(())
a = (variance ** 0.5) * torch.rand(5, 2)
b = torch.rand(5, 2) + (variance ** 0.5) * torch.rand(5, 2)
c = torch.rand(5, 2) ** variance
"""
    )
    assert traced.shape("a") == traced.shape("b") == traced.shape("c") == (5, 2)


def test_what_is_true_or_false_is_so_whatever_made_it(check):
    traced = check(
        HEAD
        + """
one = bool(torch.rand(()) > 0.5)
two = bool(z[0] > 0.5 or z[1] > 0.7)
a = torch.tensor([one, two])
b = torch.from_numpy(np.stack([one, two]))
c = torch.tensor([1 - one, 2])
d = torch.tensor([one * 2.0])
e = torch.tensor([one and two, not one])
f = torch.tensor([float(torch.rand(()) > 0.5), 1.0])
g = torch.tensor([(torch.rand(()) > 0.5).item(), False])
h = torch.tensor([one & two, one | True])
i = torch.tensor([0.2 < np.random.uniform() < 0.4])
j = torch.tensor([one + two])
k = torch.tensor([3.0 / (2 - one), one ** 2])
"""
    )
    for name in "abcdefghijk":
        assert traced.shape(name) is not None and traced.fact(name).value.dtype is not None, name


def test_a_window_that_begins_at_a_scalar_is_as_long_as_it_says(trace):
    traced = trace(
        HEAD
        + """
import random
sound = np.random.randn(9000)
start = np.int64(np.random.random() * (sound.shape[0] - 4800))
a = torch.tensor(sound[start : start + 4800])
n = np.int64(random.randint(0, 300))
b = torch.zeros(len([0] * n), len(n * [0, 1]))
c = torch.tensor((1,) * n)
d = torch.tensor([1, 2] * np.random.rand(2))
e = torch.tensor(np.uint8(random.randint(0, 300)))
"""
    )
    assert traced.shape("a") == (4800,)
    assert traced.shape("b") == (None, None)
    assert traced.shape("c") in (None, (None,))
    assert traced.shape("d") == (2,)
    assert traced.shape("e") == ()


def test_what_python_makes_of_a_scalar_by_its_operators_is_one(check):
    traced = check(
        HEAD
        + """
m = np.mean(z)
a = torch.tensor(abs(m))
b = torch.tensor(sum([m, m]))
c = torch.tensor(round(m, 2))
d = torch.tensor(round(m))
e = torch.tensor(round(z32[0], 2))
f = torch.tensor(pow(m, 2))
g = torch.tensor(sum([1.0, z32[0]]) / 2)
small = np.random.randint(1, 5, 8).astype(np.int32)[0]
h = torch.tensor(abs(small) + 1)
i = torch.tensor(sum([small, 1]))
j = torch.tensor(round(torch.rand(3).mean().item(), 3))
"""
    )
    assert [traced.fact(name).value.dtype for name in "abcdeghij"] == (
        "float64 float64 float64 int64 float32 float32 int32 int32 float32".split()
    )


def test_the_largest_of_a_scalar_and_a_number_may_be_either(check):
    traced = check(
        HEAD
        + """
m = np.mean(z)
a = torch.tensor(max(m, 1))
b = torch.tensor(min(1.0, m))
c = torch.tensor(max(m, z[0]))
n = int(np.int64((z > 0.5).sum()))
d = torch.zeros(max(n, 1))
"""
    )
    assert traced.fact("a").value.dtype is traced.fact("b").value.dtype is None
    assert traced.shape("a") == traced.shape("b") == ()
    assert traced.fact("c").value.dtype == "float64"


def test_a_truth_value_of_numpy_beside_a_tensor_is_a_float(check):
    traced = check(
        HEAD
        + """
found = (z > 5).any()
n = torch.arange(3)
a, b, c, d = n * found, found + n, n - found, torch.ones(3, dtype=torch.half) * found
e = n == found
"""
    )
    assert [
        traced.fact(name).value.dtype for name in "abcde"
    ] == "float32 float32 float32 float16 bool".split()


def test_an_array_changes_its_shape_in_place(check):
    traced = check(
        HEAD
        + """
a = np.arange(6.0)
same = a
a.resize((2, 4), refcheck=False)
b = torch.from_numpy(same)
c = torch.from_numpy(np.random.default_rng().multinomial([[1]] * 4, [[.1, .9], [.3, .7]]))
d = torch.from_numpy(np.random.default_rng().multinomial(1, [[.1, .9], [.3, .7]], size=(4, 2)))
"""
    )
    assert (traced.shape("b"), traced.shape("c"), traced.shape("d")) == ((2, 4), (4, 2, 2), (4, 2, 2))
