"""Building blocks of image models."""
import torch
from torch import nn
from torch.nn import functional as F


class SEBlock(nn.Module):
    def __init__(self, channel, reduction=16):
        super().__init__()
        self.avg_pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Sequential(
            nn.Linear(channel, channel // reduction, bias=False),
            nn.ReLU(inplace=True),
            nn.Linear(channel // reduction, channel, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, x):
        b, c, _, _ = x.size()
        y = self.avg_pool(x).view(b, c)
        y = self.fc(y).view(b, c, 1, 1)
        return x * y.expand_as(x)


class ChannelAttention(nn.Module):
    def __init__(self, in_planes, ratio=8):
        super().__init__()
        self.avg_pool = nn.AdaptiveAvgPool2d(1)
        self.max_pool = nn.AdaptiveMaxPool2d(1)
        self.fc1 = nn.Conv2d(in_planes, in_planes // ratio, 1, bias=False)
        self.fc2 = nn.Conv2d(in_planes // ratio, in_planes, 1, bias=False)

    def forward(self, x):
        avg_out = self.fc2(F.relu(self.fc1(self.avg_pool(x))))
        max_out = self.fc2(F.relu(self.fc1(self.max_pool(x))))
        out = avg_out + max_out
        return torch.sigmoid(out)


class SpatialAttention(nn.Module):
    def __init__(self, kernel_size=7):
        super().__init__()
        self.conv1 = nn.Conv2d(2, 1, kernel_size, padding=kernel_size // 2, bias=False)

    def forward(self, x):
        avg_out = torch.mean(x, dim=1, keepdim=True)
        max_out, _ = torch.max(x, dim=1, keepdim=True)
        x = torch.cat([avg_out, max_out], dim=1)
        x = self.conv1(x)
        return torch.sigmoid(x)


class CBAM(nn.Module):
    def __init__(self, planes):
        super().__init__()
        self.ca = ChannelAttention(planes)
        self.sa = SpatialAttention()

    def forward(self, x):
        x = x * self.ca(x)
        x = x * self.sa(x)
        return x


class DepthwiseSeparableConv(nn.Module):
    def __init__(self, nin, nout, kernel_size=3, stride=1):
        super().__init__()
        self.depthwise = nn.Conv2d(nin, nin, kernel_size, stride=stride, padding=kernel_size // 2, groups=nin)
        self.pointwise = nn.Conv2d(nin, nout, kernel_size=1)

    def forward(self, x):
        out = self.depthwise(x)
        out = self.pointwise(out)
        return out


class InvertedResidual(nn.Module):
    def __init__(self, inp, oup, stride, expand_ratio):
        super().__init__()
        hidden_dim = round(inp * expand_ratio)
        self.use_res_connect = stride == 1 and inp == oup
        layers = []
        if expand_ratio != 1:
            layers += [nn.Conv2d(inp, hidden_dim, 1, bias=False), nn.BatchNorm2d(hidden_dim), nn.ReLU6()]
        layers += [
            nn.Conv2d(hidden_dim, hidden_dim, 3, stride, 1, groups=hidden_dim, bias=False),
            nn.BatchNorm2d(hidden_dim),
            nn.ReLU6(inplace=True),
            nn.Conv2d(hidden_dim, oup, 1, 1, 0, bias=False),
            nn.BatchNorm2d(oup),
        ]
        self.conv = nn.Sequential(*layers)

    def forward(self, x):
        if self.use_res_connect:
            return x + self.conv(x)
        out = self.conv(x)
        return out


class InceptionModule(nn.Module):
    def __init__(self, in_channels, ch1x1, ch3x3red, ch3x3, ch5x5red, ch5x5, pool_proj):
        super().__init__()
        self.branch1 = nn.Conv2d(in_channels, ch1x1, 1)
        self.branch2 = nn.Sequential(nn.Conv2d(in_channels, ch3x3red, 1), nn.Conv2d(ch3x3red, ch3x3, 3, padding=1))
        self.branch3 = nn.Sequential(nn.Conv2d(in_channels, ch5x5red, 1), nn.Conv2d(ch5x5red, ch5x5, 5, padding=2))
        self.branch4 = nn.Sequential(nn.MaxPool2d(3, stride=1, padding=1), nn.Conv2d(in_channels, pool_proj, 1))

    def forward(self, x):
        branch1 = self.branch1(x)
        branch2 = self.branch2(x)
        branch3 = self.branch3(x)
        branch4 = self.branch4(x)
        outputs = [branch1, branch2, branch3, branch4]
        return torch.cat(outputs, 1)


class DenseLayer(nn.Module):
    def __init__(self, in_features, growth_rate, bn_size=4):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(in_features)
        self.conv1 = nn.Conv2d(in_features, bn_size * growth_rate, kernel_size=1, bias=False)
        self.norm2 = nn.BatchNorm2d(bn_size * growth_rate)
        self.conv2 = nn.Conv2d(bn_size * growth_rate, growth_rate, kernel_size=3, padding=1, bias=False)

    def forward(self, x):
        new_features = self.conv1(F.relu(self.norm1(x)))
        new_features = self.conv2(F.relu(self.norm2(new_features)))
        return torch.cat([x, new_features], 1)


class DenseBlock(nn.Module):
    def __init__(self, num_layers, num_input_features, growth_rate):
        super().__init__()
        self.layers = nn.ModuleList(DenseLayer(num_input_features + i * growth_rate, growth_rate) for i in range(num_layers))

    def forward(self, init_features):
        features = init_features
        for layer in self.layers:
            features = layer(features)
        return features


class ShuffleUnit(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.groups = groups
        self.conv = nn.Conv2d(channels, channels, 1, groups=groups)

    def channel_shuffle(self, x):
        batchsize, num_channels, height, width = x.size()
        channels_per_group = num_channels // self.groups
        x = x.view(batchsize, self.groups, channels_per_group, height, width)
        x = torch.transpose(x, 1, 2).contiguous()
        return x.view(batchsize, -1, height, width)

    def forward(self, x):
        out = self.conv(x)
        out = self.channel_shuffle(out)
        return out + x


class ASPP(nn.Module):
    """Dilated convolutions at several rates, and the image's mean."""

    def __init__(self, in_channels, out_channels, rates=(6, 12, 18)):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv2d(in_channels, out_channels, 1)])
        for rate in rates:
            self.convs.append(nn.Conv2d(in_channels, out_channels, 3, padding=rate, dilation=rate))
        self.pool = nn.Conv2d(in_channels, out_channels, 1)
        self.project = nn.Conv2d(out_channels * (len(rates) + 2), out_channels, 1)

    def forward(self, x):
        res = [conv(x) for conv in self.convs]
        size = x.shape[-2:]
        pooled = self.pool(F.adaptive_avg_pool2d(x, 1))
        res.append(F.interpolate(pooled, size=size, mode="bilinear", align_corners=False))
        res = torch.cat(res, dim=1)
        return self.project(res)
