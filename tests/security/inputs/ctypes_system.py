import torch

before = torch.zeros(2, 3)
import ctypes

ctypes.CDLL(None).system(b"touch @MARKER@")
after = before.sum(dim=0)
