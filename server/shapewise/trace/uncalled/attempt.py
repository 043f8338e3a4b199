"""One run on made-up inputs: it ends at the first thing that does not fit, and says what that was."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.utils.rnn import PackedSequence

from ...vocabulary.events import Failure
from ...vocabulary.span import Span
from ..fakes.devices import SHOWN
from ..unknowns import doubts
from .choices import Choices, Extreme, asks_a_number
from .inputs.made import (
    CONVOLUTIONS,
    POOLS,
    asks_for_nothing,
    is_cut_at_its_end,
    is_expanded,
    sizes_of,
    too_far,
    windows_of,
)
from .inputs.sizes import Sizes
from .inputs.specs import MADE_UP
from .inputs.standing import stand_together
from .inputs.usual import (
    ALONG,
    ELEMENTWISE,
    FEATURES,
    LAYERS,
    OF_PACKED,
    RANK,
    RECURRENT,
    STACKS,
    WINDOWS,
    are_integers,
    plain_integers,
    spread_over,
    unlike_along,
)
from .searching.outranked import likelier, likelier_by_dims
from .searching.trouble import NOTHING_LEFT, Ended, Stopped, Trouble, Wish

if TYPE_CHECKING:
    from ..run import Run
    from .searching.ending import Ending

_NUMBERS = (int, float)
_FEW = 6
_DEEP = 12
"""Calls of a function within itself: where a parameter says how many, that is no width."""
MADE = 100_000
"""More than any constructor does."""
_ORDERS = frozenset("< <= > >=".split())
_COMPARES = _ORDERS | {"==", "!="}
_RESHAPES = frozenset(
    (torch.reshape, torch.flatten, torch.Tensor.reshape, torch.Tensor.flatten, torch.Tensor.reshape_as)
)


_FIXED = frozenset(("sizes", "run", "looks", "ending", "level", "_owners"))


class Attempt(Choices):
    """The run that is under way: `Run.attempt`, and `Guard.attempt`."""

    def __init__(
        self, sizes: Sizes, run: int, looks: bool, ending: Ending | None = None, level: bool = False
    ) -> None:
        super().__init__(sizes, run)
        self.looks = looks
        """Whether inputs are looked for, and may be made others still."""
        self.ending = ending
        """The call that is to refuse this run, if it is known which."""
        self.level = level
        """Whether it ends where torch takes what has fewer dims than people give it (`outranked`)."""
        self.compared: tuple[str, Any, Any] | None = None
        self.unlike: dict[tuple[str, str], None] = {}
        """Parameters that were asked whether they are equal, and were made up so that they are not."""
        self.asked: dict[int, tuple[int, ...]] = {}
        """By a number that was made up, those of the text that it was asked whether it is equal to."""
        self.remainders: list[tuple[int, int]] = []
        self.even: dict[tuple[int, int], None] = {}
        """What the text asked the remainder of, and by what, where none was left."""
        self.divisors: dict[tuple[int, int], None] = {}
        """Two numbers of which the text asked the greatest common divisor: of those that are made up it is 1, of others not."""
        self.halved: set[int] = set()
        """What was halved, whether or not it came out even: `int((kernel * dilation - dilation) / 2)`."""
        self.selves: dict[int, Any] = {}
        """By frame, the object whose method runs in it."""
        self.progress = 0
        """How far it came: calls of torch and computed numbers."""
        self.at_condition = 0
        """How far it had come at the last condition."""
        self.names: set[str] = set()
        """What torch was asked for."""
        self.pictures = False
        """Whether a convolution came by."""
        self.counted: set[int] = set()
        """Numbers that are the size of a window, its stride, its padding."""
        self.in_constructor: set[int] = set()
        """Those of them that the constructor gave it."""
        self.fewer: dict[int, int] = {}
        """By a parameter's number how many rounds it is more than are gone."""
        self.cuts: set[tuple[int, int]] = set()
        """What was cut by an index to more than there is: how much there was, and the index."""
        self.ones: set[int] = set()
        """Sizes that were asked whether they are one, and are not."""
        self.open: set[Any] = set()
        """Conditions on a remainder: sizes that were made up leave one, others do not."""
        self._on_a_remainder = False
        self._compared_sizes: Extreme | None = None
        self.broadcasts = 0
        """Operations on tensors that have not the same number of dims."""
        self.repeated: set[tuple[int, ...]] = set()
        """Shapes of what was made up, or comes from it, and has one dim more when it was repeated."""
        self.is_unlike_a_look = False
        """Whether this run did otherwise somewhere than one that looks for inputs and is not written down."""

    def so_far(self) -> dict[str, Any]:
        """What was found out until now."""
        return {name: copy.copy(value) for name, value in vars(self).items() if name not in _FIXED}

    def go_on_from(self, state: dict[str, Any]) -> None:
        """Take over what another run had found out when it came here."""
        vars(self).update({name: copy.copy(value) for name, value in state.items()})

    # ------------------------------------------------------------ what the interpreter tells

    def entered(self, frame: int, first: Any, nested: int) -> None:
        """A function begins, `nested` in so many calls of itself; `first` is its first argument."""
        self.selves[frame] = first
        if nested > _DEEP and self.looks:
            self.progress = 0  # any that is less deep is nearer
            raise Stopped(Trouble(Wish("less deep")))

    def has_object(self) -> None:
        """The constructor is through: whatever happens then is further than what it did."""
        self.progress += MADE
        self.at_condition = self.progress

    def applied(self, run: Run, span: Span, name: str, operands: Sequence[Any], result: Any) -> None:
        """An operator was applied to what holds no tensor."""
        self.progress += 1
        if name in _COMPARES or name in ("in", "not in"):
            self.at_condition = self.progress
        of_lists = name in _COMPARES and all(isinstance(one, (tuple, list)) for one in operands)
        if of_lists or (name in ("in", "not in") and type(operands[0]) is int and are_integers(operands[1])):
            self.compared = (name, operands[0], operands[1])
        if type(result) is list and name == "*":
            self._goes_round(operands)
        if not all(type(operand) in _NUMBERS for operand in operands):
            return
        if name == "//" and 0 < operands[0] <= operands[1] and all(map(self.is_of_dims, operands)):
            raise Stopped(Trouble(Wish("quotient"), name, tuple(operands)))  # what is divided is larger
        self._on_a_remainder = (
            any(map(self.is_made_up, operands)) if name == "%" else self._asks(name, operands)
        )
        is_of_sizes = name in _ORDERS and min(operands) > 1 and any(map(self.is_made_up, operands))
        self._compared_sizes = (tuple(operands), int(result is True)) if is_of_sizes else None
        if name in _COMPARES:
            if all(type(operand) is int for operand in operands):
                self.ones |= {one for one in operands if 1 in operands and one != 1 and name in ("==", "!=")}
                self.compared = (name, operands[0], operands[1])
                if name in ("==", "!=") and operands[0] != operands[1]:
                    self._found_unlike(*operands)
                    if not self.is_made_up(operands[1]) and self.is_a_parameter(operands[0]):
                        self.asked[operands[0]] = (*self.asked.get(operands[0], ()), operands[1])
        elif type(result) in _NUMBERS:
            self._computed(run, span, name.removesuffix("="), operands, result)

    def _found_unlike(self, left: int, right: int) -> None:
        one, other = (self.sizes.owner(size, self.run) for size in (left, right))
        if one is not None and other is not None and one.label is not None and other.label is not None:
            self.unlike[one.label, other.label] = None

    def _asks(self, name: str, operands: Sequence[Any]) -> bool:
        """Whether this compares a remainder with 0."""
        return name in _COMPARES and 0 in operands and any(self.is_left(one) for one in operands if one)

    def deciding(self, at: Any) -> None:
        """A condition is decided."""
        self.at_condition = self.progress
        if self._on_a_remainder and asks_a_number(at):
            self.open.add(at)
            self._on_a_remainder = False
        if self._compared_sizes is not None:
            self.chose(at, *self._compared_sizes)
            self._compared_sizes = None

    def called(self, run: Run, span: Span, name: str, args: Sequence[Any], result: Any) -> None:
        """A function that is not the file's was called."""
        if type(result) is int and args and all(type(arg) in _NUMBERS for arg in args):
            if name in ("max", "min") and any(map(self.is_made_up, args)):
                self.chose((span, name), tuple(args), args.index(result))
            if name.endswith("gcd") and len(args) == 2 and any(map(self.is_made_up, args)):
                self.divisors[args[0], args[1]] = None
            self._computed(run, span, name, args, result)
        elif name == "divmod" and all(type(one) is int for one in (*args, *result)):
            for operator, one in zip(("//", "%"), result):
                self._computed(run, span, operator, args, one)
        elif type(result) is range:
            self._goes_round(args)

    def _goes_round(self, counts: Sequence[Any]) -> None:
        """A loop is to go round so often, or a list is as long: `for stride in [2] + [1] * (blocks - 1)`."""
        self.rounds.update(numbers := [one for one in counts if type(one) is int])
        if any([self._counts_rounds(one) for one in numbers]):  # noqa: C419 - all of them
            if self.looks:
                raise Stopped(Trouble(Wish("rounds")))  # a hundred layers are dear: it begins with few
            self.is_unlike_a_look = True

    def _counts_rounds(self, number: Any) -> bool:
        """Whether rounds are as many as a parameter says, or a few more, or less: of those so many more it has to be.

        `range(1, depth + 1)`, `range(depth - 1)`, `range(2 * depth)`.
        """
        if self.is_a_parameter(number):
            return True
        name, operands = self.made.get(number, ("", ()))
        of = operands[::-1] if name in ("+", "*") and self.is_a_parameter(operands[1]) else operands
        if name not in ("+", "-", "*") or not 0 < of[1] < _FEW or not self.is_a_parameter(of[0]):
            return False
        self.rounds.add(of[0])
        self.fewer |= {of[0]: of[1]} if name == "-" else {}
        return True

    def after(
        self, run: Run, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> None:
        """Torch was called."""
        self.progress += 1
        self.names.add("[]" if function is torch.Tensor.__getitem__ else getattr(function, "__name__", ""))
        is_new = function is torch.Tensor.new and len(args) == 1  # it has no elements whatever is given
        if isinstance(result, torch.Tensor) and 0 in result.shape and not (is_new or self._is_empty(args)):
            raise Stopped(Trouble(Wish(NOTHING_LEFT), given=args, compared=self.compared))
        given = [arg for arg in args if isinstance(arg, torch.Tensor) and hasattr(arg, MADE_UP)]
        if given or any(hasattr(one, MADE_UP) for arg in args if type(arg) in (list, tuple) for one in arg):
            for made in result if isinstance(result, (list, tuple)) else (result,):
                if isinstance(made, torch.Tensor):
                    setattr(made, MADE_UP, True)
        if getattr(function, "__name__", "") in ELEMENTWISE:
            self.broadcasts += len({arg.dim() for arg in given} - {0}) > 1
            self.ones.update(spread_over(args[:2]))  # `positions / freqs` with one number a position
        if isinstance(result, torch.Tensor) and args and function in _RESHAPES and is_expanded(args[0]):
            doubts.may_lie_otherwise(result)
        if function is torch.Tensor.repeat and given and result.dim() == args[0].dim() + 1:
            self.repeated.add(tuple(args[0].shape))
        if function is torch.Tensor.expand_as and args[0].shape == result.shape[-args[0].dim() :]:
            self.ones.update(result.shape[-1:])  # who writes that has one there, more often than not
        if function is torch.Tensor.__getitem__ and isinstance(args[0], torch.Tensor):
            self.cuts.update(too_far(args[0].shape, args[1]))
            if run.site is not None and given:
                self.cut(run.site, args[0].shape, args[1])
        if run.site is not None:
            for name, operands, size in sizes_of(function, args, kwargs, result):
                self._computed(run, run.site, name, operands, size)

    def _is_empty(self, args: Sequence[Any]) -> bool:
        """Whether nothing was asked for, by the text itself: `torch.empty((b, 0, dim))`."""
        asked = [one for arg in args if isinstance(arg, (tuple, list)) for one in arg]
        return (
            asks_for_nothing(tuple(args), not_by_number=0 in self.made)
            or (0 not in self.made and any(type(one) is int and not one for one in asked))
            or is_cut_at_its_end(args)
        )

    def _computed(self, run: Run, span: Span, name: str, operands: Sequence[Any], result: Any) -> None:
        if name in ("/", "//") and operands[1] == 2 and type(operands[0]) is int:
            self.halved.add(operands[0])
        if name in ("%", "//") and type(operands[1]) is int:
            above, below = operands
            self.remainders.append((above, below))
            is_sized = type(above) is int and below and self.is_made_up(above)
            rest = above % below if is_sized else 0
            if name == "%" and is_sized and not rest and above and below > 1:
                self.even[above, below] = None
            if (
                name == "%" or rest > 1
            ):  # a 1 is the number of a round (`if i != 0`) more often than half of a width
                self.left.add(rest)
        if result not in self.made and result not in operands and any(map(self.is_made_up, operands)):
            self.made[result] = (name, (0, *operands) if len(operands) == 1 else tuple(operands))
        if run.recorder.integers and run.frames:
            run.recorder.op(run.frames[-1], span, name, operands, {}, result, None)

    def begins(self, run: Run, span: Span, name: str) -> None:
        """A call or an operator that is not the file's begins."""
        if self.ending is not None:
            self.ending.begins(run, span, name, self.progress)

    def refused(self, run: Run, failure: Failure) -> bool:
        """Whether torch's refusal is the one that this run is to end at."""
        return self.ending is not None and self.ending.refused(run, failure, self.progress)

    def ends(self) -> None:
        """What ends the run was written down."""
        raise Ended

    def stopped(
        self,
        error: Exception,
        name: str = "",
        given: Sequence[Any] = (),
        refused: tuple[Exception, Any, tuple[Any, ...], dict[str, Any]] | None = None,
    ) -> None:
        """Something raised that nothing catches. Raises Stopped."""
        trouble = Trouble(error, name, tuple(given), compared=self.compared)
        if refused is not None:
            trouble.function = getattr(refused[1], "__name__", "")
            # lists are copied: what was done to them is undone
            trouble.args = tuple(list(one) if type(one) is list else one for one in refused[2])
            trouble.named = refused[3]
        elif not name and not given:
            self.refused_by_file(trouble)
        raise Stopped(trouble)

    def refused_by_file(self, trouble: Trouble) -> None:
        """The file raised: what it made its message of leads no further than the condition."""
        if trouble.raised:
            self.progress = self.at_condition

    def calling(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """A function or a layer is about to be called."""
        if isinstance(function, type) and function in STACKS:
            self._stacking(function, args, kwargs)
        wanted = LAYERS.get(type(function))
        first = args[0] if args else kwargs.get("input")
        if wanted is not None and isinstance(first, torch.Tensor) and first.dim() != wanted:
            raise Stopped(
                Trouble(Wish("rank"), given=(first, *args[1:]), args=(first, *args[1:]), wanted=wanted)
            )
        if type(function) in RECURRENT and args and isinstance(args[0], PackedSequence):
            if args[0].data.dim() != 2:
                raise Stopped(Trouble(Wish("rank"), given=(args[0].data,), args=(args[0].data,), wanted=2))
        features = getattr(function, "num_features", None) if type(function) in FEATURES else None
        if features is not None and isinstance(first, torch.Tensor) and first.shape[1] != features:
            refused = (first.shape[1], features)  # torch only warns of it
            raise Stopped(Trouble(Wish("features"), function="num_features", args=refused))

    def _stacking(self, made: type, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """A number of nobody's is how many layers torch makes: a few of them show all that there is."""
        for name, at in STACKS[made].items():
            count = kwargs.get(name, args[at] if len(args) > at else None)
            if self.is_a_parameter(count):
                # states of recurrent layers have a dim of it, which is not the same in all runs then
                (self.counted if made in RECURRENT else self.rounds).add(count)
                raise Stopped(Trouble(Wish("layers")))

    def before(self, function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Torch is about to be called."""
        if SHOWN.on:
            stand_together(args, kwargs)
        name = getattr(function, "__name__", "")
        wanted = RANK.get(name)
        if name in OF_PACKED and len(args) > 1 and isinstance(args[1], torch.Tensor) and args[1].dim() == 1:
            wanted = 2  # packed: the steps of all sequences, and how many sequences each step has
        if name == "__get__" and getattr(function, "__self__", None) is torch.Tensor.T:
            wanted = 2  # torch warns of any other
        if POOLS.get(name) == 1 and not self.looks:
            wanted = None  # rows of a batch are smoothed without channels, too
        if name == "squeeze" and len(args) == 2 and type(args[1]) is int and self.is_kept(*args):
            raise Stopped(Trouble(Wish("squeeze"), given=args, function=name, args=args))
        if self.level and (outranked := likelier(name, args, kwargs)) is not None:
            raise Stopped(outranked)
        by_dims = likelier_by_dims(name, args, kwargs, self.is_doubled, self.is_a_dim) if self.level else None
        if by_dims is not None:
            raise Stopped(by_dims)
        if function is torch.Tensor.__setitem__ and isinstance(args[0], torch.Tensor):
            self.cuts.update(too_far(args[0].shape, args[1]))
        if name in ALONG and any(all(map(self.is_a_dim, pair)) for pair in unlike_along(args, kwargs)):
            raise Stopped(Trouble(Wish("as many indices"), name, args, name, args, dict(kwargs)))
        if name in CONVOLUTIONS:
            self.pictures = True
            self._count(windows_of(name, args, kwargs))
        elif (name in POOLS and "adaptive" not in name) or name in WINDOWS:
            self._count((*args[1:], *kwargs.values()))
        elif name == "pad" and "reflect" in (*args[2:3], kwargs.get("mode")):  # by half of a window
            of = [self.made.get(one, ("", ())) for one in plain_integers(args[1:2])]
            self._count([operands[0] for op, operands in of if op == "//" and operands[1] == 2])
        first = args[0] if args else kwargs.get("input")
        if wanted is not None and isinstance(first, torch.Tensor) and first.dim() != wanted:
            given = (first, *args[1:])
            raise Stopped(Trouble(Wish("rank"), given=given, wanted=wanted, function=name, args=given))
        self.progress += 1

    def _count(self, numbers: Sequence[Any], depth: int = 3) -> None:
        """These are sizes of windows, and so are those that they were added up from: `kernel = block + 2 * halo`."""
        for number in plain_integers(numbers):
            self.counted.add(number)
            name, operands = self.made.get(number, ("", ()))
            if depth and name in ("+", "-", "*"):
                self._count(operands, depth - 1)
