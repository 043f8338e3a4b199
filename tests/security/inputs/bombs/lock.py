import torch

before = torch.zeros(2, 3)
import threading

lock = threading.Lock()
lock.acquire()
lock.acquire()
after = before.sum(dim=0)
