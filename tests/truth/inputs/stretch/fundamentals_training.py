from collections.abc import Callable

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class TwoLayerMLP(nn.Module):
    def __init__(self, in_features: int, hidden: int, out_features: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(in_features, hidden)
        self.relu = nn.ReLU()
        self.drop = nn.Dropout(p=0.3)
        self.fc2 = nn.Linear(hidden, out_features)
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("bias_correction", torch.zeros(out_features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.fc1(x)
        x = self.relu(x)
        x = self.drop(x)  # only active in training mode
        x = self.fc2(x)
        x = x * self.scale  # learnable scaling factor
        x = x + self.bias_correction  # buffer used in forward pass
        return x


model = TwoLayerMLP(10, 64, 4)
for name, param in model.named_parameters():
    print(f"{name:25s} shape={tuple(param.shape)} requires_grad={param.requires_grad}")
for name, buf in model.named_buffers():
    print(f"{name} shape={tuple(buf.shape)} requires_grad={buf.requires_grad}")
total_params = sum(p.numel() for p in model.parameters())
trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)

activations = {}


def capture_activation(module, input, output):
    activations[module] = output.detach().cpu()


hook = model.fc1.register_forward_hook(capture_activation)
x = torch.randn(8, 10)
_ = model(x)
seen = activations[model.fc1]
hook.remove()


class TabularDataset(Dataset):
    def __init__(self, X: np.ndarray, y: np.ndarray) -> None:
        self.X = torch.from_numpy(X).float()
        self.y = torch.from_numpy(y).long()

    def __len__(self) -> int:
        return len(self.X)

    def __getitem__(self, idx: int) -> tuple[torch.Tensor, torch.Tensor]:
        return self.X[idx], self.y[idx]


def train_epoch(
    model: nn.Module,
    loader: DataLoader,
    criterion: Callable,
    optimizer: torch.optim.Optimizer,
    device: torch.device,
    grad_clip: float | None = None,
) -> float:
    """Runs one training epoch. Returns mean loss."""
    model.train()
    total_loss = 0.0
    for X_batch, y_batch in loader:
        X_batch = X_batch.to(device, non_blocking=True)
        y_batch = y_batch.to(device, non_blocking=True)
        optimizer.zero_grad()
        logits = model(X_batch)
        loss = criterion(logits, y_batch)
        loss.backward()
        if grad_clip is not None:
            nn.utils.clip_grad_norm_(model.parameters(), max_norm=grad_clip)
        optimizer.step()
        total_loss += loss.item()
    return total_loss / len(loader)


@torch.no_grad()
def evaluate(model: nn.Module, loader: DataLoader, criterion: Callable, device: torch.device) -> tuple[float, float]:
    """Returns (mean_loss, accuracy)."""
    model.eval()
    total_loss = 0.0
    correct = 0
    total = 0
    for X_batch, y_batch in loader:
        X_batch = X_batch.to(device, non_blocking=True)
        y_batch = y_batch.to(device, non_blocking=True)
        logits = model(X_batch)
        loss = criterion(logits, y_batch)
        total_loss += loss.item()
        preds = logits.argmax(dim=1)
        correct += (preds == y_batch).sum().item()
        total += y_batch.size(0)
    return total_loss / len(loader), correct / total


def train(model, train_loader, val_loader, n_epochs=50, lr=1e-3, device=None, patience=5) -> dict:
    """Full training loop with early stopping."""
    if device is None:
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = model.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-4)
    criterion = nn.CrossEntropyLoss()
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=n_epochs)
    history = {"train_loss": [], "val_loss": [], "val_acc": []}
    best_val_loss = float("inf")
    no_improve = 0
    best_state = None
    for epoch in range(1, n_epochs + 1):
        train_loss = train_epoch(model, train_loader, criterion, optimizer, device)
        val_loss, val_acc = evaluate(model, val_loader, criterion, device)
        scheduler.step()
        history["train_loss"].append(train_loss)
        history["val_loss"].append(val_loss)
        history["val_acc"].append(val_acc)
        if val_loss < best_val_loss:
            best_val_loss = val_loss
            no_improve = 0
            best_state = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            no_improve += 1
            if no_improve >= patience:
                print(f"Early stopping at epoch {epoch}")
                break
    if best_state is not None:
        model.load_state_dict(best_state)
    return history


X_np = np.random.randn(512, 10).astype(np.float32)
y_np = np.random.randint(0, 4, size=512)
train_loader = DataLoader(TabularDataset(X_np[:384], y_np[:384]), batch_size=64, shuffle=True, drop_last=True)
val_loader = DataLoader(TabularDataset(X_np[384:], y_np[384:]), batch_size=128)
history = train(model, train_loader, val_loader, n_epochs=3)
xb, yb = next(iter(train_loader))
