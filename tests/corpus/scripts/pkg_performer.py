# needs: performer-pytorch local-attention einops axial-positional-embedding hyper-connections
# beside: performer_pytorch
import torch
from performer_pytorch import PerformerLM, Performer, SelfAttention

torch.manual_seed(0)
model = PerformerLM(
    num_tokens=100,
    max_seq_len=64,
    dim=32,
    depth=2,
    heads=4,
    dim_head=8,
    causal=False,
    nb_features=16,
    feature_redraw_interval=1000,
    generalized_attention=False,
    kernel_fn=torch.nn.ReLU(),
    use_scalenorm=False,
    use_rezero=False,
)
x = torch.randint(0, 100, (2, 64))
mask = torch.ones_like(x).bool()
out = model(x, mask=mask)
loss = torch.nn.functional.cross_entropy(out.transpose(1, 2), x)
loss.backward()

enc = Performer(dim=32, depth=1, heads=2, dim_head=16)
h = enc(torch.randn(1, 30, 32))
attn = SelfAttention(dim=32, heads=4, dim_head=8, causal=False)
y = attn(h)
print(out.shape, h.shape, y.shape)
