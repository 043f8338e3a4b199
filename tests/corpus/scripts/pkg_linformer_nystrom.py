# needs: linformer nystrom-attention einops siren-pytorch mlp-mixer-pytorch
# beside: linformer nystrom_attention siren_pytorch mlp_mixer_pytorch
import torch
from torch import nn
from linformer import Linformer, LinformerLM, LinformerSelfAttention
from nystrom_attention import NystromAttention, Nystromformer
from siren_pytorch import SirenNet, SirenWrapper
from mlp_mixer_pytorch import MLPMixer

model = LinformerLM(num_tokens=200, dim=32, seq_len=48, depth=2, heads=4, dim_head=8, k=16, one_kv_head=True, share_kv=False, reversible=False)
x = torch.randint(0, 200, (1, 48))
logits = model(x)

attn = LinformerSelfAttention(dim=32, seq_len=40, heads=4, k=8, one_kv_head=True, share_kv=True)
tgt = torch.randn(1, 40, 32)
context = torch.randn(1, 20, 32)
cross = attn(tgt, context)

ny = NystromAttention(dim=32, dim_head=8, heads=4, num_landmarks=8, pinv_iterations=3, residual=True)
mask = torch.ones(1, 50).bool()
n = ny(torch.randn(1, 50, 32), mask=mask)

net = SirenNet(dim_in=2, dim_hidden=32, dim_out=3, num_layers=3, final_activation=nn.Sigmoid(), w0_initial=30.)
wrapper = SirenWrapper(net, image_width=16, image_height=12)
img = torch.rand(1, 3, 12, 16)
loss = wrapper(img)
loss.backward()
pred_img = wrapper()

mixer = MLPMixer(image_size=32, channels=3, patch_size=8, dim=24, depth=2, num_classes=10)
pred = mixer(torch.randn(2, 3, 32, 32))
print(logits.shape, cross.shape, n.shape, pred_img.shape, pred.shape)
