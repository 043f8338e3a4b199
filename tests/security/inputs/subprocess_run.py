import torch

before = torch.zeros(2, 3)
import subprocess

subprocess.run(["touch", "@MARKER@"])
after = before.sum(dim=0)
