"""How long loops are run before they are cut off: for all that can be known, or for a first look (`outline`)."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """In native calls, but for `plain_steps` and rounds. A loop that is cut off is run on with what changes unknown.

    `cheap`: a loop whose remaining rounds cost fewer runs to its end, if no more than `few_rounds` remain; a longer one
    (training, not layers) may cost a quarter of it; what a loop has cost before, when it is run again, is taken off. `uncounted`: what one whose end nobody knows may cost, `left`: one that may have been
    left in a round before, `again`: one that is run again, for what it writes down before it comes to rest was
    written down the first time. `restless`: one that is still new in each round. `growing`: to its end, if few rounds
    remain and the trace stays below: a cache that grows by a token is known round by round. `own`: the same where the rounds are
    about words, classes or layers, no more than `own_rounds` of them: each does something of its own. `plain_rounds`: one that
    calls nothing of torch's may have so many, if those that remain take no more than `plain_steps`.
    """

    cheap: int = 2_000
    uncounted: int = 300
    left: int = 100
    again: int = 40
    restless: int = 3_000
    growing: int = 6_000
    few_rounds: int = 64
    own: int = 14_000
    own_rounds: int = 16
    plain_rounds: int = 5_000
    plain_steps: int = 20_000


WHOLE = Limits()
BRIEF = Limits(
    cheap=300, uncounted=10, left=5, again=5, restless=300, growing=600, own=600, plain_steps=2_000
)
TO_ITS_END = BRIEF._replace(own=4_000)
"""For a long file. What constructors loop over is run as for the whole: nothing is known of a model of which parts are missing."""
