import torch
from ssm_diag import MinGRU, S4D, S4DKernel, SelectiveSSM, associative_op, parallel_scan, s4d_lin

for b, l, d, n in ((2, 11, 6, 8), (3, 13, 10, 14), (5, 9, 7, 12)):
    s4d_lin(n)
    S4DKernel(d, n)(l)
    S4D(d, n)(torch.randn(b, d, l))
    S4D(d, n, transposed=False)(torch.randn(b, l, d))
    net = SelectiveSSM(d, n, 4)
    net(torch.randn(b, l, d))
    net.step(torch.randn(b, d), (torch.zeros(b, 2 * d, 4), torch.zeros(b, 2 * d, n)))
    associative_op((torch.randn(b, d), torch.randn(b, d)), (torch.randn(b, d), torch.randn(b, d)))
    parallel_scan(torch.randn(b, l, d), torch.randn(b, l + 1, d))
    out, last = MinGRU(d, 1.5)(torch.randn(b, l, d)) if d % 2 == 0 else MinGRU(d)(torch.randn(b, l, d))
    MinGRU(d)(torch.randn(b, l, d), torch.rand(b, 1, d))
