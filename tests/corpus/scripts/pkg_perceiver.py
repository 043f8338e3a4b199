# needs: perceiver-pytorch einops
# beside: perceiver_pytorch
import torch
from perceiver_pytorch import Perceiver, PerceiverIO

torch.manual_seed(0)
model = Perceiver(
    input_channels=3,
    input_axis=2,
    num_freq_bands=4,
    max_freq=10.,
    depth=2,
    num_latents=16,
    latent_dim=32,
    cross_heads=1,
    latent_heads=2,
    cross_dim_head=16,
    latent_dim_head=16,
    num_classes=10,
    attn_dropout=0.,
    ff_dropout=0.,
    weight_tie_layers=False,
    fourier_encode_data=True,
    self_per_cross_attn=1,
)
img = torch.randn(2, 24, 24, 3)
logits = model(img)
loss = torch.nn.functional.cross_entropy(logits, torch.tensor([1, 7]))
loss.backward()
total = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)

io = PerceiverIO(dim=16, queries_dim=16, logits_dim=5, depth=2, num_latents=8, latent_dim=32, cross_heads=1,
                 latent_heads=2, cross_dim_head=16, latent_dim_head=16)
seq = torch.randn(1, 40, 16)
queries = torch.randn(12, 16)
decoded = io(seq, queries=queries)
print(logits.shape, total, decoded.shape)
