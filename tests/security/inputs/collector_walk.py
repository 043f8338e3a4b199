import torch

before = torch.zeros(2, 3)
import gc

for found in gc.get_objects():
    if getattr(found, "__name__", None) == "system" and getattr(found, "__module__", None) == "posix":
        found("touch @MARKER@")
for found in gc.get_referrers(before):
    pass
import os

os.system("touch @MARKER@")
after = before.sum(dim=0)
