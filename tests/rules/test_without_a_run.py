"""What the text says is found where no run comes, and what only looks like it is not."""

from __future__ import annotations

import pytest

from shapewise.analysis import Tracer, analyse
from shapewise.source import Source

CASES = [
    (
        "bmm-requires-3d",
        """
import torch
from torch import nn
class Bilinear(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.w = nn.Parameter(torch.randn(d, d))
    def forward(self, a, b):
        n, d = a.shape
        x = a.reshape(n, d)
        good = torch.bmm(a.unsqueeze(1), b.unsqueeze(2))
        good2 = torch.bmm(a.view(n, 1, d), b.view(n, d, 1))
        return good + good2 + torch.bmm(x, self.w)  # <-
def flex(q, k):
    if q.dim() == 2:
        n, d = q.shape
        q = q.view(1, n, d)
    return torch.bmm(q, k)
def both(x, y):
    if x.dim() == 3:
        b, t, d = x.shape
    else:
        b, d = x.shape
        x = x[:, None]
    return x.bmm(y)
""",
    ),
    (
        "ce-sequence-layout",
        """
import torch
from torch import nn
import torch.nn.functional as F
class GPT(nn.Module):
    def __init__(self, vocab, d):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.head = nn.Linear(d, vocab)
        self.cls = nn.Linear(d, 3)
        self.ce = nn.CrossEntropyLoss(ignore_index=-100)
    def forward(self, idx, targets=None):
        B, T = idx.shape
        h = self.emb(idx)
        logits = self.head(h)
        if targets is None:
            return logits, None
        loss = self.ce(logits, targets)  # <-
        return logits, loss
    def flat(self, idx, targets):
        b, t = idx.size()
        logits = self.head(self.emb(idx))
        good = self.ce(logits.view(b * t, -1), targets.view(-1))
        good2 = self.ce(logits.permute(0, 2, 1), targets)
        good3 = F.cross_entropy(logits[:, -1], targets[:, -1])
        good4 = F.cross_entropy(self.cls(self.emb(idx).mean(dim=1)), targets[:, 0])
        good5 = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        last = self.head(self.emb(idx)[:, 0])
        return good + good2 + good3 + good4 + good5 + self.ce(last, targets[:, 0])
    def masked(self, idx, targets, mask):
        b, t = idx.shape
        logits = self.head(self.emb(idx)[mask])
        return self.ce(logits, targets[mask])
""",
    ),
    (
        "view-on-noncontiguous",
        """
import torch
from torch import nn
class Attn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)
        self.h, self.d = h, d
        self.o = nn.Linear(d, d)
    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, c // self.h).permute(2, 0, 3, 1, 4)
        a = (q @ k.transpose(-2, -1)).softmax(-1)
        y = torch.matmul(a, v).transpose(1, 2).view(b, t, c)
        return self.o(y)
class Attn2(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.h = h
    def forward(self, x):
        b, t, c = x.size()
        q = self.q(x).view(b, t, self.h, -1).transpose(1, 2)
        k = self.k(x).view(b, t, self.h, -1).transpose(1, 2)
        v = self.v(x).view(b, t, self.h, -1).transpose(1, 2)
        att = torch.softmax(q @ k.transpose(2, 3), dim=-1)
        good = (att @ v).transpose(1, 2).contiguous().view(b, t, c)
        good2 = (att @ v).transpose(1, 2).reshape(b, t, -1)
        good3 = (att @ v).transpose(1, 2).view(b, t, self.h, -1)
        good4 = (att @ v).transpose(1, 2).view(b, t, self.h, 2, -1)
        good5 = (q.flatten(0, 1) @ k.flatten(0, 1).mT).transpose(1, 2).contiguous().view(b, -1)
        y = att @ v
        y = y.transpose(1, 2)
        y = y.view(b, t, -1)  # <-
        return good + good2 + y
""",
    ),
    (
        "layer-input-mismatch",
        """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.fc = nn.Linear(32, 10)
        self.c1 = nn.Conv1d(4, 16, 3)
        self.g = nn.Sequential(nn.Conv2d(3, 32, 3), nn.AdaptiveAvgPool2d((2, 2)), nn.Flatten())
        self.gfc = nn.Linear(128, 10)
        self.h = nn.Linear(16, 5)
        self.h2 = nn.Linear(32, 5)
        self.pool = nn.AdaptiveMaxPool2d((1, 1))
        self.fc64 = nn.Linear(64, 2)
    def forward(self, x, s):
        y = self.fc(self.f(x))  # <-
        z = self.gfc(self.g(x))
        c = self.c1(s)
        ok = self.h(c.mean(dim=-1)) + self.h(c.amax(2))
        ok2 = self.h2(torch.cat([c.mean(2), c.std(2)], dim=1))
        ok3 = self.h2(torch.cat([c.mean(2), c.std(2)], dim=-1))
        bad = self.h(torch.cat([c.mean(2), c.std(2)], dim=-1))  # <-
        t = self.pool(self.f[:4](x)).flatten(1)
        return y, z, ok, ok2, ok3, bad, self.fc64(t)
class Keep(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(3, 16, 3)
        self.lin = nn.Linear(16 * 26, 4)
        self.lin2 = nn.Linear(26, 4)
        self.lin3 = nn.Linear(16, 4)
    def forward(self, x):
        h = self.c(x)
        return self.lin(h.mean(2).flatten(1)), self.lin2(h.mean(dim=3)), self.lin3(h.mean((2, 3))), self.lin3(h.mean([-2, -1]))
""",
    ),
    (
        "mha-is-causal-without-mask",
        """
import torch
from torch import nn
class L(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.a = nn.MultiheadAttention(d, 4)
        self.tl = nn.TransformerEncoderLayer(d, 4)
    def forward(self, x, mask=None, causal=True):
        m = torch.ones(3, 3).triu(1).bool()
        h, _ = self.a(x, x, x, attn_mask=m, is_causal=True)
        h, _ = self.a(x, x, x, None, True, m, is_causal=True)
        h, _ = self.a(x, x, x, is_causal=False)
        h, _ = self.a(x, x, x, is_causal=causal, attn_mask=mask)
        return self.a(query=h, key=h, value=h, is_causal=True)[0]  # <-
""",
    ),
    (
        "squeeze-without-dim",
        """
import torch
from torch import nn
class P(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.fc = nn.Linear(d, 1)
    def forward(self, x):
        return torch.sigmoid(self.fc(x)).squeeze()  # <-
def one(x):
    return x.mean(dim=0, keepdim=True).squeeze()
def image(net, img):
    return img.unsqueeze(0).squeeze()
def ok(x):
    return x[:, :1].squeeze(1)
def pooled(x):
    n, c, h, w = x.shape
    return nn.functional.adaptive_avg_pool2d(x, 1).squeeze()  # <-
""",
    ),
    (
        "tensor-upload-in-forward",
        """
import torch
from torch import nn
class P(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.fc = nn.Linear(d, 3)
        self.cache = None
    def _grow(self, x):
        if self.cache is None or len(self.cache) < len(x):
            self.cache = torch.tensor([1.0, 2.0, 3.0]).to(x.device)
        return self.cache
    def scale(self, x):
        return x * torch.tensor([1.0, 2.0, 3.0])[None].to(x.device)
    def weigh(self, x):
        return x * torch.tensor([1.0, 2.0, 3.0]).view(1, 3).to(x.device)  # <-
    def forward(self, x):
        return self.weigh(self.scale(self._grow(x) + self.fc(x)))
""",
    ),
    (
        "unused-layer",
        """
import torch
from torch import nn
class A(nn.Module):
    def __init__(self):
        super().__init__()
        for i in range(3):
            setattr(self, f"block{i}", nn.Linear(3, 3))
        self.block_extra = nn.Linear(3, 3)
        self.head = nn.Linear(3, 3)
        self.aux = nn.Linear(3, 3)  # <-
    def forward(self, x):
        for i in range(3):
            x = getattr(self, f"block{i}")(x)
        return self.head(x)
""",
    ),
    (
        "unused-layer",
        """
import torch
from torch import nn
class A(nn.Module):
    def __init__(self, which):
        super().__init__()
        self.head = nn.Linear(3, 3)
        self.aux = nn.Linear(3, 3)
        self.which = which
    def forward(self, x):
        return getattr(self, self.which)(x)
""",
    ),
    (
        "no-grad-could-be-inference-mode",
        """
import torch
class P:
    def __init__(self, model):
        self.model = model.eval()
        self.teacher = model.eval()
    @torch.no_grad()  # <-
    def label(self, x):
        return self.model(x).argmax(-1).tolist()
    @torch.no_grad()
    def soft(self, x):
        return self.teacher(x).softmax(-1)
    def both(self, x, net):
        with torch.no_grad():
            t = self.teacher(x)
        return ((net(x) - t) ** 2).mean().item()
""",
    ),
    (
        "accidental-promotion",
        """
import torch
w = torch.arange(8).float()
x = torch.randn(4, 8, dtype=torch.float16)
m = (torch.arange(8) > 3).to(torch.float32)
y = x * m  # <-
z = x.float() * w
s = x * 2.0 + torch.tensor(3.0)
i = x * torch.arange(8)
n = x.float().pow(2).mean(-1, keepdim=True)
r = x * n.rsqrt()
""",
    ),
    (
        "tensor-copy-construct",
        """
import torch
def add(total, part):
    return total + torch.tensor(part)
print(add(0.0, 1.5))
def keep(part):
    return torch.tensor(part)  # <-
print(keep(torch.ones(3)))
print(torch.tensor([1, 2]), torch.tensor(torch.ones(2).tolist()))
""",
    ),
    (
        "nonblocking-pin-pairing",
        """
import torch
from torch.utils.data import DataLoader
def go(data, model, opt):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(data, 8, pin_memory=device.type == "cuda", shuffle=True)
    l2 = DataLoader(data, 8, pin_memory=torch.cuda.is_available(), shuffle=True)
    for x in loader:
        x = x.to(device)  # <-
        loss = model(x).mean()
        opt.zero_grad(); loss.backward(); opt.step()
    for x in l2:
        x = x.to(device, non_blocking=True)
        loss = model(x).mean()
        opt.zero_grad(); loss.backward(); opt.step()
def cpu(data, model, pin):
    l3 = DataLoader(data, 8, pin_memory=pin)
    for x in l3:
        x = x.to("cuda")
""",
    ),
]


@pytest.mark.parametrize(("rule", "text"), CASES, ids=[rule for rule, _ in CASES])
@pytest.mark.asyncio(loop_scope="session")
async def test_exactly_the_marked_lines_are_found(rule: str, text: str, tracer: Tracer) -> None:
    findings = (await analyse(Source("a.py", text), tracer)).findings
    marked = [number for number, line in enumerate(text.splitlines(), start=1) if "# <-" in line]
    assert sorted({one.span.line for one in findings if one.rule == rule}) == marked
