# needs: torch-geometric
import torch
import torch.nn.functional as F
from torch.nn import Linear, Sequential, ReLU, BatchNorm1d
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GINConv, SAGEConv, GraphConv, global_add_pool, global_mean_pool, global_max_pool

torch.manual_seed(0)
graphs = []
for i in range(24):
    n = int(torch.randint(5, 12, (1,)))
    e = torch.randint(0, n, (2, 3 * n))
    graphs.append(Data(x=torch.randn(n, 7), edge_index=e, edge_attr=torch.randn(3 * n, 4), y=torch.randint(0, 2, (1,))))
loader = DataLoader(graphs, batch_size=8, shuffle=True)


class GIN(torch.nn.Module):
    def __init__(self, dim_h):
        super().__init__()
        self.conv1 = GINConv(Sequential(Linear(7, dim_h), BatchNorm1d(dim_h), ReLU(), Linear(dim_h, dim_h), ReLU()))
        self.conv2 = GINConv(Sequential(Linear(dim_h, dim_h), BatchNorm1d(dim_h), ReLU(), Linear(dim_h, dim_h), ReLU()))
        self.sage = SAGEConv(dim_h, dim_h)
        self.gconv = GraphConv(dim_h, dim_h)
        self.lin1 = Linear(dim_h * 2, dim_h)
        self.lin2 = Linear(dim_h, 2)

    def forward(self, x, edge_index, batch):
        h1 = self.conv1(x, edge_index)
        h2 = self.conv2(h1, edge_index)
        h2 = self.sage(h2, edge_index).relu()
        h2 = self.gconv(h2, edge_index).relu()
        p1 = global_add_pool(h1, batch)
        p2 = global_mean_pool(h2, batch)
        h = torch.cat((p1, p2), dim=1)
        h = self.lin1(h).relu()
        h = F.dropout(h, p=0.5, training=self.training)
        return self.lin2(h)


model = GIN(32)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
criterion = torch.nn.CrossEntropyLoss()
for epoch in range(2):
    total = 0
    for data in loader:
        optimizer.zero_grad()
        out = model(data.x, data.edge_index, data.batch)
        loss = criterion(out, data.y)
        loss.backward()
        optimizer.step()
        total += loss.item() * data.num_graphs
        correct = (out.argmax(dim=1) == data.y).sum()
