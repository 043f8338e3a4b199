import torch

from pointcloud import PMA, DeepSet, EdgeConv, PointNetEncoder, chamfer_distance, index_points

for batch, points, channels in ((4, 50, 3), (3, 37, 6), (5, 28, 9)):
    x = torch.randn(batch, channels, points)
    PointNetEncoder(channel=channels)(x)
    PointNetEncoder(False, channels)(x)

for batch, points, cin, cout, k in ((4, 20, 3, 16, 5), (3, 17, 8, 12, 6), (2, 31, 10, 24, 7)):
    EdgeConv(cin, cout, k)(torch.randn(batch, cin, points))

for batch, n, dim, hidden, out in ((4, 10, 3, 16, 5), (3, 17, 8, 24, 2), (7, 12, 6, 32, 9)):
    DeepSet(dim, hidden, out)(torch.randn(batch, n, dim))

for batch, n, dim, heads, seeds in ((4, 10, 16, 2, 5), (3, 17, 24, 4, 6), (7, 12, 30, 3, 8)):
    PMA(dim, heads, seeds)(torch.randn(batch, n, dim))

for batch, n, m, s in ((4, 20, 15, 6), (3, 11, 9, 7), (5, 14, 25, 10)):
    a, b = torch.randn(batch, n, 3), torch.randn(batch, m, 3)
    chamfer_distance(a, b)
    index_points(a, torch.randint(0, n, (batch, s)))
