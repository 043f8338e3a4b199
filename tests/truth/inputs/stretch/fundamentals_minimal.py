import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

# --- Data ---
rng = np.random.default_rng(42)
n = 1000
X_np = rng.normal(size=(n, 20)).astype(np.float32)
w = rng.normal(size=(20,)).astype(np.float32)
y_np = (X_np @ w > 0).astype(np.int64)
X_train_t = torch.from_numpy(X_np[:800])
y_train_t = torch.from_numpy(y_np[:800])
X_val_t = torch.from_numpy(X_np[800:])
y_val_t = torch.from_numpy(y_np[800:])
train_loader = DataLoader(TensorDataset(X_train_t, y_train_t), batch_size=64, shuffle=True)
val_loader = DataLoader(TensorDataset(X_val_t, y_val_t), batch_size=200)

# --- Model ---
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(
    nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.2),
    nn.Linear(64, 32), nn.ReLU(),
    nn.Linear(32, 2),
).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-4)
criterion = nn.CrossEntropyLoss()

# --- Training loop ---
for epoch in range(20):
    model.train()
    for X_b, y_b in train_loader:
        X_b, y_b = X_b.to(device), y_b.to(device)
        optimizer.zero_grad()
        loss = criterion(model(X_b), y_b)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        X_val_d = X_val_t.to(device)
        y_val_d = y_val_t.to(device)
        logits = model(X_val_d)
        val_acc = (logits.argmax(1) == y_val_d).float().mean().item()
    if (epoch + 1) % 5 == 0:
        print(f"epoch {epoch + 1}: loss={loss.item():.4f} acc={val_acc:.3f}")
