"""Few-shot sine regression and omniglot-like classification: MAML with torch.func, Reptile, prototypical nets."""
import argparse
import copy
import functools
from typing import Callable, Iterator, Tuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call, grad, grad_and_value, jacrev, stack_module_state, vmap

p = argparse.ArgumentParser()
p.add_argument("--inner-lr", type=float, default=0.01)
p.add_argument("--meta-lr", type=float, default=1e-3)
p.add_argument("--tasks", type=int, default=5)
p.add_argument("--shots", type=int, default=10)
p.add_argument("--iters", type=int, default=6)
p.add_argument("--ways", type=int, default=4)
opt = p.parse_args()
rng = np.random.default_rng(7)


class SineTask:
    def __init__(self):
        self.amp = rng.uniform(0.1, 5.0)
        self.phase = rng.uniform(0, np.pi)

    def sample(self, k):
        x = rng.uniform(-5, 5, (k, 1))
        y = self.amp * np.sin(x + self.phase)
        return torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


def task_batch(n_tasks, k) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    xs, ys, xq, yq = [], [], [], []
    for _ in range(n_tasks):
        t = SineTask()
        a, b = t.sample(k)
        c, d = t.sample(k)
        xs.append(a); ys.append(b); xq.append(c); yq.append(d)
    return torch.stack(xs), torch.stack(ys), torch.stack(xq), torch.stack(yq)


net = nn.Sequential(nn.Linear(1, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1))
meta_opt = torch.optim.Adam(net.parameters(), lr=opt.meta_lr)


def loss_for_task(params, x_s, y_s, x_q, y_q):
    def inner(p):
        preds = functional_call(net, p, (x_s,))
        return F.mse_loss(preds, y_s)

    grads = grad(inner)(params)
    new_params = {k: params[k] - opt.inner_lr * g for k, g in grads.items()}
    v_f = functional_call(net, new_params, (x_q,))
    return F.mse_loss(v_f, y_q)


for it in range(opt.iters):
    batch = task_batch(opt.tasks, opt.shots)
    params = dict(net.named_parameters())
    losses = vmap(functools.partial(loss_for_task, params))(*batch)
    meta_loss = losses.mean()
    meta_opt.zero_grad()
    meta_loss.backward()
    meta_opt.step()
print(meta_loss.item())


# second way: by hand with create_graph
def forward_with(weights, x):
    w1, b1, w2, b2, w3, b3 = weights
    h = F.relu(F.linear(x, w1, b1))
    h = F.relu(F.linear(h, w2, b2))
    return F.linear(h, w3, b3)


weights = [w.detach().clone().requires_grad_() for w in net.parameters()]
outer = torch.optim.SGD(weights, lr=1e-3)
for it in range(3):
    total = torch.zeros(())
    for x_s, y_s, x_q, y_q in zip(*task_batch(opt.tasks, opt.shots)):
        fast = weights
        for _ in range(2):
            inner_loss = F.mse_loss(forward_with(fast, x_s), y_s)
            gs = torch.autograd.grad(inner_loss, fast, create_graph=True)
            fast = [w - opt.inner_lr * g for w, g in zip(fast, gs)]
        total = total + F.mse_loss(forward_with(fast, x_q), y_q)
    outer.zero_grad()
    (total / opt.tasks).backward()
    outer.step()

# reptile
reptile = copy.deepcopy(net)
for outer_step in range(3):
    before = {k: v.clone() for k, v in reptile.state_dict().items()}
    xs, ys = SineTask().sample(20)
    sgd = torch.optim.SGD(reptile.parameters(), lr=0.02)
    for i in range(0, len(xs), 8):
        xb, yb = xs[i:i + 8], ys[i:i + 8]
        loss = (reptile(xb) - yb).pow(2).mean()
        sgd.zero_grad(); loss.backward(); sgd.step()
    after = reptile.state_dict()
    step = 0.1 * (1 - outer_step / 3)
    reptile.load_state_dict({name: before[name] + (after[name] - before[name]) * step for name in before})


# per-sample gradients and a jacobian, an ensemble under vmap
def loss_one(params, x, y):
    return F.mse_loss(functional_call(net, params, (x.unsqueeze(0),)).squeeze(0), y)


x, y = SineTask().sample(16)
detached = {k: v.detach() for k, v in net.named_parameters()}
per_sample, values = vmap(grad_and_value(loss_one), in_dims=(None, 0, 0))(detached, x, y)
norms = torch.stack([g.flatten(1).norm(dim=1) for g in per_sample.values()], dim=1).norm(dim=1)
factor = (1.0 / (norms + 1e-6)).clamp(max=1.0)
clipped = {k: torch.einsum("i,i...->...", factor, g) / len(x) for k, g in per_sample.items()}
jac = vmap(jacrev(lambda v: net(v)))(x)
ntk = torch.stack([j.flatten(1) @ j.flatten(1).T for j in vmap(jacrev(lambda p, v: functional_call(net, p, v)), (None, 0))(detached, x).values()]).sum(0)
print(norms.shape, jac.shape, ntk.shape, clipped["0.weight"].shape)

members = [nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)) for _ in range(4)]
stacked, buffers = stack_module_state(members)
base = copy.deepcopy(members[0]).to("meta")


def call(params, buffers, data):
    return functional_call(base, (params, buffers), (data,))


ens = vmap(call, in_dims=(0, 0, None))(stacked, buffers, x)
mean, std = ens.mean(0), ens.std(0)


# prototypical networks
def euclidean_dist(x, y):
    n, m, d = x.size(0), y.size(0), x.size(1)
    x = x.unsqueeze(1).expand(n, m, d)
    y = y.unsqueeze(0).expand(n, m, d)
    return torch.pow(x - y, 2).sum(2)


def conv_block(in_channels, out_channels):
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, 3, padding=1),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(),
        nn.MaxPool2d(2),
    )


class Protonet(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def loss(self, sample):
        xs, xq = sample["xs"], sample["xq"]
        n_class, n_support, n_query = xs.size(0), xs.size(1), xq.size(1)
        assert xq.size(0) == n_class
        target_inds = torch.arange(0, n_class).view(n_class, 1, 1).expand(n_class, n_query, 1).long()
        x = torch.cat([xs.view(n_class * n_support, *xs.size()[2:]), xq.view(n_class * n_query, *xq.size()[2:])], 0)
        z = self.encoder.forward(x)
        z_dim = z.size(-1)
        z_proto = z[:n_class * n_support].view(n_class, n_support, z_dim).mean(1)
        zq = z[n_class * n_support:]
        dists = euclidean_dist(zq, z_proto)
        log_p_y = F.log_softmax(-dists, dim=1).view(n_class, n_query, -1)
        loss_val = -log_p_y.gather(2, target_inds).squeeze().view(-1).mean()
        _, y_hat = log_p_y.max(2)
        acc_val = torch.eq(y_hat, target_inds.squeeze(-1)).float().mean()
        return loss_val, {"loss": loss_val.item(), "acc": acc_val.item()}


class EpisodicSampler:
    def __init__(self, n_classes, n_way, n_episodes):
        self.n_classes, self.n_way, self.n_episodes = n_classes, n_way, n_episodes

    def __len__(self):
        return self.n_episodes

    def __iter__(self) -> Iterator[Tensor]:
        for i in range(self.n_episodes):
            yield torch.randperm(self.n_classes)[:self.n_way]


glyphs = torch.rand(12, 9, 1, 16, 16)
proto = Protonet(nn.Sequential(conv_block(1, 16), conv_block(16, 16), nn.Flatten()))
optim = torch.optim.Adam(proto.parameters())
for classes in EpisodicSampler(12, opt.ways, 4):
    chosen = glyphs[classes]
    perm = torch.randperm(chosen.size(1))
    sample = {"class": classes, "xs": chosen[:, perm[:5]], "xq": chosen[:, perm[5:]]}
    loss, output = proto.loss(sample)
    optim.zero_grad()
    loss.backward()
    optim.step()
print(output)
