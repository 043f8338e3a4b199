# needs: vector-quantize-pytorch einops einx torch-einops-utils
# beside: vector_quantize_pytorch
import torch
import torch.nn as nn
import torch.nn.functional as F
from vector_quantize_pytorch import VectorQuantize, FSQ, LFQ


class SimpleVQAutoEncoder(nn.Module):
    def __init__(self, **vq_kwargs):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 16, kernel_size=3, stride=1, padding=1), nn.MaxPool2d(kernel_size=2, stride=2), nn.GELU(),
            nn.Conv2d(16, 32, kernel_size=3, stride=1, padding=1), nn.MaxPool2d(kernel_size=2, stride=2),
        )
        self.vq = VectorQuantize(dim=32, accept_image_fmap=True, **vq_kwargs)
        self.decoder = nn.Sequential(
            nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv2d(32, 16, kernel_size=3, stride=1, padding=1), nn.GELU(),
            nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv2d(16, 1, kernel_size=3, stride=1, padding=1),
        )

    def forward(self, x):
        z = self.encoder(x)
        quantized, indices, commit_loss = self.vq(z)
        out = self.decoder(quantized)
        return out.clamp(-1, 1), indices, commit_loss


torch.manual_seed(1234)
model = SimpleVQAutoEncoder(codebook_size=64)
opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
for it in range(2):
    x = torch.rand(4, 1, 28, 28) * 2 - 1
    opt.zero_grad()
    out, indices, cmt_loss = model(x)
    rec_loss = (out - x).abs().mean()
    (rec_loss + 10 * cmt_loss).backward()
    opt.step()
    active = indices.detach().unique().numel() / 64 * 100
    print(f"rec loss: {rec_loss.item():.3f} | cmt loss: {cmt_loss.item():.3f} | active %: {active:.3f}")

fsq = FSQ(levels=[8, 5, 5, 5])
xh, ind = fsq(torch.randn(1, 64, 4))
back = fsq.indices_to_codes(ind)
print(xh.shape, ind.shape, back.shape)
