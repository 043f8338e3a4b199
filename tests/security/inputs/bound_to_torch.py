import torch

before = torch.zeros(2, 3)
import types

kept = torch.zeros
load = torch.optim.lr_scheduler.LRScheduler.load_state_dict
types.MethodType(load, torch)({"zeros": lambda *sizes: open("@MARKER@", "w")})
list(map(load, [torch], [{"ones": lambda *sizes: open("@MARKER@", "w")}]))
if torch.zeros is not kept:
    torch.zeros(3)
    torch.zeros = kept
after = before.sum(dim=0)
