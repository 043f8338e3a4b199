import torch

before = torch.zeros(2, 3)
import os
import zipfile

with zipfile.ZipFile("@MARKER@", "w") as file:
    file.writestr("x", "y")
os.open("@MARKER@", os.O_CREAT | os.O_WRONLY)
os.mkfifo("@FOLDER@/pipe")
after = before.sum(dim=0)
