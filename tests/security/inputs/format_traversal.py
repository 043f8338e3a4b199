import torch

before = torch.zeros(2, 3)
class Leak:
    def __format__(self, spec):
        open("@MARKER@", "w")
        return spec


text = "{0:x}".format(Leak())
text = "{.__globals__[os].environ}".format(torch.save)
text = "{0.__class__.__init__.__globals__[__builtins__]}".format(Leak())
after = before.sum(dim=0)
