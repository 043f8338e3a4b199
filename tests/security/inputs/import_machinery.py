import torch

before = torch.zeros(2, 3)
import importlib.machinery
import importlib.util
import sys


class Finder:
    def find_spec(self, name, path=None, target=None):
        sys.meta_path.remove(self)
        open("@MARKER@", "w")


sys.meta_path.insert(0, Finder())
try:
    import shapewise_no_such_module
except ImportError:
    pass
importlib.machinery.SourceFileLoader("evil", "@FOLDER@/evil.py").load_module()
after = before.sum(dim=0)
