import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, n):
        self.images = torch.rand(n, 3, 16, 16)
        self.tokens = torch.randint(0, 50, (n, 12))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return {"image": self.images[i], "tokens": self.tokens[i], "index": i}


class Clip(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.vision = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.GELU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, dim))
        self.text = nn.EmbeddingBag(50, dim, mode="mean")
        self.logit_scale = nn.Parameter(torch.tensor(2.66))

    def forward(self, batch):
        image = F.normalize(self.vision(batch["image"]), dim=-1)
        text = F.normalize(self.text(batch["tokens"]), dim=-1)
        logits = self.logit_scale.exp() * image @ text.t()
        return {"image": image, "text": text, "logits": logits}


model = Clip()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=8)
loader = DataLoader(Pairs(32), batch_size=8, shuffle=True, num_workers=0)
for epoch in range(2):
    for i, batch in enumerate(loader):
        output = model(batch)
        targets = torch.arange(len(batch["image"]))
        loss = (F.cross_entropy(output["logits"], targets) + F.cross_entropy(output["logits"].T, targets)) / 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()

batch = next(iter(loader))
moved = {key: value.to("cpu") if torch.is_tensor(value) else value for key, value in batch.items()}
best = output["logits"].argmax(dim=1)
