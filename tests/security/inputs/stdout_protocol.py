import torch

before = torch.zeros(2, 3)
import os
import sys

sys.stdout.write("Content-Length: 2\r\n\r\n{}")
sys.stdout.flush()
print("Content-Length: 2\r\n\r\n{}", flush=True)
os.write(1, b"x")
open("@MARKER@", "w")
after = before.sum(dim=0)
