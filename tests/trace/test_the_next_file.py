"""Whatever one file does, the next one is traced as by a fresh process."""

import pytest

BENIGN = """
import copy, torch
from torch import nn
from torch.distributions import Normal, kl_divergence
net = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
x = torch.zeros(2, 4)
y = copy.deepcopy(net)(x)
p = Normal(torch.zeros(3), torch.ones(3))
s, d, k = p.sample(), p.log_prob(torch.zeros(3)), kl_divergence(p, p)
loss = y.sum()
loss.backward()
"""


@pytest.mark.parametrize(
    "hostile",
    [
        "list(map(type.__setattr__, [nn.Linear], ['forward'], [lambda self, x: x[0]]))",
        "class A:\n    def __reduce_ex__(self, protocol):\n        return (lambda: nn.Linear, (), (None, {'forward': lambda s, x: x[0]}))\ncopy.copy(A())",
        "dataclasses.dataclass(nn.Linear)",
        "x = torch.zeros(1)\nc = x.fake_mode.cache\nv = list(c.values())[0]\nfor k in list(c):\n    c[k] = v",
        "Normal.arg_constraints['loc'] = None",
        "Normal.arg_constraints['loc'].check = lambda v: 1 / 0",
        "Normal.support.__dict__['check'] = lambda v: 1 / 0",
        "torch.distributions.register_kl(Normal, Normal)(lambda p, q: torch.zeros(7))",
        "torch.distributions.Distribution.set_default_validate_args(False)",
        "torch.inference_mode().__enter__()",
        "torch.autocast('cpu', dtype=torch.bfloat16).__enter__()",
        "nn.Module.set_submodule(nn.functional, 'sofmax', nn.ReLU())",
        "torch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)",
        "nn.Linear.forward = nn.Module.__call__ = None",
        "nn.Linear.__constants__.append('x')",
        "functools.update_wrapper(nn.functional.relu, lambda x: x)",
    ],
)
def test_is_traced_as_if_nothing_had_been(trace, hostile):
    alone = trace(BENIGN).log.events
    trace(
        "import copy, dataclasses, functools, torch\nfrom torch import nn\nfrom torch.distributions import Normal\n"
        + hostile
        + "\n"
    )
    assert trace(BENIGN).log.events == alone
