import torch

from recommender import CrossNetwork, DeepFM, DLRMInteraction, MatrixFactorization, NeuMF, SASRecBlock, TwoTower

for batch, fields, dim, hidden in ((8, [10, 20, 30], 6, [16, 12]), (5, [7, 9], 10, [20]), (12, [4, 5, 6, 8], 3, [14, 9, 11])):
    DeepFM(fields, dim, hidden)(torch.randint(0, 4, (batch, len(fields))))

for batch, users, items, factors in ((8, 50, 80, 6), (13, 33, 20, 10), (4, 100, 64, 7)):
    u, i = torch.randint(0, users, (batch,)), torch.randint(0, items, (batch,))
    MatrixFactorization(users, items, factors)(u, i)
    NeuMF(users, items, factors)(u, i)

for batch, dim, layers in ((8, 20, 3), (5, 13, 2), (11, 32, 4)):
    CrossNetwork(dim, layers)(torch.randn(batch, dim))

for batch, u, i, dim in ((8, 20, 30, 16), (5, 13, 9, 24), (11, 32, 17, 10)):
    TwoTower(u, i, dim)(torch.randn(batch, u), torch.randn(batch, i))

for batch, length, dim, heads in ((4, 10, 16, 2), (3, 17, 24, 4), (6, 8, 30, 3)):
    SASRecBlock(dim, heads)(torch.randn(batch, length, dim))

for batch, dense, tables, size, dim in ((4, 13, 5, 40, 8), (7, 10, 3, 25, 12), (3, 6, 4, 60, 10)):
    DLRMInteraction(dense, tables, size, dim)(torch.randn(batch, dense), torch.randint(0, size, (batch, tables)))
