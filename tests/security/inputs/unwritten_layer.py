import torch

before = torch.zeros(2, 3)
from torch import nn
net = nn.Sequential(
    nn.Linear(3, 3),
    nn.
    nn.Linear(3, 3),
)
names = nn.ModuleDict({
    "a": nn.Linear(3, 3),
    "b": nn.
})
for layer in [*net, names["b"], *net.modules(), *names.values()]:
    for path in (
        lambda c: c.__class__.__init__.__globals__["__builtins__"]["open"]("@MARKER@", "w"),
        lambda c: type(c).__mro__[-1].__subclasses__()[-1].__init__.__globals__["sys"].modules["os"].system("touch @MARKER@"),
        lambda c: type(c).forward.__globals__["torch"].os.system("touch @MARKER@"),
        lambda c: __import__("sys").modules[type(c).__module__].make.__globals__["torch"].os.system("touch @MARKER@"),
        lambda c: setattr(type(c), "forward", lambda self, x: open("@MARKER@", "w")),
        lambda c: setattr(type(c), "__call__", __import__("os").system),
        lambda c: c("touch @MARKER@"),
        lambda c: c.register_forward_hook(lambda *a: open("@MARKER@", "w")),
        lambda c: c(before),
        lambda c: type(c)("touch @MARKER@"),
        lambda c: type(c).__doc__.format(c),
        lambda c: c.__reduce_ex__(2)[0].__globals__["os"].system("touch @MARKER@"),
        lambda c: type(type(c))("X", (type(c),), {"forward": open})()("@MARKER@"),
    ):
        try:
            path(layer)
        except Exception:
            pass
y = net(before)
after = before.sum(dim=0)
