"""Autograd, torch.func and the smaller parts of the tensor API."""

import copy
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

# autograd
x = torch.randn(3, requires_grad=True)
y = (x**2).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
h = torch.autograd.grad(g.sum(), x)[0]
y2 = x**3
y2.backward(torch.ones(3), retain_graph=True)
xg = x.grad
y2.backward(gradient=torch.ones_like(y2))
a, b = torch.autograd.grad((x * 2).sum(), [x, y2], allow_unused=True)
J = torch.autograd.functional.jacobian(lambda v: v**2, x)
H = torch.autograd.functional.hessian(lambda v: (v**2).sum(), x)
o, vj = torch.autograd.functional.vjp(lambda v: v**2, x, torch.ones(3))
o2, jv = torch.autograd.functional.jvp(lambda v: v**2, x, torch.ones(3))
gp = torch.autograd.grad(
    outputs=y2.sum() if False else (x * x),
    inputs=x,
    grad_outputs=torch.ones(3),
    create_graph=True,
    retain_graph=True,
    only_inputs=True,
)[0]
with torch.no_grad():
    n = x * 2
with torch.inference_mode():
    im = x * 2
with torch.set_grad_enabled(False):
    s = x * 2
with torch.enable_grad():
    e = x * 2


@torch.no_grad()
def f(v):
    return v * 2


@torch.inference_mode()
def f2(v):
    return v * 2


@torch.no_grad
def f3(v):
    return v * 2


q = f(x)
q2 = f2(x)
q3 = f3(x)
torch.set_grad_enabled(False)
d = x * 2
torch.set_grad_enabled(True)
d2 = x * 2
v = torch.autograd.Variable(torch.randn(2, 3), requires_grad=True)
v2 = v * 2
z = x.detach().requires_grad_(True)
z.grad = torch.zeros(3)
zz = z.grad
z.grad.zero_()
z.grad = None
leaf = x.is_leaf
fn = y.grad_fn
xd = x.data
xc = x.detach().clone()
with torch.autograd.set_detect_anomaly(True):
    an = x * 3
with torch.autograd.detect_anomaly():
    an2 = x * 3
with torch.autograd.profiler.record_function("z"):
    an3 = x * 3
ok = torch.autograd.gradcheck(lambda t: t * 2, torch.randn(2, dtype=torch.double, requires_grad=True))
with torch.autograd.graph.save_on_cpu():
    an4 = x * 3


# custom function
class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.k = k
        ctx.shape = x.shape
        return x**2 * k

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        r = g * 2 * x * ctx.k
        return r, None


x = torch.randn(3, 2, requires_grad=True)
y = Sq.apply(x, 3.0)
y.sum().backward()
g = x.grad


class Two(torch.autograd.Function):
    @staticmethod
    def forward(x, w):
        return x @ w, x.argmax(-1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, w = inputs
        ctx.save_for_backward(x, w)
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx, g, _):
        x, w = ctx.saved_tensors
        gx = gw = None
        if ctx.needs_input_grad[0]:
            gx = g @ w.t()
        if ctx.needs_input_grad[1]:
            gw = x.t() @ g
        return gx, gw


a, b = Two.apply(torch.randn(4, 3), torch.randn(3, 2, requires_grad=True))
a.sum().backward()


class Rev(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, go):
        return go.neg() * ctx.alpha, None


def rev(x, a=1.0):
    return Rev.apply(x, a)


r = rev(torch.randn(2, requires_grad=True))
r.sum().backward()


class STE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        return (i > 0).float()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return F.hardtanh(g)


s = STE.apply(torch.randn(3, requires_grad=True))
s.sum().backward()
no = STE.apply(torch.randn(3))
relu = STE.apply
u = relu(torch.randn(4, requires_grad=True))


class InPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, g):
        return g * 2


from torch.cuda.amp import custom_fwd, custom_bwd


class AmpF(torch.autograd.Function):
    @staticmethod
    @custom_fwd
    def forward(ctx, x):
        return x * 2

    @staticmethod
    @custom_bwd
    def backward(ctx, g):
        return g * 2


am = AmpF.apply(torch.randn(2, requires_grad=True))

# func
from torch.func import (
    grad,
    vmap,
    jacrev,
    jacfwd,
    hessian,
    functional_call,
    stack_module_state,
    vjp,
    jvp,
    grad_and_value,
)

f = lambda x: (x**2).sum()
x = torch.randn(3)
a = grad(f)(x)
b = vmap(lambda v: v * 2)(torch.randn(4, 3))
c = jacrev(lambda v: v**2)(x)
d = jacfwd(lambda v: v**2)(x)
e = hessian(f)(x)
net = nn.Linear(3, 2)
params = dict(net.named_parameters())
g = functional_call(net, params, (x,))


def loss(p, x, t):
    return F.mse_loss(functional_call(net, p, (x,)), t)


gr = grad(loss)(params, x, torch.zeros(2))
gw = gr["weight"]
ps = vmap(grad(loss), in_dims=(None, 0, 0))(params, torch.randn(5, 3), torch.zeros(5, 2))
pw = ps["weight"]
models = [nn.Linear(3, 2) for _ in range(4)]
sp, sb = stack_module_state(models)
base = copy.deepcopy(models[0])
base = base.to("meta") if False else base


def fm(p, b, x):
    return functional_call(base, (p, b), (x,))


o = vmap(fm, in_dims=(0, 0, None))(sp, sb, torch.randn(6, 3))
o2 = vmap(fm)(sp, sb, torch.randn(4, 6, 3))
out, vf = vjp(lambda v: v**2, x)
o3, t3 = jvp(lambda v: v**2, (x,), (torch.ones(3),))
gv, val = grad_and_value(f)(x)
tv = torch.vmap(torch.dot)(torch.randn(4, 3), torch.randn(4, 3))

# misc tensor api
x = torch.randn(2, 3)
a = x.new_zeros(4, 2)
b = x.new_tensor([1, 2])
c = x.new_full((2,), 3.0)
d = x.new_empty(3)
e = x.new_ones((2, 2), dtype=torch.long)
f = x.type(torch.int32)
g = x.type_as(e)
h = x.type("torch.DoubleTensor")
i = torch.Tensor([1, 2, 3])
j = torch.Tensor(2, 3)
k = torch.Tensor([[1.0, 2.0]])
l = torch.FloatTensor([1, 2])
m = torch.LongTensor([[1], [2]])
n = torch.LongTensor(3, 2)
o = torch.zeros(x.numel())
p = torch.zeros(x.element_size())
q = torch.zeros(x.nbytes)
r = torch.zeros(x.dim(), x.ndim, x.ndimension())
s = torch.zeros(x.size(-1), x.nelement(), len(x))
t = x.is_floating_point()
u = x.copy_(torch.zeros(3))
v = torch.empty(3, 2, out=None)
w = torch.empty(0)
torch.add(x, 1, out=w)
w2 = w
y = torch.zeros(2, 3, dtype=torch.int32)
y += 1
y.add_(2)
z = y.float_power(2)
aa = y / 2
bb = y // 2
cc = y * 1.0
dd = y + torch.tensor(1.5)
ee = x.half() + 1.0
ff = x.half() * torch.tensor(2.0)
gg = x.half() + torch.ones(1)
hh = torch.arange(5) / 2
ii = torch.arange(0, 1, 0.1)
jj = torch.linspace(0, 1, 5)
kk = torch.arange(5.0)
torch.set_default_dtype(torch.float64)
ll = torch.zeros(2)
mm = nn.Linear(2, 3)(ll)
torch.set_default_dtype(torch.float32)
nn1 = torch.zeros(2)
oo = torch.Tensor.add(x, x)
qq = x.T
rr = x.mT
ss = x.H
tt = x.squeeze_() if False else x
uu = torch.clone(x)
vv = x.expand(4, -1, -1)
ww = x.expand_as(vv)
xx = torch.is_tensor(x)
yy = x.bool()
zz = x.byte()
ab = x.char()
ac = x.short()
ad = x.int()
ae = x.long()
af = x.bfloat16()
ag = x.cfloat()
ah = x.double()
gen = torch.Generator()
gen.manual_seed(3)
ai = torch.randn(3, generator=gen)
aj = torch.randperm(5, generator=gen)
ak = torch.multinomial(torch.rand(4, 5), 2)
al = torch.bernoulli(x.sigmoid())
am = torch.normal(torch.zeros(3), torch.ones(3))
an = torch.normal(0.0, 1.0, size=(2, 2))
ao = x.uniform_(0, 1)
ap = x.normal_()
aq = torch.empty(3).random_(0, 5)
ar = torch.empty(2).exponential_()
at = torch.rand_like(x)
au = torch.randint_like(x, 5)
av = torch.randint(5, (2,))
aw = torch.poisson(torch.rand(3))
torch.set_default_device("cpu")
ax = torch.zeros(1)
with torch.device("cpu"):
    ay = torch.zeros(2)
az = torch.get_default_dtype()
ba = torch.zeros(1, dtype=az)
bb1 = torch.tensor(3).item()
bc = torch.zeros(int(torch.tensor(3)))
bd = torch.finfo(torch.float32).min
be = torch.full((2,), bd)
bf = torch.full((2,), 1)
bg = torch.full((2,), True)
bh = torch.full((2,), 1.5)
