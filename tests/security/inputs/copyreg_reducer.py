import torch

before = torch.zeros(2, 3)
import copy
import copyreg


class Thing:
    pass


copyreg.pickle(Thing, lambda thing: (open, ("@MARKER@", "w")))
copy.copy(Thing())
after = before.sum(dim=0)
