import torch
from torch.utils.data import DataLoader

pairs = [(torch.randn(n, 4), n % 2) for n in (3, 5, 2, 7, 4, 6)]
loader = DataLoader(pairs, batch_size=3, shuffle=True)  # BAD: ragged-default-collate
for x, y in loader:
    print(x.shape, y)
