import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, vmap, grad, jacrev
from functools import reduce, wraps
from itertools import islice, cycle, chain
from collections import defaultdict, Counter

def timed(fn):
    stats = Counter()
    @wraps(fn)
    def inner(*args, **kwargs):
        stats[fn.__name__] += 1
        return fn(*args, **kwargs)
    inner.stats = stats
    return inner
@timed
def sine_task(K=10):
    amp = torch.rand(1) * 4.9 + 0.1
    phase = torch.rand(1) * 3.14
    x = torch.rand(K, 1) * 10 - 5
    return x, amp * torch.sin(x + phase)
def net_fn(params, x):
    w1, b1, w2, b2 = params
    h = F.relu(F.linear(x, w1, b1))
    return F.linear(h, w2, b2)
def init():
    shapes = [(20, 1), (20,), (1, 20), (1,)]
    ps = [torch.zeros(s) for s in shapes]
    for p in ps:
        if p.ndim > 1:
            nn.init.kaiming_uniform_(p, a=5 ** 0.5)
        p.requires_grad_()
    return ps
params = init()
meta_opt = torch.optim.Adam(params, lr=1e-3)
for it in range(2):
    meta_loss = 0
    for task in range(2):
        xs, ys = sine_task()
        xq, yq = sine_task(K=5)
        fast = params
        for _ in range(2):
            inner = F.mse_loss(net_fn(fast, xs), ys)
            grads = torch.autograd.grad(inner, fast, create_graph=True)
            fast = [w - 0.01 * g for w, g in zip(fast, grads)]
        meta_loss = meta_loss + F.mse_loss(net_fn(fast, xq), yq)
    meta_opt.zero_grad()
    meta_loss.backward()
    meta_opt.step()
# prototypical
def euclid(x, y):
    n, m, d = x.size(0), y.size(0), x.size(1)
    x = x.unsqueeze(1).expand(n, m, d)
    y = y.unsqueeze(0).expand(n, m, d)
    return torch.pow(x - y, 2).sum(2)
enc = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 6))
n_way, k_shot, n_query = 4, 3, 2
episode = torch.randn(n_way, k_shot + n_query, 8)
xs, xq = episode[:, :k_shot], episode[:, k_shot:]
z = enc(torch.cat([xs.reshape(-1, 8), xq.reshape(-1, 8)], 0))
proto = z[:n_way * k_shot].view(n_way, k_shot, -1).mean(1)
zq = z[n_way * k_shot:]
dists = euclid(zq, proto)
logp = F.log_softmax(-dists, dim=1).view(n_way, n_query, -1)
tgt = torch.arange(n_way).view(n_way, 1, 1).expand(n_way, n_query, 1).long()
loss = -logp.gather(2, tgt).squeeze().view(-1).mean()
acc = torch.eq(logp.max(2)[1], tgt.squeeze(2)).float().mean()
class Rev(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        ctx.save_for_backward(x)
        return x.view_as(x)
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g.neg() * ctx.lam, None
r = Rev.apply(z, 0.5)
r.sum().backward()
class STE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return (x > 0).float()
    @staticmethod
    def backward(ctx, g): return F.hardtanh(g)
bits = STE.apply(enc(episode.view(-1, 8)))
hvp_f = lambda v: (v ** 3).sum()
v0 = torch.randn(4)
g0 = grad(hvp_f)(v0)
J = jacrev(lambda v: torch.stack([v.sum(), v.prod()]))(v0)
batched = vmap(lambda a, b: a @ b)(torch.randn(5, 3), torch.randn(5, 3))
Hs = torch.autograd.functional.hessian(hvp_f, v0)
buckets = defaultdict(list)
for i, v in enumerate(torch.randn(9, 2)):
    buckets['pos' if i % 3 else 'zero'].append(v)
merged = {k: torch.stack(v) for k, v in buckets.items()}
mp = merged['pos']
prod = reduce(torch.matmul, [torch.randn(2, 3), torch.randn(3, 4), torch.randn(4, 5)])
first = list(islice(cycle([torch.zeros(2), torch.ones(3)]), 3))
f2 = first[2]
def tree_map(f, t):
    if isinstance(t, dict): return {k: tree_map(f, v) for k, v in t.items()}
    if isinstance(t, (list, tuple)): return type(t)(tree_map(f, v) for v in t)
    return f(t)
tree = tree_map(lambda t: t.double()[None], {'a': [torch.zeros(2), torch.ones(1, 2)], 'b': (torch.ones(3),)})
ta, tb = tree['a'][1], tree['b'][0]
flat = torch.cat([t.reshape(-1) for t in chain.from_iterable(tree.values())])
try:
    bad = torch.zeros(2, 3) @ torch.zeros(2, 3)
except RuntimeError as e:
    bad = torch.zeros(2, 2)
    msg = str(e)
def fib_mats(n):
    a, b = torch.eye(2), torch.ones(2, 2)
    while n > 0:
        yield a
        a, b = b, a + b
        n -= 1
fm = torch.stack(list(fib_mats(4)))
it = 0
e = torch.tensor(1.0)
while e > 1e-3 and it < 100:
    e = e / 2
    it += 1
if (s := mp.sum()) > 0:
    sign = torch.ones(1)
else:
    sign = -torch.ones(1)
sd = {k: v for k, v in enc.state_dict().items() if 'weight' in k}
out = functional_call(enc, dict(enc.named_parameters()), (torch.randn(3, 8),))
match mp.shape:
    case (n, d):
        mm = mp.view(d, n)
    case _:
        mm = mp
