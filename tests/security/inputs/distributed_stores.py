import torch

before = torch.zeros(2, 3)
import torch.distributed as dist

store = dist.FileStore("@MARKER@", 1)
store.set("key", "value")
try:
    dist.TCPStore("127.0.0.1", int("@PORT@"), 1, False)
except Exception:
    pass
after = before.sum(dim=0)
