"""Functions and classes that nothing in the file calls, run on made-up inputs.

    targets   what has not run
    usage     what the text of a function says of its parameters (`reads`, `arithmetic`; `arguments`: of a constructor's,
              `alternatives`: what else may be given, `deciding`: on what, `tensors`: how tensors begin), `said` what it
              states of their shapes
    specs     what is made up for them, `sizes` which numbers
    handed_in what a constructor is handed of the file's own
    case      one of them to be run, with its constructor
    attempt   one run, until the first thing that does not fit (`trouble`); `running` runs it, `made` how torch makes sizes
              of others, `usual` how people call torch
    outranked inputs that have fewer dims than people give, or more
    demands   what that asks for (`evenly`: shares and multiples; `asked`: by torch's functions; `of_python`: by Python; `equal`: which of two sizes
              gives way, `paired`: and which of two sums of two)
    search    the way to inputs that all runs take (`outcomes`: what the last of them came to)
    solve     what the runs then write down; `write` does (`levelled`: with no dims and no equal parameters that are not needed, `loosen`:
              no sizes bound that need not be)
    options   what need not be given, and is
    untried   what may be otherwise where an option is given that was not tried
    refusal   a call that torch refuses whatever is given, where nothing was found (`ending`: where it stands)
    vary      what would be otherwise: with other ranks, dtypes, layouts, one more round of a loop (`decided`: where
              another of two numbers is the larger, where a dim is one)
    covering  what holds for all of these
    coincidence sizes that are equal only in what was tried
    used      what a definition tells where others of the file use it
    naming    the runs put together: each size a row of numbers, each row a name or an expression (`words`: which one,
              `bound`: by what, `own_words`: those of a layer that another uses)
    tried     the inputs as text, so that a real run can be given the same
    turns     who is tried when
    memory    what was found out of a definition, until it changes; `definitions`: what that depends on

What is assumed this way is marked (`Frame.assumed`), and a finding only where torch refuses it whatever is given.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ...vocabulary.events import UNFINISHED, Event
from ..control import BudgetExhausted
from . import memory
from .options import is_filled, settled
from .running import budget
from .specs import Ranks
from .turns import Turn, Turns
from .untried import without_untried
from .used import as_used

if TYPE_CHECKING:
    from ..run import Env


def run_uncalled(env: Env) -> None:
    """At the end of the file: run what has not run, first as it is, then with what else may be given.

    The other methods of layers come after every `forward`.
    """
    env.run.recorder.weights.is_closed = True
    with env.run.spending(budget(env.run.patience)):
        turns = Turns(env)
        try:
            turns.take()
        except BudgetExhausted:
            pass
        finally:
            cut = turns.cut
            if cut:
                env.run.recorder.note(UNFINISHED)
                env.run.unfinished = tuple(dict.fromkeys(turn.target.name for turn in cut))
            _open(env, turns, [turn for turn in cut if turn.is_begun])
            env.run.assumed[:] = as_used(env)


def _open(env: Env, turns: Turns, cut: list[Turn]) -> None:
    """Of what was cut off not all options were tried: what may be otherwise with others is not known."""
    assumed, tried_for = env.run.assumed, env.run.tried
    places: dict[str | None, list[int]] = defaultdict(list)
    for at, event in enumerate(assumed) if cut else ():
        places[tried_for.get(event.frame)].append(at)
    frames, tried = env.run.recorder.frames, set(tried_for.values())
    for turn in cut:
        own = places[turn.target.name]
        if own:
            events = [assumed[at] for at in own]
            names = frozenset(frames[event.frame].scope.partition(".")[0] for event in events) & tried
            now = memory.opened(
                env.module.file,
                turn.target.name + turn.suffix,
                (turns.key(turn), names),
                events,
                lambda turn=turn, events=events, names=names: _opened(env, turn, events, names),  # type: ignore[misc]
            )
            for at, event in zip(own, now):
                assumed[at] = event


def _opened(env: Env, turn: Turn, events: list[Event], by_themselves: frozenset[str]) -> list[Event]:
    target = turn.target
    every: list[str | None] = [*target.methods] or [None]
    options = {
        one.method: [option for option in settled(env, target, one).options() if not is_filled(option, one)]
        for one in (turn.methods or [memory.Worked(method, Ranks()) for method in every])
    }
    if not any(options.values()):
        return events
    return without_untried(events, env.run.recorder.frames, target, options, by_themselves)
