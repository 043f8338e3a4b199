import torch
from torch.utils.data import DataLoader

def pad(items):
    return torch.nn.utils.rnn.pad_sequence([x for x, _ in items], batch_first=True), torch.tensor([y for _, y in items])


pairs = [(torch.randn(n, 4), n % 2) for n in (3, 5, 2, 7, 4, 6)]
loader = DataLoader(pairs, batch_size=3, shuffle=True, collate_fn=pad)
for x, y in loader:
    print(x.shape, y)
