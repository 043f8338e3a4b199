"""`numpy.random`: arrays of numbers that nobody knows, and of those that follow from a seed: see `draws`."""

from __future__ import annotations

import math
from typing import Any

from ..draws import Source, seed_of
from ..shims import here
from ..state import CONTENTS
from ..stdlib import chance
from ..stdlib.plain import is_plain
from ..unknowns.grown import grown, is_grown
from ..unknowns.unknown import Lost
from ..worlds import worlds
from .array import KINDS, TEXTS, Array, Number, blank, made, np
from .inputs import Inputs

NUMBER = "a random number"

PARAMETERS = {
    name: number
    for number, names in {
        0: "random random_sample ranf sample standard_normal standard_exponential standard_cauchy",
        1: "exponential poisson standard_gamma standard_t power pareto rayleigh weibull zipf geometric logseries chisquare",
        2: "normal uniform beta gamma laplace logistic lognormal gumbel vonmises wald binomial negative_binomial f noncentral_chisquare",
        3: "triangular hypergeometric noncentral_f",
    }.items()
    for name in names.split()
}
"""Distribution -> how many parameters come before `size`."""

_WHOLE = frozenset("poisson zipf geometric logseries binomial negative_binomial hypergeometric".split())
_ROWS = frozenset("multivariate_normal dirichlet multinomial".split())
"""Distributions of whole rows of numbers."""
_NAMES = frozenset(
    "loc scale lam low high a b n p df shape mean sigma alpha beta mu kappa left mode right".split()
)


def _size(size: Any) -> tuple[int, ...]:
    inputs = Inputs()
    inputs.exact = True
    size = inputs.real(size)
    if any(not array._memory.known for array in inputs.arrays):
        raise Lost("a size that only data decides")
    sizes = tuple(size) if isinstance(size, (tuple, list)) or getattr(size, "ndim", False) else (size,)
    if any(not isinstance(item, (int, np.integer)) or item < 0 for item in sizes):
        raise Lost("a size that is not whole")
    return tuple(map(int, sizes))


def _shape(value: Any) -> tuple[int, ...]:
    return np.shape(Inputs().real(value))


def distribution(name: str) -> Any:
    """A function that draws from one."""
    count = PARAMETERS[name]

    def draw(*args: Any, size: Any = None, dtype: Any = None, out: Any = None, **named: Any) -> Any:
        values = list(args)
        given = [*values[:count], *(value for key, value in named.items() if key in _NAMES)]
        if len(values) > count and size is None:
            size = values[count]
        if count == 0 and len(values) > 1:
            dtype = values[1]
        kind = np.dtype(np.int64 if name in _WHOLE else np.float64 if dtype is None else dtype)
        if size is not None:
            return blank(_size(size), kind)
        shape = np.broadcast_shapes(*map(_shape, given))
        if shape:
            return blank(shape, kind)
        if name == "uniform" and len(given) == 2 and all(type(one) in (int, float) for one in given):
            return worlds.real_between(given[0], given[1], NUMBER)
        return Number(kind) if name in _WHOLE else worlds.real(NUMBER)

    return draw


def rand(*sizes: Any) -> Any:
    """`rand` and `randn`."""
    return blank(_size(sizes), np.float64) if sizes else worlds.real(NUMBER)


def integers(default: Any) -> Any:
    """`randint` (of a default dtype) or `Generator.integers`."""

    def draw(low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: Any = False) -> Any:
        kind = np.dtype(default if dtype is None else dtype)
        limits: tuple[int, int] | None
        shape = np.broadcast_shapes(_shape(low), _shape(high)) if size is None else _size(size)
        limits = (0, low - 1) if high is None else (low, high - 1)
        if type(low) is not int or type(high) not in (int, type(None)) or limits[0] > limits[1]:
            limits = None
        if shape or size is not None:
            made = blank(shape, kind)
            made._memory.limits = limits
            return made
        number = Number(kind, limits)
        return number.unknown() if default is int else number

    return draw


def multivariate_normal(mean: Any, cov: Any, size: Any = None, **named: Any) -> Any:
    """A row as long as `mean` for each of `size`."""
    return blank((() if size is None else _size(size)) + _shape(mean), np.float64)


def dirichlet(alpha: Any, size: Any = None) -> Any:
    """A row as long as `alpha` for each of `size`."""
    return blank((() if size is None else _size(size)) + _shape(alpha), np.float64)


def multinomial(n: Any, pvals: Any, size: Any = None) -> Any:
    """A row as long as those of `pvals` for each of `size`, or of `n` and of those rows, broadcast."""
    *rows, length = _shape(pvals)
    each = np.broadcast_shapes(_shape(n), rows) if size is None else _size(size)
    return blank((*each, length), np.int64)


def _limited(shape: tuple[int, ...], limits: tuple[int, int] | None) -> Array:
    made = blank(shape, np.int64)
    made._memory.limits = limits
    return made


def choice(
    a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: Any = 0, shuffle: Any = True
) -> Any:
    """Items of an array, or numbers below a whole one."""
    if size is None and isinstance(a, (list, tuple)):
        return chance.choice(a)
    inputs = Inputs()
    items = inputs.real(a)
    whole = isinstance(items, (int, np.integer))
    items = np.asarray(items)
    if _are_texts(items) and TEXTS and size is not None:
        (length,) = _size(size) if len(_size(size)) == 1 else (None,)
        if length is not None and len(items):
            return TEXTS[0](np.repeat(items[:1], length), False)
    if replace is False and type(a) in (int, Array) and size is not None:
        there, wanted = int(a) if whole else items.shape[axis], math.prod(_size(size))
        if wanted > there:
            raise ValueError("Cannot take a larger sample than population when 'replace=False'")
    if items.dtype.kind not in KINDS:
        raise Lost("a random choice")
    if whole:
        limits = (0, int(a) - 1) if type(a) is int and a > 0 else None
        return Number(np.dtype(np.int64), limits).unknown() if size is None else _limited(_size(size), limits)
    rest = tuple(n for number, n in enumerate(items.shape) if number != axis % max(items.ndim, 1))
    shape = (() if size is None else _size(size)) + rest
    return blank(shape, items.dtype) if shape or size is not None else Number(items.dtype)


def _are_texts(items: Any) -> bool:
    return items.dtype.kind == "U" and items.ndim == 1 and len(items) > 0


def permutation(x: Any, axis: Any = 0) -> Any:
    """An array's rows, or the numbers below a whole one, in another order."""
    inputs = Inputs()
    items = inputs.real(x)
    if isinstance(items, (int, np.integer)):
        return _limited(_size(x), (0, int(items) - 1) if not inputs.unknown and items > 0 else None)
    if isinstance(x, range):
        return blank((len(x),), np.int64)
    items = np.asarray(items)
    return made(
        items.copy() if math.prod(items.shape) < 2**16 else blank(items.shape, items.dtype)._held, False
    )


def shuffle(x: Any, axis: Any = 0) -> None:
    """Rows change places: nobody knows the numbers any more."""
    if type(x) is Array:
        x._memory.known = False
    elif isinstance(x, list):
        grown(x, "shuffled")


def _nothing(*args: Any, **kwargs: Any) -> None:
    return None


FUNCTIONS: dict[str, Any] = {
    **{name: distribution(name) for name in PARAMETERS},
    "rand": rand,
    "randn": rand,
    "randint": integers(int),
    "random_integers": integers(int),
    "multivariate_normal": multivariate_normal,
    "dirichlet": dirichlet,
    "multinomial": multinomial,
    "choice": choice,
    "permutation": permutation,
    "shuffle": shuffle,
    "seed": _nothing,
    "set_state": _nothing,
}
"""Functions of `numpy.random` itself and methods of `RandomState`, where what they draw is not known."""

DRAWN: dict[str, Any] = {
    **{name: FUNCTIONS[name] for name in (*PARAMETERS, *_ROWS, "choice", "permutation", "shuffle")},
    "integers": integers(np.int64 if np is not None else int),
    "permuted": permutation,
}
"""Methods of `Generator`, the same."""


# ---------------------------------------------------------------- draws that follow from a seed

_MOST = 1_000_000
"""Numbers that are drawn at once."""
_OF_ROWS = frozenset("shuffle permutation permuted choice".split())


def _plain(value: Any) -> Any:
    """What the real generator may be given. Raises LookupError of anything that is not known."""
    if type(value) is Array:
        if not value._memory.known:
            raise LookupError
        return value._held
    if type(value) is Number or not (is_plain(value) or isinstance(value, (np.generic, np.dtype, type))):
        raise LookupError
    return value


def _drawn(real: Any, name: str, args: Any, options: Any) -> Any:
    if name in _OF_ROWS:
        return _rows(real, name, *args, **options)
    given = [_plain(arg) for arg in args], {key: _plain(arg) for key, arg in options.items()}
    sizes = options.get("size", args if name in ("rand", "randn") else args[-1] if args else ())
    if name != "multivariate_normal" and _items(sizes) > _MOST:
        raise LookupError
    return _given(getattr(real, name)(*given[0], **given[1]))


def _items(sizes: Any) -> int:
    """How many numbers are asked for, at most, where the last argument may be a size."""
    if isinstance(sizes, (int, np.integer)):
        return int(sizes) if sizes < 2**62 else 0
    plain = isinstance(sizes, (tuple, list)) and all(isinstance(size, (int, np.integer)) for size in sizes)
    return math.prod(map(int, sizes)) if plain else 0


def _given(drawn: Any) -> Any:
    return made(drawn, True) if isinstance(drawn, np.ndarray) else drawn


def _rows(real: Any, name: str, x: Any, *args: Any, **options: Any) -> Any:
    """Rows of something in another order, or some of them: only how many there are decides which."""
    whole = isinstance(x, (int, np.integer)) and name != "shuffle"
    if not whole and not (type(x) is Array and x.ndim) and (type(x) is not list or is_grown(x) is not None):
        raise LookupError
    count = int(x) if whole else len(x)
    given = [_plain(arg) for arg in args], {key: _plain(arg) for key, arg in options.items()}
    if count > _MOST or (name != "choice" and (args or options)) or options.get("axis"):
        raise LookupError
    if name == "choice":
        order = real.choice(count, *given[0], **given[1])
    else:
        order = real.permutation(count)
    if whole:
        return _given(order)
    if name == "shuffle":
        return _put_in_order(x, order)
    if type(x) is Array:
        rows = x._held[order]
        if rows.ndim:
            return made(rows, x._memory.known)
        return rows if x._memory.known else Number(x.dtype)
    if np.ndim(order) == 0:
        return x[int(order)]
    numbers = np.asarray(x) if is_plain(x) else np.asarray(())
    if _are_texts(numbers) and TEXTS and np.ndim(order) == 1:
        return TEXTS[0](numbers[order], True)
    if numbers.dtype.kind not in KINDS or not len(numbers):
        raise LookupError
    return made(numbers[order], True)


def _put_in_order(x: Any, order: Any) -> None:
    if type(x) is Array:
        x._held[...] = x._held[order]
        return
    env = here()
    if env is None:
        raise LookupError
    env.run.journal.note(CONTENTS, x)
    x[:] = [x[number] for number in order]


_NOT_DRAWN = frozenset(("zipf", "logseries", "seed", "set_state"))


def _draws(name: str, guessed: Any) -> Any:
    def draw(source: Source, *args: Any, **options: Any) -> Any:
        if name not in _NOT_DRAWN and options.get("out") is None:
            try:
                return source.draw(lambda real: _drawn(real, name, args, options))
            except LookupError:
                pass
        source.lose()
        return guessed(*args, **options)

    return draw


def _seeded(source: Source, seed: Any = None) -> None:
    known = seed_of(seed)
    source.seed(np.random.RandomState(known) if type(known) is int and 0 <= known < 2**32 else None)


def _of_all(draw: Any) -> Any:
    """A function of the module: it draws from the generator that all share."""

    def function(*args: Any, **options: Any) -> Any:
        env = here()
        return draw(Source() if env is None else env.run.numpy_random, *args, **options)

    return function


def _of_one(draw: Any) -> Any:
    """A method: it draws from a generator of its own."""

    def method(self: Any, *args: Any, **options: Any) -> Any:
        return draw(self._source, *args, **options)

    return method


class RandomState:
    """`numpy.random.RandomState`."""

    def __init__(self, seed: Any = None) -> None:
        self._source = Source()
        _seeded(self._source, seed)


class Generator:
    """`numpy.random.Generator`."""

    def __init__(self, bit_generator: Any = None, seed: Any = None) -> None:
        self._source = Source()
        known = seed_of(seed)
        if type(known) is int and known >= 0:
            self._source.seed(np.random.default_rng(known))

    def spawn(self, n_children: Any) -> Any:
        self._source.lose()
        return [Generator() for _ in range(min(int(n_children), 1000))]


_OF_STATE = {name: _draws(name, function) for name, function in FUNCTIONS.items()} | {"seed": _seeded}
SHARED: dict[str, Any] = {name: _of_all(draw) for name, draw in _OF_STATE.items()}
"""Functions of `numpy.random` itself."""
for _name, _draw in _OF_STATE.items():
    setattr(RandomState, _name, _of_one(_draw))
for _name, _function in DRAWN.items():
    setattr(Generator, _name, _of_one(_draws(_name, _function)))


def default_rng(seed: Any = None) -> Generator:
    """`numpy.random.default_rng`."""
    return seed if isinstance(seed, Generator) else Generator(seed=seed)
