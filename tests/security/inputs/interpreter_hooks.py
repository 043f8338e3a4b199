import torch

before = torch.zeros(2, 3)
import sys


def hook(*args):
    sys.setprofile(None)
    sys.settrace(None)
    open("@MARKER@", "w")


sys.setprofile(hook)
sys.settrace(hook)
sys.displayhook = sys.excepthook = hook
len("")
sys.setprofile(None)
sys.settrace(None)
after = before.sum(dim=0)
