# needs: torchvision pillow
import torch
import torch.nn as nn
import torchvision
from torchvision import models
from torchvision.models.feature_extraction import create_feature_extractor

torch.manual_seed(0)
net = models.resnet18(weights=None)
num_ftrs = net.fc.in_features
net.fc = nn.Linear(num_ftrs, 2)
x = torch.randn(4, 3, 96, 96)
out = net(x)
_, preds = torch.max(out, 1)
loss = nn.CrossEntropyLoss()(out, torch.tensor([0, 1, 1, 0]))
loss.backward()
g = net.conv1.weight.grad

mobile = models.mobilenet_v2(weights=None, num_classes=10).eval()
with torch.no_grad():
    f = mobile.features(x)
    pooled = f.mean([2, 3])
    cls = mobile.classifier(pooled)

vit = models.VisionTransformer(image_size=32, patch_size=8, num_layers=2, num_heads=4, hidden_dim=32, mlp_dim=64, num_classes=7)
y = vit(torch.randn(2, 3, 32, 32))

vgg = models.vgg11_bn(weights=None, num_classes=10)
feats = vgg.features(torch.randn(1, 3, 64, 64))
gram = feats.flatten(2) @ feats.flatten(2).transpose(1, 2)

dense = models.squeezenet1_1(weights=None)
dense.classifier[1] = nn.Conv2d(512, 4, kernel_size=1)
s = dense(torch.randn(2, 3, 64, 64))
conv = models.convnext_tiny(weights=None, num_classes=3).eval()
with torch.inference_mode():
    c = conv(torch.randn(1, 3, 64, 64))
print(out.shape, preds, g.norm(), cls.shape, y.shape, gram.shape, s.shape, c)
