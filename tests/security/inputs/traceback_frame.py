import torch

before = torch.zeros(2, 3)
try:
    1 / 0
except ZeroDivisionError as error:
    error.__traceback__.tb_frame.f_globals["__builtins__"]
    error.__traceback__.tb_frame.f_builtins["open"]("@MARKER@", "w")
after = before.sum(dim=0)
