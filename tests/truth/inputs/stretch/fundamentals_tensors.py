import torch
import torch.nn as nn

model = nn.Linear(10, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
criterion = nn.MSELoss()
X = torch.randn(32, 10)
y = torch.randn(32, 1)
for epoch in range(5):
    optimizer.zero_grad()
    pred = model(X)
    loss = criterion(pred, y)
    loss.backward()
    optimizer.step()  # weights updated
    print(f"Epoch {epoch}: loss={loss.item():.4f}")

x = torch.arange(12, dtype=torch.float32).reshape(3, 4)
print(x)
print(x.stride())
print(x.storage_offset())
x_t = x.T
print(x_t.shape)
print(x.is_contiguous(), x_t.is_contiguous())
x_t_cont = x_t.contiguous()
try:
    x_t.view(-1)
except RuntimeError as e:
    print(e)
flat = x_t.reshape(-1)

a = torch.ones(4)
b = a[:2]
b[0] = 99.0
c = a[:2].clone()
c[0] = 0.0

x = torch.tensor([2.0, 3.0], requires_grad=True)
y = x * 2
z = y + 1
loss = z.mean()
print(x.is_leaf, y.is_leaf, loss.grad_fn)
loss.backward()
grad = x.grad
x2 = torch.tensor([1.0], requires_grad=True)
y2 = x2 ** 2
y2.backward(retain_graph=True)
x2.grad.zero_()
y2.backward()
with torch.no_grad():
    detached = y2.detach()
