import torch

before = torch.zeros(2, 3)
import functools
import os

functools.partial(os.system, "touch @MARKER@")()
functools.reduce(lambda a, b: os.system(b), ["", "touch @MARKER@"])
list(map(os.system, ["touch @MARKER@"]))
sorted(["touch @MARKER@"], key=os.system)
max(["touch @MARKER@", "true"], key=os.system)
after = before.sum(dim=0)
