import torch
import torch.nn.functional as F
from torch import nn, optim


class SmallCNN(nn.Module):
    def __init__(self, num_classes: int = 10):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, kernel_size=3, padding=1)
        self.bn1 = nn.BatchNorm2d(32)
        self.conv2 = nn.Conv2d(32, 64, 3, stride=2, padding=1)
        self.bn2 = nn.BatchNorm2d(64)
        self.pool = nn.MaxPool2d(2)
        self.dropout = nn.Dropout(p=0.5)
        self.fc1 = nn.Linear(64 * 4 * 4, 128)
        self.fc2 = nn.Linear(128, num_classes)

    def features(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool(F.relu(self.bn1(self.conv1(x))))
        x = self.pool(F.relu(self.bn2(self.conv2(x))))
        return x

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.features(x)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = self.dropout(x)
        return self.fc2(x)


def train_step(model, batch, target, optimizer):
    model.train()
    optimizer.zero_grad()
    output = model(batch)
    loss = F.cross_entropy(output, target)
    loss.backward()
    optimizer.step()
    return loss


@torch.no_grad()
def evaluate(model, batch, target):
    model.eval()
    output = model(batch)
    pred = output.argmax(dim=1, keepdim=True)
    correct = pred.eq(target.view_as(pred)).sum()
    return correct, output


torch.manual_seed(0)
model = SmallCNN()
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
images = torch.rand(8, 3, 32, 32)
mean = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
std = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)
images = (images - mean) / std
target = torch.randint(10, (8,))

for epoch in range(2):
    loss = train_step(model, images, target, optimizer)
    correct, scores = evaluate(model, images, target)
    print(epoch, loss.item(), correct.item())

maps = model.features(images)
flat = maps.flatten(start_dim=1)
channels_last = images.permute(0, 2, 3, 1)
running_mean = model.bn1.running_mean
kernels = model.conv1.weight
top = torch.topk(scores.softmax(1), k=3, dim=1)
values, indices = top
