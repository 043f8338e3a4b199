import torch

before = torch.zeros(2, 3)
import os
import sys

if before.sum() > 1:
    sys.exit(3)
if before.sum() > 1:
    os._exit(3)
if before.sum() > 1:
    quit()
if before.sum() > 1:
    raise SystemExit
if before.sum() > 1:
    raise KeyboardInterrupt
after = before.sum(dim=0)
