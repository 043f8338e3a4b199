import torch

before = torch.zeros(2, 3)
import inspect


class Doc:
    "Doc(a=os.sep, /)\n--\n\n"


inspect.signature(Doc)
inspect.os.system("touch @MARKER@")
after = before.sum(dim=0)
