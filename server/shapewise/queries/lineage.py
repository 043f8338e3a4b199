"""Where tensors come from: which op made one, from what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..vocabulary.events import Group, Log, Op, Other, Tensor, Value
from .values import integers

PRODUCTS = frozenset("@ matmul mm bmm".split())
REDUCTIONS = frozenset(
    "sum mean prod norm logsumexp amax amin nansum nanmean std var median nanmedian max min all any argmax argmin "
    "vector_norm".split()
)
"""Ops that drop a dim unless keepdim=True, by the last part of their name."""

ELEMENTWISE = frozenset(
    "+ - * / // % ** += -= *= /= //= **= == != < <= > >= & | ^ add sub subtract mul multiply div divide true_divide "
    "floor_divide remainder pow maximum minimum fmod where eq ne lt le gt ge logical_and logical_or "
    "add_ sub_ mul_ div_".split()
)
"""Ops that broadcast their tensor operands against each other."""

POINTWISE = frozenset(
    "exp log log2 log10 log1p expm1 sqrt rsqrt abs square relu sigmoid tanh gelu clamp clamp_min clamp_max clip "
    "reciprocal neg float double half bfloat16 long int bool to clone detach contiguous type_as nan_to_num softplus silu "
    "round floor ceil trunc sign pow".split()
) | {"-", "+", "*", "/", "**", ">", "<", ">=", "<="}
"""Ops of one tensor (beside numbers) that keep its shape and what its dims mean."""


_ANCESTORS = 500
"""Tensors that are looked at behind an op."""


_NEAR = 40
"""Those behind a tensor, where what is near is asked for."""


def short(name: str) -> str:
    """The last part of an op's name: `sum` of `torch.sum`."""
    return name.rsplit(".", 1)[-1]


def told(name: str) -> str:
    """The same for a sentence, in which `[]` is hard to read."""
    return "indexing" if short(name) == "[]" else short(name)


def _as_given(op: Op) -> bool:
    """Whether an op gives the very tensor that it was given, and leaves it as it was: `contiguous` of what is so."""
    first = op.args[0] if op.args else None
    itself = isinstance(first, Tensor) and isinstance(op.result, Tensor) and first.id == op.result.id
    return itself and not op.name.endswith(("_", "=", "]"))


class Lineage:
    """The makers of every tensor of a log."""

    def __init__(self, log: Log) -> None:
        self._frames = log.frames
        self._maker: dict[int, Op] = {}
        self._built: dict[int, Op] = {}
        self._written: dict[int, list[Op]] = {}
        self._at: dict[int, int] = {}
        for event in log.events:
            if isinstance(event, Op):
                self._at[id(event)] = len(self._at)
                if isinstance(event.result, Other) and event.result.id is not None:
                    first = event.args[0] if event.args else None
                    itself = isinstance(first, Other) and first.id == event.result.id  # `model.eval()`
                    if not itself:
                        self._built.setdefault(event.result.id, event)
                if event.name == "[]=" and isinstance(event.args[0], Tensor):
                    self._written.setdefault(event.args[0].id, []).append(event)
                for tensor in tensors(event.result):
                    if not _as_given(event):
                        self._maker.setdefault(tensor.id, event)

    def maker(self, value: Value) -> Op | None:
        """The op that first gave this tensor, if it was not there from the start."""
        return self._maker.get(value.id) if isinstance(value, Tensor) else None

    def builder(self, layer: Value | None) -> Op | None:
        """The call that built one of torch's layers: `nn.Linear(3, 4)`."""
        return self._built.get(layer.id) if isinstance(layer, Other) and layer.id is not None else None

    def in_order(self, ops: Iterable[Op]) -> list[Op]:
        """Ops of the log as they came one after the other."""
        return sorted(ops, key=lambda op: self._at[id(op)])

    def of_one_file(self, one: Op, other: Op) -> bool:
        """Whether two ops stand in the same file."""
        return self._frames[one.frame].file == self._frames[other.frame].file

    def below_a_failure(self, op: Op) -> bool:
        """Whether an op was given something that is only what another op, which failed, would have given."""
        waiting, seen = [*op.args], set[int]()
        while waiting and len(seen) < _ANCESTORS:
            value = waiting.pop()
            if isinstance(value, Group):
                waiting += value.items
            elif isinstance(value, Tensor) and value.id not in seen:
                seen.add(value.id)
                maker = self._maker.get(value.id)
                if maker is not None and maker is not op:
                    if maker.failure is not None and not maker.failure.caught:
                        return True
                    waiting += maker.args
                for write in self._written.get(value.id, ()):
                    if write.span == op.span or self._at[id(write)] > self._at.get(id(op), len(self._at)):
                        break  # itself, in this round of a loop or an earlier one; or it came later
                    if write.failure is not None and not write.failure.caught:
                        return True
                    waiting += write.args[1:]
        return False

    def as_it_was(self, tensor: Tensor) -> Iterator[Tensor]:
        """A tensor, and those that it was made of one op after the other, as long as they had its shape."""
        for _ in range(_NEAR):
            yield tensor
            maker = self.maker(tensor)
            given = maker.args[0] if maker is not None and maker.args else None
            if maker is None or short(maker.name) not in POINTWISE or not isinstance(given, Tensor):
                return
            if given.shape != tensor.shape or given.id == tensor.id:
                return
            tensor = given

    def through(self, tensor: Tensor, ops: frozenset[str], most: int) -> Iterator[Tensor]:
        """A tensor, and what it was made of by such ops, one after the other and no more than so many, each of its first argument."""
        yield tensor
        for _ in range(most):
            maker = self.maker(tensor)
            given = maker.args[0] if maker is not None and maker.args else None
            if maker is None or short(maker.name) not in ops or not isinstance(given, Tensor):
                return
            tensor = given
            yield tensor

    def comes_of(self, tensor: Tensor, ids: set[int]) -> bool:
        """Whether a tensor is one of these, or was computed from one some ops before."""
        waiting, seen = [tensor], set[int]()
        while ids and waiting and len(seen) < _NEAR:
            one = waiting.pop(0)
            if one.id in ids:
                return True
            maker = self.maker(one)
            if maker is not None and one.id not in seen:
                waiting += [inner for arg in maker.args for inner in tensors(arg)]
            seen.add(one.id)
        return False

    def behind(self, value: Value) -> Iterator[tuple[Value, Op | None]]:
        """The tensor itself, then what it was made of by ops that keep its dims, back to the first that does not.

        Of two operands it is the one that has all of the dims: `x` of `x - x.mean(1, keepdim=True)`.

        Each comes with the op that made it (None if nothing did).
        """
        seen: set[int] = set()
        while isinstance(value, Tensor) and value.id not in seen:
            seen.add(value.id)
            op = self.maker(value)
            yield value, op
            if op is None or short(op.name) not in POINTWISE:
                return
            inputs = [arg for arg in op.args if isinstance(arg, Tensor)]
            same = [arg for arg in inputs if arg.shape == value.shape]
            if len(inputs) != 1 and len(same) != 1:
                return
            value = inputs[0] if len(inputs) == 1 else same[0]


_latest: list[tuple[Log, Lineage]] = []


def lineage_of(log: Log) -> Lineage:
    """The lineage of a log; of the latest one it is kept, because every rule asks for it."""
    if not _latest or _latest[0][0] is not log:
        _latest[:] = [(log, Lineage(log))]
    return _latest[0][1]


def tensors(value: Value) -> Iterator[Tensor]:
    """The tensors in a value, however nested."""
    if isinstance(value, Tensor):
        yield value
    else:
        for item in getattr(value, "items", ()):
            yield from tensors(item)


def reduced_dims(op: Op) -> tuple[int, ...] | None:
    """The dims (from 0) that a reduction dropped from its input, or None if it is none or kept them.

    Reads `dim` and `keepdim` as the op was called, `axis` and `keepdims` being torch's other names.
    """
    if short(op.name) not in REDUCTIONS or not op.args or not isinstance(op.args[0], Tensor):
        return None
    source = op.args[0]
    result = next(tensors(op.result), None)
    if result is None or len(result.shape) >= len(source.shape):
        return None
    place = 2 if short(op.name) in ("norm", "vector_norm") else 1
    numbers = integers([op.argument("dim", "axis", at=place)])
    if numbers is None or len(source.shape) - len(numbers) != len(result.shape):
        return None
    return tuple(sorted(number % len(source.shape) for number in numbers))
