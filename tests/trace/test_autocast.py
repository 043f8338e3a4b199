"""`torch.autocast` on a card, by the rules of its documentation: there is none here to ask."""

import pytest

HEAD = """
import torch
from torch import nn
import torch.nn.functional as F
x = torch.randn(4, 8, device="cuda")
i = torch.randn(2, 3, 8, 8, device="cuda")
h = torch.randn(4, 8, device="cuda", dtype=torch.float16)
d = torch.randn(4, 8, device="cuda", dtype=torch.float64)
c = torch.randn(4, 8)
t = torch.zeros(4, dtype=torch.long, device="cuda")
s = torch.randn(5, 2, 8, device="cuda")
"""

RULES = [
    # half: products and convolutions
    ("nn.Linear(8, 3).cuda()(x)", "float16"),
    ("x @ x.T", "float16"),
    ("torch.mm(x, x.T)", "float16"),
    ("torch.einsum('ij,kj->ik', x, x)", "float16"),
    ("nn.Conv2d(3, 4, 3).cuda()(i)", "float16"),
    ("nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten()).cuda()(i)", "float16"),
    ("F.scaled_dot_product_attention(i, i, i)", "float16"),
    ("nn.MultiheadAttention(8, 2).cuda()(s, s, s)[0]", "float16"),
    ("nn.LSTM(8, 3).cuda()(s)[0]", "float16"),
    ("nn.GRU(8, 3).cuda()(s)[1]", "float16"),
    ("nn.LSTMCell(8, 3).cuda()(x)[0]", "float16"),
    # float32: what needs the range
    ("h.softmax(-1)", "float32"),
    ("F.log_softmax(h, -1)", "float32"),
    ("nn.LayerNorm(8).cuda()(h)", "float32"),
    ("h.exp()", "float32"),
    ("h ** 2", "float32"),
    ("h.sum()", "float32"),
    ("h.norm()", "float32"),
    ("F.cross_entropy(h, t)", "float32"),
    ("F.mse_loss(h, h)", "float32"),
    ("F.binary_cross_entropy_with_logits(h, h)", "float32"),
    ("F.interpolate(i.half(), scale_factor=2)", "float32"),
    ("torch.cdist(h, h)", "float32"),
    ("F.normalize(h)", "float32"),
    # the widest
    ("torch.cat([h, x])", "float32"),
    ("torch.stack([h, h])", "float16"),
    ("F.grid_sample(i.half(), torch.zeros(2, 4, 4, 2, device='cuda'))", "float32"),
    # what comes, goes
    ("h + 1", "float16"),
    ("h + x", "float32"),
    ("F.relu(h)", "float16"),
    ("h.mean()", "float16"),
    ("nn.Embedding(5, 3).cuda()(t)", "float32"),
    ("h.softmax(-1, dtype=torch.float16)", "float16"),
    # what is left alone
    ("d @ d.T", "float64"),
    ("c @ c.T", "float32"),
    ("torch.zeros(3, device='cuda')", "float32"),
]


def test_each_op_has_the_dtype_of_its_list(trace):
    lines = "".join(f"    y{n} = {text}\n" for n, (text, _) in enumerate(RULES))
    traced = trace(HEAD + "with torch.autocast('cuda', dtype=torch.float16):\n" + lines)
    told = {text: traced.fact(f"y{n}").value.dtype for n, (text, _) in enumerate(RULES)}
    assert told == dict(RULES)
    assert not traced.failures()


@pytest.mark.parametrize(
    ("context", "dtype"),
    [
        ("torch.autocast('cuda', dtype=torch.bfloat16)", "bfloat16"),
        ("torch.autocast(device_type='cuda')", "float16"),
        ("torch.cuda.amp.autocast()", "float16"),
        ("torch.amp.autocast('cuda', enabled=False)", "float32"),
        ("torch.autocast('cpu', dtype=torch.bfloat16)", "float32"),
    ],
)
def test_a_context_says_which_half(trace, context, dtype):
    traced = trace(
        HEAD
        + f"with {context}:\n    y = x @ x.T\n    with torch.autocast('cuda', enabled=False):\n        z = x @ x.T\nw = x @ x.T\n"
        + f"@{context}\ndef f(v):\n    return v @ v.T\nv = f(x)\n"
    )
    assert [traced.fact(name).value.dtype for name in "yzwv"] == [dtype, "float32", "float32", dtype]


def test_gradients_are_in_the_parameters_precision(trace):
    traced = trace(
        HEAD
        + "net = nn.Linear(8, 3).cuda()\nscaler = torch.amp.GradScaler('cuda')\nopt = torch.optim.SGD(net.parameters())\n"
        + "with torch.autocast('cuda'):\n    out = net(x)\n    loss = F.cross_entropy(out, t)\n"
        + "scaler.scale(loss).backward()\nscaler.step(opt)\nscaler.update()\ng = net.weight.grad\n"
    )
    assert [traced.fact(name).value.dtype for name in ("out", "loss", "g")] == [
        "float16",
        "float32",
        "float32",
    ]
    assert not traced.failures()


def test_what_is_unsafe_is_refused_in_torchs_words(trace):
    traced = trace(
        HEAD + "with torch.autocast('cuda'):\n    F.binary_cross_entropy(x.sigmoid(), x.sigmoid())\n"
    )
    assert "are unsafe to autocast" in traced.failures()[0][1]
    assert not trace(HEAD + "F.binary_cross_entropy(x.sigmoid(), x.sigmoid())\n").failures()
