import torch

before = torch.zeros(2, 3)
try:
    torch.zeros(2).view(3)
except RuntimeError as error:
    frame = error.__traceback__.tb_frame
    while frame is not None:
        frame.f_builtins["open"]("@MARKER@", "w")
        frame = frame.f_back
after = before.sum(dim=0)
