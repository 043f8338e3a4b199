"""Modules: wrapped, hooked, parametrized, pruned, lazy, checkpointed."""

import copy
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

# checkpoint
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
import torch.utils.checkpoint as cp

net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 3))
x = torch.randn(2, 4, requires_grad=True)
a = checkpoint(net, x, use_reentrant=False)
b = cp.checkpoint(lambda q: net(q) + 1, x, use_reentrant=False)
c = checkpoint_sequential(net, 2, x, use_reentrant=False)
d = torch.utils.checkpoint.checkpoint(net, x, use_reentrant=True)


def halved(q):
    inner = net(q) / 2
    return inner


e = torch.utils.checkpoint.checkpoint(halved, x.clone().requires_grad_(), use_reentrant=True)
e.sum().backward()


class B(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.use = True

    def inner(self, x, y):
        z = self.l(x)
        return z, y

    def forward(self, x):
        if self.use and self.training:
            x, y = checkpoint(self.inner, x, None, use_reentrant=False)
        return x


e = B()(x)
(a.sum() + e.sum()).backward()
g = x.grad

# wrappers
net = nn.Sequential(nn.Linear(4, 3))
dp = nn.DataParallel(net)
x = torch.randn(2, 4)
a = dp(x)
w = dp.module[0].weight
for p in dp.parameters():
    q = p
m = dp.module if isinstance(dp, nn.DataParallel) else dp
b = m(x)
c = (dp.module if hasattr(dp, "module") else dp)(x)
if torch.cuda.device_count() > 1:
    net = nn.DataParallel(net)
d = net(x)
dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = net.to(dev)
e = net(x.to(dev))

# dist
import torch.distributed as dist
import os

rank = int(os.environ.get("RANK", 0))
x = torch.randn(2, 4)
if dist.is_available() and dist.is_initialized():
    dist.all_reduce(x)
    x = x[0]
y = x + 1


def reduce_mean(t):
    if not dist.is_initialized():
        return t
    t = t.clone()
    dist.all_reduce(t)
    t /= dist.get_world_size()
    return t


z = reduce_mean(y)


def ws():
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


w = torch.zeros(4 // ws())

# hooks
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
acts = {}


def save(name):
    def hook(module, inp, out):
        acts[name] = out.detach()
        i0 = inp[0]

    return hook


hs = [net[0].register_forward_hook(save("fc1")), net[2].register_forward_hook(save("fc2"))]
y = net(torch.randn(3, 4))
a = acts["fc1"]
b = acts["fc2"]
for h in hs:
    h.remove()


def pre(m, args):
    q = args[0] * 2
    return (q,)


h = net.register_forward_pre_hook(pre)
y2 = net(torch.randn(3, 4))
h.remove()


def change(m, i, o):
    return o[:1]


h2 = net.register_forward_hook(change)
y3 = net(torch.randn(3, 4))
h2.remove()
y4 = net(torch.randn(3, 4))
grads = []


def bhook(m, gi, go):
    grads.append(go[0])


h3 = net[0].register_full_backward_hook(bhook)
net(torch.randn(3, 4)).sum().backward()
gg = grads[0]
x = torch.randn(3, requires_grad=True)
got = []
x.register_hook(lambda g: got.append(g))


def dbl(g):
    r = g * 2
    return r


hh = x * 2
hh.register_hook(dbl)
hh.retain_grad()
hh.sum().backward()
g0 = hh.grad
xg = x.grad
g1 = got[0]


# hook class
class Extract(nn.Module):
    def __init__(self, model, layers):
        super().__init__()
        self.model = model
        self.layers = layers
        self._features = {l: torch.empty(0) for l in layers}
        for l in layers:
            layer = dict([*self.model.named_modules()])[l]
            layer.register_forward_hook(self.save(l))

    def save(self, l):
        def fn(_, __, output):
            self._features[l] = output

        return fn

    def forward(self, x):
        _ = self.model(x)
        return self._features


f = Extract(nn.Sequential(nn.Linear(4, 5), nn.Linear(5, 6)), ["0", "1"])(torch.randn(2, 4))
a = f["0"]
b = f["1"]


# containers
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.pl = nn.ParameterList([nn.Parameter(torch.randn(2, 3)) for _ in range(3)])
        self.pd = nn.ParameterDict({"a": nn.Parameter(torch.ones(4)), "b": torch.zeros(2)})
        self.md = nn.ModuleDict({"l": nn.Linear(3, 5), "r": nn.ReLU()})
        self.ml = nn.ModuleList(nn.Linear(5, 5) for _ in range(2))
        self.ml.append(nn.Linear(5, 1))
        self.register_buffer("buf", torch.zeros(7))
        self.register_buffer("pos", torch.arange(10).unsqueeze(0), persistent=False)
        self.register_parameter("par", nn.Parameter(torch.zeros(2, 2)))
        self.register_parameter("nope", None)
        self.act = nn.ModuleDict([["relu", nn.ReLU()], ["gelu", nn.GELU()]])

    def forward(self, x):
        for p in self.pl:
            x = x + p
        x = self.md["l"](x)
        x = self.act["gelu"](x)
        for i, l in enumerate(self.ml):
            x = l(x)
        for k, v in self.md.items():
            kk = v
        return x, self.buf + 1, self.pos[0, :3], self.pd["a"], self.pl[0], self.par


m = M()
o = m(torch.randn(2, 3))
sd = m.state_dict()
w = sd["ml.0.weight"]
m.load_state_dict(sd)
r = m.load_state_dict(m.state_dict(), strict=False)
for n, p in m.named_parameters():
    q = p
for n, b in m.named_buffers():
    bb = b
ks = [k for k in sd if "ml" in k]
z = torch.zeros(len(ks))
for k, v in sd.items():
    vv = v
c = len(list(m.children()))
cc = torch.zeros(c)
mm = torch.zeros(len(list(m.modules())))
sub = m.get_submodule("ml.0")
y = sub(torch.randn(1, 5))
gp = m.get_parameter("ml.0.weight")
m.requires_grad_(False)
o2 = m(torch.randn(2, 3))
for p in m.parameters():
    p.requires_grad = False
m.half()
hh = m.par
m.double()
dd = m.par
m.float()
ff = m.buf
m.to(torch.bfloat16)
g = m.par
m.type(torch.float32)


def init(mod):
    if isinstance(mod, nn.Linear):
        nn.init.xavier_uniform_(mod.weight)
        mod.bias.data.fill_(0.01)


m.apply(init)
seq = nn.Sequential()
seq.add_module("a", nn.Linear(2, 3))
seq.append(nn.ReLU())
e = seq(torch.randn(1, 2))
s0 = seq[:1](torch.randn(1, 2))
from collections import OrderedDict

od = nn.Sequential(OrderedDict([("c", nn.Linear(2, 4)), ("d", nn.Tanh())]))
od1 = od.c(torch.randn(1, 2))
del od[1]
od2 = od(torch.randn(1, 2))
sq = nn.Sequential(nn.Linear(2, 3))
sq.insert(0, nn.Linear(5, 2))
e2 = sq(torch.randn(1, 5))
sq[0] = nn.Linear(6, 2)
e3 = sq(torch.randn(1, 6))
sq.extend([nn.Linear(3, 9)])
e4 = sq(torch.randn(1, 6))
nn2 = copy.deepcopy(m)
o3 = nn2(torch.randn(2, 3))
nn2.fc = nn.Linear(2, 2)
del nn2.fc
pp = nn2.ml[0].weight

# parametrize norm prune
from torch.nn.utils import weight_norm, spectral_norm, remove_weight_norm
import torch.nn.utils.parametrize as P
import torch.nn.utils.prune as prune

x = torch.randn(2, 4)
l = weight_norm(nn.Linear(4, 3))
a = l(x)
g = l.weight_g
v = l.weight_v
remove_weight_norm(l)
b = l(x)
s = spectral_norm(nn.Linear(4, 3))
c = s(x)
cw = s.weight
so = s.weight_orig
p = nn.utils.parametrizations.weight_norm(nn.Linear(4, 3))
d = p(x)
dw = p.weight
po = p.parametrizations.weight.original0
q = nn.utils.parametrizations.spectral_norm(nn.Linear(4, 3))
e = q(x)
o = nn.utils.parametrizations.orthogonal(nn.Linear(4, 4))
f = o(x)


class Sym(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)


y = nn.Linear(4, 4)
P.register_parametrization(y, "weight", Sym())
h = y(x)
hw = y.weight
ho = y.parametrizations.weight.original
P.remove_parametrizations(y, "weight")
i = y(x)
r = nn.Linear(4, 3)
prune.l1_unstructured(r, "weight", amount=0.3)
j = r(x)
jm = r.weight_mask
jo = r.weight_orig
prune.remove(r, "weight")
k = r(x)
prune.random_unstructured(r, name="bias", amount=1)
k2 = r(x)
conv = weight_norm(nn.Conv1d(4, 8, 3))
cv = conv(torch.randn(1, 4, 9))
prune.global_unstructured([(r, "weight")], pruning_method=prune.L1Unstructured, amount=0.2)
k3 = r(x)

# lazy
l = nn.LazyLinear(5)
y = l(torch.randn(2, 7))
w = l.weight
c = nn.LazyConv2d(6, 3)
z = c(torch.randn(1, 3, 8, 8))
cw = c.weight
net = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10))
o = net(torch.randn(2, 1, 8, 8))
o2 = net(torch.randn(3, 1, 8, 8))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
