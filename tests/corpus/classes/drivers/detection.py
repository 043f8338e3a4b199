import torch

from detection import FPN, CNNLSTM, Conv3DBlock, DETRHead, KeypointHead, RetinaHead, YOLOLayer

for batch, channels, out, h, w in ((2, [8, 16, 24], 12, 16, 20), (1, [6, 10, 14], 9, 24, 12), (3, [5, 7, 20], 16, 8, 28)):
    FPN(channels, out)([torch.randn(batch, c, h // 2**i, w // 2**i) for i, c in enumerate(channels)])

for batch, channels, anchors, classes, h, w in ((2, 8, 3, 5, 6, 7), (3, 12, 9, 20, 4, 5), (1, 6, 4, 11, 9, 8)):
    RetinaHead(channels, anchors, classes)(torch.randn(batch, channels, h, w))

for batch, classes, grid, anchors in (
    (2, 5, 7, [(10, 13), (16, 30), (33, 23)]),
    (3, 20, 13, [(30, 61), (62, 45)]),
    (4, 8, 9, [(5, 6), (8, 14), (15, 11), (19, 36)]),
):
    YOLOLayer(anchors, classes)(torch.randn(batch, len(anchors) * (classes + 5), grid, grid))

for batch, classes, hidden, heads, queries, h, w in ((2, 5, 32, 4, 10, 64, 80), (3, 12, 24, 2, 7, 40, 56), (1, 9, 48, 6, 15, 72, 32)):
    DETRHead(classes, hidden, heads, 1, queries)(torch.randn(batch, 3, h, w))

for batch, cin, cout, t, h, w in ((2, 3, 8, 5, 16, 20), (1, 4, 12, 7, 14, 10), (3, 2, 6, 9, 8, 12)):
    Conv3DBlock(cin, cout)(torch.randn(batch, cin, t, h, w))

for batch, t, h, w, classes, features, hidden in ((2, 5, 20, 24, 7, 48, 32), (3, 8, 16, 18, 4, 20, 28), (4, 6, 30, 22, 11, 36, 40)):
    CNNLSTM(classes, features, hidden)(torch.randn(batch, t, 3, h, w))

for batch, channels, keypoints, h, w in ((2, 8, 17, 6, 7), (3, 12, 5, 9, 4), (5, 20, 21, 8, 10)):
    KeypointHead(channels, keypoints)(torch.randn(batch, channels, h, w))
