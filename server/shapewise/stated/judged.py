"""Whether what is stated can be true: the statements of one call of a function, held against the sizes that it had.

Names stand for one number each in a call of a function, but people use them loosely: `H, W` in front of
a pooling layer and behind it. So a name on its own contradicts nothing, unless the code itself binds it
(`B, T, C = x.shape`), a type says it, or two names have changed places.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .places import Statement
from .shapes import Dim, is_batch, is_common, sounds_like_a_dim
from .words import value_of

Sizes = tuple[int | str | None, ...]


@dataclass(frozen=True)
class Seen:
    """A statement, and the sizes of a tensor that it is said of.

    `given`: whether the size of a dim may be one that the
    function was given from outside, so that another call may have another. `made_up`: nothing calls the
    function; sizes that are not numbers are words of its own. `spread`: whether two of them then met so that
    both were broadcast.
    """

    statement: Statement
    sizes: Sizes
    given: Callable[[int], bool] = lambda dim: False
    made_up: bool = False
    spread: bool = False


@dataclass(frozen=True)
class Contradiction:
    """A statement that cannot be true. `why`: a sentence. `dims`: how the shape would be written."""

    seen: Seen
    why: str
    dims: tuple[str, ...]
    against: Statement | None = None


def contradictions(seen: Sequence[Seen], known: Mapping[str, int | str]) -> list[Contradiction]:
    """What cannot be true in one call. `known`: what the code itself binds names to."""
    return list(_Call(seen, known).contradictions())


class _Call:
    def __init__(self, seen: Sequence[Seen], known: Mapping[str, int | str]) -> None:
        self.seen = seen
        self.known = known
        self.fitting = [one for one in seen if one.statement.shape.fits(len(one.sizes))]
        self.votes: dict[str, Counter[object]] = defaultdict(Counter)
        for one in self.fitting:
            for name, size in {(dim.name, size) for _, dim, size in _dims(one) if dim.name is not None}:
                if size is not None:
                    self.votes[name][size] += 1

    def contradictions(self) -> Iterator[Contradiction]:
        for one in self.seen:
            found = (
                self._of_rank(one)
                if not one.statement.shape.fits(len(one.sizes))
                else self._of_numbers(one) or self._of_names(one)
            )
            if found is not None:
                yield found

    # ------------------------------------------------------------ ranks

    def _of_rank(self, one: Seen) -> Contradiction | None:
        shape, sizes = one.statement.shape, one.sizes
        if not all(_is_a_dim(dim, self.votes, self.known) for dim in shape.dims) or not sizes:
            return None
        common = [dim.name is None or self._is_known(dim.name) or is_common(dim.name) for dim in shape.dims]
        if not common[0] and 2 * sum(common) <= len(common):
            return None
        numbers = [dim.number for dim in shape.dims if dim.name is None]
        if None not in numbers and len(sizes) == 1 and sizes[0] == len(shape.dims):
            return None  # these are the values
        if self._is_one_sample(one) or (one.made_up and one.statement.name is not None):
            return None
        if one.spread and len(sizes) > len(shape.dims):
            return None
        dims = "dim" if len(shape.dims) == 1 else "dims"
        return Contradiction(
            one,
            f"{len(shape.dims)} {dims} {'are' if len(shape.dims) > 1 else 'is'} stated",
            self._written(one),
        )

    def _is_known(self, name: str) -> bool:
        return name in self.known or name in self.votes

    def _is_one_sample(self, one: Seen) -> bool:
        """Whether the number of samples may have been left out."""
        shape = one.statement.shape
        if shape.many is not None or len(one.sizes) != len(shape.dims) + 1 or shape.typed:
            return False
        if shape.dims[0].name is not None and is_batch(shape.dims[0].name):
            return False
        pairs = list(zip(shape.dims, one.sizes[1:]))
        if not all(dim.number in (None, size) for dim, size in pairs):
            return False
        return not any(other is not one and _is_whole(other) for other in self.fitting)

    # ------------------------------------------------------------ numbers

    def _of_numbers(self, one: Seen) -> Contradiction | None:
        wrong = [(at, dim, size) for at, dim, size in _wrong_numbers(one)]
        if not wrong:
            return None
        given = [at for at, _, _ in wrong if one.given(at)]
        if given and not self._sizes_are_those_meant(one):
            wrong, outside = [found for found in wrong if found[0] not in given], wrong
            if not wrong:
                return self._beside(one, outside)
        _, dim, size = wrong[0]
        return Contradiction(one, f"{dim.text} is stated where it is {size}", self._written(one))

    def _beside(self, one: Seen, wrong: list[tuple[int, Dim, object]]) -> Contradiction | None:
        """A number that the code itself gives another dim: `(B, N, 96)` of what is `[B, 96, N]`."""
        said = {at: dim for at, dim, _ in _dims(one)}
        if len(wrong) != 1 or len(said) != len(one.sizes):
            return None
        at, dim, _ = wrong[0]
        places = [other for other, there in enumerate(one.sizes) if there == dim.number]
        if len(places) != 1 or one.given(places[0]):
            return None
        name = said[places[0]].name
        if name is None or not sounds_like_a_dim(name) or self._settled(name, one) is not None:
            return None
        turned = [said[there].text for there in range(len(said))]
        turned[at], turned[places[0]] = turned[places[0]], turned[at]
        return Contradiction(one, f"{name} and {dim.text} have changed places", tuple(turned))

    def _sizes_are_those_meant(self, one: Seen) -> bool:
        """Whether all else that is said of sizes that come from outside holds: the function was written for these."""
        held = 0
        for other in self.fitting:
            if other.statement is one.statement:
                continue
            for at, dim, size in _dims(other):
                if dim.number is not None and dim.number > 1 and other.given(at):
                    if dim.number != size:
                        return False
                    held += 1
        return held > 1

    # ------------------------------------------------------------ names

    def _of_names(self, one: Seen) -> Contradiction | None:
        return self._bound(one) or self._twice(one) or self._turned(one) or self._typed(one)

    def _bound(self, one: Seen) -> Contradiction | None:
        """A name or an expression over names that the code binds to another number."""
        if one.statement.within is None:
            return None  # in a long script words come again for other things
        for _, dim, size in _dims(one):
            node_is = self.known.get(dim.name) if dim.name is not None else None
            values = {node_is} if type(node_is) is int and dim.number is None else None
            if dim.size is not None:
                values = value_of(dim.size, self.known)
            if values is not None and type(size) is int and size not in values:
                shown = " or ".join(map(str, sorted(values)))
                return Contradiction(
                    one, f"{dim.text} is {shown} here, and the size is {size}", self._written(one)
                )
        return None

    def _twice(self, one: Seen) -> Contradiction | None:
        """One name for two sizes of one tensor."""
        sizes: dict[str, int] = {}
        for _, dim, size in _dims(one):
            if dim.name is not None and type(size) is int and sizes.setdefault(dim.name, size) != size:
                if sounds_like_a_dim(dim.name):
                    return Contradiction(
                        one, f"{dim.name} stands for {sizes[dim.name]} and for {size}", self._written(one)
                    )
        return None

    def _turned(self, one: Seen) -> Contradiction | None:
        """Two dims or more that have changed places, by what is said of them elsewhere."""
        off: list[tuple[Dim, object, object]] = []
        for _, dim, size in _dims(one):
            settled = dim.number if dim.number is not None else self._settled(dim.name, one)
            if settled is not None and size is not None and settled != size:
                off.append((dim, settled, size))
        names = {dim.name for dim, _, _ in off if dim.name is not None}
        if len(off) < 2 or not names or not all(map(sounds_like_a_dim, names)):
            return None
        if Counter(settled for _, settled, _ in off) != Counter(size for _, _, size in off):
            return None
        other = next(
            (
                two.statement
                for two in self.fitting
                if two.statement is not one.statement and names <= set(two.statement.shape.names())
            ),
            None,
        )
        if not names <= set(self.known) and (
            other is None or (self._votes_for(names, one) <= 1 and other.span > one.statement.span)
        ):
            return None  # of two that contradict each other the first is believed
        words = " and ".join(dict.fromkeys(dim.text for dim, _, _ in off))
        against = None if names <= set(self.known) else other
        return Contradiction(one, f"{words} have changed places", self._written(one), against)

    def _settled(self, name: str | None, one: Seen) -> object:
        """What the code or all other statements take a name for, None if they differ."""
        if name is None or name in self.known:
            return None if name is None else self.known[name]
        votes = Counter(self.votes.get(name, {}))
        for size in {size for _, dim, size in _dims(one) if dim.name == name}:
            votes[size] -= 1
        others = [size for size, count in votes.items() if count > 0]
        return others[0] if len(others) == 1 else None

    def _votes_for(self, names: set[str], one: Seen) -> int:
        return min(self.votes[name][self._settled(name, one)] for name in names)

    def _typed(self, one: Seen) -> Contradiction | None:
        """A name that two types of one call take for different numbers."""
        if not one.statement.shape.typed:
            return None
        for other in self.fitting:
            if other.statement.shape.typed and other.statement.span < one.statement.span:
                theirs = {dim.name: size for _, dim, size in _dims(other) if dim.name is not None}
                for _, dim, size in _dims(one):
                    before = theirs.get(dim.name) if dim.name is not None else None
                    if type(before) is int and type(size) is int and before != size:
                        return Contradiction(
                            one,
                            f"{dim.name} is {before} in this call, and the size is {size}",
                            self._written(one),
                            other.statement,
                        )
        return None

    # ------------------------------------------------------------ corrections

    def _written(self, one: Seen) -> tuple[str, ...]:
        """The dims as they should be written: by the names that are settled, else as numbers."""
        shape = one.statement.shape
        names: dict[object, list[str]] = defaultdict(list)
        for name in dict.fromkeys([*self.known, *self.votes]):
            size: object = self.known.get(name)
            if size is None:
                others = Counter(self.votes[name])
                for _, dim, mine in _dims(one) if one in self.fitting else ():
                    if dim.name == name:
                        others[mine] -= 1
                sizes = [value for value, count in others.items() if count > 0]
                size = sizes[0] if len(sizes) == 1 else None
            if size is not None and size != 1:
                names[size].append(name)
        offset = len(one.sizes) - len(shape.dims)
        kept = {
            at: dim.text
            for at, dim, size in (_dims(one) if one in self.fitting else ())
            if _may_be(dim, size, names.get(size, []), self.known)
        }
        said = {at: dim for at, dim, _ in _dims(one)} if one in self.fitting else {}
        used = set(kept.values())
        mentioned = set(shape.names())
        words = []
        for at, size in enumerate(one.sizes):
            word = kept.get(at)
            if word is None:
                here, free = said.get(at), [name for name in names.get(size, []) if name not in used]
                near = [name for name in free if name in mentioned]
                word = _word(here, size, near or (free if mentioned and (here is None or here.name) else []))
                used.add(word)
            words.append(word)
        if shape.many is not None and offset >= 0:
            words[shape.many : shape.many + offset] = ["..."]
        return tuple(words)


def _may_be(dim: Dim, size: object, names: list[str], known: Mapping[str, int | str]) -> bool:
    """Whether one dim may stay as it is."""
    if dim.number is not None:
        return dim.number == size
    if dim.name is not None:
        return dim.name in names or (not names and dim.name not in known)
    values = value_of(dim.size, known) if dim.size is not None else None
    return values is None or size in values


def _word(dim: Dim | None, size: object, names: list[str]) -> str:
    """How one dim is written: by the name that is settled, else as its number."""
    if dim is not None and dim.number is not None and dim.name is not None:
        return f"{dim.name}={size}"
    return names[0] if len(names) == 1 else "?" if size is None else str(size)


def _dims(one: Seen) -> Iterator[tuple[int, Dim, int | str | None]]:
    return one.statement.shape.against(one.sizes)  # type: ignore[return-value]


def _wrong_numbers(one: Seen) -> Iterator[tuple[int, Dim, object]]:
    for at, dim, size in _dims(one):
        if dim.number is not None and type(size) is int and dim.number != size:
            yield at, dim, size


def _is_whole(one: Seen) -> bool:
    """Whether a statement says all dims of a tensor, and some of them as numbers that hold, or the number of samples."""
    shape = one.statement.shape
    if shape.many is not None or len(shape.dims) < 2 or any(_wrong_numbers(one)):
        return False
    first = shape.dims[0]
    return first.number is not None or (first.name is not None and is_batch(first.name))


def _is_a_dim(dim: Dim, votes: Mapping[str, object], known: Mapping[str, int | str]) -> bool:
    if dim.name is None:
        return dim.number is not None or dim.size is not None
    return dim.name in votes or dim.name in known or sounds_like_a_dim(dim.name)
