import torch

before = torch.zeros(2, 3)
import pickle

pickle.loads(b"cos\nsystem\n(S'touch @MARKER@'\ntR.")
after = before.sum(dim=0)
