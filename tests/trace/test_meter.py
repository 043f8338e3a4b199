"""What is measured of layers, held against real modules, torch's own counters and a real allocator."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

from shapewise.queries.layers import Row, roots, rows
from shapewise.queries.memory import course
from shapewise.trace import session
from shapewise.vocabulary.events import Log, Tensor
from shapewise.vocabulary.layers import Measured

_HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n"

_MODELS = {
    "mlp": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.GELU())
        self.head = nn.Linear(64, 5)
    def forward(self, x):
        h = self.body(x)
        return self.head(h + 1)
model = Net()
x = torch.randn(32, 20)
""",
    "cnn": """
class Block(nn.Module):
    def __init__(self, a, b, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(a, b, 3, stride=stride, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(b)
        self.conv2 = nn.Conv2d(b, b, 3, padding=1, groups=2)
        self.short = nn.Conv2d(a, b, 1, stride=stride)
    def forward(self, x):
        h = torch.relu(self.bn(self.conv1(x)))
        h = self.conv2(h)
        return torch.relu(h + self.short(x))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(3, 8, 1), Block(8, 16, 2)])
        self.head = nn.Linear(16, 4)
    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean((2, 3)))
model = Net()
x = torch.randn(4, 3, 16, 16)
""",
    "attention": """
class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(d)
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)
    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        q = q.view(B, T, self.heads, -1).transpose(1, 2)
        k = k.view(B, T, self.heads, -1).transpose(1, 2)
        v = v.view(B, T, self.heads, -1).transpose(1, 2)
        scores = (q @ k.transpose(-2, -1)) * 0.125
        y = scores.softmax(-1) @ v
        return x + self.proj(y.transpose(1, 2).reshape(B, T, C))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 32)
        self.layers = nn.Sequential(*[Attention(32, 4) for _ in range(3)])
        self.head = nn.Linear(32, 100, bias=False)
        self.head.weight = self.embed.weight
    def forward(self, ids):
        return self.head(self.layers(self.embed(ids)))
model = Net()
x = torch.randint(0, 100, (2, 16))
""",
    "torch's own transformer": """
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True), 2)
x = torch.randn(2, 10, 32)
""",
    "recurrent": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(16, 32, num_layers=2, batch_first=True)
        self.head = nn.Linear(32, 4)
    def forward(self, x):
        out, h = self.rnn(x)
        return self.head(out[:, -1])
model = Net()
x = torch.randn(3, 20, 16)
""",
    "without gradients": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(64, 256), nn.Linear(256, 64)
    @torch.no_grad()
    def forward(self, x):
        for _ in range(3):
            x = x + self.b(torch.relu(self.a(x)))
        return x
model = Net()
x = torch.randn(128, 64)
""",
}


def _measure(text: str) -> tuple[Log, Measured]:
    log = session.trace("measured.py", _HEAD + text, {}, measure=True)
    assert log.measured is not None
    return log, log.measured


def _rows(text: str) -> tuple[Row, ...]:
    log, measured = _measure(text)
    return rows(log, measured, roots(measured)[0])


def _real(text: str) -> tuple[nn.Module, torch.Tensor]:
    names: dict[str, Any] = {}
    exec(compile(_HEAD + text, "<real>", "exec"), names)
    return names["model"], names["x"]


@pytest.fixture(autouse=True, scope="module")
def _prepared() -> None:
    session.prepare()


@pytest.mark.parametrize("name", _MODELS)
def test_parameters_and_shapes_are_those_of_the_real_modules(name: str) -> None:
    model, x = _real(_MODELS[name])
    shapes: dict[str, list[tuple[int, ...]]] = {}
    for path, module in model.named_modules():
        module.register_forward_hook(
            lambda _, __, output, path=path: (
                shapes.setdefault(path, []).append(tuple(output.shape))
                if isinstance(output, torch.Tensor)
                else None
            )
        )
    model(x)
    modules = dict(model.named_modules())
    path: list[str] = []
    for row in _rows(_MODELS[name] + "y = model(x)\n"):
        if row.layer is None:
            continue
        path = [*path[: row.depth], "" if row.depth == 0 else row.name]
        full = ".".join(part for part in path if part)
        module = modules[full]
        assert row.layer.type == type(module).__name__
        assert row.layer.parameters == sum(one.numel() for one in module.parameters())
        if isinstance(row.output, Tensor):
            assert row.output.shape in shapes[full]


@pytest.mark.parametrize("name", _MODELS)
def test_flops_are_those_of_torchs_own_counter(name: str) -> None:
    model, x = _real(_MODELS[name])
    with FlopCounterMode(display=False) as counter:
        model(x)
    whole = _rows(_MODELS[name] + "y = model(x)\n")[0]
    assert whole.exact
    assert whole.flops == counter.get_total_flops() > 0


@pytest.mark.parametrize("name", _MODELS)
def test_memory_is_that_of_a_real_run(name: str) -> None:
    model, x = _real(_MODELS[name])
    log, measured = _measure(_MODELS[name] + "y = model(x)\n")
    call = measured.calls[roots(measured)[0]]
    found = course(log, measured, call)
    assert found is not None
    gc.collect()
    with _Allocations(model, x) as real:
        y = model(x)
    # Torch's recurrent layers hold on to some of what they need no more.
    tolerance = 0.06 if name == "recurrent" else 0.001
    assert max(found.live) == pytest.approx(real.peak, rel=tolerance)
    assert found.after == pytest.approx(real.now, rel=0.001)
    del y


class _Allocations(TorchDispatchMode):
    """Bytes of all memories that are alive, without those of parameters and buffers."""

    def __init__(self, model: nn.Module, given: torch.Tensor) -> None:
        super().__init__()
        self._seen = {one.untyped_storage()._cdata for one in (*model.parameters(), *model.buffers())}
        self.now = self.peak = given.untyped_storage().nbytes()
        self._seen.add(given.untyped_storage()._cdata)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(result):
            if isinstance(leaf, torch.Tensor) and leaf.untyped_storage()._cdata not in self._seen:
                storage = leaf.untyped_storage()
                self._seen.add(storage._cdata)
                self.now += storage.nbytes()
                weakref.finalize(storage, self._freed, storage._cdata, storage.nbytes())
        self.peak = max(self.peak, self.now)
        return result

    def _freed(self, number: int, size: int) -> None:
        self._seen.discard(number)
        self.now -= size


def test_operations_between_layers_have_rows_of_their_own() -> None:
    found = _rows(_MODELS["attention"] + "y = model(x)\n")
    names = [row.name for row in found if row.layer is None and row.depth == 3]
    assert names[:4] == ["@", "*", "softmax", "@"]
    assert sum(row.flops for row in found if row.depth == 1) == found[0].flops


def test_what_may_not_happen_is_marked() -> None:
    text = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
    def forward(self, x):
        return self.a(x) if x.sum() > 0 else self.b(x)
y = Net()(torch.randn(2, 4))
"""
    found = _rows(text)
    assert [row.perhaps for row in found if row.layer] == [False, True, True]
    assert not found[0].exact


def test_a_failure_is_marked_and_the_rest_is_there() -> None:
    text = """
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(9, 2))
y = net(torch.randn(3, 4))
z = nn.Linear(4, 4)(torch.randn(3, 4))
"""
    log, measured = _measure(text)
    first, second = roots(measured)
    assert [row.failed for row in rows(log, measured, first)] == [True, False, False, True]
    assert not any(row.failed for row in rows(log, measured, second))


def test_what_the_data_decides_is_not_measured() -> None:
    text = """
layer = nn.Linear(4, 8)
x = torch.randn(10, 4)
y = layer(x[x[:, 0] > 0])
"""
    found = _rows(text)
    assert isinstance(found[0].output, Tensor)
    assert found[0].output.shape == (None, 8)
    assert not found[0].exact


def test_a_class_that_answers_otherwise_is_not_measured_and_not_harmed() -> None:
    text = """
class Net(nn.Module):
    def parameters(self, recurse=True):
        raise ValueError("mine")
    def forward(self, x):
        return x * 2
y = Net()(torch.zeros(3, 4))
"""
    log = session.trace("odd.py", _HEAD + text, {}, measure=True)
    assert log.measured is None
    assert any("could not be measured" in note for note in log.notes)
    found = [event for event in log.events if getattr(event, "name", "") == "y"]
    assert found[-1].value.shape == (3, 4)


def test_a_training_loop_is_measured_once() -> None:
    text = """
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
def step(x):
    return net(x).sum()
for _ in range(5):
    step(torch.randn(3, 4)).backward()
net.eval()
step(torch.randn(3, 4))
step(torch.randn(7, 4))
"""
    _, measured = _measure(text)
    shown = [
        (measured.calls[number].training, measured.calls[number].output.shape) for number in roots(measured)
    ]
    assert shown == [(True, (3, 2)), (False, (3, 2)), (False, (7, 2))]
    assert len(measured.calls) == 3 * 4


def test_an_ordinary_trace_measures_nothing() -> None:
    assert session.trace("plain.py", _HEAD + _MODELS["mlp"], {}).measured is None
