import torch

before = torch.zeros(2, 3)
import io

import numpy as np


class Evil:
    def __reduce__(self):
        return open, ("@MARKER@", "w")


held = np.empty(1, dtype=object)
held[0] = Evil()
file = io.BytesIO()
np.save(file, held, allow_pickle=True)
file.seek(0)
np.load(file, allow_pickle=True)
after = before.sum(dim=0)
