# needs: x-transformers einops einx loguru packaging torch-einops-utils
# beside: x_transformers
import torch
from x_transformers import TransformerWrapper, Decoder, Encoder, AutoregressiveWrapper, XTransformer

torch.manual_seed(0)
model = TransformerWrapper(
    num_tokens=256,
    max_seq_len=64,
    attn_layers=Decoder(dim=64, depth=2, heads=4, rotary_pos_emb=True, attn_dim_head=16, ff_glu=True),
)
x = torch.randint(0, 256, (2, 32))
logits = model(x)

lm = AutoregressiveWrapper(model)
optim = torch.optim.Adam(lm.parameters(), lr=1e-4)
for _ in range(2):
    seq = torch.randint(0, 256, (2, 33))
    loss = lm(seq)
    loss.backward()
    optim.step()
    optim.zero_grad()
    print(f'training loss: {loss.item()}')

prompt = x[:, :4]
sampled = lm.generate(prompt, 8)
print(sampled.shape)

enc = TransformerWrapper(num_tokens=100, max_seq_len=32, attn_layers=Encoder(dim=32, depth=1, heads=2, attn_dim_head=16))
mask = torch.ones(1, 20).bool()
hidden = enc(torch.randint(0, 100, (1, 20)), mask=mask, return_embeddings=True)
pooled = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
print(pooled.shape)
