"""Image classifier with a trainer class, on made-up pictures."""
import random
import torch
from torch import nn, optim
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
from torch.utils.data import DataLoader, Dataset, random_split


class RandomMirror:
    def __init__(self, chance=0.5):
        self.chance = chance

    def __call__(self, picture):
        return picture.flip(-1) if random.random() < self.chance else picture


class Pictures(Dataset):
    def __init__(self, count, transform=None):
        generator = torch.Generator().manual_seed(count)
        self.pixels = torch.rand(count, 3, 16, 16, generator=generator)
        self.classes = torch.randint(0, 5, (count,), generator=generator)
        self.transform = transform

    def __len__(self):
        return len(self.classes)

    def __getitem__(self, at):
        picture = self.pixels[at]
        if self.transform is not None:
            picture = self.transform(picture)
        return picture, self.classes[at]


def block(c_in, c_out):
    return nn.Sequential(nn.Conv2d(c_in, c_out, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(c_out), nn.ReLU())


class Net(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.stem = block(3, 8)
        self.body = block(8, 16)
        self.head = nn.Linear(16 * 4 * 4, classes)

    def forward(self, x):
        x = self.body(self.stem(x))
        x = x.permute(0, 2, 3, 1)
        x = x.reshape(x.shape[0], -1)
        return self.head(x)


class Trainer:
    def __init__(self, net, train_set, val_set, epochs=6, device="cpu"):
        self.net = net.to(device)
        self.device = device
        self.epochs = epochs
        self.train_loader = DataLoader(train_set, batch_size=16, shuffle=True, drop_last=True)
        self.val_loader = DataLoader(val_set, batch_size=32)
        self.opt = optim.AdamW(self.net.parameters(), lr=3e-4, weight_decay=0.01)
        warm = LinearLR(self.opt, start_factor=0.1, total_iters=2)
        rest = CosineAnnealingLR(self.opt, T_max=epochs - 2)
        self.schedule = SequentialLR(self.opt, [warm, rest], milestones=[2])
        self.loss = nn.CrossEntropyLoss()

    def epoch(self):
        self.net.train()
        for x, y in self.train_loader:
            x, y = x.to(self.device), y.to(self.device)
            self.opt.zero_grad()
            self.loss(self.net(x), y).backward()
            self.opt.step()
        self.schedule.step()

    def validate(self):
        self.net.eval()
        hits = count = 0
        with torch.no_grad():
            for x, y in self.val_loader:
                guess = self.net(x.to(self.device)).argmax(1)
                hits += (guess == y.to(self.device)).sum().item()
                count += len(y)
        return hits / count

    def fit(self):
        best = 0.0
        for _ in range(self.epochs):
            self.epoch()
            accuracy = self.validate()
            if accuracy >= best:
                best = accuracy
                torch.save(self.net.state_dict(), "/tmp/PIT44_net.pt")
        return best


train_whole = Pictures(70, RandomMirror())
train_plain = Pictures(70)
order = torch.randperm(70).tolist()
train_set = torch.utils.data.Subset(train_whole, order[:50])
val_set = torch.utils.data.Subset(train_plain, order[50:])
trainer = Trainer(Net(), train_set, val_set)
print(trainer.fit())
final = Net()
final.load_state_dict(torch.load("/tmp/PIT44_net.pt", map_location="cpu"))
final.eval()
