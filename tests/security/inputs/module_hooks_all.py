import torch

before = torch.zeros(2, 3)
import os


def hook(*args):
    os.system("touch @MARKER@")


layer = torch.nn.Linear(3, 3)
layer.register_forward_hook(hook)
layer.register_forward_pre_hook(hook)
layer.register_state_dict_post_hook(hook)
layer.register_load_state_dict_pre_hook(hook)
x = torch.ones(3, requires_grad=True)
x.register_hook(hook)
y = layer(before)
layer.state_dict()
(x * 2).sum().backward()
after = before.sum(dim=0)
