import torch

before = torch.zeros(2, 3)
import os
import weakref


class Attack:
    def __del__(self):
        os.system("touch @MARKER@")


Attack()
x = Attack()
weakref.finalize(x, os.system, "touch @MARKER@")
del x
after = before.sum(dim=0)
