import torch

from classic_cnn import VGG, AlexNet, ConvNet, LeNet5

for batch, classes in ((4, 10), (7, 5), (16, 12)):
    net = LeNet5(num_classes=classes)
    net(torch.randn(batch, 1, 28, 28))

for batch, height, width, classes in ((2, 224, 200, 20), (3, 150, 180, 7), (5, 128, 96, 33)):
    AlexNet(classes)(torch.randn(batch, 3, height, width))

for batch, size, classes, cfg, norm in ((2, 32, 10, "A", True), (3, 40, 21, "tiny", False), (6, 48, 100, "tiny", True)):
    VGG(cfg, classes, norm)(torch.rand(batch, 3, size, size + 8))

for batch, cin, hidden, classes, h, w, k in ((4, 3, 16, 10, 32, 36, 3), (6, 1, 8, 5, 28, 20, 5), (9, 2, 12, 7, 17, 25, 3)):
    model = ConvNet(cin, hidden, classes, kernel_size=k)
    model(torch.randn(batch, cin, h, w))
