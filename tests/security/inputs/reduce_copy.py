import torch

before = torch.zeros(2, 3)
import copy
import os
import pickle


class Attack:
    def __reduce__(self):
        return os.system, ("touch @MARKER@",)


copy.copy(Attack())
copy.deepcopy([Attack()])
pickle.loads(pickle.dumps(Attack()))
after = before.sum(dim=0)
