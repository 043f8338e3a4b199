import torch

from resnet import BasicBlock, Bottleneck, PreActBlock, ResNet

for b, c, h, w in ((2, 8, 16, 20), (3, 12, 14, 9), (5, 24, 32, 28)):
    BasicBlock(c, c)(torch.randn(b, c, h, w))

for b, cin, c, h, w, stride in ((2, 8, 4, 16, 20, 2), (4, 20, 5, 15, 11, 1), (3, 6, 7, 24, 32, 2)):
    Bottleneck(cin, c, stride)(torch.randn(b, cin, h, w))

for b, cin, c, h, w, stride in ((2, 8, 16, 16, 20, 2), (4, 5, 5, 15, 11, 1), (3, 6, 7, 24, 32, 2)):
    PreActBlock(cin, c, stride=stride)(torch.randn(b, cin, h, w))

for b, size, classes, layers, base in ((2, 64, 10, (2, 2), 16), (3, 48, 100, (1, 3), 8), (4, 80, 7, (3, 1), 12)):
    net = ResNet(layers, classes, base)
    net(torch.randn(b, 3, size, size - 8))
