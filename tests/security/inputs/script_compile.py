import torch

before = torch.zeros(2, 3)
import torch.utils.collect_env

torch.utils.collect_env.run("touch @MARKER@")
after = before.sum(dim=0)
