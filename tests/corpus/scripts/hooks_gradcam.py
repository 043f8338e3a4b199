import torch
import torch.nn as nn
import torch.nn.functional as F
from collections import OrderedDict, defaultdict
from typing import Callable


def conv3x3(in_planes, out_planes, stride=1):
    return nn.Conv2d(in_planes, out_planes, kernel_size=3, stride=stride, padding=1, bias=False)


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inplanes, planes, stride=1, downsample=None):
        super().__init__()
        self.conv1 = conv3x3(inplanes, planes, stride)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x):
        identity = x
        out = self.conv1(x)
        out = self.bn1(out)
        out = self.relu(out)
        out = self.conv2(out)
        out = self.bn2(out)
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        out = self.relu(out)
        return out


class ResNet(nn.Module):
    def __init__(self, block, layers, num_classes=10):
        super().__init__()
        self.inplanes = 16
        self.conv1 = nn.Conv2d(3, 16, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.layer1 = self._make_layer(block, 16, layers[0])
        self.layer2 = self._make_layer(block, 32, layers[1], stride=2)
        self.layer3 = self._make_layer(block, 64, layers[2], stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(64 * block.expansion, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode='fan_out', nonlinearity='relu')
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)

    def _make_layer(self, block, planes, blocks, stride=1):
        downsample = None
        if stride != 1 or self.inplanes != planes * block.expansion:
            downsample = nn.Sequential(
                nn.Conv2d(self.inplanes, planes * block.expansion, kernel_size=1, stride=stride, bias=False),
                nn.BatchNorm2d(planes * block.expansion),
            )
        layers = []
        layers.append(block(self.inplanes, planes, stride, downsample))
        self.inplanes = planes * block.expansion
        for _ in range(1, blocks):
            layers.append(block(self.inplanes, planes))
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.conv1(x)
        x = self.bn1(x)
        x = self.relu(x)
        x = self.maxpool(x)
        x = self.layer1(x)
        x = self.layer2(x)
        x = self.layer3(x)
        x = self.avgpool(x)
        x = torch.flatten(x, 1)
        x = self.fc(x)
        return x


class GradCAM:
    def __init__(self, model: nn.Module, target_layer: nn.Module):
        self.model = model
        self.gradients = None
        self.activations = None
        self.handles = [
            target_layer.register_forward_hook(self.save_activation),
            target_layer.register_full_backward_hook(self.save_gradient),
        ]

    def save_activation(self, module, input, output):
        self.activations = output.detach()

    def save_gradient(self, module, grad_input, grad_output):
        self.gradients = grad_output[0].detach()

    def __call__(self, x, class_idx=None):
        logits = self.model(x)
        if class_idx is None:
            class_idx = logits.argmax(dim=1)
        score = logits.gather(1, class_idx.unsqueeze(1)).squeeze(1)
        self.model.zero_grad()
        score.sum().backward()
        weights = self.gradients.mean(dim=(2, 3), keepdim=True)
        cam = F.relu((weights * self.activations).sum(dim=1, keepdim=True))
        cam = F.interpolate(cam, size=x.shape[-2:], mode='bilinear', align_corners=False)
        b = cam.shape[0]
        flat = cam.view(b, -1)
        lo, hi = flat.min(1, keepdim=True)[0], flat.max(1, keepdim=True)[0]
        cam = ((flat - lo) / (hi - lo + 1e-8)).view_as(cam)
        return cam, logits

    def remove(self):
        for h in self.handles:
            h.remove()


class ActivationStore:
    def __init__(self):
        self.store = OrderedDict()
        self.stats = defaultdict(list)

    def hook(self, name: str) -> Callable:
        def fn(module, args, output):
            self.store[name] = output
            self.stats[name].append(output.float().std().item())
        return fn


torch.manual_seed(0)
model = ResNet(BasicBlock, [1, 1, 1])
store = ActivationStore()
handles = []
for name, module in model.named_modules():
    if isinstance(module, (nn.Conv2d, nn.Linear)):
        handles.append(module.register_forward_hook(store.hook(name)))
x = torch.randn(2, 3, 64, 64)
with torch.no_grad():
    model.eval()
    out = model(x)
for name, act in store.store.items():
    print(f"{name:28s} {str(tuple(act.shape)):20s} std {store.stats[name][-1]:.3f}")
stem = store.store["conv1"]
last = list(store.store.values())[-1]
for h in handles:
    h.remove()

cam_engine = GradCAM(model, model.layer3)
cam, logits = cam_engine(x)
cam2, _ = cam_engine(x[:1], torch.tensor([3]))
cam_engine.remove()
heat = (cam * 255).to(torch.uint8).squeeze(1)
overlay = 0.5 * x + 0.5 * cam.expand(-1, 3, -1, -1)

x_adv = x.clone().requires_grad_(True)
loss = F.cross_entropy(model(x_adv), torch.tensor([1, 2]))
loss.backward()
saliency = x_adv.grad.abs().amax(dim=1)
with torch.no_grad():
    x_fgsm = (x + 0.03 * x_adv.grad.sign()).clamp(-3, 3)
    delta = (x_fgsm - x).flatten(1).norm(p=float('inf'), dim=1)
print(cam.shape, heat.dtype, overlay.mean(), saliency.shape, delta)
