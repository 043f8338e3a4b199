# Nothing is wrong here: follow `x` through the model, and see where gradients begin and end.
import torch
import torch.nn.functional as F
from torch import nn


class MLP(nn.Module):
    def __init__(self, features: int, hidden: int, classes: int):
        super().__init__()
        self.fc1 = nn.Linear(features, hidden)
        self.fc2 = nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        x = x.flatten(1)
        x = F.relu(self.fc1(x))
        x = self.dropout(x)
        return self.fc2(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = MLP(28 * 28, 128, 10).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

images = torch.rand(256, 1, 28, 28, device=device)
labels = torch.randint(0, 10, (256,), device=device)

model.train()
for epoch in range(5):
    for start in range(0, len(images), 64):
        x, y = images[start : start + 64], labels[start : start + 64]
        logits = model(x)
        loss = F.cross_entropy(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")

model.eval()
with torch.no_grad():
    predicted = model(images).argmax(dim=1)
    accuracy = (predicted == labels).float().mean()
