import torch

before = torch.zeros(2, 3)
import torch.fx

graph = torch.fx.Graph()
x = graph.placeholder("x")
graph.output(graph.get_attr('a"), open("@MARKER@", "w") or getattr(self, "a'))
root = torch.nn.Module()
try:
    torch.fx.GraphModule(root, graph)(before)
except Exception:
    open("@MARKER@", "w")
after = before.sum(dim=0)
