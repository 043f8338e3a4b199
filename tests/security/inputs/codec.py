import torch

before = torch.zeros(2, 3)
import codecs


def search(name):
    open("@MARKER@", "w")


codecs.register(search)
try:
    "text".encode("shapewise-evil")
except LookupError:
    pass
codecs.open("@MARKER@", "w")
after = before.sum(dim=0)
