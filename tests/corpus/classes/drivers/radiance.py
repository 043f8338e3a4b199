import torch
from radiance import NeRF, PositionalEncoding, cumprod_exclusive, get_rays, raw2outputs, sample_pdf
for n, s, w, p, v, h, wd in ((7, 9, 16, 12, 6, 5, 8), (8, 11, 20, 15, 9, 6, 10), (10, 12, 24, 18, 21, 7, 9)):
    PositionalEncoding(4)(torch.randn(n, 3))
    PositionalEncoding(6)(torch.randn(n, 3))
    NeRF(4, w, p, v, skips=[2])(torch.randn(n * s, p + v))
    NeRF(D=4, W=w, input_ch=p, input_ch_views=v, skips=[2], use_viewdirs=False)(torch.randn(n * s, p + v))
    get_rays(h, wd, 30.0, torch.eye(4))
    cumprod_exclusive(torch.rand(n, s))
    z = torch.rand(n, s).sort(-1).values
    raw2outputs(torch.randn(n, s, 4), z, torch.randn(n, 3))
    raw2outputs(torch.randn(n, s, 4), z, torch.randn(n, 3), raw_noise_std=0.5, white_bkgd=True)
    sample_pdf(z, torch.rand(n, s - 1), w)
    sample_pdf(z, torch.rand(n, s - 1), w + 1, det=True)
