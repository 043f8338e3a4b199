import torch

before = torch.zeros(2, 3)
import inspect
import sys

sys._getframe().f_builtins["open"]("@MARKER@", "w")
inspect.stack()[0].frame.f_builtins["open"]("@MARKER@", "w")
inspect.currentframe().f_globals
after = before.sum(dim=0)
