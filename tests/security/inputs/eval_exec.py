import torch

before = torch.zeros(2, 3)
eval("open('@MARKER@', 'w')")
exec("open('@MARKER@', 'w')")
exec(compile("open('@MARKER@', 'w')", "x", "exec"))
__builtins__.open("@MARKER@", "w") if hasattr(__builtins__, "open") else __builtins__["open"]("@MARKER@", "w")
after = before.sum(dim=0)
