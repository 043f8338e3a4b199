# needs: vit-pytorch einops
# beside: vit_pytorch
import torch
from torch import nn, optim
from vit_pytorch import ViT, SimpleViT
from vit_pytorch.cait import CaiT
from vit_pytorch.cct import CCT

torch.manual_seed(0)
v = ViT(
    image_size=64,
    patch_size=16,
    num_classes=10,
    dim=48,
    depth=2,
    heads=4,
    mlp_dim=96,
    dropout=0.1,
    emb_dropout=0.1,
)
img = torch.randn(2, 3, 64, 64)
preds = v(img)
print(preds.shape)

simple = SimpleViT(image_size=64, patch_size=16, num_classes=10, dim=48, depth=2, heads=4, mlp_dim=96)
out = simple(img)

cait = CaiT(image_size=64, patch_size=16, num_classes=10, dim=48, depth=2, cls_depth=1, heads=4, mlp_dim=96, layer_dropout=0.0)
c = cait(img)

cct = CCT(img_size=(64, 48), embedding_dim=64, n_conv_layers=2, kernel_size=7, stride=2, padding=3, pooling_kernel_size=3,
          pooling_stride=2, pooling_padding=1, num_layers=2, num_heads=4, mlp_ratio=2., num_classes=10, positional_embedding='learnable')
cc = cct(torch.randn(1, 3, 64, 48))

labels = torch.randint(0, 10, (2,))
opt = optim.AdamW(v.parameters(), lr=3e-4)
criterion = nn.CrossEntropyLoss()
for step in range(2):
    logits = v(img)
    loss = criterion(logits, labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
ensemble = torch.stack([preds, out, c]).mean(0)
acc = (ensemble.argmax(-1) == labels).float().mean()
print(loss.item(), acc.item(), cc.shape)
