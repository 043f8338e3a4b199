import torch
from quantizers import EMAQuantizer, FSQ, GumbelQuantizer, ResidualVQ, VectorQuantizer, round_ste

for b, d, k, h, w, q, levels in ((2, 6, 10, 4, 5, 3, [8, 5, 5]), (3, 7, 12, 6, 3, 2, [8, 6, 5, 4]), (4, 9, 14, 5, 8, 4, [7, 5])):
    net = VectorQuantizer(k, d)
    _, _, _, _, ind = net(torch.randn(b, d, h, w))
    net.get_codebook_entry(ind, (b, h, w, d))
    EMAQuantizer(d, k)(torch.randn(b, h, w, d))
    EMAQuantizer(d, k)(torch.randn(b, h * w, d))
    GumbelQuantizer(d, k, q + 1)(torch.randn(b, d, h, w))
    ResidualVQ(q, d, k)(torch.randn(b, h, d))
    round_ste(torch.randn(b, d))
    f = FSQ(levels)
    codes, ind = f(torch.randn(b, h, len(levels)))
    f.indices_to_codes(ind)
