import torch

before = torch.zeros(2, 3)
for epoch in range(10**9):
    loss = torch.nn.functional.mse_loss(torch.randn(4), torch.randn(4))
    print(f'{loss.item():.3f}')
after = before.sum(dim=0)
