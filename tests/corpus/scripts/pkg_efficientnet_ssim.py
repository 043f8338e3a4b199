# needs: efficientnet-pytorch pytorch-msssim
# beside: efficientnet_pytorch pytorch_msssim
import torch
from efficientnet_pytorch import EfficientNet
from pytorch_msssim import ssim, ms_ssim, SSIM

torch.manual_seed(0)
model = EfficientNet.from_name('efficientnet-b0', num_classes=6)
x = torch.rand(2, 3, 64, 64)
features = model.extract_features(x)
endpoints = model.extract_endpoints(x)
y = model(x)
loss = torch.nn.functional.cross_entropy(y, torch.tensor([2, 5]))
loss.backward()

X = torch.rand(2, 3, 64, 64)
Y = (X + 0.05 * torch.randn_like(X)).clamp(0, 1)
val = ssim(X, Y, data_range=1.0, size_average=False)
module = SSIM(data_range=1.0, size_average=True, channel=3)
rec = Y.clone().requires_grad_(True)
ssim_loss = 1 - module(X, rec)
ssim_loss.backward()
step = rec.grad.sign() * 0.01
better = (rec - step).detach()
print(features.shape, y.shape, val, ssim_loss.item(), better.mean(), len(endpoints))
