"""What is not known of a tensor of which the rest is: a mark beside it, as its device is.

A tensor that is one of two stands for both. Where they differ it requires grad, so that what surely
does not require grad shows by itself, and lies as the contiguous one does, so that no op fails on it
that may succeed. What is computed from it inherits the doubt, unless the op settles it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..fakes.devices import device_of, place, tensors_in
from ..worlds import worlds
from .unknown import Lost, Unknown

GRAD, LAYOUT, DTYPE, ALL = "requires_grad", "stride", "dtype", "all"


class Choice:
    """A condition that nobody knows, on which it depends what a tensor is.

    In one world the tensor is what it is where the condition holds, in another what it is where not;
    what depends on two conditions would take more worlds, and is lost.
    """

    __slots__ = ("condition",)

    def __init__(self, condition: Any = None) -> None:
        self.condition = condition


ROUNDS: Any = object()
"""In place of a condition: how many rounds a loop has, which is more than a choice of two."""

Doubts = frozenset[str | Choice]
NONE: Doubts = frozenset()

_ATTRIBUTE = "_shapewise_doubts"
_HIDDEN: dict[str | Choice, frozenset[str]] = {
    GRAD: frozenset("requires_grad is_leaf grad grad_fn".split()),
    LAYOUT: frozenset("stride is_contiguous storage_offset".split()),
    DTYPE: frozenset("dtype itemsize nbytes element_size type is_complex is_floating_point".split()),
}
_WORDS: dict[str | Choice, tuple[str, ...]] = {
    GRAD: ("grad", "leaf"),
    LAYOUT: ("stride", "contiguous", "view", "memory"),
    DTYPE: ("type", "float"),
}
"""What torch's errors speak of where the fact in doubt is what they are about."""
_SETTLES_LAYOUT = frozenset(
    "linear layer_norm softmax log_softmax cumsum cumprod embedding one_hot mm bmm addmm baddbmm contiguous tril triu "
    "repeat index_select gather topk argmax argmin logsumexp cosine_similarity multinomial sum mean std var norm amax "
    "amin prod any all masked_fill outer bincount numpy".split()
)
"""Ops that give contiguous tensors, however their inputs lie (measured over permuted, strided, expanded and
channels-last inputs of 2 to 4 dims, torch 2.13)."""
_SETTLES_DTYPE = frozenset("float double half bfloat16".split())
_WRITES = frozenset(f"__{name}__" for name in "setitem iadd isub imul itruediv ipow".split())


class _Now:
    """What holds for the running trace."""

    def __init__(self) -> None:
        self.active = False
        """Whether any tensor of the trace is in doubt: with none, nothing of this costs anything."""
        self.ways = 0
        """How many ways of unknown conditions are being tried, one within the other."""
        self.contexts = 0
        """How many contexts are open that may have switched grad mode off."""
        self.written: dict[int, Any] = {}
        """Tensors into which, or into views of which, something was written that may require grad."""
        self.choices: dict[int, Choice] = {}
        self.choice: Choice | None = None
        """The condition whose two ways are being joined."""
        self.rounds = False
        """Whether it is rounds of a loop that are being joined."""
        self.unlike = 0
        """How often two ways met that have tensors of other shapes, or lists of other lengths."""


NOW = _Now()


def forget() -> None:
    """Called between traces."""
    NOW.__init__()  # type: ignore[misc]


def open_context() -> None:
    """From here on grad mode may be off."""
    NOW.active = True
    NOW.contexts += 1


def close_context() -> None:
    """The end of such a context."""
    NOW.contexts -= 1


def choose(condition: Any) -> None:
    """The ways of this condition are about to be joined."""
    known = type(condition) is Unknown or isinstance(condition, torch.Tensor)
    NOW.choice = NOW.choices.setdefault(id(condition), Choice(condition)) if known else None
    NOW.rounds = condition is ROUNDS


def choices(marks: Doubts) -> Doubts:
    """The conditions among the doubts."""
    return frozenset(mark for mark in marks if type(mark) is Choice)


def of(value: torch.Tensor) -> Doubts:
    """Which facts of a tensor are not known."""
    marks: Doubts = getattr(value, _ATTRIBUTE, NONE)
    if NOW.written and GRAD not in marks and id(_base(value)) in NOW.written:
        marks |= {GRAD}
    if GRAD in marks and not _requires_grad(value):
        marks -= {GRAD}  # it would, if what is in doubt did
    return marks


def mark(value: torch.Tensor, marks: Doubts) -> None:
    """From now on exactly these facts of this tensor are not known."""
    if marks:
        NOW.active = True
    if marks or hasattr(value, _ATTRIBUTE):
        setattr(value, _ATTRIBUTE, marks)


def may_lie_otherwise(value: torch.Tensor) -> None:
    """From now on nobody knows how this tensor lies in memory."""
    mark(value, of(value) | {LAYOUT})


def lose(value: torch.Tensor) -> None:
    """Nothing is known of this tensor any more, wherever it is held."""
    mark(value, frozenset((ALL,)))


def may_require_grad(value: torch.Tensor) -> None:
    """Something was written into a tensor that may require grad."""
    with torch._C.DisableTorchFunction():
        if value.requires_grad or not torch.is_grad_enabled():
            return
        if not (value.is_floating_point() or value.is_complex()):
            return
        try:
            value.mul_(torch.ones((), dtype=value.dtype, requires_grad=True))
        except Exception:
            lose(value)
            return
    written(value)


def unsettle(value: torch.Tensor) -> None:
    """The `requires_grad` of a leaf was set to what is not known."""
    with torch._C.DisableTorchFunction():
        if value.is_leaf and (value.is_floating_point() or value.is_complex()):
            value.requires_grad = True
    mark(value, of(value) | {GRAD})


def hidden(value: torch.Tensor, name: str) -> str | None:
    """Why an attribute of a tensor cannot be read, if it cannot."""
    marks = of(value)
    if ALL in marks:
        return "changed in a way that is not known"
    return next((f"its {fact} is not known" for fact in marks if name in _HIDDEN.get(fact, ())), None)


def meet(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor | None:
    """A tensor that stands for one of two that differ in a few facts, or None where they differ in more."""
    if type(left) is not type(right) or isinstance(left, torch.nn.Parameter):
        return None
    with torch._C.DisableTorchFunction(), torch.enable_grad():
        if left.layout is not torch.strided or right.layout is not torch.strided:
            return None
        if device_of(left) != device_of(right) or torch.is_inference_mode_enabled():
            return None
        marks = of(left) | of(right)
        if left.shape != right.shape or choices(of(left)) != choices(of(right)):
            one = None if ALL in marks else _either(left, right)
            return _between(left, right) if one is None and ALL not in marks else one
        if left.requires_grad != right.requires_grad:
            marks |= {GRAD}
        if left.stride() != right.stride():
            marks |= {LAYOUT}
        if left.dtype != right.dtype:
            if not (left.is_floating_point() and right.is_floating_point()):
                # what one of them refuses, the other may do
                return None if ALL in marks else _either(left, right)
            marks |= {DTYPE}
        if ALL in marks:
            return None
        like = left if left.is_contiguous() else right
        made = _made(like, left.dtype, left.requires_grad or right.requires_grad)
    place(made, torch.device(device_of(left)))
    mark(made, marks)
    return made


def _either(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor | None:
    """One of two tensors of other shapes, or of integers and floats: another one in each world."""
    choice = NOW.choice or Choice()
    NOW.unlike += left.shape != right.shape
    if NOW.rounds or (choices(of(left)) | choices(of(right))) - {choice}:
        return None
    try:
        worlds.use()
    except Lost:
        return None
    chosen: torch.Tensor = worlds.picked(left, right)
    sizes = tuple(worlds.joined(left.shape, right.shape))
    like = chosen if sizes == chosen.shape else torch.empty(sizes, dtype=chosen.dtype)
    made = _made(like, chosen.dtype, chosen.requires_grad)
    place(made, torch.device(device_of(chosen)))
    mark(made, of(chosen) | {choice})
    setattr(made, _EXTENTS, _extents(left, right))
    return made


_EXTENTS = "_shapewise_extents"
"""Of a tensor that is one of several: the least and the largest size of each dim; None where their ranks differ."""


def _between(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor | None:
    """One of more than two tensors of one rank: as small as the smallest in one world, as large as the largest in another."""
    extents = _extents(left, right)
    marks = (of(left) | of(right)) - choices(of(left) | of(right))
    if extents is None or left.dtype != right.dtype or LAYOUT in marks:
        return None
    if not (left.is_contiguous() and right.is_contiguous()):
        return None
    try:
        worlds.use()
        sizes = _after_rounds(left, right) if NOW.rounds else [_within(*extent) for extent in extents]
    except (Lost, LookupError):
        return None
    if left.requires_grad != right.requires_grad:
        marks |= {GRAD}
    made = _made(torch.empty(sizes, dtype=left.dtype), left.dtype, left.requires_grad or right.requires_grad)
    place(made, torch.device(device_of(left)))
    mark(made, marks)
    setattr(made, _EXTENTS, extents)
    return made


def _within(low: int, high: int) -> int:
    return low if low == high else worlds.within(low, high)


def _after_rounds(left: torch.Tensor, right: torch.Tensor) -> list[int]:
    """The sizes after nobody knows how many rounds. Raises LookupError where those that changed are not for data to decide.

    `left`: before a round. Along one dim it may become longer, and may then be of any length that is not less.
    """
    pairs = list(zip(left.shape, right.shape))
    grows = [one < other for one, other in pairs if one != other] == [True]
    if grows and worlds.here().number == worlds.EMPTY:
        worlds.take()
        return list(left.shape)
    of_data = [worlds.is_given(one) or worlds.is_given(other) for one, other in pairs if one != other]
    if not grows and not all(of_data):
        raise LookupError
    return [one if one == other else worlds.size() for one, other in pairs]


def _extents(left: torch.Tensor, right: torch.Tensor) -> list[tuple[int, int]] | None:
    each = [getattr(one, _EXTENTS, [(size, size) for size in one.shape]) for one in (left, right)]
    if None in each or len(each[0]) != len(each[1]):
        return None
    return [(min(low, less), max(high, more)) for (low, high), (less, more) in zip(*each)]


def longer(old: torch.Tensor, now: torch.Tensor, rounds: int) -> torch.Tensor:
    """What a tensor will be after more rounds that make it as much longer as the last one did.

    Raises LookupError where that is not known: where anything but its size changed.
    """
    with (
        torch._C.DisableTorchFunction(),
        torch.inference_mode(now.is_inference()),
        torch.set_grad_enabled(not now.is_inference()),
    ):
        facts = [
            (t.dtype, t.requires_grad, t.is_contiguous(), t.is_inference(), device_of(t), t.dim(), of(t))
            for t in (old, now)
        ]
        if facts[0] != facts[1] or not now.is_contiguous() or of(now):
            raise LookupError
        sizes = [size + (size - before) * rounds for before, size in zip(old.shape, now.shape)]
        if min(sizes) < 0:
            raise LookupError
        made = _made(torch.empty(sizes, dtype=now.dtype), now.dtype, now.requires_grad)
    place(made, torch.device(device_of(now)))
    return made


def _made(like: torch.Tensor, dtype: torch.dtype, grad: bool) -> torch.Tensor:
    made = torch.empty_strided(like.shape, like.stride(), dtype=dtype)
    if grad:
        leaf = torch.ones((), dtype=dtype, requires_grad=True)
        try:
            made.mul_(leaf)
        except RuntimeError:  # several items at one place in memory
            made = made.requires_grad_().view_as(made)
    return made


def follow(call: Callable[..., Any], func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of torch's; what it gives inherits the doubts about what it is given."""
    tensors = tensors_in(args) + tensors_in(kwargs)
    known = [of(tensor) for tensor in tensors]
    doubted = NONE.union(*known)
    if not doubted and not NOW.contexts:
        return call(func, args, kwargs)
    if ALL in doubted:
        raise Lost("changed in a way that is not known")
    if len(choices(doubted)) > 1:
        raise Lost("depends on more than one condition")
    name = str(getattr(func, "__name__", ""))
    if name == "numpy" and GRAD in doubted:
        args = (args[0].detach(), *args[1:])
    writes = bool(args) and isinstance(args[0], torch.Tensor) and _writes(name)
    before = _requires_grad(args[0]) if writes else False
    sure = (
        torch.is_grad_enabled()
        and not NOW.contexts
        and any(_requires_grad(tensor) and GRAD not in marks for tensor, marks in zip(tensors, known))
    )
    try:
        result = call(func, args, kwargs)
    except RuntimeError as error:
        text = str(error).lower()
        if NOW.contexts and writes and "leaf" in text:  # so grad mode was off: else it fails for certain
            with torch.no_grad():
                return call(func, args, kwargs)
        if any(word in text for mark in doubted for word in _WORDS.get(mark, ())):
            raise Lost("may fail, by what is not known") from None
        raise
    if writes:
        _written(args[0], name, before, sure, GRAD in known[0])
    settled = _settled(name, tensors, kwargs)
    for made in tensors_in(result):
        if any(made is tensor for tensor in tensors):
            if name != "contiguous" or LAYOUT not in doubted:
                continue
            with torch.set_grad_enabled(_requires_grad(made)):
                made = result = made.view_as(made)
        marks = doubted - settled
        if sure or name == "_make_subclass" or kwargs.get("requires_grad") or not _requires_grad(made):
            marks -= {GRAD}
        elif NOW.contexts:
            marks |= {GRAD}
        if made.dim() == 0 or (made.dim() == 1 and not made._is_view()):
            marks -= {LAYOUT}
        if not made.is_floating_point():
            marks -= {DTYPE}
        mark(made, marks)
    return result


def _writes(name: str) -> bool:
    return name in _WRITES or (name.endswith("_") and not name.endswith("__"))


def _written(target: torch.Tensor, name: str, before: bool, sure: bool, doubted: bool) -> None:
    """What a write into a tensor leaves of the doubt whether it requires grad. On one way of several it ends none."""
    if name == "requires_grad_" and NOW.ways:
        return
    if name == "requires_grad_" or (sure and doubted):
        mark(target, getattr(target, _ATTRIBUTE, NONE) - {GRAD})
        NOW.written.pop(id(_base(target)), None)
    elif not before and not sure and _requires_grad(target):
        written(target)


def _settled(name: str, tensors: list[torch.Tensor], kwargs: dict[str, Any]) -> Doubts:
    """The doubts that a call ends."""
    settled = set()
    if name in _SETTLES_LAYOUT and kwargs.get("memory_format") is None:
        settled.add(LAYOUT)
    if name in ("matmul", "__matmul__") and tensors[0].dim() >= tensors[-1].dim():
        settled.add(LAYOUT)
    if kwargs.get("memory_format") is torch.contiguous_format:
        settled.add(LAYOUT)
    if name in _SETTLES_DTYPE or kwargs.get("dtype") is not None:
        settled.add(DTYPE)
    return frozenset(settled)


def _requires_grad(value: torch.Tensor) -> bool:
    with torch._C.DisableTorchFunction():
        return value.requires_grad


def written(value: torch.Tensor) -> None:
    """A tensor requires grad, if it does, because of a write that may not have been one."""
    NOW.active = True
    base = _base(value)
    NOW.written[id(base)] = base


def _base(value: torch.Tensor) -> torch.Tensor:
    """The tensor whose gradient a write into this one goes through: not that of which it is the `.data`."""
    with torch._C.DisableTorchFunction():
        base: torch.Tensor | None = value._base
    return value if base is None else base
