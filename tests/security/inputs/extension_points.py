import torch

before = torch.zeros(2, 3)
import atexit
import os
import signal
import sys
import threading

threading.Thread(target=os.system, args=("touch @MARKER@",)).start()
atexit.register(os.system, "touch @MARKER@")
sys.settrace(lambda *args: os.system("touch @MARKER@"))
sys.excepthook = lambda *args: os.system("touch @MARKER@")
sys.stdout = sys.__stdout__
os.fork() or os._exit(0)
open("@MARKER@", "w")
after = before.sum(dim=0)
