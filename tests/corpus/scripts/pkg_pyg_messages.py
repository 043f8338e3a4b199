# needs: torch-geometric
import torch
from torch.nn import Linear, Parameter
from torch_geometric.nn import MessagePassing
from torch_geometric.utils import add_self_loops, degree, softmax


class GCNConv(MessagePassing):
    def __init__(self, in_channels, out_channels):
        super().__init__(aggr="add")
        self.lin = Linear(in_channels, out_channels, bias=False)
        self.bias = Parameter(torch.empty(out_channels))
        self.reset_parameters()

    def reset_parameters(self):
        self.lin.reset_parameters()
        self.bias.data.zero_()

    def forward(self, x, edge_index):
        edge_index, _ = add_self_loops(edge_index, num_nodes=x.size(0))
        x = self.lin(x)
        row, col = edge_index
        deg = degree(col, x.size(0), dtype=x.dtype)
        deg_inv_sqrt = deg.pow(-0.5)
        deg_inv_sqrt[deg_inv_sqrt == float("inf")] = 0
        norm = deg_inv_sqrt[row] * deg_inv_sqrt[col]
        out = self.propagate(edge_index, x=x, norm=norm)
        out = out + self.bias
        return out

    def message(self, x_j, norm):
        return norm.view(-1, 1) * x_j


class EdgeAtt(MessagePassing):
    def __init__(self, dim):
        super().__init__(aggr="mean", node_dim=0)
        self.score = Linear(2 * dim + 3, 1)

    def forward(self, x, edge_index, edge_attr):
        return self.propagate(edge_index, x=x, edge_attr=edge_attr)

    def message(self, x_i, x_j, edge_attr, index, size_i):
        a = self.score(torch.cat([x_i, x_j, edge_attr], dim=-1))
        a = softmax(a, index, num_nodes=size_i)
        return a * x_j

    def update(self, aggr_out, x):
        return aggr_out + x


x = torch.randn(30, 16)
edge_index = torch.randint(0, 30, (2, 90))
h = GCNConv(16, 8)(x, edge_index)
z = EdgeAtt(8)(h, edge_index, torch.randn(90, 3))
loss = z.mean()
loss.backward()
