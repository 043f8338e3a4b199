"""The tracer: interprets a file on fake tensors and writes down what happened.

    session   one trace: sources/ -> compiler/ -> gate/ -> torch on fake tensors -> log/
    gate/     what is called, read and computed goes through here; wall/ says what may be
    fakes/    what fake tensors do otherwise than real ones; refusals/ what it means where torch refuses
    shims/, stdlib/, arrays/, loading/, neighbours/   what is not run as it is
    unknowns/ what is not known, worlds/ what only data decides, naming/ words for sizes
    uncalled/ what nobody calls
    again/, untouched   what need not be done twice

Runs in a process of its own under the user's interpreter and needs only torch, the standard
library, `shapewise.vocabulary` and `shapewise.stated` there. Nothing of the user's file is ever executed: its syntax
tree is walked, and only listed functions are called.
"""

HOME = f"{__name__}."
"""What the `__module__` of everything of ours begins with, in whichever package it lies."""
