import torch

before = torch.zeros(2, 3)
torch.from_file("@MARKER@", shared=True, size=3)
torch.UntypedStorage.from_file("@MARKER@", True, 12)
after = before.sum(dim=0)
