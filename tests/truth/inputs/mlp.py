import torch
import torch.nn as nn
import torch.nn.functional as F


class TwoLayerMLP(nn.Module):
    """Two linear layers with a GELU and dropout in between."""

    def __init__(self, in_features, hidden, out_features, dropout=0.1):
        super().__init__()
        self.fc1 = nn.Linear(in_features, hidden)
        self.fc2 = nn.Linear(hidden, out_features)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        h = self.fc1(x)
        h = F.gelu(h)
        h = self.dropout(h)
        logits = self.fc2(h)
        return logits


torch.manual_seed(0)
batch_size, features, classes = 32, 784, 10
model = TwoLayerMLP(features, 256, classes)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
criterion = nn.CrossEntropyLoss()

images = torch.randn(batch_size, 1, 28, 28)
labels = torch.randint(0, classes, (batch_size,))
inputs = images.view(batch_size, -1)

model.train()
for step in range(3):
    optimizer.zero_grad()
    logits = model(inputs)
    loss = criterion(logits, labels)
    loss.backward()
    grad_norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(f"step {step}: {loss.item():.4f}")

model.eval()
with torch.no_grad():
    probs = model(inputs).softmax(dim=-1)
    confidence, predicted = probs.max(dim=1)
    correct = (predicted == labels).float()
    accuracy = correct.mean()

weight = model.fc1.weight
gradient = model.fc1.weight.grad
one = model(inputs[0])
