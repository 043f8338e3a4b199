"""Functions that nobody calls which gather by an index that they stretch along what they write."""

from __future__ import annotations

POOL = """
import torch

def pool(x, batch):
    size = int(batch.max()) + 1
    out = torch.zeros(size, x.size(1))
    return out.scatter_add_(0, batch.view(-1, 1).expand_as(x), x)

class Net(torch.nn.Module):
    def __init__(self, dim, classes):
        super().__init__()
        self.lin = torch.nn.Linear(dim, classes)

    def forward(self, x, batch):
        x = self.lin(x)
        pooled = pool(x, batch)
        return pooled
"""


def test_what_is_added_up_by_an_index(trace):
    """As `global_add_pool` of torch_geometric: rows with a vector of whole numbers, as many as there are rows."""
    traced = trace(POOL)
    shapes = {
        fact.name: fact.value.shape for fact in traced.facts if fact.scope == "Net.forward" and fact.value
    }
    assert shapes["x"][-1] == "classes"
    assert len(shapes["x"]) == 2
    assert shapes["pooled"] == (None, "classes")
    assert not traced.failures()
