import torch

before = torch.zeros(2, 3)
import ctypes
import os
import signal

if before.sum() > 1:
    os.abort()
    os.kill(os.getpid(), signal.SIGKILL)
    ctypes.string_at(0)
after = before.sum(dim=0)
