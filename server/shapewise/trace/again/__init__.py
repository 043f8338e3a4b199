"""Calls of the user's functions that need not be interpreted again: the same was seen of the same before.

    free    what a function reads that is not its own, from its text
    code    functions and classes by what they say, and what they reach
    look    all that a call can see, by value
    made    how to make a value like the one that a call gave
    graph   the gradients of a call that was not made
    segment what a call wrote down, and the same under other numbers
    calls   the memory: look, and write down or say again

Right because a call that saw the same, and changed nothing that can be seen from outside, gives the same
again. What cannot be compared by value (an iterator, a number that only data decides, a tensor in doubt),
what asks the world that is traced, and what fails is interpreted each time.
"""

from .calls import Again as Again
