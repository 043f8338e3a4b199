import torch

from sequence import S4D, TCN, GatedConvUnit, LinearAttention, MambaBlock, TokenShift

for batch, length, size, out, channels, kernel in ((3, 20, 6, 4, [8, 12], 3), (5, 31, 9, 2, [10, 10, 7], 2), (2, 16, 4, 11, [5], 4)):
    TCN(size, out, channels, kernel)(torch.randn(batch, length, size))

for batch, length, dim, state in ((3, 20, 8, 16), (2, 33, 12, 10), (5, 15, 6, 24)):
    S4D(dim, d_state=state)(torch.randn(batch, dim, length))
    S4D(dim, state, transposed=False)(torch.randn(batch, length, dim))

for batch, length, dim, inner, state, rank in ((2, 9, 16, 24, 5, 3), (3, 7, 12, 20, 8, 2), (4, 5, 10, 32, 6, 7)):
    MambaBlock(dim, inner, state, rank)(torch.randn(batch, length, dim))

for batch, length, dim, kernel, heads in ((2, 9, 16, 3, 4), (4, 12, 24, 5, 3), (3, 17, 20, 2, 5)):
    x = torch.randn(batch, length, dim)
    GatedConvUnit(dim, kernel)(x)
    LinearAttention(dim, heads)(x)
    TokenShift(dim)(x)
