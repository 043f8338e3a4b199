import torch

before = torch.zeros(2, 3)
import os


class Attack(torch.nn.Module):
    def __setattr__(self, name, value):
        os.system("touch @MARKER@")
        super().__setattr__(name, value)

    def forward(self, x):
        os.system("touch @MARKER@")
        return x


model = Attack()
model.register_forward_hook(lambda *args: os.system("touch @MARKER@"))
model.apply(lambda module: os.system("touch @MARKER@"))
model(torch.zeros(2))
torch.zeros(2, requires_grad=True).register_hook(lambda g: os.system("touch @MARKER@"))
after = before.sum(dim=0)
