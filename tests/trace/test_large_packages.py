"""Packages too large to follow as a whole: a name is looked for where it is defined, and some modules are written anew."""

from __future__ import annotations

from test_imports import World, world  # noqa: F401 - a fixture

PACKAGE = {
    "lib/site-packages/torch_geometric/__init__.py": """
        import torch_geometric.utils
        import torch_geometric.nn
        import torch_geometric.never
        from .seed import seed_everything
        contrib = seed_everything(3)
    """,
    "lib/site-packages/torch_geometric/seed.py": "def seed_everything(seed):\n    return seed\n",
    "lib/site-packages/torch_geometric/never.py": "raise ImportError('nobody asks for it')\n",
    "lib/site-packages/torch_geometric/utils/__init__.py": "from ._scatter import scatter\nfrom .never import never\n",
    "lib/site-packages/torch_geometric/utils/_scatter.py": """
        def scatter(src, index, dim=0, dim_size=None, reduce='sum'):
            size = src.size()[:dim] + (dim_size,) + src.size()[dim + 1:]
            at = index.view(-1, 1).expand_as(src)
            return src.new_zeros(size).scatter_add_(dim, at, src)
    """,
    "lib/site-packages/torch_geometric/nn/__init__.py": "from .conv import *\nfrom .pool import *\n",
    "lib/site-packages/torch_geometric/nn/inits.py": "def zeros(value):\n    return value.data.fill_(0)\n",
    "lib/site-packages/torch_geometric/nn/conv/__init__.py": """
        from .message_passing import MessagePassing
        from .own import OwnConv
        from .never import NeverConv
        __all__ = ['MessagePassing', 'OwnConv', 'NeverConv']
    """,
    "lib/site-packages/torch_geometric/nn/conv/never.py": "raise ImportError('nobody asks for it')\n",
    "lib/site-packages/torch_geometric/nn/conv/message_passing.py": "raise ImportError('written anew')\n",
    "lib/site-packages/torch_geometric/nn/conv/own.py": """
        import torch
        from torch_geometric.nn.conv import MessagePassing
        from torch_geometric.nn import inits

        class OwnConv(MessagePassing):
            def __init__(self, inner, outer):
                super().__init__(aggr='add', node_dim=0)
                self.lin = torch.nn.Linear(inner, outer)
                inits.zeros(self.lin.bias)

            def forward(self, x, edge_index, weight=None):
                return self.propagate(edge_index, x=self.lin(x), weight=weight)

            def message(self, x_j, weight):
                return x_j if weight is None else weight.view(-1, 1) * x_j
    """,
    "lib/site-packages/torch_geometric/nn/pool/__init__.py": """
        from .pooled import pooled
        def knn(x):
            return x
    """,
    "lib/site-packages/torch_geometric/nn/pool/pooled.py": "def pooled(x):\n    return x.mean(0)\n",
}

MAIN = """
    import torch
    import torch_geometric
    import torch_geometric.nn as pyg_nn
    from torch_geometric.nn import MessagePassing, OwnConv, pooled
    from torch_geometric.utils import scatter

    class Twice(MessagePassing):
        def __init__(self):
            super().__init__(aggr="add", node_dim=0)

        def forward(self, x, edges):
            return self.propagate(edges, x=x)

        def message(self, x_i, x_j, index, size_i):
            return torch.cat([x_i, x_j], dim=-1)

        def update(self, found, x):
            return found[:, :3] + x.sum(1, keepdim=True)

    x, edges = torch.randn(20, 8), torch.randint(0, 20, (2, 60))
    a = OwnConv(8, 16)(x, edges, torch.rand(60))
    b = pyg_nn.OwnConv(8, 4)((x), edges)
    c = pooled(a)
    d = Twice()(x, edges)
    e = pyg_nn.knn(d)
    f = scatter(x, torch.arange(20) // 5, dim_size=4)
    g = torch_geometric.seed_everything(7)
"""


def test_names_are_looked_for_where_they_are_defined(world: World) -> None:  # noqa: F811
    world.write({**PACKAGE, "main.py": MAIN})
    world.packages = [str(world.folder / "lib" / "site-packages")]
    log = world.trace()
    assert not [event for event in log.events if getattr(event, "failure", None)]
    shapes = world.shapes(log)
    wanted = {"a": (20, 16), "b": (20, 4), "c": (16,), "d": (20, 3), "e": (20, 3), "f": (4, 8)}
    assert {name: shapes.get(name) for name in wanted} == wanted


def test_a_package_of_the_project_s_own_is_followed_as_it_is(world: World) -> None:  # noqa: F811
    files = {name.removeprefix("lib/site-packages/"): text for name, text in PACKAGE.items()}
    files["torch_geometric/never.py"] = files["torch_geometric/nn/conv/never.py"] = "NeverConv = None\n"
    files["torch_geometric/utils/never.py"] = "never = None\n"
    files["torch_geometric/nn/conv/message_passing.py"] = "class MessagePassing:\n    mine = True\n"
    world.write(
        {
            **files,
            "main.py": "from torch_geometric.nn import MessagePassing\nimport torch\nx = torch.zeros(3 if MessagePassing.mine else 4)\n",
        }
    )
    assert world.shapes(world.trace())["x"] == (3,)
