"""The state of one trace, handed to every compiled node through its environment."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from ..vocabulary.events import Event, Frame
from ..vocabulary.span import Span
from . import shims, uncalled
from .again import Again
from .again.code import Codes
from .conditions import Conditions
from .control import Budget, thrown
from .disk import Disk
from .draws import Source
from .fakes.torchmode import Guard
from .gate import entries
from .limits import WHOLE, Limits
from .log.recorder import Recorder
from .state import NAME, Journal, Meeting
from .switched import Switched
from .uncalled.told import Told
from .unknowns.unknown import Unknown
from .ways import Ways
from .worlds import worlds

if TYPE_CHECKING:
    from ..vocabulary.layers import Measured
    from .fakes.remembered import Remembering
    from .glimpses import Glimpses
    from .log.meter import Meter
    from .sources.modules import Module, Modules
    from .uncalled.attempt import Attempt
    from .unknowns.standing import Compared
    from .untouched import Untouched


class Env:
    """Names of one frame. A class body's environment holds the class it makes in `cls`."""

    __slots__ = (
        "against",
        "cls",
        "end",
        "first",
        "frame",
        "kind",
        "module",
        "names",
        "outer",
        "own",
        "pending",
        "run",
        "scope",
    )

    def __init__(
        self,
        run: Run,
        module: Module,
        kind: str,
        scope: str,
        outer: Env | None,
        own: frozenset[str],
        frame: int,
    ) -> None:
        self.run = run
        self.module = module
        self.kind = kind  # module, function, class
        self.scope = scope
        self.outer = outer
        self.own = own
        """The names that the body of a function assigns: they are its own even before they are bound."""
        self.frame = frame
        self.names: dict[str, Any] = {}
        self.cls: type | None = None
        self.first: Any = None
        self.pending: list[tuple[Any, bool]] = []
        """Values returned on one way of an unknown condition, while the other way went on; and whether this world takes another."""
        self.against = run.against
        """Whether this world runs it at all."""
        self.end: Meeting | None = None
        """Where those ways meet: the end of the call."""


AtOnce = Callable[["Run", Sequence[Frame], Sequence[Event]], None]


class Run(Ways):
    """One trace of one file."""

    modules: Modules
    """Set where the trace begins, as is the next."""
    fake: Remembering

    def __init__(
        self, builtins: dict[str, Any], until: float | None = None, card: bool = False, times: float = 1.0
    ) -> None:
        super().__init__()
        self.builtins = builtins
        self.recorder = Recorder()
        self.journal = Journal()
        self.budget = Budget(until, times)
        self.limits: Limits = WHOLE
        self.guard = Guard(self.journal)
        self.frames: list[int] = []
        self.site: Span | None = None
        self.active: dict[int, list[dict[str, Any]]] = {}
        """By function, the arguments of its calls that are under way."""
        self.cut_loops: set[ast.AST] = set()
        """The loops that were cut off: run again, they are so sooner."""
        self.spent_on: dict[ast.AST, float] = {}
        """Native calls in the loops that were run to their end or cut off: the more there were, the sooner the next is cut off."""
        self.steps_in: dict[ast.AST, int] = {}
        """The same in steps."""
        self.handlers: list[tuple[type[BaseException], ...]] = []
        """What the `except` clauses around this point catch, innermost last."""
        self.handling: list[BaseException] = []
        """The exceptions whose `except` clauses are being run, innermost last."""
        self.unfollowed = 0
        """Counts the calls of which nobody knows whether they raise."""
        self.options_left_out = False
        """Whether there are options without a default: a run without arguments has None for them."""
        self.handed: dict[int, tuple[Any, bool]] = {}
        """Functions of the file that were given to calls that are not followed; and whether to nothing else with them."""
        self.switched = Switched()
        self.conditions = Conditions(self.recorder)
        self.told = Told()
        """What is told of functions that nobody calls."""
        self.raised: list[BaseException] = []
        """Exceptions that the user's own code raised, as opposed to those of the calls it makes."""
        self.cut: str | None = None
        """Why the file was not followed to its end, if it was not."""
        self.lost: str | None = None
        """Why a part of it was not, if a loop was given up."""
        self.compared: tuple[Any, list[Any], Compared | None] | None = None
        """The items of which one was taken last that nobody knows, side by side, and what had been written by then."""
        self.seconds = 0.0
        """Of this thread's time that it took."""
        self.is_short = False
        """Whether something was given up for want of time."""
        self.card = card
        """Whether `torch.cuda.is_available()` is taken to be true, whatever this machine has."""
        self.numbers_met = False
        """Whether two numbers that data decides were subtracted: see `worlds.World`."""
        self.called: frozenset[str] = frozenset()
        """Functions of the file that others call."""
        self.undecorated: dict[str, Any] = {}
        """By name: functions and classes of the top level, before decorators that are not followed."""
        self.attempt: Attempt | None = None
        """The run on made-up inputs that is under way, if one is: see `uncalled`."""
        self.meter: Meter | None = None
        """Measures the layers that are called, if that is asked for."""
        self.measured: Measured | None = None
        self.is_straight = True
        """Whether no function that is being run was called from within a loop or on one of several ways."""
        self.glimpses: Glimpses | None = None
        """Tells what is known so far, if somebody waits for the first of it."""
        self.at_once: AtOnce | None = None
        """Tells frames and events of what was edited, beside all that is known of the rest."""
        self.repeats = True
        """Whether calls that see what others saw are said again: see `again`."""
        self.collected: list[list[Any]] = []
        """What is yielded in loops of generators that nobody can count: see `compiler.generators`."""
        self.uncounted: dict[int, tuple[Any, list[Any]]] = {}
        """Generators that were lost count of, and what they give from there on."""
        self.again = Again(self)
        self.codes = Codes()
        self.random, self.numpy_random = Source(shared=True), Source(shared=True)
        """Python's generator that all share, and numpy's."""
        self.several = 0
        """How many calls are under way that stand for several, as of one item of a dataset."""
        self.disk = Disk()
        """What the file has written to the disk."""
        self.lacking = 0
        """How often an attribute was asked for that what is known surely lacks."""
        self.spoiled = 0
        """Counts what no call may do that is said again: fail, take both ways, import."""
        self.untouched: Untouched | None = None
        """What need not be run again at the top of the file, if that is looked for."""

    # ------------------------------------------------------------ modules

    def execute(self, module: Module, body: Callable[[Env], Any]) -> None:
        """Run the top level of a module."""
        with self.frame(module, "<module>") as frame:
            module.env = Env(self, module, "module", "<module>", None, frozenset(), frame)
            module.env.names = module.value.__dict__
            if module.name == "__main__":
                shims.enter(module.env)
            body(module.env)
            if module.name == "__main__":
                entries.run_handed(module.env)
                if (
                    worlds.here().number == 0
                    and not self.card
                    and self.meter is None
                    and self.limits is WHOLE
                ):
                    if self.untouched is None or not self.untouched.is_wrong:
                        uncalled.run_uncalled(module.env)
                    if self.untouched is not None:
                        self.untouched.keep()

    @contextmanager
    def spending(self, budget: Budget) -> Iterator[None]:
        """Around work that is not paid from the budget of the file."""
        before, self.budget = self.budget, budget
        before.stop()
        budget.go()
        try:
            yield
        finally:
            budget.stop()
            before.go()
            self.budget = before

    # ------------------------------------------------------------ names

    def store(self, env: Env, name: str, value: Any) -> None:
        """Bind a name where Python would."""
        self.journal.note(NAME, env.names, name)
        env.names[name] = value

    def forget_all(self, env: Env, why: str) -> None:
        """Anything may have been assigned (exec, globals()): every tensor and number of the file is lost."""
        self.spoiled += 1
        at: Env | None = env
        while at is not None:
            for name, held in list(at.names.items()):
                if isinstance(held, (torch.Tensor, int, float, list, tuple, dict)) and not name.startswith(
                    "__"
                ):
                    self.store(at, name, Unknown(why))
            at = at.outer

    # ------------------------------------------------------------ conditions

    def decide(self, at: ast.AST, outcome: Any) -> Any:
        """The outcome of a condition, or the number of rounds of a loop: None where other worlds have another."""
        if self.attempt is not None:
            self.attempt.deciding(at)
        return self.conditions.decide(at, self.frames[-1], outcome, self.attempt is not None)

    # ------------------------------------------------------------ errors

    def is_caught(self, error: BaseException) -> bool:
        """Whether an `except` of the user's around this point catches it."""
        return any(isinstance(thrown(error), types) for types in self.handlers)

    @staticmethod
    @contextmanager
    def during(active: list[Any], call: Any) -> Iterator[None]:
        """A call is one of those that are under way."""
        active.append(call)
        try:
            yield
        finally:
            active.pop()

    @contextmanager
    def catching(self, kinds: tuple[type[BaseException], ...]) -> Iterator[None]:
        """Around code whose caller catches these."""
        if not kinds:
            yield
            return
        depth = len(self.handlers)
        self.handlers.append(kinds)
        try:
            yield
        finally:
            del self.handlers[depth:]

    def _ends_a_way(self, error: BaseException) -> bool:
        return bool(self.ways) and any(error is raised for raised in self.raised)

    def is_constructing(self) -> bool:
        """Whether a constructor runs."""
        return any(self.recorder.frames[number].scope.endswith(".__init__") for number in self.frames)

    def absorb(self, error: Exception, *about: Any, of_text: bool = False) -> Unknown:
        """An exception ends here: the trace goes on with an unknown value. `about`: what it was asked of.

        `of_text`: it comes of the text, and not of what it is given.

        Raises it again if the user's code catches it, or has raised it on one way of an unknown condition:
        that way does not go on.
        """
        self.spoiled += 1
        if self.is_caught(error) or self._ends_a_way(error):
            raise error
        if self.attempt is not None and not of_text:
            self.attempt.stopped(error, given=about)
        text = str(error).strip().split("\n")[0]
        return Unknown(f"{type(error).__name__}: {text[:80]}")

    @contextmanager
    def frame(self, module: Module, scope: str) -> Iterator[int]:
        """A function of the program, or a module, runs."""
        self.budget.call()
        number = self.recorder.frame(module, scope, self.frames[-1] if self.frames else None, self.site)
        self.frames.append(number)
        straight, self.is_straight = self.is_straight, self.is_straight and not self.loops and not self.ways
        loops, self.loops = self.loops, []
        beyond, past = self.beyond, self.past
        self.budget.depth += 1
        # autograd calls a backward and hooks outside of all modes
        unguarded = not torch._C._len_torch_function_stack()
        if unguarded:
            self.guard.__enter__()
        try:
            yield number
        except Exception as error:
            if not self.is_caught(error) and not self._ends_a_way(error):
                self.recorder.abandon(number)
            raise
        finally:
            if unguarded:
                self.guard.__exit__(None, None, None)
            self.budget.depth -= 1
            self.loops = loops
            self.beyond, self.past = beyond, past
            self.is_straight = straight
            self.frames.pop()
