"""The value of whatever was lost track of: it absorbs all that touches it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

NO_SAMPLE: Any = object()
BROKEN = "its line does not parse yet"
"""Why nothing is known of what a line would bind that does not parse."""
MISSING = object()
"""In place of a value where there is none."""


class Unknown:
    """A value nobody knows; `why` says where tracking was lost, `tensor` that it is surely a tensor.

    `sample` is a number that it may be in the world that is traced, if there is one: see `worlds`.
    Any other sample is what it is unless it is None: see `likely`.

    It lives inside the user's program, so native code may meet it too: every protocol it is asked
    for gives another Unknown, and `__torch_function__` makes torch do the same. It may be known to
    be one of a few `options`: functions or modules, of which each can be called.
    """

    __slots__ = (
        "answer",
        "drift",
        "either",
        "kind",
        "leaning",
        "limits",
        "options",
        "sample",
        "tensor",
        "why",
    )

    def __init__(
        self, why: str, tensor: bool = False, options: tuple[Any, ...] = (), sample: Any = NO_SAMPLE
    ) -> None:
        self.why = why
        self.tensor = tensor
        self.options = options
        self.sample = sample
        self.kind: str | None = None
        """That it is a text, a file (see `texts`), a truth value or a setting."""
        self.leaning: bool | None = None
        """What a truth value is of the integers that this world has, where they decide it."""
        self.answer: Callable[..., Any] | None = None
        """What calling it gives, where that is known although it is not."""
        self.limits: tuple[int, int] | None = None
        """The lowest and the highest that an integer can be, where these are certain: in rounds that are not run, of a remainder."""
        self.either: tuple[Any, ...] = ()
        """The tensors and numbers of which it is one, where they are a few: arithmetic goes through with each."""
        self.drift: tuple[object, int] | None = None
        """By how much it is more than a number that is counted up in a loop: see `compiler.growth`."""

    @property
    def holds_objects(self) -> bool:
        """Whether it stands for objects of this trace, so that no two are told to be alike by what they say."""
        return bool(self.options or self.answer or self.drift or self.either)

    def __repr__(self) -> str:
        return f"Unknown({self.why!r})"

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = find_unknown((args, kwargs))
        return cls("an unknown value") if found is None else Unknown(found.why, True)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Unknown(self.why)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Unknown(self.why)

    def __getitem__(self, key: Any) -> Any:
        return Unknown(self.why)

    def __setitem__(self, key: Any, value: Any) -> None:
        return None

    def __enter__(self) -> Any:
        return Unknown(self.why)

    def __exit__(self, *details: Any) -> None:
        return None

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        raise Lost(self.why)

    def __len__(self) -> int:
        raise Lost(self.why)

    def __iter__(self) -> Any:
        raise Lost(self.why)

    def __index__(self) -> int:
        raise Lost(self.why)

    __int__ = __index__

    def __float__(self) -> float:
        raise Lost(self.why)

    def _absorb(self, *others: Any) -> Any:
        return Unknown(self.why, self.tensor)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _absorb
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _absorb
    __pow__ = __rpow__ = __matmul__ = __rmatmul__ = __and__ = __rand__ = __or__ = __ror__ = _absorb
    __xor__ = __rxor__ = __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _absorb
    __neg__ = __pos__ = __invert__ = __abs__ = _absorb
    __lt__ = __le__ = __gt__ = __ge__ = _absorb

    def __eq__(self, other: Any) -> Any:
        return Unknown(self.why)

    def __ne__(self, other: Any) -> Any:
        return Unknown(self.why)


TRUTH = "truth"


def yes_or_no(why: str) -> Unknown:
    """True or False, and nobody knows which."""
    made = Unknown(why)
    made.kind = TRUTH
    return made


SETTING = "setting"


def setting(why: str) -> Unknown:
    """What a file of settings says: a number, a text, a truth value, or a list or dict of these. No tensor."""
    made = Unknown(why)
    made.kind = SETTING
    return made


def is_setting(value: Any) -> bool:
    """Whether a value is one, and it is not known yet that it is a number."""
    return type(value) is Unknown and value.kind == SETTING and value.sample is NO_SAMPLE


def is_truth(value: Any) -> bool:
    """Whether a value is True or False, known or not."""
    return type(value) is bool or (type(value) is Unknown and value.kind == TRUTH)


class Undecided:
    """A value of which everything is known but itself: only data decides it (a numpy scalar)."""

    __slots__ = ()

    may_be_a_size = False
    """Whether it is an integer of which more is known than that, as good as one of Python's."""

    def unknown(self) -> Unknown:
        """What it is to all but numpy."""
        raise NotImplementedError


def likely(value: Any) -> Any:
    """What a value is if it is not None, for whatever would raise if it were; else the value itself."""
    if type(value) is not Unknown or type(value.sample) in _NUMBERS:
        return value
    return value.sample


_NUMBERS = frozenset((int, float, range, type(NO_SAMPLE)))


class Lost(Exception):
    """Native code asked an Unknown for something only a real value has (its truth, its length)."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def unknown_key(keys: Iterable[Any]) -> Unknown | None:
    """The first key or item of a set that is not known: how many there are is not known then."""
    for key in keys:
        if type(key) is Unknown or type(key) is tuple:
            found = find_unknown(key)
            if found is not None:
                return found
    return None


ATOMS = frozenset((int, float, bool, str, bytes, type(None)))
"""Types of values that hold no others."""
_LOOKED_AT = 2_000


def find_unknown(value: Any, undecided: bool = True) -> Unknown | None:
    """The first Unknown in a value or in the containers it is made of, to a depth of three.

    `undecided`: a value that only data decides counts as one. Looks at some thousand items at most: one further back shows itself when it is used.
    """
    if type(value) in ATOMS:
        return None
    waiting: list[tuple[Any, int]] = [(value, 3)]
    seen = 0
    while waiting and seen < _LOOKED_AT:
        item, depth = waiting.pop()
        seen += 1
        kind = type(item)
        if kind in ATOMS:
            continue
        if kind is Unknown:
            return item
        if undecided and isinstance(item, Undecided):
            return item.unknown()
        if not depth:
            continue
        inner: Any = ()
        if isinstance(item, (tuple, list, set, frozenset)):
            inner = item
        elif isinstance(item, dict):
            inner = item.values()
        elif type(item) is slice:
            inner = (item.start, item.stop, item.step)
        waiting.extend((one, depth - 1) for one in itertools.islice(inner, _LOOKED_AT))
    return None
