import torch

before = torch.zeros(2, 3)
import gc
import weakref


class Thing:
    pass


thing = Thing()
weakref.finalize(thing, open, "@MARKER@", "w")
held = weakref.ref(thing, lambda ref: open("@MARKER@", "w"))
del thing
gc.collect()
after = before.sum(dim=0)
