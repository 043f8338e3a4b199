import numpy as np
import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
zeros = torch.zeros(4, 8)
ones = torch.ones(4, 8, dtype=torch.bfloat16)
empty = torch.empty(4, 8)
full = torch.full((4, 8), fill_value=-1.0)
torch.manual_seed(0)
g = torch.randn(4, 8)
u = torch.rand(4, 8)
i = torch.randint(low=0, high=10, size=(4, 8))
ar = torch.arange(0, 10, step=2)
ls = torch.linspace(0.0, 1.0, steps=5)
zl = torch.zeros_like(g)
rl = torch.randn_like(g)
arr = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)
t = torch.from_numpy(arr)
arr[0, 0] = 99.0
assert t[0, 0].item() == 99.0

x = torch.randn(4, 8)
y = x.to(torch.bfloat16)
z = x.float()
b = x.bfloat16()
a = torch.ones(3, dtype=torch.float32)
b = torch.ones(3, dtype=torch.bfloat16)
s = a + b

device = "cuda" if torch.cuda.is_available() else ("mps" if torch.backends.mps.is_available() else "cpu")
x_cpu = torch.randn(4, 8)
x_gpu = x_cpu.to(device)
x_back = x_gpu.cpu()

x = torch.arange(24).reshape(2, 3, 4)
v = x.view(2, 12)
r = x.reshape(2, 12)
t = x.transpose(1, 2)
p = x.permute(2, 0, 1)
y = torch.zeros(1, 3, 1, 5)
y1 = y.squeeze()
y2 = y.squeeze(0)
x1 = x.unsqueeze(0)
x2 = x.unsqueeze(-1)
a = torch.tensor([[1, 2, 3]])
e = a.expand(4, 3)
r = a.repeat(4, 1)

x = torch.randn(2, 3, 4)
w = x.view(6, 4)
xt = x.transpose(0, 1)
try:
    xt.view(6, 4)
except RuntimeError as error:
    print(error)
w = xt.reshape(6, 4)
w = xt.contiguous().view(6, 4)

x = torch.arange(24).reshape(2, 3, 4)
a, b, c = x[0], x[0, 1], x[0, 1, 2]
d = x[:, 1:, :]
e = x[..., -1]
idx = torch.tensor([0, 2])
f = x[:, idx, :]
logits = torch.randn(4, 10)
targets = torch.tensor([3, 7, 0, 9])
picked = logits.gather(dim=1, index=targets.unsqueeze(1)).squeeze(1)
one_hot = torch.zeros(4, 10).scatter_(dim=1, index=targets.unsqueeze(1), value=1.0)

q = torch.randn(4, 1, 16)
k = torch.randn(   8, 16)
out = q + k
h = torch.randn(4, 8, 16)
b = torch.randn(16)
h2 = h + b

x = torch.randn(4, 8)
x.abs(); x.exp(); x.sigmoid()
x.add_(1.0)
total, s0, s1 = x.sum(), x.sum(dim=0), x.sum(dim=1)
s1k = x.sum(dim=1, keepdim=True)
best = x.max(dim=-1)
where = x.argmax(dim=-1)


def layer_norm(x, eps=1e-5):
    mu = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True, unbiased=False)
    return (x - mu) / torch.sqrt(var + eps)


normed = layer_norm(x)
A = torch.randn(4, 8)
B = torch.randn(8, 16)
AB = A @ B
Ab = torch.randn(32, 4, 8)
Bb = torch.randn(32, 8, 16)
AbBb = torch.bmm(Ab, Bb)
Q = torch.randn(2, 4, 8, 16)
K = torch.randn(2, 4, 8, 16)
scores = Q @ K.transpose(-2, -1)
scores2 = torch.einsum("bhsd,bhtd->bhst", Q, K)
u, v = torch.randn(4), torch.randn(5)
outer = torch.einsum("i,j->ij", u, v)
M = torch.randn(8, 8)
trace = torch.einsum("ii->", M)
diagonal = torch.einsum("ii->i", M)

x = torch.tensor([2.0, 3.0], requires_grad=True)
y = (x ** 2).sum()
y.backward()
y2 = (x ** 3).sum()
y2.backward()
x.grad.zero_()
x = torch.randn(4, requires_grad=True)
y = x.detach()
with torch.no_grad():
    z = x * 2
with torch.inference_mode():
    z = x * 2
