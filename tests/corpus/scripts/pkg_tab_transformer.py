# needs: tab-transformer-pytorch einops hyper-connections
# beside: tab_transformer_pytorch
import torch
import torch.nn as nn
from tab_transformer_pytorch import TabTransformer, FTTransformer

cont_mean_std = torch.randn(10, 2).abs()
model = TabTransformer(
    categories=(10, 5, 6, 5, 8),
    num_continuous=10,
    dim=16,
    dim_out=1,
    depth=2,
    heads=4,
    attn_dropout=0.1,
    ff_dropout=0.1,
    mlp_hidden_mults=(4, 2),
    mlp_act=nn.ReLU(),
    continuous_mean_std=cont_mean_std,
)
x_categ = torch.randint(0, 5, (6, 5))
x_cont = torch.randn(6, 10)
pred = model(x_categ, x_cont)
loss = nn.functional.binary_cross_entropy_with_logits(pred.squeeze(-1), torch.randint(0, 2, (6,)).float())
loss.backward()
ft = FTTransformer(categories=(10, 5, 6, 5, 8), num_continuous=10, dim=16, dim_out=1, depth=2, heads=4)
p2, attns = ft(x_categ, x_cont, return_attn=True)
print(pred.shape, p2.shape)
