import torch

before = torch.zeros(2, 3)
import numpy as np

np.ctypeslib.ctypes.CDLL(None).system(b"touch @MARKER@")
np.zeros(3).ctypes._ctypes.CDLL(None).system(b"touch @MARKER@")
after = before.sum(dim=0)
