"""One function or method to be run on made-up inputs, and one run of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from torch import nn

from ..control import BudgetExhausted
from ..unknowns.grown import grown
from ..unknowns.unknown import Lost, Unknown
from . import begun
from .inputs.sizes import Free, Sizes
from .inputs.specs import (
    RANKS,
    Array,
    Bundle,
    Opaque,
    Plain,
    Ranks,
    Row,
    Spec,
    arrays_in,
    key_of,
    realized,
    with_rank,
)
from .kept import KEPT, Kept
from .reading import alternatives, said, tensors
from .reading.none_fields import none_fields
from .reading.reads import Around, in_front
from .searching.ending import Ending
from .searching.outcomes import Outcomes
from .searching.trouble import Ended, Stopped, Trouble
from .targets import CALLED, Target

if TYPE_CHECKING:
    from ..run import Env


Option = tuple[str, str, Spec]
"""What may be given: `constructor` or `inputs`, the name of the parameter or the path of its field, and what for it."""
Way = tuple[str, str, Any]
"""The same of what selects among a few things, and the value."""


class Case:
    """One function or method to be run: with its constructor, if it has one."""

    def __init__(
        self,
        env: Env,
        target: Target,
        method: str | None,
        taken: set[int],
        strict: bool = True,
        listens: bool = True,
        first: str | None = None,
        found: tuple[dict[str, Spec], dict[str, Spec]] | None = None,
    ) -> None:
        """`found`: what is made up for the constructor and for the call, if that is known and need not be read."""
        self.strict = strict
        """Whether one word for dims of two inputs is one dim."""
        self.listens = listens
        """Whether it begins with what the text states of shapes."""
        self.first = first
        """A method that runs before, on inputs of its own: `fit`."""
        self.shared: dict[str, Free] = {}
        self.chosen: list[Option] = []
        self.ways: tuple[Way, ...] = ()
        """Options that were found where none was given."""
        self._ranks = Ranks()
        self._begun: dict[str, dict[str, Spec]] = {}
        """What was made up before the search, where options were given."""
        self.env = env
        self.target = target
        self.method = method
        self.taken = taken
        self.sizes = Sizes(taken)
        self.constructor, self.inputs = found or (
            begun.constructor_specs(env, target),
            self._input_specs(method),
        )
        if first is not None:
            self.constructor |= {f"{first}.{name}": spec for name, spec in self._input_specs(first).items()}
        self.count = Free("len()", tensors.ITEMS, small=True)
        """How long lists are of which nobody has said it: all alike."""
        self._count()
        self.other_sizes: list[int] = []
        """What a picture's size may be as well, where all runs have the same."""
        self.declined = False
        """Whether the constructor itself raised, the last time that it was tried."""
        self.stuck: Trouble | None = None
        """What the search came furthest to, if it found nothing."""
        self.reached = (0, 0)
        """How far it came then: in which run, and there."""
        self.asked = False
        """Whether the file wanted more than it was given, anywhere that the search began."""
        self.until = 0.0
        """When to give up, in this thread's time."""
        self.most = math.inf
        """Seconds of this thread's time that one run may take until it is known what is given."""
        self.level = True
        """Whether inputs are to have as many dims as the weights that they meet; where nothing is found so, they need not."""
        self.ending: Ending | None = None
        """The call that every run is to be refused at, where it is tried whether it is."""
        self._kept: dict[Any, Kept] = {}
        """The last objects that were made, by what they were made of."""
        self.outcomes = Outcomes()
        """What the last runs came to."""
        self.untried: list[Option] = []
        """What may be given as well, and no inputs were found for: what hangs on it is not told."""
        self.is_apart = False
        """Whether no two lengths that only data decides are equal, as by chance they are else."""
        self.evaluates = False
        """Whether it is run as it is used, not as it is trained: after `eval()`."""

    def around(self) -> Around:
        """The definitions beside what is run."""
        return begun.around(self.env, self.target)

    @property
    def has_tensors(self) -> bool:
        """Whether it is of a class, or takes a tensor."""
        return isinstance(self.target.value, type) or bool(arrays_in(self.inputs.values()))

    def options(self) -> list[Option]:
        """What else may be given: for the constructor or the call, by name."""
        around = self.around()
        found = []
        for own, function in (("constructor", "__init__"), ("inputs", self.method)):
            node = self.target.node_of(function)
            if node is not None:
                module = self.method in CALLED and own == "inputs"
                specs = getattr(self, own)
                taken = self.target.takers if own == "constructor" else {}
                plain = {name: spec for name, spec in specs.items() if name not in taken}
                options = alternatives.options(node, plain, module, own == "constructor", around)
                for name, by in taken.items():
                    options |= alternatives.options(by, {name: specs[name]}, False, True, around)
                if own == "constructor":
                    options |= begun.layers_not_needed(self.env, self.target, plain, options)
                if own == "inputs" and self.target.stands_in(self.env.module.alias, function):
                    self._listen(options, node)
                found += [(own, name, spec) for name, spec in options.items()]
        for name, spec in self.constructor.items():
            if isinstance(spec, Bundle):
                found += [("constructor", *one) for one in none_fields(name, spec, around)]
        known = [(own, name, spec.value) for own, name, spec in found if isinstance(spec, Plain)]
        return found + [(*way[:2], Plain(way[2])) for way in self.ways if way not in known]

    def selects(self, name: str | None, own: str = "constructor") -> bool:
        """Whether a parameter selects among a few things that are tried each."""
        return any((own, name) == way[:2] for way in self.ways)

    def _count(self) -> None:
        for spec in self.specs():
            if isinstance(spec, Row) and spec.open:
                spec.count = self.count
        if self.has_maps:
            self.count.pinned = True

    @property
    def has_options(self) -> bool:
        """Whether something is given that need not be."""
        return bool(self.chosen)

    def chooses(self, name: str) -> bool:
        """Whether an input is given that need not be."""
        return any(own == "inputs" and one == name for own, one, _ in self.chosen)

    @property
    def chooses_lists(self) -> bool:
        """Whether a list that need not be given is: what it is as long as is said of it alone."""
        return any(isinstance(spec, Row) and spec.open for _, _, spec in self.chosen)

    @property
    def has_maps(self) -> bool:
        """Whether an input is a list of tensors: such lists are held side by side."""
        return any(isinstance(spec, Row) and arrays_in(spec.items) for spec in self.inputs.values())

    def end_at(self, ending: Ending) -> None:
        """From here on the runs are to be refused there. What was made before has been undone."""
        self.ending = ending
        self._kept.clear()
        self.outcomes.clear()

    def settle(self, ranks: Ranks) -> None:
        """The inputs have as many dims whatever else is given, or are tried with as many first."""
        self._ranks = ranks
        for name, rank in (*ranks.likely.items(), *ranks.settled.items()):
            spec = self.inputs.get(name)
            if isinstance(spec, Array) and spec.said is None:
                with_rank(spec, rank)
                if name in ranks.settled:
                    spec.ranks = [one for one in spec.ranks if one != rank]
                    spec.said, spec.settled = rank, True

    def given(self, options: list[Option]) -> Case:
        """The same, with these given."""
        case = Case(self.env, self.target, self.method, self.taken, self.strict, self.listens, self.first)
        case.chosen, case.ways = options, self.ways
        case.settle(self._ranks)
        most = max(self._ranks.likely.values(), default=0)
        for own, name, spec in options:
            case._give(own, name, spec)
            if (
                isinstance(spec, Array)
                and not (spec.likely or spec.said)
                and 0 < most < len(spec.dims or range(RANKS[0]))
            ):
                with_rank(spec, most)
        case._count()
        case._begun = {own: dict(getattr(case, own)) for own in ("constructor", "inputs")}
        return case

    def _give(self, own: str, name: str, given: Spec) -> None:
        if self.strict and own == "inputs" and isinstance(given, Array):
            given = self._with_shared_dims(given)
        specs = getattr(self, own)
        config, _, one = name.partition(".")
        bundle = specs.get(config)
        if one and isinstance(bundle, Bundle):
            bundle.fields[one] = given
        else:
            specs[name] = given

    def _with_shared_dims(self, given: Array) -> Array:
        """An option whose dims the text calls as those of the inputs has these: it was read with another case."""
        if given.dims is None or len(given.words) != len(given.dims):
            return given
        dims: list[Free | int] = []
        for word, dim in zip(given.words, given.dims):
            if not word or not isinstance(dim, Free):
                dims.append(dim)
            elif isinstance(dim.equals, Free):  # a word that stands twice
                dims.append(Free(equals=self.shared.setdefault(word, dim.equals)))
            else:
                dims.append(self.shared.setdefault(word, dim))
        return replace(given, dims=dims, ranks=list(given.ranks))

    def again(self) -> Case:
        """The same as it was before the search."""
        return self.given(self.chosen)

    @property
    def asks_for_more(self) -> bool:
        """Whether what it came furthest to may be for want of what need not be given."""
        return self.asked or (self.stuck is not None and self.stuck.asks_for_more)

    @property
    def lacks(self) -> bool:
        """Whether the object has not what it came furthest to: another option may have made it."""
        error = "" if self.stuck is None else str(self.stuck.error)
        return "NoneType" in error or "object has no attribute" in error

    @property
    def gave_up(self) -> bool:
        """Whether the search made something unknown that was not: the options are not what is wanted there."""
        return any(
            isinstance(spec, Opaque) and not isinstance(begun.get(name), Opaque)
            for own, begun in self._begun.items()
            for name, spec in getattr(self, own).items()
        )

    @property
    def overruled(self) -> bool:
        """Whether an input has not the rank that the text states."""
        arrays = (spec for spec in self.inputs.values() if isinstance(spec, Array))
        return any(array.said is not None and not array.settled and not array.stated for array in arrays)

    def _listen(self, specs: dict[str, Spec], node: Any) -> None:
        if not self.listens:
            return
        said.begin(specs, node, self.env.module.text, self.shared if self.strict else None)

    @property
    def node(self) -> Any:
        """The text of what is called."""
        return self.target.node_of(self.method)

    @property
    def scope(self) -> str:
        """The dotted path of what is to be run."""
        return self.target.name if self.method is None else f"{self.target.name}.{self.method}"

    def _input_specs(self, name: str | None) -> dict[str, Spec]:
        made = begun.input_specs(self.env, self.target, name)
        if self.target.stands_in(self.env.module.alias, name):
            node = self.target.node_of(name)
            if node is not None:
                self._listen(made, node)
        return made

    # ------------------------------------------------------------ running

    def run(self, number: int) -> None:
        """Run it once. Raises Stopped at what does not fit."""
        values = {name: realized(spec, self.sizes, number) for name, spec in self.inputs.items()}
        before = in_front(self.node, values)
        cls = self.target.value
        if not isinstance(cls, type):
            self._called(cls, values, before)
            return
        made = self.target.instance
        if made is None:
            made = self._made(cls, number)
        if self.method is None or isinstance(made, Unknown):
            return
        if self.env.run.attempt is not None:
            self.env.run.attempt.has_object()
        is_layer = self.method == "forward" and isinstance(made, nn.Module)
        function = made if is_layer else getattr(made, self.target.attribute(self.method))
        journal = self.env.run.journal
        segment = journal.open()
        evaluated = made if self.evaluates and isinstance(made, nn.Module) else None
        try:
            if evaluated is not None:
                evaluated.eval()
            self._called(function, values, before)
        finally:  # the next run may have the same object
            if evaluated is not None:
                evaluated.train()
            journal.close(segment)
            segment.undo()

    def _made(self, cls: Any, number: int) -> Any:
        """The object; the one of an earlier run if that was made of the same, and what was written down then."""
        run, attempt = self.env.run, self.env.run.attempt
        assert attempt is not None
        recorder, frames, events = run.recorder, len(run.recorder.frames), len(run.recorder.events)
        specs = tuple(key_of(spec, self.sizes, number) for spec in self.constructor.values())
        key = (number, specs, recorder.mute, frames, frozenset(run.conditions.undecided))
        kept = self._kept.pop(key, None)
        if kept is None:
            self.declined = True
            made = self._called(lambda: cls(**self._values(number, first=False)), {})
            self.declined = False
            if self.first is not None and not isinstance(made, Unknown):
                self._prepare(made, self.first, self._values(number, first=True))
            if isinstance(made, nn.Sequential | nn.ModuleList | nn.ModuleDict) and not len(made):
                grown(vars(made)["_modules"], Opaque().why)  # nobody makes one without layers
            attempt.in_constructor |= attempt.rounds
            kept = Kept(
                made,
                attempt.so_far(),
                recorder.frames[frames:],
                recorder.quiet[frames:],
                recorder.events[events:],
                {at: [*outcomes] for at, outcomes in run.conditions.outcomes.items()},
            )
        else:
            attempt.go_on_from(kept.state)
            recorder.frames += kept.frames
            recorder.quiet += kept.quiet
            recorder.events += kept.events
            run.conditions.outcomes.update({at: [*outcomes] for at, outcomes in kept.decisions.items()})
        self._kept[key] = kept
        while len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return kept.value

    def _values(self, number: int, first: bool) -> dict[str, Any]:
        """What the constructor is given, or the method that comes `first`; layers that it is handed are made."""
        specs = self.constructor.items()
        return {n: realized(one, self.sizes, number) for n, one in specs if ("." in n) is first}

    def _prepare(self, made: Any, first: str, values: dict[str, Any]) -> None:
        """Run the method that comes before; what it does is written down where it is tried itself."""
        recorder = self.env.run.recorder
        frames, events = len(recorder.frames), len(recorder.events)
        try:
            self._called(
                getattr(made, self.target.attribute(first)),
                {n.removeprefix(f"{first}."): one for n, one in values.items()},
            )
        finally:
            recorder.cut(frames, events)

    def _called(self, function: Any, values: dict[str, Any], before: Sequence[Any] = ()) -> Any:
        self.env.run.site = None  # nor does what was called before
        try:
            return function(*before, **values)
        except (BudgetExhausted, Stopped, Ended):
            raise
        except Lost as lost:
            return Unknown(lost.why)
        except Exception as error:
            attempt = self.env.run.attempt
            assert attempt is not None
            trouble = Trouble(error, compared=attempt.compared)
            attempt.refused_by_file(trouble)
            raise Stopped(trouble) from None

    def specs(self) -> list[Spec]:
        """All that can be changed."""
        return [*self.constructor.values(), *self.inputs.values()]
