import torch

from conv_blocks import (
    ASPP,
    CBAM,
    DenseBlock,
    DepthwiseSeparableConv,
    InceptionModule,
    InvertedResidual,
    SEBlock,
    ShuffleUnit,
)

for b, c, h, w in ((2, 32, 9, 7), (3, 48, 12, 10), (5, 16, 5, 6)):
    x = torch.randn(b, c, h, w)
    SEBlock(c, reduction=8)(x)
    CBAM(c)(x)

for b, cin, cout, h, w, stride in ((2, 8, 12, 9, 7, 1), (3, 10, 10, 16, 14, 1), (4, 6, 20, 15, 11, 2)):
    x = torch.randn(b, cin, h, w)
    DepthwiseSeparableConv(cin, cout, stride=stride)(x)
    InvertedResidual(cin, cout, stride, expand_ratio=3)(x)

for b, cin, h, w, sizes in ((2, 24, 8, 6, (4, 6, 8, 2, 3, 5)), (3, 10, 7, 9, (7, 3, 9, 4, 6, 2)), (1, 17, 11, 5, (5, 8, 12, 3, 7, 9))):
    InceptionModule(cin, *sizes)(torch.randn(b, cin, h, w))

for b, layers, c, growth, h, w in ((2, 3, 16, 8, 9, 7), (4, 2, 10, 5, 6, 12), (3, 5, 7, 4, 8, 10)):
    DenseBlock(layers, c, growth)(torch.randn(b, c, h, w))

for b, c, groups, h, w in ((2, 12, 3, 8, 6), (3, 20, 4, 5, 9), (5, 16, 2, 7, 10)):
    ShuffleUnit(c, groups)(torch.randn(b, c, h, w))

for b, cin, cout, h, w in ((2, 12, 6, 24, 30), (3, 20, 9, 19, 21), (1, 5, 8, 28, 17)):
    ASPP(cin, cout)(torch.randn(b, cin, h, w))
