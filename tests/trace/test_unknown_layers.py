"""Modules with a layer that is not known: nobody knows how many weights they have, and what is known of them is worked on."""

from __future__ import annotations

_NET = """
import copy
import torch
from torch import nn
import nowhere
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 8)
        self.odd = nowhere.Layer(8)
        self.head = nn.Linear(8, 2)
net = Net()
"""


def test_what_counts_all_weights_is_not_known(trace):
    traced = trace(
        _NET
        + """
a = torch.zeros(sum(p.numel() for p in net.parameters()))
b = torch.zeros(sum(p.numel() for p in net.parameters() if p.requires_grad))
c = torch.nn.utils.parameters_to_vector(net.parameters())
d = torch.zeros(len(net.state_dict()))
e = torch.zeros(len(list(net.parameters())))
f = torch.zeros(len(dict(net.named_parameters())))
total = 0
for p in net.parameters():
    total += p.numel()
g = torch.zeros(total)
h = nn.Sequential(*list(net.children())[:-1])(torch.randn(3, 4))
"""
    )
    assert not any(map(traced.knows, "ch"))
    assert [traced.shape(name) for name in "abdefg"] == [None, None, (None,), (None,), (None,), None]


def test_those_that_are_known_are_frozen_filled_and_trained(trace):
    traced = trace(
        _NET
        + """
for p in net.parameters():
    p.requires_grad = False
x = net.fc(torch.randn(3, 4))
for p in net.head.parameters():
    p.requires_grad = True
y = net.head(x)
opt = torch.optim.Adam(net.parameters(), lr=2.0)
a = torch.zeros(int(opt.param_groups[0]["lr"]))
opt = torch.optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=2.0)
b = torch.zeros(int(opt.param_groups[0]["lr"]))
opt = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=2.0)
c = torch.zeros(int(opt.param_groups[0]["lr"]))
decay, rest = [], []
for name, p in net.named_parameters():
    (rest if p.ndim == 1 else decay).append(p)
opt = torch.optim.SGD([{"params": decay, "weight_decay": 0.1}, {"params": rest}], lr=2.0)
d = torch.zeros(int(opt.param_groups[0]["lr"]))
norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
ema = copy.deepcopy(net)
for old, p in zip(ema.parameters(), net.parameters()):
    old.data.mul_(0.9).add_(p.data, alpha=0.1)
w = ema.fc.weight
state = net.state_dict()
v = state["fc.weight"]
other = Net()
other.load_state_dict(state)
z = other.fc(torch.randn(3, 4))
"""
    )
    assert (traced.fact("x").value.requires_grad, traced.fact("y").value.requires_grad) == (False, True)
    assert [traced.shape(name) for name in "abcd"] == [(2,)] * 4
    assert (traced.shape("norm"), traced.shape("w"), traced.shape("v")) == ((), (8, 4), (8, 4))
    assert traced.shape("z") == (3, 8)
    assert not traced.failures()
