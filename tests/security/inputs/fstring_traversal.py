import torch

before = torch.zeros(2, 3)
text = f"{torch.save.__globals__['os'].system('touch @MARKER@')!r:>{torch.save.__globals__['os'].getpid()}}"
after = before.sum(dim=0)
