# needs: torchmetrics lightning-utilities packaging
import torch
import torch.nn as nn
from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score, BinaryAUROC
from torchmetrics import MetricCollection, MeanMetric
from torchmetrics.functional import accuracy, mean_squared_error

torch.manual_seed(0)
num_classes = 4
X = torch.randn(120, 10)
W = torch.randn(10, num_classes)
y = (X @ W).argmax(1)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, num_classes))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
metrics = MetricCollection({'acc': MulticlassAccuracy(num_classes=num_classes), 'f1': MulticlassF1Score(num_classes=num_classes)})
mean_loss = MeanMetric()
for epoch in range(2):
    perm = torch.randperm(len(X))
    for idx in perm.split(40):
        xb, yb = X[idx], y[idx]
        logits = model(xb)
        loss = nn.functional.cross_entropy(logits, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        mean_loss.update(loss.detach())
        batch_scores = metrics(logits, yb)
    epoch_scores = metrics.compute()
    avg = mean_loss.compute()
    print(epoch, avg, epoch_scores)
    metrics.reset()
    mean_loss.reset()
model.eval()
with torch.no_grad():
    probs = model(X).softmax(-1)
    hard = probs.argmax(-1)
    acc = accuracy(hard, y, task='multiclass', num_classes=num_classes)
    mse = mean_squared_error(probs.amax(-1), torch.ones(len(X)))
    auroc = BinaryAUROC()(probs[:, 0], (y == 0).long())
print(acc, mse, auroc)
