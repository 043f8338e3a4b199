import math

import torch
from torch import nn


class Double(nn.Module):
    def forward(self, x):
        return torch.cat([x, x])


def layers(rows):
    made = []
    for kind, args in rows:
        kind = eval(kind) if isinstance(kind, str) else kind
        for at, arg in enumerate(args):
            try:
                args[at] = eval(arg) if isinstance(arg, str) else arg
            except NameError:
                pass
        made.append(kind(*args))
    return nn.Sequential(*made)


def scaled(width, rule="width * factor"):
    factor = 3
    return eval(rule)


channels = 4
net = layers([["nn.Linear", [2, "channels"]], ["Double", []], [nn.Flatten, [0, "channels - 3"]]])
out = net(torch.ones(3, 2))
unnamed = layers([["nn.Flatten", ["nowhere"]]])[0].start_dim
sizes = [eval(text) for text in ("1 + 2", " [n * n for n in range(4)]", "{'a': channels}['a']", "max(2, channels)")]
width = scaled(5)
root = eval("sqrt(n)", {"sqrt": math.sqrt}, {"n": 16})
inside = eval("channels + here", globals(), {"here": 1})
twice = eval("lambda t: t * 2")(torch.ones(2))
nested = eval("eval('channels') + 1")
try:
    eval("1 +")
    wrong = False
except SyntaxError:
    wrong = True
