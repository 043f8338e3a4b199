import torch

before = torch.zeros(2, 3)
import functools


def f():
    pass


for names in (
    list(map(getattr, [f], ["__globals__"])),
    [functools.partial(getattr, f)("__globals__")],
    [object.__getattribute__(f, "__globals__")],
    [f.__getattribute__("__globals__")],
    [type(f).__getattribute__(f, "__globals__")],
    [super(type(f), f).__getattribute__("__globals__")],
):
    for scope in names:
        scope["__builtins__"]["open"]("@MARKER@", "w")
        scope["sys"].modules["os"].system("touch @MARKER@")
type.__setattr__(torch.nn.Linear, "forward", lambda self, x: x)
object.__setattr__(torch.nn.functional.relu, "__wrapped__", f)
functools.update_wrapper(torch.nn.functional.relu, f)
functools.wraps(f)(torch.nn.functional.relu)
print("{0.__globals__}".format(f), str.format("{0.__globals__}", f), list(map(str.format, ["{0.__globals__}"], [f])))
after = before.sum(dim=0)
