import torch

before = torch.zeros(2, 3)
import threading
from concurrent.futures import ThreadPoolExecutor

thread = threading.Thread(target=open, args=("@MARKER@", "w"))
thread.start()
thread.join()
with ThreadPoolExecutor() as pool:
    pool.submit(open, "@MARKER@", "w").result()
after = before.sum(dim=0)
