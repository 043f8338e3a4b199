"""What hovers say of ops, against torch itself: the op is run for real, and torch is asked."""

from __future__ import annotations

import re

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from shapewise.program.operands import operands
from shapewise.queries.hovers import broadcasting, call, docs, flops, holds, layout, memory, patterns, saved
from shapewise.queries.hovers.card import card
from shapewise.queries.hovers.run import Run
from shapewise.queries.places import Places
from shapewise.trace import session
from shapewise.vocabulary.events import Op, Tensor

SETUP = """\
import torch
from torch import nn
import torch.nn.functional as F
x = torch.randn(2, 6, 4)
y = torch.randn(4, 5, requires_grad=True)
p = torch.randn(2, 6, 4, requires_grad=True)
q = torch.randn(2, 6, 4, requires_grad=True)
t = p.transpose(1, 2)
image = torch.randn(2, 3, 9, 11)
signal = torch.randn(2, 4, 13)
heads = torch.randn(2, 3, 7, 8)
linear = nn.Linear(4, 7)
conv = nn.Conv2d(3, 8, 3, padding=1, stride=2)
strips = nn.Conv2d(3, 6, (1, 3), groups=3, bias=False)
conv1 = nn.Conv1d(4, 6, 5)
up = nn.ConvTranspose2d(3, 8, 2, stride=2)
norm = nn.BatchNorm2d(3)
"""


@pytest.fixture(scope="module", autouse=True)
def prepared() -> None:
    session.prepare()


def run_of(expression: str, setup: str = SETUP) -> Run:
    """What the tracer saw of the op that this expression is."""
    log = session.trace("file.py", f"{setup}r = {expression}\n", {})
    places = Places(log, len(log.frames))
    line = setup.count("\n") + 1
    ops = [event for event in log.events if isinstance(event, Op) and event.span.line == line]
    last = max(ops, key=lambda op: op.span.end_column - op.span.column)
    return places.runs(last.span, operands(expression, last.name))[-1]


def real(expression: str, setup: str = SETUP):
    """The names of the setup, and what the expression really gives."""
    names: dict[str, object] = {}
    exec(setup, names)
    return names, eval(expression, names)


PRODUCTS = [
    "x @ y",
    "torch.matmul(x, y)",
    "x.matmul(y)",
    "torch.mm(y, y.t())",
    "p @ t",
    "torch.bmm(p, t)",
    "torch.addmm(torch.zeros(4, 4), y, y.t())",
    "torch.baddbmm(torch.zeros(2, 6, 6), p, t)",
    "linear(x)",
    "F.linear(x, torch.randn(7, 4))",
    'torch.einsum("bij,jk->bik", x, y)',
    'torch.einsum("bij,bkj->bik", x, p)',
    'torch.einsum("bhid,bhjd->bhij", heads, heads)',
    "conv(image)",
    "strips(image)",
    "conv1(signal)",
    "up(image)",
    "F.conv2d(image, torch.randn(8, 3, 2, 2))",
    "F.conv_transpose2d(image, torch.randn(3, 8, 2, 2))",
    "F.scaled_dot_product_attention(heads, heads, heads)",
    "F.scaled_dot_product_attention(heads, torch.randn(2, 3, 9, 8), torch.randn(2, 3, 9, 8))",
]


@pytest.mark.parametrize("expression", PRODUCTS)
def test_flops_are_those_that_torch_counts(expression):
    names, _ = real("0")
    with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
        eval(expression, names)
    assert flops.total(run_of(expression)) == counter.get_total_flops() > 0
    assert re.fullmatch(r"2(·\d+)+ = [\d,.]+ ?[kMG]?FLOP", flops.told(run_of(expression)))


@pytest.mark.parametrize("expression", ["torch.mv(y, y[0])", "y @ y[0]"])
def test_a_product_with_a_vector_costs_as_much_as_one_of_a_column(expression):
    """torch does not count these."""
    assert flops.told(run_of(expression)) == "2·4·5 = 40 FLOP"


@pytest.mark.parametrize(
    "expression", ["x + x", "image.sum()", "norm(image)", 'torch.einsum("bij->bi", x)', "x.relu()"]
)
def test_what_is_no_product_has_no_flops(expression):
    assert flops.told(run_of(expression)) is None


VIEWS = """\
x.view(12, 4)
x.view(2, 6, 4)
x.transpose(1, 2)
x.permute(2, 0, 1)
x.mT
y.T
y.t()
x.unsqueeze(0)
x[:1].squeeze(0)
x[0]
x[:, 1:3]
x[..., 0]
x[:, [0, 2]]
x[x > 0]
x[None]
x.expand(3, 2, 6, 4)
x.reshape(12, 4)
t.reshape(8, 6)
t.reshape(2, 24)
t.reshape(2, 4, 6)
x.flatten()
t.flatten(1)
x.flatten(3 - 3, 1)
x.contiguous()
t.contiguous()
x.to(torch.float32)
x.to(torch.float64)
x.float()
x.half()
x.clone()
p.detach()
x.narrow(1, 0, 2)
x.select(1, 0)
x.diagonal(0, 1, 2)
x.unfold(1, 2, 1)
x.ravel()
t.ravel()
x.reshape_as(torch.zeros(12, 4))
x.view_as(torch.zeros(12, 4))
x.swapaxes(0, 1)
x.movedim(0, 2)
x.unflatten(1, (2, 3))
x.add_(1)
x.mul_(2)
x.relu_()
x + 1
x.relu()
torch.relu(x)
F.dropout(x, 0.5, False)
F.dropout(x, 0.0)
nn.Identity()(x)
nn.Flatten()(x)
nn.Dropout().eval()(x)
nn.ReLU(inplace=True)(x)
torch.cat([x, p])
torch.broadcast_to(x, (3, 2, 6, 4))
torch.squeeze(x)
torch.atleast_2d(x)
torch.real(x)
x.numpy()
x.data
x.repeat(1, 1, 2)
torch.tile(x, (1,))
x.roll(1, 0)
x.type_as(p)
torch.as_strided(x, (2, 2), (1, 2))
x.requires_grad_()""".splitlines()


@pytest.mark.parametrize("expression", [one for one in VIEWS if "numpy" not in one])
def test_whose_memory_a_result_is_in(expression):
    names, result = real(expression)
    source = next(
        value
        for name, value in names.items()
        if isinstance(value, torch.Tensor) and re.search(rf"\b{name}\b", expression)
    )
    shares = result.untyped_storage().data_ptr() == source.untyped_storage().data_ptr()
    said = memory.told(run_of(expression)) or ""
    assert shares == ("no new memory" in said or "nothing is copied" in said), said
    assert said.startswith("A view") == (shares and result is not source)
    assert ("itself" in said) == (result is source)
    amount = memory.amount(run_of(expression))
    assert "x > 0" in expression or amount == (
        None if shares else f"{result.numel() * result.element_size()} B"
    )


@pytest.mark.parametrize("expression", ["x.chunk(2, 1)", "x.split(4, 1)", "x.unbind()"])
def test_parts_share_the_memory_of_the_whole(expression):
    assert memory.told(run_of(expression)) == "Views: all share the memory of `x`, nothing is copied."


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('x.to("cuda")', "Copies to cuda:0."),
        ("x.cuda()", "Copies to cuda:0."),
        ("x.cuda().cpu()", "Copies to cpu."),
        ("x.half()", "Copies into new memory, as float16."),
        ("x.to(torch.int32)", "Copies into new memory, as int32."),
        ("x.float()", "Gives back `x` itself: nothing is copied."),
        ("t.contiguous()", "Copies into new memory."),
    ],
)
def test_what_is_copied_and_to_where(expression, expected):
    assert memory.told(run_of(expression)) == expected


def test_why_a_reshape_copies():
    assert memory.told(run_of("t.reshape(8, 6)")) == (
        "Copies into new memory: with strides (24, 1, 4) no view of `t` can be [8, 6]."
    )


PICTURES = ["x.transpose(1, 2)", "p[:, ::2]", "x[:1].expand(3, 6, 4)", "y.t()", "x[0, :, 1]", "x[:, 1:, 2]"]


@pytest.mark.parametrize("expression", PICTURES)
def test_the_picture_shows_positions_in_memory(expression):
    _, result = real(expression)
    places = torch.arange(10_000).as_strided(result.shape, result.stride())
    while places.dim() > 2:
        places = places[0]
    rows = places.reshape(-1, places.shape[-1])
    shown = layout.picture(run_of(expression).result)
    expected = [row[:6].tolist() for row in rows[:3]]
    assert [[int(one) for one in re.findall(r"\d+", line)] for line in shown.split("\n")][
        : len(expected)
    ] == expected


@pytest.mark.parametrize("expression", ["x", "x.view(12, 4)", "x[0]"])
def test_what_follows_each_other_has_no_picture(expression):
    result = run_of(f"{expression}.view(-1)").tensors[0][1]
    assert layout.picture(result) is None


SAVED = """\
p * q
p * x
x * p
p * 2
p + q
p - 1
p @ t
x @ y
p.matmul(t)
torch.bmm(p, t)
p.relu()
F.relu(p)
nn.ReLU()(p)
p.sigmoid()
torch.tanh(p)
p.exp()
p.sqrt()
p.softmax(-1)
F.log_softmax(p, dim=-1)
nn.Softmax(-1)(p)
F.gelu(p)
F.silu(p)
nn.GELU()(p)
nn.SiLU()(p)
p.log()
p.sin()
p.cos()
p.abs()
p.view(12, 4)
p.transpose(0, 1)
p.permute(2, 1, 0)
p.unsqueeze(0)
p.expand(3, 2, 6, 4)
t.reshape(8, 6)
p.flatten()
p.sum()
p.sum(1)
p.mean(0)
linear(x)
linear(p)""".splitlines()


@pytest.mark.parametrize("expression", SAVED)
def test_what_autograd_keeps(expression):
    """The memories that torch hands to its hooks are those of the tensors that are named."""
    names, _ = real("0")
    kept: list[torch.Tensor] = []
    with saved_tensors_hooks(lambda tensor: (kept.append(tensor), tensor)[1], lambda tensor: tensor):
        result = eval(expression, names)
    parameters = {one.untyped_storage().data_ptr() for one in names["linear"].parameters()}
    expected = {one.untyped_storage().data_ptr() for one in kept if one.dim()} - parameters
    run = run_of(expression)
    named = {name: value for name, value in names.items() if isinstance(value, torch.Tensor)}
    claimed = set()
    for name, _ in saved.saved(run):
        tensor = result if name == "the result" else named[name.strip("`")]
        claimed.add(tensor.untyped_storage().data_ptr())
    assert claimed == expected


@pytest.mark.parametrize("expression", ["x * x", "x.relu()", "x @ y.detach()"])
def test_nothing_is_kept_where_no_gradient_flows(expression):
    assert saved.told(run_of(expression)) is None


def test_nothing_is_kept_without_grad():
    setup = f"{SETUP}torch.set_grad_enabled(False)\n"
    assert saved.told(run_of("p * q", setup)) is None


@pytest.mark.parametrize("layer", ["linear", "conv", "strips", "norm", "nn.Sequential(linear, linear, conv)"])
def test_what_a_layer_holds(layer):
    _, built = real(layer)
    weights = run_of(f"nn.Sequential({layer})").weights
    assert weights.parameters == sum(one.numel() for one in built.parameters())
    assert weights.buffers == sum(one.numel() for one in built.buffers())
    assert weights.bytes == sum(
        one.numel() * one.element_size() for one in (*built.parameters(), *built.buffers())
    )
    assert holds.told(weights)


def test_a_layer_that_changes_says_nothing_of_its_weights():
    setup = f"{SETUP}net = nn.Sequential(linear)\nout = net(x)\nnet.append(nn.Linear(7, 3))\n"
    assert run_of("net(x)", setup).weights is None
    lazy = run_of("nn.LazyLinear(3)")
    assert lazy.weights is None


# ---------------------------------------------------------------- in words


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x @ y", "[2, 6, 4] @ [4, 5]\n→ [2, 6, 5] float32"),
        ("x.view(12, 4)", "[2, 6, 4].view(12, 4)\n→ [12, 4] float32"),
        ("linear(x)", "nn.Linear(4, 7)([2, 6, 4])\n→ [2, 6, 7] float32"),
        ("torch.cat([x, p], dim=1)", "torch.cat([[2, 6, 4], [2, 6, 4]], dim=1)\n→ [2, 12, 4] float32"),
        ("x[:, 0]", "[2, 6, 4][:, 0]\n→ [2, 4] float32"),
        ("y.T", "[4, 5].T\n→ [5, 4] float32"),
        ("1 - x", "1 - [2, 6, 4]\n→ [2, 6, 4] float32"),
        ("x * (1 / 3)", "[2, 6, 4] * 0.333333\n→ [2, 6, 4] float32"),
        ("x.sum((1,))", "[2, 6, 4].sum((1,))\n→ [2, 4] float32"),
        ("-x", "-[2, 6, 4]\n→ [2, 6, 4] float32"),
        ("x > 0", "[2, 6, 4] > 0\n→ [2, 6, 4] bool"),
        ("nn.Linear(4, 7)", "torch.nn.Linear(4, 7)"),
        ("x.chunk(2, 1)", "[2, 6, 4].chunk(2, 1)\n→ ([2, 3, 4], [2, 3, 4])"),
    ],
)
def test_the_call_as_it_was_made(expression, expected):
    assert call.told(run_of(expression)) == expected


def test_operands_are_aligned_right():
    assert broadcasting.told(run_of("x + y[:, 0]")) == (
        "x        2  6  4\ny[:, 0]        4\nresult   2  6  4"
    )
    assert broadcasting.told(run_of("x + p")) is None


def test_a_clash_is_marked():
    assert broadcasting.told(run_of("x + y")) == "x  2  6  4\ny     4  5\n      ✗  ✗"
    assert broadcasting.told(run_of("x @ y.t()")).endswith("✗")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (
            'torch.einsum("bij,jk->bik", x, y)',
            "For every b, i, k: the products, summed over j. `b=2 i=6 j=4 k=5`",
        ),
        (
            'torch.einsum("bij->bji", x)',
            "For every b, j, i: the same elements, in another order of dims. `b=2 i=6 j=4`",
        ),
        ('torch.einsum("bij->", x)', "One number: the elements, summed over b, i, j. `b=2 i=6 j=4`"),
        ('torch.einsum("ij,jk", y.t(), y)', "For every i, k: the products, summed over j. `i=5 j=4 k=5`"),
    ],
)
def test_einsum_in_words(expression, expected):
    assert patterns.told(run_of(expression)) == expected


def test_several_runs_share_what_is_equal_in_them():
    setup = f"{SETUP}def f(a):\n    return a.transpose(0, 1)\nf(y)\n"
    log = session.trace("file.py", f"{setup}f(x)\n", {})
    places = Places(log, len(log.frames))
    line = SETUP.count("\n") + 2
    span = places.innermost(line, 15)
    words = "\n".join(card(places.runs(span, ("a", "0", "1"))))
    assert "[4, 5].transpose(0, 1) → [5, 4] float32\n[2, 6, 4].transpose(0, 1) → [6, 2, 4] float32" in words
    assert "A view: shares the memory of `a`" in words
    assert "lie in memory" not in words


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("Returns a :class:`~torch.Tensor` of :attr:`size`.\n\nMore.", "Returns a `torch.Tensor` of `size`."),
        ("Applies :math:`y = xA^T + b`.\nTwice.\n\nArgs:\n", "Applies `y = xA^T + b`. Twice."),
        (".. warning:: no", ""),
        ("See `the paper <https://a.b/c>`_ of ``n`` words.", "See [the paper](https://a.b/c) of `n` words."),
        ("Applies relu. See :class:`~torch.nn.ReLU` for more details.", "Applies relu."),
        ("One. " + "word " * 100 + ".", "One."),
    ],
)
def test_the_first_paragraph_as_markdown(docstring, expected):
    assert docs.paragraph(docstring) == expected


def test_a_signature_is_cut_where_nobody_reads_on():
    assert docs.signature("cat(tensors, dim=0, *, out=None) -> Tensor") == "cat(tensors, dim=0) -> Tensor"
    assert len(docs.signature("f(" + ", ".join(f"argument{n}=None" for n in range(40)) + ")")) < 110


def test_operands_of_expressions():
    assert operands("x.view(2, n)", "view") == ("x", "2", "n")
    assert operands("torch.cat([a, b])", "torch.cat") == ("[a, b]",)
    assert operands("self.fc(x)", "nn.Linear()") == ("self.fc", "x")
    assert operands("a @ b.t()", "@") == ("a", "b.t()")
    assert operands("x += é", "+=") == ("x", "é")
    assert operands("f(*a)", "torch.cat") == ()
    assert operands("(", "view") == ()


def test_made_up_sizes_say_only_what_holds_for_all():
    text = "import torch\ndef f(x):\n    B, T, D = x.shape\n    return x.view(B * T, D).reshape(-1)\n"
    log = session.trace("file.py", text, {})
    places = Places(log, len(log.frames))
    (view,) = places.runs(places.innermost(4, 14), ("x", "B * T", "D"))
    assert view.made_up and memory.told(view) == "A view: shares the memory of `x`, nothing is copied."
    assert call.told(view).startswith("[B, T, D].view(B*T, D)")
    for reshape in places.runs(places.innermost(4, 32), ()):
        assert memory.told(reshape) is None and isinstance(reshape.op.result, Tensor)
