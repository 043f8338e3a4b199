import torch

before = torch.zeros(2, 3)
import functools

CODE = "open('@MARKER@', 'w')"
list(map(eval, [CODE]))
functools.partial(eval, CODE)()
sorted([CODE], key=eval)
list(filter(exec, [CODE]))


class Model(torch.nn.Module):
    forward = eval


Model()(CODE)


class Text(str):
    run = property(eval)


Text(CODE).run
torch.nn.Linear(1, 1).apply(lambda m: eval(CODE))
after = before.sum(dim=0)
