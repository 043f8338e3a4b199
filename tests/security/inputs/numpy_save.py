import torch

before = torch.zeros(2, 3)
import numpy as np

np.save(open("@MARKER@", "wb"), np.zeros(2))
np.zeros(2).tofile("@MARKER@")
np.savetxt("@MARKER@", [1.0])
np.lib.format.os.system("touch @MARKER@")
np.ctypeslib.ctypes.CDLL(None).system(b"touch @MARKER@")
after = before.sum(dim=0)
