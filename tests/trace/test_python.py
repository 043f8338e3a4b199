"""Python as model code uses it. What torch says of the results is tests/truth's to compare."""

HEAD = "import torch\nfrom torch import nn\n"


def test_classes_inherit_and_super_finds_its_way(trace):
    traced = trace(
        HEAD
        + """
class Base(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)
    def forward(self, x):
        return self.after(self.layer(x))
class Child(Base):
    def __init__(self):
        super().__init__(width=4)
        self.shift = nn.Parameter(torch.zeros(4))
    def after(self, x):
        return x + self.shift
net = nn.Sequential(Child(), Child())
y = net(torch.zeros(2, 4))
n = torch.zeros(sum(p.numel() for p in net.parameters()))
"""
    )
    assert traced.shape("y") == (2, 4)
    assert traced.fact("y").value.requires_grad is True
    assert traced.shape("n") == (48,)


def test_a_decorator_of_torch_keeps_the_function(trace):
    traced = trace(
        HEAD + "@torch.no_grad()\ndef f(m, x):\n    return m(x)\ny = f(nn.Linear(3, 2), torch.zeros(5, 3))\n"
    )
    assert traced.shape("y") == (5, 2)
    assert traced.fact("y").value.requires_grad is False


def test_a_generator_keeps_its_context_while_it_waits(trace):
    traced = trace(
        HEAD
        + """
from contextlib import contextmanager
@contextmanager
def quiet(model):
    with torch.no_grad():
        yield model
layer = nn.Linear(3, 2)
with quiet(layer) as m:
    y = m(torch.zeros(1, 3))
z = layer(torch.zeros(1, 3))
"""
    )
    assert traced.fact("y").value.requires_grad is False
    assert traced.fact("z").value.requires_grad is True


def test_the_next_file_finds_torch_as_it_was(trace):
    trace(
        HEAD
        + "torch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\nnn.Linear.forward = None\n"
    )
    traced = trace(HEAD + "y = nn.Linear(3, 2)(torch.zeros(1, 3))\n")
    assert traced.fact("y").value.dtype == "float32"
    assert traced.fact("y").value.requires_grad is True


def test_a_device_is_carried_beside_the_tensor(trace):
    traced = trace(
        HEAD
        + "x = torch.zeros(2, 3, device='cuda')\nm = nn.Linear(3, 4).cuda()\ny = m(x)\nc = y.cpu()\nbad = x + torch.zeros(3)\n"
    )
    assert traced.fact("y").value.device == "cuda:0"
    assert traced.fact("c").value.device == "cpu"
    assert traced.failures() == [
        (7, "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!")
    ]


def test_equal_texts_give_equal_logs(trace):
    text = (
        HEAD
        + "net = nn.Sequential(nn.Linear(3, 4), nn.ReLU())\nfor i in range(100):\n    y = net(torch.zeros(2, 3))\n"
    )
    assert trace(text).log.events == trace(text).log.events


def test_a_property_that_fails_is_not_there(trace):
    traced = trace(
        HEAD
        + """
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = nn.Parameter(torch.zeros(3))
class Ball(Base):
    @property
    def k(self):
        return self.root ** 2
    def __init__(self):
        super().__init__()
        k = self._parameters.pop("k")
        had = torch.zeros(1) if hasattr(self, "k") else torch.zeros(2)
        given = getattr(self, "k", torch.zeros(4))
        self.root = nn.Parameter(k.detach())
ball = Ball()
k = ball.k
has = torch.zeros(1) if hasattr(ball, "k") else torch.zeros(2)
"""
    )
    assert [traced.shape(name) for name in ("had", "given", "k", "has")] == [(2,), (4,), (3,), (1,)]
    assert not traced.failures()
