import functools
import itertools
from collections import OrderedDict, defaultdict, namedtuple
from contextlib import contextmanager
from typing import NamedTuple

import torch


class Batch(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor


Pair = namedtuple("Pair", ["first", "second"])


def batches(n, size):
    for start in range(0, n, size):
        stop = min(start + size, n)
        yield Batch(torch.randn(stop - start, 6), torch.zeros(stop - start, dtype=torch.long))


def make_scaler(factor):
    offset = torch.tensor(1.0)

    def scale(t):
        nonlocal factor
        factor = factor + 1
        return t * factor + offset

    return scale


def compose(*functions):
    return functools.reduce(lambda f, g: lambda x: g(f(x)), functions)


class Base:
    registry = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Base.registry[cls.__name__] = cls

    def __init__(self, dim):
        self.weight = torch.randn(dim, dim)

    def __call__(self, x):
        return self.apply(x)

    def apply(self, x):
        raise NotImplementedError


class Rotate(Base):
    def apply(self, x):
        return x @ self.weight


class Shift(Rotate):
    def __init__(self, dim, by=0.5):
        super().__init__(dim)
        self.by = torch.full((dim,), by)

    def apply(self, x):
        y = super().apply(x)
        return y + self.by


@contextmanager
def scaled(t, by):
    yield t * by


for batch in batches(10, 4):
    x, y = batch
    total = batch.x.sum() + batch.y.sum()

scale = make_scaler(2)
a = scale(torch.ones(3))
f = compose(torch.relu, lambda t: t.unsqueeze(0), functools.partial(torch.squeeze, dim=0))
b = f(torch.randn(4, 2))
for name, cls in Base.registry.items():
    c = cls(5)(torch.randn(2, 5))
pair = Pair(torch.ones(2), second=torch.ones(3))
d = torch.cat(pair)
groups = defaultdict(list)
for i, j in itertools.product(range(2), range(3)):
    groups[i].append(torch.full((2,), float(j)))
e = torch.stack(groups[1])
table = {f"layer{i}": torch.zeros(i + 1, 2) for i in range(3)}
g = table["layer2"]
first, *rest = [torch.ones(n) for n in (1, 2, 3)]
h = rest[-1]
with scaled(torch.ones(4), 3) as tripled:
    k = tripled + 1
try:
    m = torch.ones(2) + torch.ones(3)
except RuntimeError:
    m = torch.ones(5)
finally:
    n = torch.ones(6)
if (size := b.shape[0]) > 3:
    o = b[: size // 2]
else:
    o = b
shapes = sorted({tuple(t.shape) for t in table.values()}, reverse=True)
p = torch.empty(shapes[0])
q = torch.ones(2, 3) if not shapes else torch.ones(3, 2)
while p.dim() < 4:
    p = p.unsqueeze(0)
ordered = OrderedDict(zip("abc", torch.arange(6).view(3, 2)))
r = ordered["b"]
s = sum(t.float().mean() for t in ordered.values())
text = "{} {:>8}".format(*map(str, r.shape), "x")
match tuple(q.shape):
    case (rows, 2):
        u = torch.zeros(rows)
    case _:
        u = torch.zeros(1)
