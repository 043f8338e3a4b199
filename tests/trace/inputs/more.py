import asyncio
import collections
import copy
import enum
import functools
import itertools
import math
import operator
import random
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Tuple

import torch
from torch import nn

# scoping
x = 1


class Scope:
    x = 2
    y = [x for _ in range(2)]
    z = x + 1

    def get(self):
        return x

    w = [i * 2 for i in range(3)]


scope = Scope.y, Scope.z, Scope().get(), Scope.w
funcs = {}
for name in ("a", "b"):

    def make(n=name):
        return n

    funcs[name] = make
made = [f() for f in funcs.values()]
fs = []
for i in range(3):
    fs.append(lambda: i)
late = [f() for f in fs]


def outer():
    total = []

    def add(n):
        total.append(n)
        if n:
            add(n - 1)
        return total

    return add(3)


rec_inner = outer()


def shadow(list=None):
    list = list or (1, 2)
    return len(list)


sh = shadow()


def conditional(flag):
    if flag:
        value = 1
    else:
        value = 2

    def inner():
        nonlocal value
        value += 10
        return value

    inner()
    return value


cond = conditional(True), conditional(False)
count = 0


def global_count():
    global count
    count += 1
    return count


gc = [global_count() for _ in range(3)], count
calls = []


def trace(label, value):
    calls.append(label)
    return value


short = trace("a", 0) and trace("b", 1), trace("c", 1) or trace("d", 2), trace("e", 5) if trace("f", True) else trace("g", 0)
order = {trace("k", 1): trace("v", 2)}
cmp_chain = trace("1", 1) < trace("2", 2) < trace("3", 3)
kw_order = (lambda *a, **k: (a, k))(trace("p", 1), *[trace("s", 2)], q=trace("q", 3))
gen_lazy = next((v for v in [1, 2, 3] if v > 1), None)
any_short = any(v == 1 for v in [1, 2]), all(v < 2 for v in [1, 2])
zipped = dict(zip("abc", range(3)))
unzipped = list(zip(*zipped.items()))
sorted_desc = sorted(zipped, key=zipped.get, reverse=True)
sorted_two = sorted([("b", 1), ("a", 1), ("c", 0)], key=lambda t: (t[1], t[0]))
nested_comp = [[(i, j) for j in range(i)] for i in range(3)]
cond_comp = {k: ("even" if k % 2 == 0 else "odd") for k in range(4) if k != 2}
set_comp = sorted({len(w) for w in "a bb cc ddd".split()})
star = [*range(2), *"ab", *{"k": 1}]
first, *_, last = "abcdef"
(a, *b), c = [1, 2, 3], 4
swap = [1, 2, 3]
swap[0], swap[2] = swap[2], swap[0]
aug = [[0] * 2 for _ in range(2)]
aug[0][1] += 5
obj = {"n": {"m": [1, 2]}}
obj["n"]["m"][0] *= 10
idx = 0
arr = [0, 0, 0]
idx, arr[idx] = 2, 7
s = "abc"
s += "d"
t = (1, 2)
t += (3,)
alias = base = [1]
base += [2]
base = base + [3]
del_list = list(range(6))
del del_list[::2]
ints = (7 // -2, -7 % 3, divmod(7, -2), int(7.9), int(-7.9), round(7.5), round(-0.5), 0.1 + 0.2 == 0.3, 1 / 4, 2 ** -1, 10**3 // 7, math.floor(-1.5), math.ceil(1.2))
bools = (True + True, bool([]), bool([0]), not "", None is None, True == 1, "a" or "b", [] or {}, 0 or None)
strings = ("a".join(["1", "2"]), "%s_%03d" % ("x", 7), "{:.2f}|{:>6}|{:<4}|{:^5}|{:+d}".format(3.14159, "ab", "c", "d", 5), f"{x:>3}{'y':*<3}", "abc"[::-1], "abc"[-2:], "a,b".split(","), "x" * 3, "abc".find("c"))
while True:
    idx += 1
    if idx > 5:
        break
else:
    idx = -1
for n in range(3):
    if n == 5:
        break
else:
    found = "none"
try:
    try:
        raise ValueError("inner")
    finally:
        calls.append("cleanup")
except ValueError as error:
    message = str(error)


def many():
    for i in range(3):
        try:
            if i == 0:
                continue
            if i == 2:
                return i
        finally:
            calls.append(f"finally{i}")


mn = many()


def generator_with_try():
    try:
        while True:
            received = yield
            calls.append(received)
    except ValueError as error:
        calls.append(str(error))
        yield "handled"


g = generator_with_try()
next(g)
g.send("one")
thrown = g.throw(ValueError("thrown"))
g2 = generator_with_try()
next(g2)
g2.close()


def sub():
    got = yield 1
    return got


def delegating():
    value = yield from sub()
    yield value * 2


dg = delegating()
dgs = next(dg), dg.send(21)


def count_to(n):
    yield from range(n)


window = [list(w) for w in zip(count_to(3), itertools.islice(count_to(5), 2, None))]
pipeline = sum(map(lambda v: v * v, filter(lambda v: v % 2, count_to(6))))


class Node:
    def __init__(self, value, children=()):
        self.value, self.children = value, list(children)

    def __iter__(self):
        yield self.value
        for child in self.children:
            yield from child

    def depth(self):
        return 1 + max((c.depth() for c in self.children), default=0)


tree = Node(1, [Node(2, [Node(3)]), Node(4)])
walked, depth = list(tree), tree.depth()


class Matrix:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, key):
        if isinstance(key, tuple):
            r, c = key
            return self.rows[r][c]
        return self.rows[key]

    def __setitem__(self, key, value):
        r, c = key
        self.rows[r][c] = value

    def __matmul__(self, other):
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in zip(*other.rows)] for r in self.rows])

    @property
    def T(self):
        return Matrix([list(c) for c in zip(*self.rows)])

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])


m = Matrix([[1, 2], [3, 4], [5, 6]])
m[0, 1] = 20
mat = m[0, 1], m[1], (m.T @ m).rows, m.shape


class Registry(dict):
    def register(self, key=None):
        def wrap(obj):
            self[key or obj.__name__.lower()] = obj
            return obj

        return wrap


MODELS = Registry()


@MODELS.register()
class Small(nn.Module):
    width = 4

    def __init__(self, depth=2):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(self.width, self.width) for _ in range(depth))
        self.names = [n for n, _ in self.named_children()]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


@MODELS.register("big")
class Big(Small):
    width = 8

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.head = nn.Linear(self.width, 3)

    def forward(self, x):
        return self.head(super().forward(x))


outs = {k: tuple(v()(torch.zeros(2, v.width)).shape) for k, v in MODELS.items()}
n_params = {k: sum(p.numel() for p in v(depth=1).parameters()) for k, v in MODELS.items()}
state = {k: tuple(v.shape) for k, v in Big().state_dict().items()}
named = [n for n, _ in Big().named_parameters()]
big = Big()
frozen = 0
for n_, p in big.named_parameters():
    if "head" not in n_:
        p.requires_grad = False
        frozen += 1
trainable = sum(p.requires_grad for p in big.parameters())
groups = [{"params": [p for p in big.parameters() if p.requires_grad], "lr": 0.1}, {"params": [], "lr": 0.01}]
n_groups = [len(g["params"]) for g in groups]
has = hasattr(big, "head"), hasattr(big, "tail"), getattr(big, "tail", None), isinstance(big, Small), callable(big), len(list(big.modules()))
children = [type(c).__name__ for c in big.children()]
seq = nn.Sequential(*[nn.Linear(2, 2) for _ in range(3)])
seq_info = len(seq), len(seq[:2]), isinstance(seq[0], nn.Linear), [i for i, _ in enumerate(seq)]
dims = [8, 16, 4]
pairs = [(i, o) for i, o in zip(dims[:-1], dims[1:])]
mlp = nn.Sequential(*itertools.chain.from_iterable((nn.Linear(i, o), nn.ReLU()) for i, o in pairs))
mlp_out = tuple(mlp(torch.zeros(3, 8)).shape)
t1 = torch.zeros(2, 3)
shape_info = t1.shape[0], t1.size(-1), list(t1.shape), t1.shape == (2, 3), len(t1), t1.numel(), [*t1.shape[::-1]], t1.ndim, tuple(t1.T.shape)
B, T = t1.shape
rows = [tuple(r.shape) for r in t1]
stacked = torch.stack([r for r in t1 for _ in range(2)])


@dataclass
class Args:
    width: int = 3
    sizes: List[int] = field(default_factory=lambda: [1, 2])
    extra: Optional[dict] = None

    def __post_init__(self):
        self.extra = self.extra or {"k": self.width}


args = Args(sizes=[5])
args_info = args.width, args.sizes, args.extra, Args().sizes, Args() == Args(), args != Args()
args2 = copy.copy(args)
args2.sizes.append(6)
shared = args.sizes
deep = copy.deepcopy(args)
deep.sizes.append(7)
apart = args.sizes, deep.sizes


class Events:
    def __init__(self):
        self.handlers = defaultdict(list)

    def on(self, event):
        def wrap(f):
            self.handlers[event].append(f)
            return f

        return wrap

    def emit(self, event, *a, **k):
        return [h(*a, **k) for h in self.handlers[event]]


events = Events()


@events.on("x")
def handler1(v, scale=1):
    return v * scale


@events.on("x")
def handler2(v, scale=1):
    return v + scale


emitted = events.emit("x", 3, scale=2), events.emit("nothing")


class Singleton:
    _instance = None

    def __new__(cls, *a, **k):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
            cls._instance.created = 0
        cls._instance.created += 1
        return cls._instance


single = Singleton() is Singleton(), Singleton().created


class Temperature:
    def __init__(self, c):
        self._c = c

    @property
    def f(self):
        return self._c * 9 / 5 + 32

    @f.setter
    def f(self, v):
        self._c = (v - 32) * 5 / 9


temp = Temperature(100)
temp_f = temp.f
temp.f = 32
temp_c = temp._c


class Op(enum.Enum):
    ADD = ("+", operator.add)
    MUL = ("*", operator.mul)

    def __init__(self, sign, fn):
        self.sign = sign
        self.fn = fn

    def __call__(self, a, b):
        return self.fn(a, b)


op_info = Op.ADD(2, 3), [o.sign for o in Op], Op.MUL.fn(2, 3), Op["ADD"].name


class Pipeline:
    def __init__(self):
        self.steps = []

    def __or__(self, f):
        self.steps.append(f)
        return self

    def __call__(self, v):
        return functools.reduce(lambda acc, f: f(acc), self.steps, v)

    def __getattr__(self, name):
        if name.startswith("with_"):
            return lambda v: (name[5:], v)
        raise AttributeError(name)


pipe = (Pipeline() | (lambda v: v + 1) | str | len)(99)
dynamic = Pipeline().with_size(3)
partials = [functools.partial(lambda a, b, c=0: (a, b, c), 1, c=k)(2) for k in range(2)]
bound = "a b".split
bound_called = bound()
unbound = list(map(str.upper, "ab")), list(map(str.strip, [" a "])), sorted("bA", key=str.lower)
meth = Temperature.f.fget(Temperature(0))
lookup = {int: "int", str: "str", torch.Tensor: "tensor"}
types = [lookup.get(type(v), "other") for v in (1, "a", torch.zeros(1), 2.0)]
is_instance = [isinstance(v, (int, str)) for v in (1, "a", 2.0, True)]
cls_name = big.__class__.__name__, type(big).__mro__[1] is Small if False else True
walrus_loop = []
data = iter([3, 2, 1, 0, 9])
while (item := next(data)) != 0:
    walrus_loop.append(item)
flat = [leaf for branch in [[1, 2], [3]] for leaf in branch]
matrix_t = list(map(list, zip(*[[1, 2], [3, 4]])))
accumulate = list(itertools.accumulate([1, 2, 3], lambda a, b: a * 10 + b))
grouped = {k: [v for _, v in g] for k, g in itertools.groupby([("a", 1), ("a", 2), ("b", 3)], key=lambda p: p[0])}
counter = collections.Counter(w for w in "a b a c a".split() if w != "c")
top = counter.most_common(1)[0]
inverse = {v: k for k, v in zipped.items()}
merged = {**zipped, **{"a": 10}, "z": 1}
popped = merged.pop("z"), merged.popitem() if False else None
default_get = merged.get("q", []) + [1]
bits = [int(b) for b in f"{10:05b}"]
ternary = "pos" if x > 0 else "neg" if x < 0 else "zero"
multi_target = q1 = q2 = 5
lam = (lambda a, *b, c=3, **d: (a, b, c, d))(1, 2, c=4, e=5)
nested_fn = (lambda f: f(f, 5))(lambda f, n: 1 if n == 0 else n * f(f, n - 1))
assert x == 1, "never"
if __name__ != "__main__":
    raise SystemExit
type_hint: Callable[[int], List[Tuple[int, ...]]] = lambda n: [(n,)]
hinted = type_hint(2)
conditional_import = None
try:
    import tomllib_that_is_not_there
except ModuleNotFoundError as error:
    conditional_import = error.name
random.seed(1)
