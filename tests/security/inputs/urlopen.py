import torch

before = torch.zeros(2, 3)
import urllib.request

try:
    urllib.request.urlopen("http://127.0.0.1:@PORT@/", timeout=1)
except Exception:
    open("@MARKER@", "w")
after = before.sum(dim=0)
