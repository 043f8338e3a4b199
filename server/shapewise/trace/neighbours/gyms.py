"""Environments (`gymnasium`) as far as their spaces say what they give: no step is ever carried out."""

from __future__ import annotations

import math
from typing import Any

from ..arrays import Array, Number, blank
from ..arrays.array import np
from ..arrays.inputs import Inputs
from ..unknowns.unknown import Lost, Unknown, yes_or_no
from ..wall import allowed
from ..worlds import worlds

_OVER = "whether an episode is over"
_BESIDE = "what an environment tells beside"
_REWARD = "a reward"


class Space:
    """`gymnasium.spaces.Space`: arrays of this shape and dtype."""

    def __init__(self, shape: Any = None, dtype: Any = None, *args: Any, **options: Any) -> None:
        self._shape = None if shape is None else tuple(map(int, shape))
        self._dtype = None if dtype is None else np.dtype(dtype)

    @property
    def shape(self) -> Any:
        return Unknown("the shape of a space") if self._shape is None else self._shape

    @property
    def dtype(self) -> Any:
        return Unknown("the dtype of a space") if self._dtype is None else self._dtype

    def sample(self, *args: Any, **options: Any) -> Any:
        """Something of this space."""
        return self._some(())

    def contains(self, x: Any) -> Any:
        return yes_or_no("whether something is of a space")

    def seed(self, seed: Any = None) -> Any:
        return Unknown("seeds")

    def _some(self, before: tuple[int, ...]) -> Any:
        """What is in it, for each of `before`."""
        if self._shape is None or self._dtype is None:
            return Unknown("something of a space")
        shape = before + self._shape
        return blank(shape, self._dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Unknown(f"{name} of a space")


class Box(Space):
    """`Box(low, high, shape, dtype)`."""

    def __init__(
        self, low: Any = 0, high: Any = 1, shape: Any = None, dtype: Any = None, seed: Any = None
    ) -> None:
        if shape is None:
            sizes = {size for size in map(_shape_of, (low, high)) if size}
            shape = sizes.pop() if sizes else (1,)
        super().__init__(shape, np.float32 if dtype is None else Inputs().real(dtype))

    @property
    def low(self) -> Any:
        return self._some(())

    high = low

    def is_bounded(self, *args: Any) -> Any:
        return yes_or_no("whether a space is bounded")


def _shape_of(bound: Any) -> tuple[int, ...]:
    return bound.shape if type(bound) is Array else tuple(np.shape(Inputs().real(bound)))


class Discrete(Space):
    """`Discrete(n)`: whole numbers from `start`."""

    def __init__(self, n: Any, seed: Any = None, start: Any = 0, *args: Any, **options: Any) -> None:
        super().__init__((), np.int64)
        self._limits = (int(start), int(start) + int(n) - 1)

    @property
    def n(self) -> Any:
        return np.int64(self._limits[1] - self._limits[0] + 1)

    @property
    def start(self) -> Any:
        return np.int64(self._limits[0])

    def _some(self, before: tuple[int, ...]) -> Any:
        if not before:
            return Number(np.dtype(np.int64), self._limits)
        made = blank(before, np.int64)
        made._memory.limits = self._limits
        return made


class MultiDiscrete(Space):
    """`MultiDiscrete([2, 3])`."""

    def __init__(self, nvec: Any, dtype: Any = None, *args: Any, **options: Any) -> None:
        super().__init__(_shape_of(nvec), np.int64 if dtype is None else Inputs().real(dtype))


class MultiBinary(Space):
    """`MultiBinary(n)`."""

    def __init__(self, n: Any, *args: Any, **options: Any) -> None:
        super().__init__(n if isinstance(n, (tuple, list)) else (n,), np.int8)


def flatdim(space: Any) -> int:
    """`gymnasium.spaces.utils.flatdim`: how many numbers something of a space is once it is flat."""
    if type(space) is Discrete:
        return int(space.n)
    if type(space) not in (Box, MultiBinary) or space._shape is None:
        raise Lost("how flat a space is")
    return math.prod(space._shape)


class Env:
    """`gymnasium.Env`: the base of environments of the file's own, and what `gymnasium.make` gives."""

    metadata = Unknown("what an environment says of itself")
    reward_range = (-math.inf, math.inf)
    _known: tuple[Space, Space, str] | None = None
    """Of one that was made by name: what is observed, what can be done, and of which type a reward is."""

    def reset(self, *args: Any, **options: Any) -> Any:
        """What is observed first."""
        return None if self._known is None else (self._known[0]._some(()), Unknown(_BESIDE))

    def step(self, action: Any) -> Any:
        """What is observed next, the reward for it, and whether it is over."""
        if self._known is None:
            raise Lost("a step of an environment")
        observed, _, reward = self._known
        worth: Any = worlds.real(_REWARD) if reward == "float" else Number(np.dtype(np.float64))
        return (observed._some(()), worth, yes_or_no(_OVER), yes_or_no(_OVER), Unknown(_BESIDE))

    def close(self) -> None:
        """Nothing to do."""

    def render(self, *args: Any, **options: Any) -> Any:
        return Unknown("a picture of an environment")

    @property
    def unwrapped(self) -> Any:
        return self

    @property
    def np_random(self) -> Any:
        return Unknown("random numbers of an environment")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Unknown(f"{name} of an environment")


def _known(observed: Space, action: Space, reward: str) -> Env:
    made: Any = Env()
    made._known = observed, action, reward
    made.observation_space, made.action_space = observed, action
    return made


_OBSERVED: dict[str, tuple[tuple[int, ...], int | tuple[int, ...], str]] = {
    "CartPole": ((4,), 2, "float"),
    "MountainCar": ((2,), 3, "float"),
    "MountainCarContinuous": ((2,), (1,), "float"),
    "Acrobot": ((6,), 3, "float"),
    "Pendulum": ((3,), (1,), "numpy"),
}
"""Environments that every installation has: what is observed, how many actions there are or their shape, the reward's type."""


def make(id: Any = None, *args: Any, **options: Any) -> Any:
    """`gymnasium.make`."""
    name = id.partition("-v")[0] if isinstance(id, str) else ""
    if name not in _OBSERVED:
        raise Lost(f"the environment {id}" if isinstance(id, str) else "an environment")
    observed, action, reward = _OBSERVED[name]
    return _known(
        Box(shape=observed), Box(shape=action) if isinstance(action, tuple) else Discrete(action), reward
    )


def wrapped(env: Any, *args: Any, **options: Any) -> Any:
    """A wrapper that changes nothing of what an environment gives."""
    if not isinstance(env, Env):
        raise Lost("a wrapped environment")
    return env


class VectorEnv:
    """Environments side by side (`gymnasium.vector.SyncVectorEnv`)."""

    def __init__(self, env_fns: Any, *args: Any, **options: Any) -> None:
        made = [function() for function in env_fns]
        if not made or any(type(env) is not Env or env._known is None for env in made):
            raise Lost("environments that are not known")
        self.num_envs = len(made)
        observed, action, _ = made[0]._known
        self.single_observation_space, self.single_action_space = observed, action
        self.observation_space = _side_by_side(observed, self.num_envs)
        self.action_space = _side_by_side(action, self.num_envs)

    def reset(self, *args: Any, **options: Any) -> Any:
        """What is observed first in each."""
        return self.observation_space._some(()), Unknown(_BESIDE)

    def step(self, actions: Any) -> Any:
        """What is observed next in each, the rewards for it, and which are over."""
        count = (self.num_envs,)
        over = [blank(count, np.bool_) for _ in range(2)]
        return (self.observation_space._some(()), blank(count, np.float64), *over, Unknown(_BESIDE))

    def close(self, *args: Any, **options: Any) -> None:
        """Nothing to do."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Unknown(f"{name} of environments")


def _side_by_side(space: Space, count: int) -> Space:
    return Space((count, *space.shape), space.dtype)


def make_vec(id: Any = None, num_envs: Any = 1, *args: Any, **options: Any) -> Any:
    """`gymnasium.make_vec`."""
    return VectorEnv([lambda: make(id)] * int(num_envs))


_ASKED = (Env.step, Env.reset, VectorEnv.step, VectorEnv.reset, Space.sample, Space.seed, Space.contains)
allowed.TAKES_UNKNOWNS.update(map(id, _ASKED))
"""What they give does not depend on what they are given."""

_SPACES: dict[str, Any] = {
    "Space": Space,
    "Box": Box,
    "Discrete": Discrete,
    "MultiDiscrete": MultiDiscrete,
    "MultiBinary": MultiBinary,
}
for _space in _SPACES.values():  # they come from `make`, too, where nobody imports their module
    allowed.list_methods(_space, (__name__,))
GYMNASIUM: dict[str, dict[str, Any]] = {
    "gymnasium": {"Env": Env, "make": make, "make_vec": make_vec},
    "gymnasium.core": {"Env": Env},
    "gymnasium.spaces": {**_SPACES, "flatdim": flatdim},
    "gymnasium.spaces.utils": {"flatdim": flatdim},
    "gymnasium.vector": {"SyncVectorEnv": VectorEnv, "AsyncVectorEnv": VectorEnv, "VectorEnv": VectorEnv},
    "gymnasium.wrappers": dict.fromkeys(
        "RecordEpisodeStatistics RecordVideo TimeLimit OrderEnforcing PassiveEnvChecker".split(), wrapped
    ),
}
"""Modules of gymnasium. What else it has is not followed."""
