"""Classes whose base or decorator is not followed: what is their own is known, what is not theirs is not."""

from __future__ import annotations

import pytest

HEAD = """
import torch
from torch import nn
from nowhere import BaseModel, Mixin, Rows, cached, persistent
"""
NET = """
class Net(BaseModel):
    def __init__(self, width, classes):
        super().__init__(width, classes=classes)
        self.inner = nn.Linear(width, 7)
        self.head = nn.Linear(7, classes)
        self.init_weights()
        self.extra = self.make_extra(width)
    def forward(self, x):
        h = self.inner(x).relu()
        y = self.head(h)
        z = self.extra(h)
        w = super().forward(x)
        return self.finished(y) if self.some_flag else y
"""


def test_a_layer_of_an_unknown_base_knows_its_own_layers(trace):
    traced = trace(HEAD + NET + "net = Net(4, 5)\nout = net(torch.randn(2, 4))\nnet.fit(out)\n")
    assert traced.shape("h") == (2, 7)
    assert traced.shape("y") == (2, 5)
    assert traced.shape("w") is None
    assert not traced.knows("z")
    assert not traced.knows("out")
    assert not traced.failures()


def test_it_is_known_where_nobody_calls_it(trace):
    traced = trace(HEAD + NET)
    assert traced.shape("y")[-1] == "classes"


def test_a_mixin_beside_a_layer(trace):
    text = """
class Both(nn.Module, Mixin):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
    def forward(self, x):
        y = self.conv(x)
        return self.post(y)
out = Both()(torch.randn(1, 3, 6, 6))
"""
    traced = trace(HEAD + text)
    assert traced.shape("y") == (1, 8, 6, 6)
    assert not traced.failures()


def test_what_its_base_may_have_is_no_mistake(trace):
    text = """
class Wrap(BaseModel):
    def forward(self, x):
        return self.backbone(x)
wrap = Wrap()
opt = torch.optim.Adam(nn.Sequential(wrap).parameters())
loss = wrap(torch.randn(2, 4)).sum()
loss.backward()
opt.step()
"""
    assert not trace(HEAD + text).failures()


def test_a_class_without_forward_of_an_unknown_base_is_not_known(trace):
    text = """
class Items(Rows):
    def __getitem__(self, at):
        return torch.zeros(3)
item = Items()[0]
"""
    assert not trace(HEAD + text).knows("item")


def test_what_an_unknown_decorator_is_put_on_is_tried_as_it_is_written(trace):
    text = """
@persistent
class Wide(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.layer = nn.Linear(dim, 2 * dim)
    def forward(self, x):
        y = self.layer(x)
        return y
@cached(size=3)
def flat(images: torch.Tensor):
    b, c, h, w = images.shape
    rows = images.reshape(b, c * h * w)
    return rows
"""
    traced = trace(HEAD + text)
    assert traced.shape("y")[-1] == "2*dim"
    assert traced.shape("rows") == ("b", "c*h*w")


def test_what_its_base_may_be_is_not_known(trace):
    text = """
class Stack(BaseModel):
    def forward(self, x):
        for layer in self:
            x = layer(x)
        if len(self) > 2 and "head" in self:
            x = self[0](x)
        with self:
            a, b = self
        return x
stack = Stack()
out = stack(torch.zeros(3))
out = nn.Sequential(stack, nn.ReLU())(torch.zeros(3)) if stack else None
"""
    assert not trace(HEAD + text).failures()


def test_a_layer_of_torchs_that_is_made_of_what_nobody_knows(trace):
    text = """
class Masked(nn.Linear):
    def __init__(self, degrees, out):
        super().__init__({call})
        self.register_buffer("mask", torch.ones(3))
        self.inner = nn.Linear(3, 3)
        nn.init.zeros_(self.weight)
class Net(nn.Module):
    def __init__(self, degrees):
        super().__init__()
        self.first = Masked(degrees, 8)
        self.last = nn.Linear(8, 2)
    def forward(self, x):
        h = self.first(x)
        return self.last(h)
net = Net(Rows.degrees())
weights = net.state_dict()
y = net(torch.randn(4, 3))
net.zero_grad()
"""
    for call in ("degrees, out", "*degrees", "**degrees", "out_features=out, in_features=degrees.width"):
        traced = trace(HEAD + text.replace("{call}", call))
        assert not traced.failures(), call
        assert not traced.knows("h")


def test_a_base_of_the_file_that_is_made_of_what_nobody_knows(trace):
    text = """
class Base(nn.Module):
    def __init__(self, width, depth=2):
        super().__init__()
        self.stem = nn.Linear(width, 7)
class Net(Base):
    def __init__(self, classes, **options):
        super().__init__(**options, **Rows.options())
        self.head = nn.Linear(7, classes)
    def forward(self, x):
        h = self.stem(x)
        return self.head(x)
net = Net(5)
y = net(torch.randn(2, 7))
"""
    traced = trace(HEAD + text)
    assert not traced.failures()
    assert traced.shape("y") == (2, 5)


def test_what_is_given_arguments_nobody_knows_is_run_all_the_same(trace):
    traced = trace(
        """
import json, torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 8)
    def forward(self, x, mask=None, *, scale=1.0):
        own = self.inner(torch.randn(3, 4))
        if mask is None:
            given = x * 2
        return self.inner(x)
def step(a, b=torch.zeros(3)):
    return torch.zeros(5)
net, batch = Net(), json.load(open("batch.json"))
net(torch.zeros(6, 4))
whole = net(**batch)
part = net(torch.zeros(2, 4), **batch)
stepped = step(*batch)
"""
    )
    assert traced.shape("own") == (3, 8)
    assert traced.shape("given") is None
    assert traced.shape("part") == (2, 8)
    assert traced.shape("stepped") == (5,)


BLOCK = """
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)
    def forward(self, x):
        y = self.fc(x)
        return x + y
def loss(x):
    z = x * 2
    return z.sum()
"""


@pytest.mark.parametrize(
    "called, name",
    [
        ("nn.Sequential(nn.ReLU(), nn.Sequential(Block(4)))(given)", "y"),
        ("nn.DataParallel(Block(4))(given)", "y"),
        ("torch.func.functional_call(Block(4), {}, given)", "y"),
        ("torch.func.vmap(loss)(given)", "z"),
        ("torch.autograd.functional.jacobian(loss, given)", "z"),
        ("list(map(loss, given))", "z"),
    ],
)
def test_code_of_the_file_within_torchs_sees_what_nobody_knows(trace, called, name):
    known = "Block(4)(torch.ones(2, 4)), loss(torch.ones(2, 4))\n"
    assert trace(BLOCK + known).shape(name) == (2, 4)
    fact = trace(f"{BLOCK}{known}from nowhere import given\n{called}\n").fact(name)
    assert fact.value.dtype is None, "what it is in the other call is not known"


def test_a_function_that_is_only_given_what_nobody_knows_is_tried(trace):
    text = BLOCK + "from nowhere import given\nnet = Block(4)\nout = net(given)\n"
    traced = trace(text)
    assert traced.shape("y")[-1] == 4
    assert not traced.knows("out")
    assert trace(text + "net(torch.ones(2, 4))\n").fact("y").value.dtype is None


def test_what_is_set_under_a_name_that_nobody_knows_may_be_there(trace):
    traced = trace(
        """
import torch
from torch import nn
from nowhere import settings
class Config(dict):
    def __init__(self, given):
        super().__init__(given)
        for key, value in given.items():
            setattr(self, key, Config(value) if isinstance(value, dict) else value)
class Layer(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.register_buffer("table", table)
config, layer = Config(settings), Layer(settings)
width, table = config.model.width, layer.table
y = torch.zeros(3)
"""
    )
    assert traced.shape("y") == (3,) and traced.log.cut is None
    assert not any(getattr(event, "failure", None) for event in traced.log.events)
    lost = [
        event.value.why for event in traced.log.events if getattr(event, "name", "") in ("table", "width")
    ]
    assert len(lost) > 2 and not any("AttributeError" in why for why in lost)


def test_objects_whose_hash_nobody_knows_are_told_apart_by_equality(trace):
    traced = trace(
        """
import torch
class Event:
    def __init__(self, name):
        self.name = name
    def __hash__(self):
        return hash(self.name)
    def __eq__(self, other):
        return self.name == other.name
sizes = {Event("a"): torch.zeros(2), Event("b"): torch.zeros(3)}
y, z = sizes[Event("b")], torch.zeros(len(sizes))
"""
    )
    assert traced.shape("y") == (3,) and traced.shape("z") == (2,)
