# needs: pytorch-metric-learning scikit-learn
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from pytorch_metric_learning import losses, miners
from pytorch_metric_learning.distances import CosineSimilarity
from pytorch_metric_learning.reducers import ThresholdReducer
from pytorch_metric_learning.regularizers import LpRegularizer


class Embedder(nn.Module):
    def __init__(self, d_in=20, d_out=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d_in, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, d_out))

    def forward(self, x):
        return self.body(x)


centers = torch.randn(5, 20) * 3
labels = torch.randint(0, 5, (320,))
data = centers[labels] + torch.randn(320, 20)
loader = DataLoader(TensorDataset(data, labels), batch_size=32, shuffle=True)

model = Embedder()
miner = miners.MultiSimilarityMiner()
loss_func = losses.TripletMarginLoss(
    distance=CosineSimilarity(), reducer=ThresholdReducer(high=0.3), embedding_regularizer=LpRegularizer()
)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)

for epoch in range(2):
    for i, (data, labels) in enumerate(loader):
        optimizer.zero_grad()
        embeddings = model(data)
        hard_pairs = miner(embeddings, labels)
        loss = loss_func(embeddings, labels, hard_pairs)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
