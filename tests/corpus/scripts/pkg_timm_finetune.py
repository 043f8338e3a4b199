# needs: timm huggingface-hub safetensors torchvision pyyaml
import timm
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def build(name, num_classes):
    model = timm.create_model(name, pretrained=False, num_classes=num_classes)
    return model


def freeze_backbone(model):
    head = model.get_classifier()
    for p in model.parameters():
        p.requires_grad = False
    for p in head.parameters():
        p.requires_grad = True
    return [p for p in model.parameters() if p.requires_grad]


torch.manual_seed(0)
xs, ys = torch.randn(8, 3, 64, 64), torch.randint(0, 5, (8,))
loader = DataLoader(TensorDataset(xs, ys), batch_size=4)
model = build("resnet18", 5)
params = freeze_backbone(model)
optimizer = torch.optim.SGD(params, lr=0.1, momentum=0.9)
criterion = nn.CrossEntropyLoss()
model.train()
for images, targets in loader:
    output = model(images)
    loss = criterion(output, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

model.eval()
with torch.no_grad():
    feats = model.forward_features(xs)
    pooled = model.forward_head(feats, pre_logits=True)
    logits = model(xs)
    prob, idx = logits.softmax(1).topk(2)
vit = build("vit_tiny_patch16_224", 5).eval()
with torch.inference_mode():
    tokens = vit.forward_features(torch.randn(1, 3, 224, 224))
    cls = tokens[:, 0]
    patches = tokens[:, 1:]
    side = int(patches.shape[1] ** 0.5)
    grid = patches.transpose(1, 2).reshape(1, -1, side, side)
mob = timm.create_model("mobilenetv3_small_050", features_only=True)
pyramid = mob(xs[:2])
for level in pyramid:
    print(level.shape)
print(feats.shape, pooled.shape, prob, grid.shape, cls.norm())
