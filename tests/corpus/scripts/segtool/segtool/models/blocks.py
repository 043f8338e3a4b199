from torch import nn


def conv_bn(i, o, k=3, s=1, act=True):
    mods = [nn.Conv2d(i, o, k, s, k // 2, bias=False), nn.BatchNorm2d(o)]
    if act:
        mods.append(nn.ReLU(inplace=True))
    return nn.Sequential(*mods)


class SqueezeExcite(nn.Module):
    def __init__(self, c, r=4):
        super().__init__()
        self.fc = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(c, c // r, 1), nn.ReLU(), nn.Conv2d(c // r, c, 1), nn.Sigmoid())

    def forward(self, x):
        scale = self.fc(x)
        return x * scale


class ResBlock(nn.Module):
    def __init__(self, i, o, s=1):
        super().__init__()
        self.body = nn.Sequential(conv_bn(i, o, s=s), conv_bn(o, o, act=False), SqueezeExcite(o))
        self.skip = nn.Identity() if i == o and s == 1 else conv_bn(i, o, 1, s, act=False)
        self.act = nn.ReLU()

    def forward(self, x):
        y = self.body(x)
        identity = self.skip(x)
        return self.act(y + identity)
