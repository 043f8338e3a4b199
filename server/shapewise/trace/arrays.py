"""What `torch._numpy` lacks of numpy and people use: stand-ins that give arrays of the right facts."""

from __future__ import annotations

from typing import Any

import torch

from .torchmode import array_to_tensor
from .unknown import Unknown
from .wall import allowed, namespaces


class Generator:
    """`numpy.random.Generator`, as far as it only makes arrays of numbers nobody asks for."""

    def __init__(self, seed: Any = None) -> None:
        self._random = namespaces.find("torch._numpy.random")

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self._draw("normal", loc, scale, size=size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return self._draw("uniform", low, high, size=size)

    def standard_normal(self, size: Any = None, dtype: Any = None) -> Any:
        return _cast(self._draw("normal", size=size), dtype)

    def random(self, size: Any = None, dtype: Any = None) -> Any:
        return _cast(self._draw("uniform", size=size), dtype)

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = None, **kwargs: Any) -> Any:
        return _cast(self._draw("randint", low, high, size=size), dtype)

    def permutation(self, x: Any) -> Any:
        return Unknown("a permutation")

    def choice(self, *args: Any, **kwargs: Any) -> Any:
        return Unknown("a random choice")

    def shuffle(self, x: Any) -> None:
        return None

    def _draw(self, name: str, *args: Any, size: Any) -> Any:
        if size is None:
            return Unknown("a random number")
        return getattr(self._random, name)(*args, size=size)


def _cast(array: Any, dtype: Any) -> Any:
    return array if dtype is None or type(array) is Unknown else array.astype(dtype)


def default_rng(seed: Any = None) -> Generator:
    """`numpy.random.default_rng`."""
    return Generator(seed)


def as_numpy_divides(result: Any, operands: list[Any]) -> Any:
    """numpy divides integers to float64; torch underneath gives its own default, float32."""
    made = array_to_tensor(result)
    if made is None or made.dtype != torch.float32:
        return result
    given = [tensor for operand in operands if (tensor := array_to_tensor(operand)) is not None]
    return result if any(tensor.is_floating_point() for tensor in given) else result.astype("float64")


def _divide(left: Any, right: Any, *args: Any, **kwargs: Any) -> Any:
    numpy: Any = namespaces.find("torch._numpy")
    return as_numpy_divides(numpy.true_divide(left, right, *args, **kwargs), [left, right])


STAND_INS: dict[tuple[str, str], Any] = {
    ("torch._numpy.random", "default_rng"): default_rng,
    ("torch._numpy", "true_divide"): _divide,
    ("torch._numpy", "divide"): _divide,
}
"""Module and name -> what is given out in its place."""


def list_stand_ins() -> None:
    """Put them on the list of callables."""
    allowed.list_callable(default_rng, "numpy.random.default_rng")
    allowed.list_callable(_divide, "numpy.divide")
    allowed.list_callable(Generator, "numpy.random.Generator")
    for name, method in vars(Generator).items():
        if not name.startswith("_"):
            allowed.list_callable(method, name)
