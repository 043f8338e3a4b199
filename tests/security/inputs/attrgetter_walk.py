import torch

before = torch.zeros(2, 3)
import functools
import operator


def carrier():
    pass


names = operator.attrgetter("__globals__")(carrier)
opener = operator.itemgetter("__builtins__")(names)
opener = opener["open"] if isinstance(opener, dict) else opener.open
opener("@MARKER@", "w")
functools.reduce(getattr, ["os", "system"], torch)("touch @MARKER@")
functools.partial(operator.methodcaller("system", "touch @MARKER@"), torch.os)()
after = before.sum(dim=0)
