"""Stand-ins for scikit-learn and gymnasium: the sizes and dtypes are those that the real ones gave."""

import pytest

HEAD = """
import numpy as np
import torch
from torch import nn
"""


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    from shapewise.trace.wall import namespaces

    for name in ("sklearn", "gymnasium", "scipy"):
        monkeypatch.setitem(namespaces._INSTALLED, name, True)


def facts(traced, name):
    value = traced.fact(name).value
    return value.shape, value.dtype, value.stride


def test_samples_are_split_and_scaled(trace):
    traced = trace(
        HEAD
        + """
from sklearn.datasets import make_moons, make_classification, load_iris
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
X, y = make_moons(n_samples=500, noise=0.2, random_state=42)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=42)
scaler = StandardScaler()
X_train = scaler.fit_transform(X_train)
a = torch.tensor(X_train, dtype=torch.float32)
b = torch.from_numpy(scaler.transform(X_test))
c = torch.from_numpy(y_test)
d = torch.from_numpy(make_classification(70, n_features=9)[0])
iris = load_iris()
p, q, r, s = train_test_split(torch.zeros(11, 3), iris.data[:11])
e = torch.as_tensor(s)
f = nn.Linear(X_train.shape[1], 4)(a)
"""
    )
    assert facts(traced, "a") == ((375, 2), "float32", (2, 1))
    assert facts(traced, "b") == ((125, 2), "float64", (2, 1))
    assert facts(traced, "c") == ((125,), "int64", (1,))
    assert traced.shape("d") == (70, 9)
    assert traced.shape("p") == (8, 3)
    assert traced.shape("q") == (3, 3)
    assert traced.shape("e") == (3, 4)
    assert traced.shape("f") == (375, 4)
    assert not traced.failures()


def test_digits_lie_in_the_rows_of_a_table(trace):
    """As scikit-learn 1.9 gives them."""
    traced = trace(
        HEAD
        + """
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
digits = load_digits()
a = torch.from_numpy(digits.images)
b = torch.from_numpy(digits["data"])
c = torch.from_numpy(StandardScaler().fit_transform(digits.data))
X, y = load_digits(return_X_y=True)
d, e, f, g = map(torch.from_numpy, train_test_split(X / 16.0, y, test_size=0.2, stratify=y))
"""
    )
    assert facts(traced, "a") == ((1797, 8, 8), "float64", (65, 8, 1))
    assert facts(traced, "b") == ((1797, 64), "float64", (65, 1))
    assert facts(traced, "c") == ((1797, 64), "float64", (64, 1))
    assert facts(traced, "d") == ((1437, 64), "float64", (64, 1))
    assert facts(traced, "g") == ((360,), "int64", (1,))


def test_what_a_split_or_a_scaler_does_otherwise_is_not_known(trace):
    traced = trace(
        HEAD
        + """
from sklearn.datasets import make_moons
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from sklearn.model_selection import train_test_split
from nowhere import share
X, y = make_moons(shuffle=False)
a = torch.from_numpy(X)
b = torch.from_numpy(PCA(1).fit_transform(np.zeros((4, 3))))
u, v = train_test_split(torch.zeros(10, 3), test_size=share)
c = v + 1
d = torch.from_numpy(StandardScaler(copy=False).fit_transform(np.zeros((4, 3))))
"""
    )
    for name in "abcd":
        assert not traced.knows(name) or traced.shape(name) is None
    assert not traced.failures()


def test_an_environment_is_known_by_its_name(trace):
    traced = trace(
        HEAD
        + """
import gymnasium as gym
env = gym.make("CartPole-v1")
policy = nn.Linear(env.observation_space.shape[0], env.action_space.n)
state, _ = env.reset(seed=0)
states, rewards = [], []
for t in range(5):
    s = torch.from_numpy(state)
    action = policy(s).argmax().item()
    state, reward, terminated, truncated, info = env.step(action)
    states.append(state)
    rewards.append(reward)
    if terminated or truncated:
        break
batch = torch.tensor(np.array(states))
returns = torch.tensor(rewards)
one = torch.tensor([reward])
pendulum = gym.make("Pendulum-v1")
pendulum.reset()
worth = torch.tensor([pendulum.step(pendulum.action_space.sample())[1]])
todo = torch.as_tensor(pendulum.action_space.sample())
from gymnasium import spaces
flat = [spaces.flatdim(env.action_space), spaces.utils.flatdim(spaces.Box(0, 1, (3, 2))), spaces.flatdim(spaces.MultiBinary(5))]
sizes = torch.zeros(*flat)
"""
    )
    assert traced.shape("sizes") == (2, 6, 5)
    assert facts(traced, "s") == ((4,), "float32", (1,))
    assert traced.shape("batch")[-1] == 4
    assert traced.fact("batch").value.dtype == "float32"
    assert traced.fact("returns").value.dtype == "float32"
    assert facts(traced, "one") == ((1,), "float32", (1,))
    assert facts(traced, "worth") == ((1,), "float64", (1,))
    assert facts(traced, "todo") == ((1,), "float32", (1,))
    assert not traced.failures()


def test_environments_side_by_side(trace):
    traced = trace(
        HEAD
        + """
import gymnasium as gym
def make_env(name):
    def thunk():
        return gym.wrappers.RecordEpisodeStatistics(gym.make(name))
    return thunk
envs = gym.vector.SyncVectorEnv([make_env("CartPole-v1") for _ in range(3)])
assert isinstance(envs.single_action_space, gym.spaces.Discrete)
obs = torch.zeros((8, 3) + envs.single_observation_space.shape)
acts = torch.zeros((8, 3) + envs.single_action_space.shape)
first, _ = envs.reset(seed=1)
x = torch.Tensor(first)
nxt, reward, term, trunc, infos = envs.step(np.zeros(3, dtype=int))
done = torch.tensor(np.logical_or(term, trunc))
r = torch.tensor(reward)
"""
    )
    assert traced.shape("obs") == (8, 3, 4)
    assert traced.shape("acts") == (8, 3)
    assert traced.shape("x") == (3, 4)
    assert facts(traced, "done") == ((3,), "bool", (1,))
    assert facts(traced, "r") == ((3,), "float64", (1,))
    assert not traced.failures()


def test_an_environment_of_the_files_own_gives_what_it_says(trace):
    traced = trace(
        HEAD
        + """
import gymnasium as gym
from gymnasium import spaces
class Grid(gym.Env):
    metadata = {"render_modes": []}
    def __init__(self, n):
        super().__init__()
        self.observation_space = spaces.Box(low=0.0, high=1.0, shape=(n, 2), dtype=np.float32)
        self.action_space = spaces.Discrete(4)
    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros((3, 2), dtype=np.float32), {}
    def step(self, action):
        return np.ones((3, 2)), 1.0, False, False, {}
env = Grid(3)
a = torch.from_numpy(env.reset(seed=3)[0])
b = torch.from_numpy(env.step(env.action_space.sample())[0])
c = torch.from_numpy(env.observation_space.sample())
unheard = gym.make("Unheard-v9")
d = torch.as_tensor(unheard.reset()[0])
"""
    )
    assert facts(traced, "a") == ((3, 2), "float32", (2, 1))
    assert facts(traced, "b") == ((3, 2), "float64", (2, 1))
    assert facts(traced, "c") == ((3, 2), "float32", (2, 1))
    assert not traced.knows("d") or traced.shape("d") is None
    assert not traced.failures()


def test_an_estimator_of_the_file_is_followed(trace):
    traced = trace(
        HEAD
        + """
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
class Centred(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.mean_ = torch.as_tensor(X).mean(0)
        return self
    def transform(self, X):
        return torch.as_tensor(X) - self.mean_
class Net(BaseEstimator, ClassifierMixin):
    def __init__(self, width=7):
        self.width = width
    def predict(self, X):
        return (torch.from_numpy(X) @ torch.zeros(X.shape[1], self.width).double()).argmax(1).numpy()
a = Centred().fit_transform(np.zeros((5, 3)))
net = Net().set_params(width=9)
b = torch.from_numpy(net.predict(np.ones((6, 3))))
c = torch.zeros(net.width)
"""
    )
    assert facts(traced, "a") == ((5, 3), "float64", (3, 1))
    assert facts(traced, "b") == ((6,), "int64", (1,))
    assert traced.shape("c") == (9,)
    assert not traced.failures()


def test_scipy_where_models_call_it(trace):
    """As scipy 1.17 gives them."""
    traced = trace(
        HEAD
        + """
import scipy.fft, scipy.sparse
from scipy.fftpack import next_fast_len
from scipy.optimize import OptimizeResult, linear_sum_assignment
from scipy.spatial.distance import cdist
from scipy.stats import ortho_group, special_ortho_group
cost = torch.rand(10, 4)
rows, columns = linear_sum_assignment(cost)
a = cost[rows, columns]
b = torch.as_tensor(rows)
c = torch.zeros(next_fast_len(1030), scipy.fft.next_fast_len(1030), scipy.fft.next_fast_len(1030, real=True))
d = torch.from_numpy(cdist(np.zeros((5, 2)), np.zeros((6, 2))))
e = torch.zeros(2 if scipy.sparse.issparse(np.zeros(3)) else 3)
x = torch.randn(4)
found = OptimizeResult(x=x, fun=x.sum(), nit=3)
found["hess"] = torch.eye(found.x.numel())
found.grad = torch.zeros_like(found["x"])
if x.sum() > 1:
    found.fun = x[:3]
f, g, h = found.hess, found["grad"], found.fun
i, j = torch.as_tensor(special_ortho_group.rvs(4)), torch.as_tensor(ortho_group.rvs(3, size=5))
"""
    )
    assert facts(traced, "i") == ((4, 4), "float64", (4, 1))
    assert facts(traced, "j") == ((5, 3, 3), "float64", (9, 3, 1))
    assert traced.shape("a") == (4,)
    assert facts(traced, "b") == ((4,), "int64", (1,))
    assert traced.shape("c") == (1080, 1050, 1080)
    assert facts(traced, "d") == ((5, 6), "float64", (6, 1))
    assert traced.shape("e") == (3,)
    assert (traced.shape("f"), traced.shape("g")) == ((4, 4), (4,))
    assert traced.shape("h") is None
    assert not traced.failures()
