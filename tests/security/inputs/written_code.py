import torch

before = torch.zeros(2, 3)
import collections
import dataclasses
import functools
import typing

CODE = "__import__('os').system('touch @MARKER@')"


class Fields:
    __annotations__ = {f"x={CODE}": int}


try:
    dataclasses.dataclass(Fields)
except Exception:
    pass
try:
    dataclasses.make_dataclass("D", [(f"x={CODE}", int)])
except Exception:
    pass
try:
    collections.namedtuple("N", [f"x={CODE}"])
except Exception:
    pass
try:

    @functools.singledispatch
    def g(x):
        pass

    def h(x):
        pass

    h.__annotations__ = {"x": CODE}
    g.register(h)
except Exception:
    pass
try:
    typing.get_type_hints(h)
except Exception:
    pass
after = before.sum(dim=0)
