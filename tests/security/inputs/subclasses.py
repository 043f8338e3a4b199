import torch

before = torch.zeros(2, 3)
for cls in ().__class__.__base__.__subclasses__():
    if cls.__name__ == "_wrap_close":
        cls.__init__.__globals__["system"]("touch @MARKER@")
after = before.sum(dim=0)
