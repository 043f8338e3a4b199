"""A tensor of which only some facts are known: whatever is stated holds on every way.

Each text is run for real once for each way of the condition that the tracer does not know.
"""

import pytest

HEAD = """
import torch, somewhere
from torch import nn
import torch.nn.functional as F
t = torch.randn(2, 3)
m = torch.randn(3, 2).t()
w = torch.randn(2, 3, requires_grad=True)
net = nn.Linear(3, 3)
"""


def test_the_shape_outlives_what_two_ways_disagree_on(check):
    traced = check(HEAD + "y = t\nif somewhere.flag:\n    y = w * 2\nz = y + 1\n")
    assert traced.shape("z") == (2, 3)
    assert traced.fact("z").value.requires_grad is None
    assert traced.fact("z").value.contiguous is True


def test_a_stride_in_doubt_is_settled_by_a_product(check):
    traced = check(HEAD + "y = m if somewhere.flag else t\nv = y * 2\nz = net(y)\ns = y.sum()\n")
    assert traced.shape("v") == (2, 3)
    assert traced.fact("v").value.contiguous is None
    assert traced.fact("z").value.contiguous is True
    assert traced.fact("z").value.requires_grad is True
    assert traced.fact("s").value.contiguous is True


def test_a_dtype_in_doubt(check):
    traced = check(HEAD + "y = t.half() if somewhere.flag else t\nz = y * 2\nf = y.float()\nb = y > 0\n")
    assert traced.fact("z").value.dtype is None
    assert traced.shape("z") == (2, 3)
    assert traced.fact("f").value.dtype == "float32"
    assert traced.fact("b").value.dtype == "bool"


def test_an_array_whose_kind_of_dtype_is_in_doubt(check):
    text = """
import random
import numpy as np
n = np.zeros((4, 6, 3), np.uint8)
if somewhere.flag:
    n = n[:, ::-1]
if random.random() < 0.5:
    n = np.repeat(n.mean(axis=2, keepdims=True), 3, axis=2)
x = torch.from_numpy(n.copy())
y = torch.from_numpy(np.ascontiguousarray(n, dtype=np.float32))
"""
    traced = check(HEAD + text)
    assert traced.shape("x") == traced.shape("y") == (4, 6, 3)
    assert traced.fact("x").value.dtype is None
    assert traced.fact("y").value.dtype == "float32"


def test_layers_of_which_one_is_called(check):
    traced = check(HEAD + "f = nn.Identity() if somewhere.flag else net\ny = f(t)\nz = f(w)\n")
    assert traced.shape("y") == (2, 3)
    assert traced.fact("y").value.requires_grad is None
    assert traced.fact("z").value.requires_grad is True


def test_of_two_shapes_the_common_dims_are_known(check):
    traced = check(HEAD + "y = t if somewhere.flag else torch.zeros(5, 3)\nz = net(y)\nu = z.sum(0)\n")
    assert traced.shape("z") == (None, 3)
    assert traced.shape("u") == (3,)


def test_the_same_condition_twice_comes_out_the_same(check):
    traced = check(HEAD + "f = somewhere.flag\nx = t.t() if f else t\nx = x * 2\ny = x.t() if f else x\n")
    assert traced.shape("y") == (2, 3)


def test_two_conditions_may_come_out_differently(trace):
    traced = trace(
        HEAD + "x = t.t() if somewhere.f else t\nx = x * 2\ny = x.t() if somewhere.g else x\nz = y + 1\n"
    )
    assert traced.shape("z") is None


def test_a_mode_that_two_ways_left_in_doubt_is_known_once_it_is_set(check):
    traced = check(
        HEAD
        + """
p = nn.Sequential(nn.Linear(3, 3), nn.Dropout())
if somewhere.flag:
    p.eval()
doubt = torch.zeros(2 if p.training else 3)
p.eval()
y = torch.zeros(2 if p.training else 3)
inner = torch.zeros(2 if p[1].training else 3)
for _ in range(2 if somewhere.flag else 0):
    p.train()
again = torch.zeros(2 if p.training else 3)
p.train(False)
z = torch.zeros(2 if p.training else 3)
if somewhere.flag:
    p.train()
    u = torch.zeros(2 if p.training else 3)
after = torch.zeros(2 if p.training else 3)
"""
    )
    shapes = {name: traced.shape(name) for name in ("doubt", "y", "inner", "again", "z", "u", "after")}
    assert shapes == {
        "doubt": (None,),
        "y": (3,),
        "inner": (3,),
        "again": (None,),
        "z": (3,),
        "u": (2,),
        "after": (None,),
    }


def test_what_is_bound_on_one_way_and_then_read_is_that(check):
    traced = check(HEAD + "y = t\nif True or somewhere.flag:\n    u = t + 1\ny = u\n")
    assert traced.shape("y") == (2, 3)


WRITES = [
    # an in-place write of what may require grad, seen through the tensor, its base and its views
    "y = torch.zeros(2, 3)\nb = y[0]\nif somewhere.flag:\n    y += w\nz = y\nv = b\nu = y[1]\nd = y.detach()\n",
    "y = torch.zeros(2, 3)\nv = y[0]\nif somewhere.flag:\n    v.add_(w[0])\nz = y * 2\nu = v\n",
    "g = w * 1 if somewhere.flag else t\ny = torch.zeros(2, 3)\ny[0] = g[0]\nz = y\nu = y.view(-1)\n",
    "g = w * 1 if somewhere.flag else t\ny = torch.zeros(2, 3)\nb = y.view(6)\ny.copy_(g)\nz = b\ny.copy_(w)\nu = y\nk = b\n",
    "g = w * 1 if somewhere.flag else t\ny = torch.zeros(2, 3)\nwith torch.no_grad():\n    y.copy_(g)\n    s = g * 2\nz = y\n",
    "y = torch.zeros(2, 3)\nz = torch.zeros(2, 3, dtype=torch.long)\nif somewhere.flag:\n    y[0] = 1\n    z[0] = 2\nu = y + 1\n",
]
MODES = [
    "p = nn.Linear(3, 3)\np.requires_grad_(somewhere.flag)\nz = p(t)\nk = p.bias\n",
    "y = w * 1\ny = y.detach().requires_grad_()\ny.requires_grad_(somewhere.flag)\nz = y * 2\n",
    "p = nn.Dropout()\np.train(somewhere.flag)\nz = t * 2 if p.training else w * 2\np.eval()\nu = t * 2 if p.training else w * 2\n",
    "y = t.clone()\nv = y[0]\ny += somewhere.flag * w\nz = y\nu = v\n",
    "y = t.clone()\ny.masked_fill_(t > somewhere.flag, 0)\nz = y\n",
    # state that torch's own objects keep
    "p = nn.Linear(3, 3)\nif somewhere.flag:\n    p.requires_grad_(False)\nz = p(t)\nq = p.weight\nu = z + w[0]\n",
    "p = nn.Linear(3, 3)\nif somewhere.flag:\n    for q in p.parameters():\n        q.requires_grad = False\nz = p(t)\nk = p.bias\n",
    "p = nn.Dropout()\nif somewhere.flag:\n    p.eval()\nz = t * 2 if p.training else w * 2\n",
    "p = nn.Dropout()\nif somewhere.flag:\n    p.eval()\nif somewhere.flag:\n    p.train()\nz = t * 2 if p.training else w * 2\np.eval()\nu = t * 2 if p.training else w * 2\n",
    "if somewhere.flag:\n    torch.set_grad_enabled(False)\nz = w * 2\nu = t * 2\n",
    "y = torch.randn(2, 3)\nif somewhere.flag:\n    y.requires_grad_()\nz = y * 2\nu = y\n",
    "y = t.clone()\nif somewhere.flag:\n    y.unsqueeze_(0)\nz = y * 2\nu = y\n",
    "y = t.clone()\nif somewhere.flag:\n    y.t_()\nelse:\n    y.add_(1)\nz = y\n",
    "ctx = torch.no_grad() if somewhere.flag else torch.enable_grad()\nwith ctx:\n    z = w * 2\n    u = t * 2\n    v = torch.zeros(2, requires_grad=True)\nk = w * 3\n",
    "class A:\n    pass\na = A()\na.x = t\nif somewhere.flag:\n    a.x = w * 2\nz = a.x + 1\n",
    "h = {'x': t}\nif somewhere.flag:\n    h['x'] = w * 2\nz = h['x']\n",
]
FLOWS = [
    "y = w * 1 if somewhere.flag else t\na, b = y.unbind(0)\nc = torch.cat([y, t])\nd = torch.cat([y, w])\ne = torch.stack([y, y])\nf = y.argmax(1)\ng = y.detach()\nh = y.max(1)[0]\n",
    "y = m if somewhere.flag else t\na = y.t()\nb = y.contiguous()\nc = y.reshape(-1)\nd = y.clone()\ne = y[0]\nf = y.sum(0)\ng = y.softmax(-1)\nh = torch.cat([y, y])\ni = y.unsqueeze(0)\nj = b.view(6)\nk = y.masked_fill(y > 0, 1)\nl = y @ net.weight\nn = net.weight @ y.t()\no = y.mean(0, keepdim=True)\n",
    "y = m if somewhere.flag else t\nx = y[None]\nz = net.weight @ x.transpose(1, 2)\nu = x.cumsum(1)\nv = F.layer_norm(x, (3,))\nk = x.flatten()\nl = torch.where(x > 0, x, 0.0)\np = F.pad(x, (1, 1))\n",
    "y = w * 1 if somewhere.flag else t\nn = y.detach().numpy()\nz = torch.from_numpy(n)\n",
    "y = t.half() if somewhere.flag else t\nz = y + t\nu = y.to(torch.float64)\nv = y.sum(dtype=torch.float32)\nk = y.argmax()\nl = y.long()\nc = torch.zeros_like(y)\n",
    "y = w * 1 if somewhere.flag else t\nif y.requires_grad:\n    z = torch.zeros(1)\nelse:\n    z = torch.zeros(2)\n",
    "y = m if somewhere.flag else t\nz = torch.zeros(3) if y.is_contiguous() else torch.zeros(4)\ns = torch.zeros(y.stride(0))\n",
    "def f(x):\n    if somewhere.flag:\n        return x * w\n    return x\ny = f(t)\nz = f(w)\n",
    "import numpy as np\nn = np.zeros((2, 3), np.uint8)\nif somewhere.flag:\n    n = np.repeat(n.mean(1, keepdims=True), 3, axis=1)\nx = torch.from_numpy(n)\ny = x.sum()\nz = torch.from_numpy(n / 255)\nu = torch.from_numpy(n > 0)\nv = x * 2\nk = x / 2\n",
    "import numpy as np\nn = np.ones(3, bool)\nif somewhere.flag:\n    n = np.array([0, 1, 1])\nx = t[:, n]\ny = torch.from_numpy(np.arange(3.0)[n])\nz = torch.from_numpy(n * 2)\nu = torch.from_numpy(n + np.float32(1))\nv = torch.from_numpy(n.astype(np.float32))\n",
    "y = t\nfor i in range(3):\n    if somewhere.flag:\n        y = y * w\nz = y\n",
    "y = t\nfor i in range(3):\n    if somewhere.flag:\n        break\n    y = y * w\nz = y\n",
]


CHOICES = [
    # tensors of other shapes: what depends on one condition is known in part, on two not at all
    "y = t if somewhere.flag else torch.zeros(5, 3)\nz = y * 2\nu = z.sum(0)\nv = z.sum(1)\nk = torch.zeros(y.shape[0])\n",
    "f = somewhere.flag\nx = t.t() if f else t\ny = x * 2\nz = y.t() if f else y\nu = z + 1\n",
    "f = somewhere.flag\ng = not f\nx = t.t() if f else t\ny = x * 2\nz = y.t() if g else y\nu = z + 1\n",
    "x = t.t() if somewhere.flag else t\ny = x * 2\nz = y.t() if not somewhere.flag else y\nu = z + 1\n",
    "n = 3 if somewhere.flag else 5\nx = torch.zeros(n, 4)\ny = x.sum(0)\nz = x if somewhere.flag else torch.zeros(5, 4)\nu = z + 1\n",
    "x = t\nif somewhere.flag:\n    x = t[:, :2]\ny = x + 1\nif not somewhere.flag:\n    y = y[:, :2]\nz = y\n",
    "x = t if somewhere.flag else w.sum(1)\ny = x * 2\nz = y.sum()\nk = y.numel()\nu = torch.zeros(k)\n",
    "p = nn.Linear(3, 4) if somewhere.flag else nn.Linear(3, 5)\ny = p(t)\nz = p.weight\n",
    "def f(x):\n    if somewhere.flag:\n        return x, x.sum(0)\n    return x.t(), x.sum(0)\na, b = f(t)\nc = a + 1\nd = b + 1\n",
    "x = [t, t] if somewhere.flag else [t]\nz = torch.stack(x)\nu = torch.cat(x)\n",
    "x = torch.zeros(3, 3) if somewhere.flag else torch.zeros(4, 4)\nx[0] = 1\ny = x @ x\nz = y.diagonal()\nu = torch.cat([x, x])\n",
]


LEFT = [
    # a way that leaves early has done something, too
    "class A:\n    x = t\na = A()\ndef f():\n    if somewhere.flag:\n        return\n    a.x = w.sum(0)\nf()\nz = a.x + 1\n",
    "class A:\n    x = t\na = A()\ndef f():\n    if somewhere.flag:\n        a.x = t.sum(0)\n        return 1\n    return 2\nf()\nz = a.x + 1\n",
    "ys = []\ndef f():\n    if somewhere.flag:\n        ys.append(t)\n        return\n    ys.append(t)\n    ys.append(t)\nf()\nz = torch.stack(ys)\n",
    "y = t\ntry:\n    if somewhere.flag:\n        raise ValueError\n    y = w.sum(0)\nexcept ValueError:\n    pass\nz = y + 1\n",
    "y = t\ndef f():\n    if somewhere.flag:\n        raise ValueError\ntry:\n    f()\n    y = w.sum(0)\nexcept ValueError:\n    y = y.sum(1)\nz = y + 1\n",
    "y = t\nfor i in range(2):\n    try:\n        if somewhere.flag:\n            raise ValueError\n        y = y.sum(0)[None].expand(2, 3)\n    except ValueError:\n        continue\nz = y + 1\n",
]


@pytest.mark.parametrize("text", LEFT + CHOICES + WRITES + MODES + FLOWS)
def test_what_is_stated_holds_on_both_ways(check, text):
    check(HEAD + text)


def test_a_tensor_or_a_number_is_known_again_once_it_is_added(trace):
    traced = trace(
        """
        import torch

        def sample(steps):
            image = torch.randn(4, 3, 8, 8)
            for step in reversed(range(steps)):
                noise = torch.randn_like(image) if step > 0 else 0.0
                image = image - 0.1 * image + torch.tensor(0.5).sqrt() * noise
            return image

        out = sample(1000)
        """
    )
    assert traced.shape("out") == (4, 3, 8, 8)
    assert traced.shape("noise") is None


def test_a_sum_that_begins_as_a_number_is_a_tensor_of_either_kind(trace):
    traced = trace(
        """
        import torch
        from somewhere import flag

        weight = torch.ones(5, requires_grad=True)
        extra = (weight * 2).sum() if flag else 0
        loss = weight.mean() + extra
        wide = torch.ones(5) if flag else torch.ones(2, 5)
        added = wide + torch.ones(2, 5)
        other = wide + torch.ones(5)
        """
    )
    assert traced.shape("loss") == ()
    assert traced.fact("loss").value.requires_grad is True
    assert traced.shape("added") == (2, 5)
    assert traced.shape("other") is None or None in traced.shape("other")


def test_a_call_is_not_said_again_of_another_value_that_is_one_of_two(trace, monkeypatch):
    monkeypatch.setattr("shapewise.trace.again.calls._WORTH", 0.0)
    traced = trace(
        """
        import torch
        from somewhere import flag

        base = torch.zeros(1, 3)

        def shifted(noise):
            return base + noise

        narrow = torch.randn(1, 3) if flag else 0.0
        wide = torch.randn(2, 3) if flag else 0.0
        first = shifted(narrow)
        second = shifted(narrow)
        third = shifted(narrow)
        other = shifted(wide)
        """
    )
    assert traced.shape("third") == (1, 3)
    assert traced.shape("other") != (1, 3)


def test_a_loop_that_data_ends_leaves_a_tensor_of_all_but_one_known_size(trace):
    traced = trace("""
        import torch

        def generate(ids, most):
            for _ in range(most):
                new = torch.randint(0, 9, (2, 1))
                ids = torch.cat([ids, new], 1)
                if (new == 0).all():
                    break
            return ids

        ids = generate(torch.zeros(2, 3, dtype=torch.long), 40)
        last, begun, pages = ids[:, -3:], ids[:, :20], torch.zeros(ids.size(1) // 20 + 1)
        embedded = torch.nn.Embedding(9, 6)(ids)
        pooled = embedded.mean(1)
        x = torch.zeros(2, 4)
        for _ in range(3):
            if torch.rand(1).item() < 0.5:
                x = torch.cat([x, x], 1)
        rows, columns = x.view(2, -1, 4), x.sum(1)
        """)
    shapes = {
        "ids": (2, None),
        "last": (2, 3),
        "begun": (2, None),
        "pages": (None,),
        "embedded": (2, None, 6),
        "pooled": (2, 6),
        "rows": (2, None, 4),
        "columns": (2,),
    }
    assert {name: traced.shape(name) for name in shapes} == shapes


def test_what_every_round_takes_a_part_of_is_of_any_size_afterwards(trace):
    traced = trace("""
        import torch
        boxes, kept = torch.rand(10, 4), []
        order = torch.rand(10).argsort(descending=True)
        while order.numel() > 0:
            first = order[0]
            kept.append(first)
            if order.numel() == 1:
                break
            others = boxes[order[1:]]
            order = order[1:][(others * boxes[first]).sum(1) <= 0.5]
        every = torch.stack(kept)
        one, other = torch.zeros(6), torch.zeros(7)
        for _ in range(100):
            one = one[torch.rand(len(one)) < 0.9]
            other = torch.zeros(len(one) + 1)
        pairs = torch.stack([other[1:], one])
        hundreds = torch.zeros(len(one) // 100 + 1)
        """)
    assert not traced.failures()
    shapes = {
        "others": (None, 4),
        "order": (None,),
        "every": (None,),
        "pairs": (2, None),
        "hundreds": (None,),
    }
    assert {name: traced.shape(name) for name in shapes} == shapes


def test_one_of_integers_and_floats_has_their_shape(check):
    traced = check("""
import torch, somewhere
from torch import nn
x = torch.arange(20).view(5, 4) if somewhere.flag else torch.randn(5, 4)
a, b, c, d, e = x.t(), x[:, 0], x * 2.0, x > 0, x.float()
f = x.sum(-1)
g = nn.Linear(4, 2)(x.float())
h = x + torch.ones(5, 4, dtype=torch.float64)
i = x.mean(0) if x.is_floating_point() else x.sum(0)
y = torch.randn(3) > 0 if somewhere.flag else torch.randn(3)
j = torch.cat([y, y])
k = y.float().softmax(-1)
""")
    assert [traced.shape(name) for name in "xabcdefghijk"] == [
        *((5, 4), (4, 5), (5,), (5, 4), (5, 4), (5, 4)),
        *((5,), (5, 2), (5, 4), (4,), (6,), (3,)),
    ]
    dtypes = [traced.fact(name).value.dtype for name in "xacdefghjk"]
    assert dtypes == [None, None, "float32", "bool", "float32", None, "float32", "float64", None, "float32"]


def test_what_may_have_been_set_in_a_loop_is_not_known(check):
    traced = check("""
import torch, somewhere
a, b = torch.ones(3), torch.ones(3)
for one in (1, 2, 3) if somewhere.flag else ():
    a.requires_grad_()
for _ in range(3):
    if somewhere.flag:
        b = b.requires_grad_()
c, d = a * 2, b * 2
""")
    assert traced.fact("c").value.requires_grad is traced.fact("d").value.requires_grad is None
    assert traced.shape("c") == traced.shape("d") == (3,)
