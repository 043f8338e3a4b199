import torch

before = torch.zeros(2, 3)
import socket

try:
    socket.create_connection(("127.0.0.1", @PORT@), 1).send(b"x")
    open("@MARKER@", "w")
except OSError:
    pass
after = before.sum(dim=0)
