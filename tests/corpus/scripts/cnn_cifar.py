import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import Dataset, DataLoader, ConcatDataset

class Compose:
    def __init__(self, ts): self.ts = ts
    def __call__(self, x):
        for t in self.ts: x = t(x)
        return x
class ToTensor:
    def __call__(self, a): return torch.from_numpy(a.transpose((2, 0, 1))).contiguous().float().div(255)
class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = torch.tensor(mean).view(-1, 1, 1), torch.tensor(std).view(-1, 1, 1)
    def __call__(self, x): return (x - self.mean) / self.std
class RandomCrop:
    def __init__(self, size, padding): self.size, self.padding = size, padding
    def __call__(self, img):
        p = self.padding
        img = np.pad(img, ((p, p), (p, p), (0, 0)), mode='constant')
        i, j = np.random.randint(0, 2 * p, size=2)
        return img[i:i + self.size, j:j + self.size]
class CIFAR(Dataset):
    classes = ('plane', 'car', 'bird', 'cat')
    def __init__(self, n, transform=None):
        self.x = np.random.randint(0, 256, (n, 32, 32, 3), dtype=np.uint8)
        self.y = np.random.randint(0, len(self.classes), n).tolist()
        self.tf = transform
    def __len__(self): return len(self.y)
    def __getitem__(self, i):
        img, target = self.x[i], self.y[i]
        if self.tf is not None:
            img = self.tf(img)
        return img, target
def conv3x3(i, o, stride=1): return nn.Conv2d(i, o, 3, stride=stride, padding=1, bias=False)
class BasicBlock(nn.Module):
    expansion = 1
    def __init__(self, inp, planes, stride=1, downsample=None):
        super().__init__()
        self.conv1, self.bn1 = conv3x3(inp, planes, stride), nn.BatchNorm2d(planes)
        self.conv2, self.bn2 = conv3x3(planes, planes), nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample
    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)
class SE(nn.Module):
    def __init__(self, c, r=4):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(c, c // r), nn.ReLU(), nn.Linear(c // r, c), nn.Sigmoid())
    def forward(self, x):
        b, c, _, _ = x.size()
        y = F.adaptive_avg_pool2d(x, 1).view(b, c)
        y = self.fc(y).view(b, c, 1, 1)
        return x * y.expand_as(x)
class ResNet(nn.Module):
    def __init__(self, block, layers, num_classes=4):
        super().__init__()
        self.inplanes = 8
        self.conv1 = conv3x3(3, 8)
        self.bn1 = nn.BatchNorm2d(8)
        self.layer1 = self._make_layer(block, 8, layers[0])
        self.layer2 = self._make_layer(block, 16, layers[1], stride=2)
        self.se = SE(16)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(16 * block.expansion, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode='fan_out', nonlinearity='relu')
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.constant_(m.weight, 1)
    def _make_layer(self, block, planes, blocks, stride=1):
        downsample = None
        if stride != 1 or self.inplanes != planes * block.expansion:
            downsample = nn.Sequential(nn.Conv2d(self.inplanes, planes, 1, stride, bias=False), nn.BatchNorm2d(planes))
        layers = [block(self.inplanes, planes, stride, downsample)]
        self.inplanes = planes * block.expansion
        for _ in range(1, blocks):
            layers.append(block(self.inplanes, planes))
        return nn.Sequential(*layers)
    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.layer2(self.layer1(x))
        x = self.se(x)
        x = torch.flatten(self.avgpool(x), 1)
        return self.fc(x)
def mixup(x, y, alpha=1.0):
    lam = np.random.beta(alpha, alpha) if alpha > 0 else 1
    index = torch.randperm(x.size()[0])
    return lam * x + (1 - lam) * x[index, :], y, y[index], lam
def rand_bbox(size, lam):
    W, H = size[2], size[3]
    cr = np.sqrt(1. - lam)
    cw, chh = int(W * cr), int(H * cr)
    cx, cy = np.random.randint(W), np.random.randint(H)
    return np.clip(cx - cw // 2, 0, W), np.clip(cy - chh // 2, 0, H), np.clip(cx + cw // 2, 0, W), np.clip(cy + chh // 2, 0, H)
train_tf = Compose([RandomCrop(32, 4), ToTensor(), Normalize((.5, .5, .5), (.25, .25, .25))])
test_tf = Compose([ToTensor(), Normalize((.5, .5, .5), (.25, .25, .25))])
trainset = ConcatDataset([CIFAR(12, train_tf), CIFAR(4, test_tf)])
trainloader = DataLoader(trainset, batch_size=8, shuffle=True, num_workers=0)
testloader = DataLoader(CIFAR(10, test_tf), batch_size=4)
net = ResNet(BasicBlock, [1, 2])
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(net.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4, nesterov=True)
scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, 'min', patience=1)
for epoch in range(2):
    running_loss = 0.0
    for i, data in enumerate(trainloader, 0):
        inputs, labels = data
        mx, ya, yb, lam = mixup(inputs, labels)
        x1, y1, x2, y2 = rand_bbox(inputs.size(), lam)
        cut = inputs.clone()
        cut[:, :, x1:x2, y1:y2] = inputs.flip(0)[:, :, x1:x2, y1:y2]
        optimizer.zero_grad()
        outputs = net(mx)
        loss = lam * criterion(outputs, ya) + (1 - lam) * criterion(outputs, yb)
        loss.backward()
        optimizer.step()
        running_loss += loss.item()
    scheduler.step(running_loss)
dataiter = iter(testloader)
images, labels = next(dataiter)
correct = {c: 0 for c in CIFAR.classes}
cm = torch.zeros(4, 4, dtype=torch.int64)
allp, ally = [], []
net.eval()
with torch.no_grad():
    for data in testloader:
        images, labels = data
        outputs = net(images)
        _, predicted = torch.max(outputs.data, 1)
        for t, p in zip(labels.view(-1), predicted.view(-1)):
            cm[t.long(), p.long()] += 1
            if t == p:
                correct[CIFAR.classes[t]] += 1
        allp.extend(predicted.cpu().numpy()); ally.append(labels)
per_class = cm.diag() / cm.sum(1).clamp(min=1)
ally = torch.cat(ally)
acc = (torch.tensor(np.array(allp)) == ally).float().mean()
grid = images.view(2, 2, 3, 32, 32).permute(2, 0, 3, 1, 4).reshape(3, 64, 64) if images.size(0) == 4 else images
