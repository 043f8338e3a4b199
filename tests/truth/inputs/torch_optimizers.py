"""Optimizers, schedulers, averaged models and gradients held to real torch."""

import copy
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

# all optimizers
net = nn.Linear(4, 3)
x, t = torch.randn(5, 4), torch.randint(0, 3, (5,))
for cls in [
    torch.optim.SGD,
    torch.optim.Adam,
    torch.optim.AdamW,
    torch.optim.RMSprop,
    torch.optim.Adagrad,
    torch.optim.Adadelta,
    torch.optim.Adamax,
    torch.optim.NAdam,
    torch.optim.RAdam,
    torch.optim.ASGD,
    torch.optim.Rprop,
]:
    opt = cls(net.parameters(), lr=0.01)
    opt.zero_grad()
    loss = F.cross_entropy(net(x), t)
    loss.backward()
    opt.step()
g = net.weight.grad
w = net.weight
opt = torch.optim.SGD(
    [{"params": net.weight, "lr": 1e-3}, {"params": [net.bias]}],
    lr=0.1,
    momentum=0.9,
    weight_decay=1e-4,
    nesterov=True,
)
opt.add_param_group({"params": [nn.Parameter(torch.zeros(2, 2))]})
p = opt.param_groups[0]["params"][0]
lr = torch.full((1,), opt.param_groups[0]["lr"])
for gr in opt.param_groups:
    gr["lr"] = 0.5
    for q in gr["params"]:
        z = q.data
sd = opt.state_dict()
opt.load_state_dict(sd)
mu = torch.optim.Muon([nn.Parameter(torch.zeros(3, 3))])
af = torch.optim.Adafactor(net.parameters())

# lbfgs closure
net = nn.Linear(4, 1)
opt = torch.optim.LBFGS(net.parameters(), lr=0.1, max_iter=20, line_search_fn="strong_wolfe")
x, y = torch.randn(5, 4), torch.randn(5, 1)


def closure():
    opt.zero_grad()
    out = net(x)
    loss = F.mse_loss(out, y)
    loss.backward()
    return loss


l = opt.step(closure)
for i in range(3):
    l2 = opt.step(closure)
opt2 = torch.optim.SGD(net.parameters(), lr=0.1)
l3 = opt2.step(closure)

# schedulers
from torch.optim.lr_scheduler import *

net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for s in [
    StepLR(opt, 3),
    MultiStepLR(opt, [2, 4]),
    ExponentialLR(opt, 0.9),
    CosineAnnealingLR(opt, 10),
    LambdaLR(opt, lambda e: 0.9**e),
    OneCycleLR(opt, 0.1, total_steps=10),
    CosineAnnealingWarmRestarts(opt, 5),
    LinearLR(opt),
    ConstantLR(opt),
    PolynomialLR(opt),
    CyclicLR(opt, 0.01, 0.1),
]:
    opt.step()
    s.step()
    lr = torch.tensor(s.get_last_lr())
    z = torch.zeros(s.last_epoch)
pl = ReduceLROnPlateau(opt, "min", patience=2)
loss = net(torch.randn(2, 4)).sum()
pl.step(loss)
pl.step(loss.item())
seq = SequentialLR(opt, [ConstantLR(opt, 0.1, 2), ExponentialLR(opt, 0.9)], milestones=[2])
seq.step()
a = torch.tensor(seq.get_last_lr())
lr_now = torch.full((2,), opt.param_groups[0]["lr"])
mul = MultiplicativeLR(opt, lambda e: 0.95)
mul.step()


class Noam(torch.optim.lr_scheduler._LRScheduler):
    def __init__(self, o, w, last=-1):
        self.w = w
        super().__init__(o, last)

    def get_lr(self):
        return [b * min(1.0, (self.last_epoch + 1) / self.w) for b in self.base_lrs]


n = Noam(opt, 4)
n.step()
b = torch.tensor(n.get_last_lr())
sd = n.state_dict()

# swa ema
from torch.optim.swa_utils import AveragedModel, SWALR, update_bn, get_ema_multi_avg_fn

net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
swa = AveragedModel(net)
sl = SWALR(opt, swa_lr=0.05)
ema = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.999))
for i in range(3):
    opt.zero_grad()
    net(torch.randn(2, 4)).sum().backward()
    opt.step()
    swa.update_parameters(net)
    ema.update_parameters(net)
    sl.step()
dl = torch.utils.data.DataLoader(torch.randn(8, 4), batch_size=4)
update_bn(dl, swa)
y = swa(torch.randn(2, 4))
z = ema.module(torch.randn(2, 4))
w = swa.module[0].weight


# own optimizer and ema by hand
class MySGD(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                grad = p.grad.data
                state = self.state[p]
                if len(state) == 0:
                    state["step"] = 0
                    state["m"] = torch.zeros_like(p.data)
                m = state["m"]
                state["step"] += 1
                m.mul_(0.9).add_(grad, alpha=0.1)
                p.data.add_(m, alpha=-group["lr"])
        return loss


net = nn.Linear(3, 2)
opt = MySGD(net.parameters())
net(torch.randn(4, 3)).sum().backward()
opt.step()
teacher = copy.deepcopy(net)
with torch.no_grad():
    for a, b in zip(net.parameters(), teacher.parameters()):
        b.data.mul_(0.99).add_(a.data, alpha=0.01)
        b.copy_(b * 0.9 + a * 0.1)
tot = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
nn.utils.clip_grad_value_(net.parameters(), 1.0)
n = sum(p.numel() for p in net.parameters() if p.requires_grad)
z = torch.zeros(n)
vec = nn.utils.parameters_to_vector(net.parameters())
nn.utils.vector_to_parameters(vec, net.parameters())
gn = torch.norm(torch.stack([torch.norm(p.grad.detach(), 2) for p in net.parameters()]), 2)

# grad scaler cpu
net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", enabled=False)
sc2 = torch.cuda.amp.GradScaler()
sc3 = torch.amp.GradScaler("cuda", enabled=torch.cuda.is_available())
for s in (scaler, sc2, sc3):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = net(torch.randn(2, 4))
        loss = out.float().sum()
    sl = s.scale(loss)
    sl.backward()
    s.unscale_(opt)
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    s.step(opt)
    s.update()
    opt.zero_grad(set_to_none=True)
    k = s.get_scale()
    sd = s.state_dict()

# autocast cpu
net = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Conv1d(1, 1, 1))
with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
    a = torch.randn(2, 4)
    b = a @ a.t()
    c = F.softmax(b, -1)
    d = b.exp()
    e = F.linear(a, torch.randn(3, 4))
    f = e + a[:, :3]
    g = torch.cat([e, a], 1)
    h = F.layer_norm(e, (3,))
    i = F.mse_loss(e, torch.zeros(2, 3))
    j = F.cross_entropy(e, torch.tensor([0, 1]))
    with torch.autocast("cpu", enabled=False):
        k = a @ a.t()
        l = e.float() @ e.float().t()
    m = nn.LSTM(4, 5)(torch.randn(3, 2, 4))[0]
    n = nn.MultiheadAttention(4, 2)(torch.randn(3, 2, 4), torch.randn(3, 2, 4), torch.randn(3, 2, 4))[0]
    o = F.scaled_dot_product_attention(
        torch.randn(1, 2, 3, 4), torch.randn(1, 2, 3, 4), torch.randn(1, 2, 3, 4)
    )
    p = F.conv2d(torch.randn(1, 1, 4, 4), torch.randn(1, 1, 3, 3))
    q = torch.bmm(torch.randn(1, 2, 3), torch.randn(1, 3, 2))
    r = torch.einsum("ij,jk->ik", a, a.t())


@torch.autocast("cpu", dtype=torch.bfloat16)
def fn(x):
    return x @ x.t()


s = fn(torch.randn(2, 3))
