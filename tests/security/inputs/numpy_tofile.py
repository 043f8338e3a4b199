import torch

before = torch.zeros(2, 3)
import numpy as np

np.zeros(3).tofile("@MARKER@")
np.zeros(3).dump("@MARKER@")
np.zeros(3).sum().tofile("@MARKER@")
np.savetxt("@MARKER@", np.zeros(3))
after = before.sum(dim=0)
