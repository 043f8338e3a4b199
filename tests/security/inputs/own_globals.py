import torch

before = torch.zeros(2, 3)
def f():
    pass


f.__globals__["__builtins__"]
globals()["__builtins__"].open("@MARKER@", "w") if hasattr(globals()["__builtins__"], "open") else globals()["__builtins__"]["open"]("@MARKER@", "w")
after = before.sum(dim=0)
