"""Torch's ways of running code that real torch cannot be asked about here: compiled, in several processes, on a card."""

import pytest
import torch

from shapewise.trace import session

HEAD = "import torch\nfrom torch import nn\nnet, x = nn.Linear(4, 3), torch.randn(2, 4)\n"


@pytest.mark.parametrize(
    "compiled",
    [
        "y = torch.compile(net, mode='reduce-overhead', fullgraph=True)(x)",
        "y = torch.jit.script(net)(x)",
        "y = torch.jit.trace(net, x)(x)",
        "net.compile()\ny = net(x)",
        "@torch.compile(dynamic=True)\ndef f(x):\n    return net(x)\ny = f(x)",
        "@torch.compiler.disable\ndef f(x):\n    return net(x)\ny = f(x)",
        "@torch._dynamo.disable()\ndef f(x):\n    return net(x)\ny = f(x)",
        "@torch.jit.ignore\ndef f(x):\n    return net(x)\ny = f(x)",
        "y = x if torch.jit.is_scripting() or torch.compiler.is_compiling() else net(x)",
    ],
)
def test_what_is_compiled_gives_what_it_gives_uncompiled(trace, compiled):
    traced = trace(HEAD + compiled)
    assert traced.shape("y") == (2, 3)
    assert traced.fact("y").value.requires_grad


@pytest.mark.parametrize("wrapper", ["DistributedDataParallel", "DataParallel"])
def test_a_model_in_several_processes_is_the_model(trace, wrapper):
    traced = trace(
        HEAD
        + "import torch.distributed as dist\n"
        + f"dist.init_process_group('nccl')\nwhole = nn.parallel.{wrapper}(net)\n"
        + "y = whole(x)\ndist.all_reduce(y)\nz = y\nw = whole.module.weight\nn = torch.zeros(dist.get_world_size(), 3)\n"
        + "u = x[0] if dist.is_initialized() else x\n"
        + "with whole.no_sync() if hasattr(whole, 'no_sync') else torch.no_grad():\n    v = whole.module(x)\n"
    )
    assert (traced.shape("z"), traced.shape("w"), traced.shape("v")) == ((2, 3), (3, 4), (2, 3))
    assert traced.shape("n") == (None, 3)
    assert traced.shape("u") == (4,)


@pytest.mark.parametrize(
    "made", ["DataParallel(net).cuda()", "DistributedDataParallel(net.cuda(), device_ids=[0])"]
)
def test_a_wrapper_brings_what_it_is_given_to_the_card(trace, made):
    traced = trace(HEAD + f"whole = nn.parallel.{made}\ny = whole(x)\n")
    assert not traced.failures()
    assert traced.fact("y").value.device == "cuda:0"


def test_a_draw_up_to_what_nobody_knows_has_its_size_on_a_card_too(trace):
    text = (
        "import torch\nfrom torch import nn\nnet, rows = nn.Linear(4, 2).cuda(), torch.zeros(9, 4)\n"
        "y = net(rows[torch.randint(0, int(input()), (32,))])\n"
    )
    log = session.trace("/somewhere/file.py", text, {}, card=True)
    assert [event.span.line for event in log.events if getattr(event, "failure", None)] == [4]


def test_a_range_is_a_row_of_numbers(trace):
    traced = trace(HEAD + "a = torch.LongTensor(range(7))\nb = torch.FloatTensor(range(2, len(x[x > 0])))\n")
    assert traced.shape("a") == (7,) and traced.fact("a").value.dtype == "int64"
    assert traced.shape("b") == (None,) and traced.fact("b").value.dtype == "float32"


def test_what_a_group_of_processes_would_do_is_not_done_by_one_alone(trace):
    traced = trace(
        HEAD
        + "import torch.distributed as dist\nif dist.is_available() and dist.is_initialized():\n    x = x[0]\ny = x\n"
    )
    assert traced.shape("y") == (2, 4)


def test_tensors_are_made_on_the_default_device(trace):
    traced = trace(
        HEAD
        + "torch.set_default_device('cuda')\na = torch.zeros(2)\nb = nn.Linear(2, 2)(a)\nc = torch.tensor([1])\n"
        + "torch.set_default_tensor_type(torch.DoubleTensor)\nd = torch.zeros(2)\n"
    )
    assert [str(traced.fact(name).value.device) for name in "abcd"] == ["cuda:0", "cuda:0", "cuda:0", "cpu"]
    assert traced.fact("d").value.dtype == "float64"
    assert trace("import torch\na = torch.zeros(2)\n").fact("a").value.device == "cpu"


def test_an_error_of_the_fake_tensors_own_is_no_mistake_of_the_file(trace):
    text = "import torch\ny = torch.vmap(lambda a, b: a @ b, in_dims=(0, None), out_dims=1)(torch.randn(4, 2, 3), torch.randn(3, 5))\n"
    for _ in range(2):  # what is remembered of the first time serves the second
        assert not trace(text).failures()


def test_weights_of_recurrent_layers_are_not_moved_for_a_card(trace, monkeypatch):
    monkeypatch.setattr(torch.backends.cudnn, "is_acceptable", lambda tensor: True)
    traced = trace(
        "import torch\ns = torch.randn(5, 2, 8, device='cuda')\ny, (h, c) = torch.nn.LSTM(8, 3).cuda()(s)"
    )
    assert (traced.shape("y"), traced.shape("h")) == ((5, 2, 3), (1, 2, 3))


def test_torchs_own_modules_read_the_device_they_are_on(trace):
    lines = [
        "nn.LSTM(8, 3).cuda()(s)[1][0]",
        "nn.GRU(8, 3).cuda()(nn.utils.rnn.pack_padded_sequence(s, torch.tensor([5, 3])))[1]",
        "nn.Transformer(8, 2, 1, 1, 16).cuda()(s, s, tgt_mask=nn.Transformer.generate_square_subsequent_mask(5, device='cuda'))",
        "torch.distributions.Normal(s, 1.0).rsample()",
        "nn.utils.rnn.pad_sequence([s[:, 0], s[:3, 0]])",
        "torch.func.grad(lambda v: inside(v).sum())(s)",
        "torch.func.vmap(lambda v: v * 2)(s)",
        "torch.optim.swa_utils.AveragedModel(nn.Linear(8, 3).cuda())(s)",
        "nn.Linear(8, 3).to(device='cuda')(s)",
        "nn.functional.interpolate(torch.zeros(1, 1, 4, 4, device='cuda'), scale_factor=2)",
    ]
    traced = trace(
        "import torch\nfrom torch import nn\ns = torch.randn(5, 2, 8, device='cuda')\n"
        + "def inside(v):\n    w = v * v\n    return w\n"
        + "".join(f"y{number} = {line}\n" for number, line in enumerate(lines))
    )
    assert not traced.failures()
    assert {traced.fact(f"y{number}").value.device for number in range(len(lines))} == {"cuda:0"}
    assert traced.fact("w").value.device == "cuda:0"


def test_an_encoder_in_eval_mode_cuts_padding_off(trace):
    traced = trace(
        "import torch\nfrom torch import nn\nnet = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1).eval()\n"
        + "x, pad = torch.randn(3, 5, 8), torch.rand(3, 5) > 0.5\n"
        + "with torch.no_grad():\n    y, z = net(x, src_key_padding_mask=pad), net(x)\nw = net(x, src_key_padding_mask=pad)\n"
    )
    assert traced.shape("y") == (3, None, 8)
    assert traced.shape("z") == traced.shape("w") == (3, 5, 8)


@pytest.mark.parametrize(
    "made",
    [
        "torch.Tensor(3, 4)",
        "torch.Tensor(torch.Size([3, 4]))",
        "torch.FloatTensor(3, 4)",
        "torch.LongTensor(3, 4)",
        "torch.Tensor(12)",
        "torch.Tensor()",
    ],
)
def test_tensors_made_of_sizes_as_in_the_old_days(trace, made):
    text = f"import torch\nx = {made}\nw = torch.nn.Parameter(x, requires_grad=x.is_floating_point())\nv = x.view(-1, 2)\n"
    names = {}
    exec(text, names)
    traced = trace(text)
    for name in "xwv":
        assert traced.shape(name) == tuple(names[name].shape)
        assert traced.fact(name).value.dtype == str(names[name].dtype).removeprefix("torch.")
        assert traced.fact(name).value.requires_grad == names[name].requires_grad


GRADCHECK = """
import torch

class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        da = g @ b.t()
        return da, a.t() @ g

left, right = torch.randn(4, 3, requires_grad=True).double(), torch.randn(3, 5).double()
ok = torch.autograd.gradcheck(Product.apply, (left, right))
Product.apply(torch.randn(2, 3, requires_grad=True), torch.randn(3, 6)).sum().backward()
"""


def test_what_gradcheck_calls_is_called_forward_and_backward(trace):
    traced = trace(GRADCHECK)
    for name, shapes in (("a", [(4, 3), (2, 3)]), ("g", [(4, 5), (2, 6)]), ("da", [(4, 3), (2, 3)])):
        fact = traced.fact(name)
        assert [variant.shape for variant in fact.variants] == shapes
        assert {variant.dtype for variant in fact.variants} == {"float64", "float32"}


def test_attention_weights_that_are_not_asked_for_are_none(trace):
    traced = trace(
        "import torch\nfrom torch import nn\nx = torch.randn(2, 5, 8)\n"
        "attention = nn.MultiheadAttention(8, 2, batch_first=True).eval()\n"
        "with torch.no_grad():\n    y, w = attention(x, x, x, need_weights=False)\n    z, v = attention(x, x, x)\n"
    )
    assert (traced.shape("y"), traced.shape("v")) == ((2, 5, 8), (2, 5, 5))
    assert not traced.knows("w")


def test_a_layer_whose_method_was_replaced_is_not_known(trace):
    traced = trace("""
        import torch
        from torch import nn
        before = nn.Linear(4, 3)(torch.randn(2, 4))
        nn.Linear.forward = lambda self, x: x.sum()
        after = nn.Linear(4, 3)(torch.randn(2, 4))
        inside = nn.Sequential(nn.Linear(4, 3), nn.ReLU())(torch.randn(2, 4))
        other = nn.Conv1d(4, 3, 1)(torch.randn(2, 4, 5))
    """)
    assert traced.shape("before") == (2, 3) and traced.shape("other") == (2, 3, 5)
    assert traced.shape("after") is None and traced.shape("inside") is None


def test_a_function_of_ones_own_keeps_a_constant(trace):
    traced = trace("""
        import torch
        class Scaled(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, factor):
                ctx.constant = factor
                return x * factor
            @staticmethod
            def backward(ctx, grad):
                scaled = grad * ctx.constant
                return scaled, None
        x = torch.randn(4, requires_grad=True)
        Scaled.apply(x, 2.0).sum().backward()
        g = x.grad
    """)
    assert traced.shape("scaled") == (4,) and traced.shape("g") == (4,)
    assert not trace("import torch\nz = torch.tensor(3).constant\n").knows("z"), (
        "a fake tensor's own is the wall's"
    )


def test_a_tree_of_containers_is_taken_apart_and_put_together(trace):
    traced = trace(
        """
import torch
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

batch = {"x": torch.randn(4, 3), "y": [torch.zeros(4), (torch.ones(4, 2), None)]}
half = tree_map(lambda t: t[:2] if torch.is_tensor(t) else t, batch)
x = half["x"]
leaves, spec = tree_flatten(batch)
back = tree_unflatten([t * 2 if torch.is_tensor(t) else t for t in leaves], spec)
y = back["y"][1][0]
both = tree_map(torch.add, [x], [torch.ones(3)])
z = both[0]

def twice(*args, **kwargs):
    flat, made_of = tree_flatten((args, kwargs))
    return tree_unflatten(flat, made_of)

given, named = twice(x, n=open("here").read())
w = given[0]
lost = tree_map(lambda t: t + 1, [open("here").what, x])
"""
    )
    assert [traced.shape(name) for name in "xyz"] == [(2, 3), (4, 2), (2, 3)]
    assert traced.shape("w") == (2, 3)
    assert not any(
        fact.name == "lost" and fact.value is not None and getattr(fact.value, "items", None)
        for fact in traced.facts
    )


def test_overloads_for_torchscript_are_passed_over(trace):
    traced = trace(
        '''
import torch
from torch import nn

@torch.jit._overload
def scale(x):
    # type: (int) -> int
    """Of a number."""

def scale(x):
    return x * 2

class Net(nn.Module):
    @torch.jit._overload_method
    def forward(self, x):
        # type: (int) -> int
        """Of a number."""

    def forward(self, x):
        return scale(x)

y = Net()(torch.ones(3))
state = torch.get_rng_state()
torch.set_rng_state(state)
'''
    )
    assert traced.shape("y") == (3,)
    assert traced.failures() == []
    assert traced.knows("state")


def test_transforms_of_distributions_state_their_constraints(trace):
    traced = trace(
        """
import torch
from torch.distributions import Distribution, Independent, Normal, Transform, TransformedDistribution, constraints
from torch.distributions.utils import _sum_rightmost

class Scale(Transform):
    domain = constraints.real_vector
    codomain = constraints.independent(constraints.real, 1)
    bijective = True

    def __init__(self, shift, scale):
        super().__init__()
        self.shift, self.scale = shift, scale

    def _call(self, x):
        return x * self.scale + self.shift

    def _inverse(self, y):
        return (y - self.shift) / self.scale

    def log_abs_det_jacobian(self, x, y):
        return _sum_rightmost(self.scale.abs().log().expand(x.shape), 1)

class Point(Distribution):
    arg_constraints = {"loc": constraints.real}

    @constraints.dependent_property(is_discrete=False, event_dim=1)
    def support(self):
        return constraints.real_vector

    def __init__(self, loc):
        self.loc = loc
        super().__init__(loc.shape[:1], loc.shape[1:], validate_args=False)

    def rsample(self, shape=torch.Size()):
        return self.loc.expand(shape + self.loc.shape)

base = Independent(Normal(torch.zeros(3), torch.ones(3)), 1)
flow = TransformedDistribution(base, [Scale(torch.zeros(3), torch.ones(3))])
x = flow.rsample((7,))
y = flow.log_prob(x)
z = Point(torch.zeros(2, 3)).rsample((6,))
w = constraints.positive.check(torch.ones(4))
"""
    )
    assert [traced.shape(name) for name in "xyzw"] == [(7, 3), (7,), (6, 2, 3), (4,)]
    assert traced.failures() == []


def test_what_a_backward_of_ones_own_is_refused_is_found(trace):
    traced = trace("""
        import torch
        class Scaled(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, w):
                ctx.save_for_backward(x, w)
                return x.sum(-1, keepdim=True) * w
            @staticmethod
            def backward(ctx, grad):
                x, w = ctx.saved_tensors
                return (grad * w).expand(3, 3), (grad * x).sum()
        Scaled.apply(torch.randn(4, 6, requires_grad=True), torch.randn(1, requires_grad=True)).sum().backward()
    """)
    ((line, message),) = traced.failures()
    assert line == 10 and message.startswith(
        "The expanded size of the tensor (3) must match the existing size (4)"
    )


SPARSE = """
at, v = torch.randint(0, 5, (2, 9)), torch.rand(9, requires_grad=True)
raw = torch.sparse_coo_tensor(at, v, (5, 4))
whole = raw.coalesce()
"""


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        ("y = raw._indices()", (2, 9)),
        ("y = torch.zeros(raw._nnz())", (9,)),
        ("y = whole.indices()", (2, None)),
        ("y = whole.values()", (None,)),
        ("y = torch.eye(4).to_sparse().values()", (None,)),
        ("y = torch.sparse.mm(raw, raw.t()).coalesce().values()", (None,)),
        ("y = torch.zeros(whole._nnz())", None),
        ("raw.add_(whole)\ny = raw._values()", (None,)),
        ("y = torch.sparse.mm(whole, torch.zeros(4, 3))", (5, 3)),
        ("y = torch.sparse.softmax(whole, dim=1).to_dense()", (5, 4)),
    ],
)
def test_how_much_a_sparse_tensor_stores_is_only_known_of_its_parts(trace, code, shape):
    assert trace(HEAD + SPARSE + code).shape("y") == shape


def test_what_a_sparse_tensor_stores_has_gradients(trace):
    traced = trace(HEAD + SPARSE + "y, z = whole.values(), whole.indices()")
    assert traced.fact("y").value.requires_grad
    assert traced.fact("z").value.contiguous is None


def test_a_buffer_is_one_of_its_layer(check):
    check(
        """
        import torch
        from torch import nn
        class Angles(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.steps = nn.Buffer(1.0 / 10 ** torch.arange(0, n, 2).float(), persistent=False)
                self.seen = nn.Buffer(torch.zeros(n))
            def forward(self, t):
                return torch.outer(t, self.steps)
        angles = Angles(8)
        y = angles(torch.arange(5).float())
        count = torch.zeros(len(list(angles.buffers())), len(angles.state_dict()))
        wide = angles.double().steps
        """
    )


def test_a_tensor_made_of_tensors_of_one_element_takes_each_for_a_number(check):
    traced = check(
        """
        import torch
        one, whole, half = torch.rand(()), torch.randint(3, ()), torch.rand(1).half()
        a = torch.tensor([one, one])
        b = torch.tensor([[one, 1.0], [2.0, whole]])
        c = torch.tensor([whole, 1])
        d = torch.tensor([whole, half])
        e = torch.FloatTensor([one, whole])
        f = torch.as_tensor([half, 1.5], dtype=torch.float64)
        losses = [(torch.rand(3, requires_grad=True) * n).sum() for n in range(5)]
        g = torch.tensor(losses)
        """
    )
    assert traced.shape("a") == traced.shape("c") == traced.shape("e") == (2,)
    assert traced.shape("b") == (2, 2)
    assert traced.fact("d").value.dtype == "float16"
    assert traced.shape("g") == (5,)
    assert traced.fact("g").value.requires_grad is False


def test_a_tensor_made_of_longer_tensors_is_refused_as_torch_does(trace):
    traced = trace("import torch\nx = torch.tensor([torch.rand(3), torch.rand(3)])\n")
    assert traced.failures() == [(2, "only one element tensors can be converted to Python scalars")]


def test_what_vjp_gives_beside_the_output_is_called_by_itself_and_under_vmap(trace):
    traced = trace("""
        import torch
        from torch.func import jvp, vjp, vmap
        def f(x):
            return x.sin().sum(-1)
        def kernel(a):
            out, pull = vjp(f, a)
            def row(v):
                _, moved = jvp(f, (a,), pull(v))
                return moved
            return vmap(row)(torch.eye(out.numel()))
        _, back = vjp(f, torch.randn(4, 3))
        (g,) = back(torch.ones(4))
        k = vmap(kernel)(torch.randn(2, 5, 3))
    """)
    assert traced.shape("g") == (4, 3)
    assert traced.shape("k") == (2, 5, 5)


def test_a_device_that_is_chosen_among_all_kinds_is_the_one_that_is_there(trace):
    traced = trace("""
        import torch
        if torch.cuda.is_available():
            device = torch.device("cuda")
        elif torch.xpu.is_available():
            device = torch.device("xpu")
        elif torch.mps.is_available():
            device = torch.device("mps")
        else:
            device = torch.device("cpu")
        x = torch.zeros(3, 2).to(device)
    """)
    assert traced.shape("x") == (3, 2)
    assert traced.fact("x").value.device == "cpu"


def test_a_function_with_a_backward_of_its_own_goes_backward_on_a_card(trace):
    traced = trace("""
        import torch
        from torch import nn
        class Spike(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, slope):
                ctx.save_for_backward(x)
                ctx.slope = slope
                return (x > 0).float()
            @staticmethod
            def backward(ctx, grad):
                (x,) = ctx.saved_tensors
                back = grad.clone()
                return back / (ctx.slope * x.abs() + 1.0) ** 2, None
        layer = nn.Linear(4, 3).to("cuda")
        y = Spike.apply(layer(torch.randn(2, 4, device="cuda")), 25)
        y.sum().backward()
    """)
    assert traced.fact("back").value.device == "cuda:0"
    assert traced.shape("back") == (2, 3)
    assert not traced.failures()


def test_a_number_names_a_card_wherever_the_program_runs(trace):
    traced = trace("""
        import torch
        from torch import nn
        rank = 0
        layer = nn.Linear(4, 3).to(rank)
        x = torch.randn(2, 4).to(rank, non_blocking=True)
        y = layer(x)
        half = x.to(device=1, dtype=torch.float16)
        copied = torch.ones(3).to(torch.float64, True)
    """)
    assert not traced.failures()
    assert traced.fact("y").value.device == "cuda:0"
    assert (traced.fact("half").value.device, traced.fact("half").value.dtype) == ("cuda:1", "float16")
    assert traced.fact("copied").value.device == "cpu"


def test_an_op_of_the_programs_own_is_run_on_what_is_not_known(trace):
    """Else what `forward` shows would be what its other calls are given."""
    traced = trace(
        """
        import torch, somewhere
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * 2
            @staticmethod
            def backward(ctx, grad):
                given = grad * 2
                return given
        a = Twice.apply(somewhere.tensor())
        b = Twice.apply(torch.zeros(3, requires_grad=True))
        b.sum().backward()
        """
    )
    assert traced.shape("b") == (3,)
    assert all(traced.fact(name).value.shape is None for name in ("x", "given"))


def test_what_is_true_of_a_mask_is_as_much_as_it_takes(trace):
    traced = trace(
        """
        import torch
        x = torch.randn(64, 2)
        mask = x[:, 0] > 0
        few = x[mask]
        more = torch.cat([x, few, few])
        kept = more[torch.cat([mask, torch.zeros(2 * mask.sum(), dtype=bool)])]
        n = mask.sum().item()
        both = torch.cat([few, torch.zeros(n, 3)], 1)
        """
    )
    assert traced.shape("kept") == (None, 2)
    assert traced.shape("both") == ("n", 5)
    assert not traced.failures()


def test_a_dim_of_one_element_steps_as_in_what_a_tensor_is_made_like(trace):
    """Only real tensors keep how far it steps (128 here), which no hint says of a dim of one."""
    traced = trace(
        HEAD + "last = torch.randn(1, 8, 16)[:, -1]\nlike = torch.zeros_like(last)\nadded = last + 1"
    )
    assert traced.fact("like").value.stride == traced.fact("last").value.stride == (None, 1)
    assert traced.fact("added").value.stride == (16, 1)
