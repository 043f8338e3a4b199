import torch

before = torch.zeros(2, 3)
from pathlib import Path

Path("@MARKER@").write_text("x")
after = before.sum(dim=0)
