"""Inputs that work, with no size bound that need not be: a refusal may have been understood wrongly."""

from __future__ import annotations

import re

from ..case import Case
from ..inputs.sizes import RUNS, Expr, Free, Made, frees_in, root
from ..inputs.specs import HALVED, arrays_in, with_rank
from ..running import attempted
from .of_lists import instead
from .search import OTHER_TRIES, State, climb


def widen(case: Case) -> None:
    """A picture's size that was found to work: others that do are its values in the other runs."""
    chosen = [one for one in case.sizes.all() if one.choices and not one.among and one.equals is None]
    if not chosen:
        return
    size = chosen[0].choices[0]
    works = [size]
    for other in (size + 1, size + 2, size + 3, size - 1, size - 2, size - 3, size + 8, 2 * size, size // 2):
        for free in chosen:
            free.choices = (other,)
        if attempted(case, 0, keep=False)[1] is None:
            works.append(other)
    for free in chosen:
        free.choices = tuple(works)
    if any(attempted(case, number, keep=False)[1] is not None for number in range(RUNS)):
        for free in chosen:  # only equal ones go together
            free.choices = (size,)
        case.other_sizes = works[1:]


def loosen(case: Case) -> None:
    """Undo each change that nothing needs: a refusal may have been understood wrongly."""
    _part(case)
    dims = [
        dim for array in arrays_in(case.inputs.values()) for dim in array.dims or () if isinstance(dim, Free)
    ]
    if _let_each_go(case, dims):
        _let_each_go(case, dims)  # what was cut to what there was room for need not be
    _let_go_together(case)
    _let_first_go(case, dims)
    _let_numbers_go(case, dims)
    _let_unsaid_go(case, dims)
    _let_pictures_go(case)
    for free in case.sizes.all():
        choices = free.choices
        if choices and free.equals is None:
            free.choices, free.least = (), 256
            if not all_work(case):
                free.choices = choices
    _let_go(case)
    _leave_remainders(case)
    _let_shares_go(case)


def _part(case: Case) -> None:
    """Inputs that were given one another's dims have dims of their own, which are equal to them."""
    had: set[Free] = set()
    for array in dict.fromkeys(arrays_in(case.inputs.values())):
        if array.said is None and array.dims is not None:
            array.dims = [
                Free(equals=dim)
                if dim in had and isinstance(dim, Free) and not (dim.same or dim.label)
                else dim
                for dim in array.dims
            ]
            had.update(dim for dim in array.dims if isinstance(dim, Free))


def _let_each_go(case: Case, dims: list[Free]) -> bool:
    """Let each number go that need not be equal to anything. Whether some only need more room."""
    grew = False
    ones = _stated_ones(case)
    for free in dict.fromkeys([*case.sizes.all(), *dims]):
        equals = free.equals
        if equals is None or free.same or free in ones:
            continue
        free.equals = None
        if all_work(case):
            continue
        if _works_where_larger(case, free, equals):
            grew = True
        else:
            free.equals = equals
    return grew


def _stated_ones(case: Case) -> set[Free]:
    """The dims of one that the text itself states: it is not that which broadcasting lets be more."""
    stated = [array for array in arrays_in(case.inputs.values()) if array.stated]
    dims = [pair for array in stated for pair in zip(array.dims or (), array.words)]
    return {dim for dim, word in dims if word is None and isinstance(dim, Free) and dim.equals == 1}


def _works_where_larger(case: Case, free: Free, equals: Expr) -> bool:
    """Whether a parameter may be any number that is larger than what it was made equal to: how much there is room for."""
    if free.label is None or not isinstance(equals, Made):
        return False
    least, taken = free.least, [case.sizes.value(equals, run) for run in range(RUNS)]
    free.least = _ROOM * max(taken)
    if not all_work(case):
        free.least = least
    return free.least != least


_ROOM = 4


def unpin(case: Case) -> None:
    """A parameter stays as its default is only since dims were taken for that number: they are the parameter's."""
    dims = [
        dim for array in arrays_in(case.inputs.values()) for dim in array.dims or () if isinstance(dim, Free)
    ]
    for free in [
        one for one in case.sizes.all() if one.pinned and one.label is not None and one.equals is None
    ]:
        bound = [(dim, dim.equals) for dim in dict.fromkeys(dims) if dim.equals is not None]
        made = [(dim, equals, instead(equals, free.default or 0, free)) for dim, equals in bound]
        tied = [one for one in made if one[1] is not one[2]]
        if not tied:
            continue
        free.pinned = False
        for dim, _, other in tied:
            dim.equals = other
        if not all_work(case):
            free.pinned = True
            for dim, equals, _ in tied:
                dim.equals = equals


def unpin_higher(case: Case) -> None:
    """A parameter stays as its default is only since an input has a dim too few: with one more it may be any number.

    `x.reshape(batch, n, -1, self.n_quantiles)` of what was flattened.
    """
    pinned = [one for one in case.sizes.all() if one.pinned and one.label is not None and one.equals is None]
    if not pinned or case.ending is not None:
        return
    for array in arrays_in(case.inputs.values()):
        rank = len(array.dims or ())
        if array.said is not None or array.likely or not 0 < rank < _TALLEST:
            continue
        state = State(case)
        dims = {root(dim) for dim in array.dims or () if isinstance(dim, Free)}
        for free in case.sizes.all():
            if free in pinned:
                free.pinned = False
            elif isinstance(free.equals, Made) and not dims.isdisjoint(frees_in(free.equals)):
                free.equals = None  # it is made of dims that are others now
        with_rank(array, rank + 1)
        found = climb(case, [OTHER_TRIES]) is None and len(array.dims or ()) == rank + 1
        if found and not any(free.pinned or free.equals is not None for free in pinned):
            return
        state.restore()


_TALLEST = 5


def _let_go_together(case: Case) -> None:
    """Dims have a parameter's number, and need only be equal to one another: where all inputs have it, a size of its own."""
    inputs = [array.dims or [] for array in arrays_in(case.inputs.values())]
    for other in [free for free in case.sizes.all() if free.label is not None]:
        for at in range(max(map(len, inputs), default=0)):
            dims = [one for dims in inputs for one in dims[at : at + 1] if isinstance(one, Free)]
            tied = [one for one in dict.fromkeys(dims) if one is not other and root(one) is other]
            if len(tied) < 2 or any(one.same or one.label for one in tied):
                continue
            _tie_to_the_first(case, tied)


def _let_first_go(case: Case, dims: list[Free]) -> None:
    """Dims of inputs were made equal to one of another input, and need only be equal to one another: it goes its own way."""
    every = dict.fromkeys(dims)
    for first in [dim for dim in every if dim.equals is None and dim.label is None]:
        tied = [dim for dim in every if dim is not first and dim.equals is not None and root(dim) is first]
        if len(tied) < 2 or any(dim.same or dim.label for dim in tied):
            continue
        _tie_to_the_first(case, tied)


def _tie_to_the_first(case: Case, tied: list[Free]) -> None:
    """These dims are equal to one another and to nothing else, if that does."""
    before = [(dim, dim.equals) for dim in tied]
    for dim in tied:
        dim.equals = None if dim is tied[0] else tied[0]
    if not all_work(case):
        for dim, equals in before:
            dim.equals = equals


def _let_numbers_go(case: Case, dims: list[Free]) -> None:
    """Dims that were all taken for one certain number, but for one of them, need only be equal to one another."""
    certain: dict[int, list[Free]] = {}
    for dim in dict.fromkeys(dims):
        if type(dim.equals) is int and dim.label is None and not dim.same:
            certain.setdefault(dim.equals, []).append(dim)
    for number, tied in certain.items():
        for freed in (
            [tied, *([one for one in tied if one is not kept] for kept in tied)] if len(tied) > 1 else ()
        ):
            for dim in freed:
                dim.equals = None if dim is freed[0] else freed[0]
            if all_work(case):
                break
            for dim in freed:
                dim.equals = number


def _let_unsaid_go(case: Case, dims: list[Free]) -> None:
    """A certain number that the text does not say is one of several that do: `irfft(rfft(x))` is as long as `x` where that is even.

    Each multiple of a small number, else a few others.
    """
    text = case.env.module.text
    for dim in dict.fromkeys(dims):
        number = dim.equals
        if type(number) is not int or number < _UNSAID or dim.label is not None or dim.same:
            continue
        if re.search(rf"\b{number}\b", text):
            continue
        dim.equals = None
        if not _takes_multiples(case, dim, number):
            dim.choices = (number, *_others(case, dim, number))
            if len(dim.choices) == 1:
                dim.choices, dim.equals = (), number


def _let_pictures_go(case: Case) -> None:
    """Pictures that were all given one certain size need only be as large as one another."""
    state, first = State(case), dict[int, Free]()
    arrays = list(dict.fromkeys(arrays_in(case.inputs.values())))
    for array in arrays if len(arrays) > 1 else ():
        for at, dim in enumerate((array.dims or [])[::-1]):
            if isinstance(dim, Free) and dim.choices and not (dim.among or dim.equals or dim.label):
                dim.choices, dim.least = (), 256
                if first.setdefault(at, dim) is not dim:
                    dim.equals = first[at]
    if first and not all_work(case):
        state.restore()


def _takes_multiples(case: Case, dim: Free, number: int) -> bool:
    for share in _SHARES:
        if not number % share and share not in dim.multiples:
            dim.multiples.append(share)
            if all_work(case):
                return True
            dim.multiples.remove(share)
    return False


def _others(case: Case, dim: Free, number: int) -> list[int]:
    """Other sizes near that number that the first run takes."""
    works = []
    for other in (number + 1, number + 2, number + 3, number - 1, number - 2, 2 * number, 2 * number + 1):
        dim.choices = (other,)
        if attempted(case, 0, keep=False)[1] is None:
            works.append(other)
    return works


_UNSAID = 5
"""Certain numbers below this are torch's own: three axes of a cross product, four of a quaternion."""
_SHARES = (2, 4, 8, 16)


def all_work(case: Case) -> bool:
    """Whether all runs take the inputs as they are."""
    return all(attempted(case, number, keep=False)[1] is None for number in range(RUNS))


def _let_go(case: Case) -> None:
    """A parameter has another's number only by force: the inputs that were taken for the other's may be its own."""
    for free in case.sizes.all():
        other = free.equals
        if free.label is None or free.same or not isinstance(other, Free) or other.label is None:
            continue
        for array in arrays_in(case.inputs.values()):
            dims = [dim for dim in array.dims or () if isinstance(dim, Free) and root(dim) is root(other)]
            before = [(dim, dim.equals) for dim in dims]
            free.equals = None
            for dim in dims:
                dim.equals = free
            if dims and all_work(case):
                break
            for dim, equals in before:
                dim.equals = equals
            free.equals = other


def _leave_remainders(case: Case) -> None:
    """Pictures that can be halved hide what happens to others (`pad` to an odd size): if those work, they are taken."""
    halved = [free for free in case.sizes.all() if HALVED in free.multiples and free.equals is None]
    before = [list(free.multiples) for free in halved]
    for free in halved:
        free.multiples.remove(HALVED)
        free.uneven = True
    if halved and not all_work(case):
        for free, multiples in zip(halved, before):
            free.multiples[:], free.uneven = multiples, False


def _let_shares_go(case: Case) -> None:
    """What counts something need not be a multiple of a certain number: a refusal may have named that for something else."""
    for free in case.sizes.all():
        certain = [one for one in free.multiples if type(one) is int]
        if free.label is None or not free.small or free.equals is not None or not certain:
            continue
        before, free.multiples = free.multiples, [one for one in free.multiples if type(one) is not int]
        if not all_work(case):
            free.multiples = before
