"""Functions and classes that nothing in the file calls, run on made-up inputs.

    targets   what has not run; turns: who is tried when
    case      one of them to be run, with its constructor; begun: what it begins with; options: what need not be given, and is;
              other_cases: the same where something is taken otherwise
    attempt   one run, until the first thing that does not fit (trouble); its numbers; running runs it
    solve     what all runs that work write down; write does
    memory    what was found out of a definition, until it changes; definitions: what that depends on
    at_once   what an edited function tells on the inputs that did for it before the edit, told before any are looked for

    reading/    what the text says of the parameters: usage (reads: field by field, arguments: of a constructor), said: of shapes
    inputs/     what is made up for them: specs, and sizes that can be told apart; made: how torch makes sizes of others; standing: on which card
    searching/  search: uphill, by what a refusal asks for (demands); levelled, loosen: what of it need not be;
                refusal: a call that torch refuses whatever is given
    doubting/   vary: what would be otherwise with other ranks, dtypes, layouts, loops; covering: what holds for all
    naming/     the runs put together: each size a row of numbers, each row a name or an expression

What is assumed this way is marked (`Frame.assumed`), and a finding only where torch refuses it whatever is given.
"""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING

from ...vocabulary.events import UNFINISHED, Event
from ..control import BudgetExhausted
from . import memory
from .doubting.untried import without_untried
from .doubting.used import as_used
from .inputs.specs import Ranks
from .options import is_filled, settled
from .running import budget
from .turns import Turn, Turns

if TYPE_CHECKING:
    from ..run import Env


def run_uncalled(env: Env) -> None:
    """At the end of the file: run what has not run, first as it is, then with what else may be given.

    The other methods of layers come after every `forward`.
    """
    env.run.recorder.weights.is_closed = True
    began = time.thread_time()
    with env.run.spending(budget(env.run.told.patience)):
        turns = Turns(env)
        try:
            turns.take()
        except BudgetExhausted:
            pass
        finally:
            cut = turns.cut
            if cut:
                env.run.recorder.note(UNFINISHED)
                env.run.told.unfinished = tuple(dict.fromkeys(turn.target.name for turn in cut))
            _open(env, turns, [turn for turn in cut if turn.is_begun])
            env.run.told.events[:] = as_used(env)
            env.run.told.seconds = time.thread_time() - began


def _open(env: Env, turns: Turns, cut: list[Turn]) -> None:
    """Of what was cut off not all options were tried: what may be otherwise with others is not known.

    Nor where only something else has called it so far.
    """
    assumed, tried_for = env.run.told.events, env.run.told.tried
    frames, tried = env.run.recorder.frames, set(tried_for.values())
    places: dict[str | None, list[int]] = defaultdict(list)
    for at, event in enumerate(assumed) if cut else ():
        for name in {tried_for.get(event.frame), frames[event.frame].scope.partition(".")[0]}:
            places[name].append(at)
    for turn in cut:
        own = places[turn.target.name]
        if own:
            events = [assumed[at] for at in own]
            names = frozenset(frames[event.frame].scope.partition(".")[0] for event in events) & tried
            now = memory.opened(
                env.module.file,
                turn.target.name + turn.suffix,
                (turns.key(turn), names, id(memory.whole(env.module.file, turn.target.name + turn.suffix))),
                events,
                lambda turn=turn, events=events, names=names: _opened(env, turns, turn, events, names),  # type: ignore[misc]
            )
            for at, event in zip(own, now):
                assumed[at] = event


def _opened(
    env: Env, turns: Turns, turn: Turn, events: list[Event], by_themselves: frozenset[str]
) -> list[Event]:
    target = turn.target
    every: list[str | None] = [*target.methods] or [None]
    options = {
        one.method: [option for option in settled(env, target, one).options() if not is_filled(option, one)]
        for one in (turn.methods or [memory.Worked(method, Ranks()) for method in every])
    }
    if not any(options.values()):
        return events
    before = turns.before(turn)
    return without_untried(events, env.run.recorder.frames, target, options, by_themselves, before)
