import torch

before = torch.zeros(2, 3)
import functools
import typing


class Hinted:
    field: "__import__('os').system('touch @MARKER@')"


typing.get_type_hints(Hinted)


@functools.singledispatch
def run(x):
    pass


try:

    @run.register
    def _(x: "__import__('os').system('touch @MARKER@')"):
        pass

except TypeError:
    pass
after = before.sum(dim=0)
