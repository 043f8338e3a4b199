"""Layers and losses on mixed devices or a card: what a card said of each (an H200, torch 2.11), as the last line of each."""

# %% linear input cpu
import torch
net = torch.nn.Linear(4, 5).cuda()
y = net(torch.ones(3, 4))
# 3: Expected all tensors to be on the same device, but got mat1 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)
# %% linear weights cpu
import torch
net = torch.nn.Linear(4, 5)
y = net(torch.ones(3, 4, device="cuda"))
# 3: Expected all tensors to be on the same device, but got mat1 is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_addmm)
# %% linear no bias
import torch
net = torch.nn.Linear(4, 5, bias=False).cuda()
y = net(torch.ones(3, 4))
# 3: Expected all tensors to be on the same device, but got mat2 is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_mm)
# %% linear 3d
import torch
net = torch.nn.Linear(4, 5).cuda()
y = net(torch.ones(2, 3, 4))
# 3: Expected all tensors to be on the same device, but got mat1 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)
# %% linear 3d no bias
import torch
net = torch.nn.Linear(4, 5, bias=False)
y = net(torch.ones(2, 3, 4, device="cuda"))
# 3: Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_mm)
# %% conv2d input cpu
import torch
net = torch.nn.Conv2d(3, 8, 3).cuda()
y = net(torch.ones(2, 3, 8, 8))
# 3: Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same or input should be a MKLDNN tensor and weight is a dense tensor
# %% conv2d weights cpu
import torch
net = torch.nn.Conv2d(3, 8, 3)
y = net(torch.ones(2, 3, 8, 8, device="cuda"))
# 3: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same
# %% conv1d weights cpu no bias
import torch
net = torch.nn.Conv1d(3, 8, 3, bias=False)
y = net(torch.ones(2, 3, 8, device="cuda"))
# 3: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same
# %% conv transpose
import torch
net = torch.nn.ConvTranspose2d(3, 8, 3).cuda()
y = net(torch.ones(2, 3, 8, 8))
# 3: Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same or input should be a MKLDNN tensor and weight is a dense tensor
# %% batch norm input cpu
import torch
net = torch.nn.BatchNorm2d(3).cuda()
y = net(torch.ones(2, 3, 8, 8))
# 3: Expected all tensors to be on the same device, but got weight is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA__native_batch_norm)
# %% batch norm weights cpu
import torch
net = torch.nn.BatchNorm2d(3)
y = net(torch.ones(2, 3, 8, 8, device="cuda"))
# 3: Expected all tensors to be on the same device, but got weight is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA__cudnn_batch_norm)
# %% batch norm eval
import torch
net = torch.nn.BatchNorm1d(3).eval()
y = net(torch.ones(2, 3, device="cuda"))
# 3: Expected all tensors to be on the same device, but got weight is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA__native_batch_norm)
# %% layer norm
import torch
net = torch.nn.LayerNorm(4)
y = net(torch.ones(2, 4, device="cuda"))
# 3: Expected all tensors to be on the same device, but got weight is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA__native_layer_norm)
# %% layer norm input cpu
import torch
net = torch.nn.LayerNorm(4).cuda()
y = net(torch.ones(2, 4))
# 3: Expected all tensors to be on the same device, but got weight is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA__native_layer_norm)
# %% group norm
import torch
net = torch.nn.GroupNorm(2, 4)
y = net(torch.ones(2, 4, 3, device="cuda"))
# 3: Expected all tensors to be on the same device, but got weight is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA__native_group_norm)
# %% rms norm
import torch
net = torch.nn.RMSNorm(4)
y = net(torch.ones(2, 4, device="cuda"))
# 3: Expected all tensors to be on the same device, but got weight is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA___fused_rms_norm)
# %% embedding ids cpu
import torch
net = torch.nn.Embedding(10, 4).cuda()
y = net(torch.zeros(2, 3, dtype=torch.long))
# 3: Expected all tensors to be on the same device, but got index is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA__index_select)
# %% embedding weights cpu
import torch
net = torch.nn.Embedding(10, 4)
y = net(torch.zeros(2, 3, dtype=torch.long, device="cuda"))
# 3: Expected all tensors to be on the same device, but got index is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA__index_select)
# %% embedding bag
import torch
net = torch.nn.EmbeddingBag(10, 4).cuda()
y = net(torch.zeros(2, 3, dtype=torch.long))
# 3: Expected all tensors to be on the same device, but got indices is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA___embedding_bag)
# %% lstm input cpu
import torch
net = torch.nn.LSTM(4, 5).cuda()
y, _ = net(torch.ones(2, 3, 4))
# 3: Input and parameter tensors are not at the same device, found input tensor at cpu and parameter tensor at cuda:0
# %% lstm weights cpu
import torch
net = torch.nn.LSTM(4, 5)
y, _ = net(torch.ones(2, 3, 4, device="cuda"))
# 3: Input and parameter tensors are not at the same device, found input tensor at cuda:0 and parameter tensor at cpu
# %% lstm hidden cpu
import torch
net = torch.nn.LSTM(4, 5).cuda()
h = (torch.zeros(1, 3, 5), torch.zeros(1, 3, 5))
y, _ = net(torch.ones(2, 3, 4, device="cuda"), h)
# 4: Input and hidden tensors are not at the same device, found input tensor at cuda:0 and hidden tensor at cpu
# %% gru hidden cpu
import torch
net = torch.nn.GRU(4, 5).cuda()
y, _ = net(torch.ones(2, 3, 4, device="cuda"), torch.zeros(1, 3, 5))
# 3: Input and hidden tensors are not at the same device, found input tensor at cuda:0 and hidden tensor at cpu
# %% rnn cell
import torch
net = torch.nn.GRUCell(4, 5).cuda()
y = net(torch.ones(3, 4, device="cuda"), torch.zeros(3, 5))
# 3: Expected all tensors to be on the same device, but got mat2 is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_mm)
# %% mha
import torch
net = torch.nn.MultiheadAttention(8, 2, batch_first=True).cuda()
x = torch.ones(2, 3, 8)
y, _ = net(x, x, x)
# 4: Expected all tensors to be on the same device, but got mat2 is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_mm)
# %% mha mask cpu
import torch
net = torch.nn.MultiheadAttention(8, 2, batch_first=True).cuda()
x = torch.ones(2, 3, 8, device="cuda")
y, _ = net(x, x, x, attn_mask=torch.ones(3, 3, dtype=torch.bool).triu(1))
# 4: Expected all tensors to be on the same device, but got batch1 is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_baddbmm)
# %% mha padding mask cpu
import torch
net = torch.nn.MultiheadAttention(8, 2, batch_first=True).cuda()
x = torch.ones(2, 3, 8, device="cuda")
y, _ = net(x, x, x, key_padding_mask=torch.zeros(2, 3, dtype=torch.bool))
# 4: Expected all tensors to be on the same device, but got batch1 is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_baddbmm)
# %% encoder layer mask cpu
import torch
net = torch.nn.TransformerEncoderLayer(8, 2, batch_first=True).cuda()
x = torch.ones(2, 3, 8, device="cuda")
y = net(x, src_mask=torch.nn.Transformer.generate_square_subsequent_mask(3))
# 4: Expected all tensors to be on the same device, but got attn_bias is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA___scaled_dot_product_efficient_attention)
# %% encoder layer eval input cpu
import torch
net = torch.nn.TransformerEncoderLayer(8, 2, batch_first=True).cuda().eval()
y = net(torch.ones(2, 3, 8))
# 3: Expected all tensors to be on the same device, but got mat2 is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_mm)
# %% sdpa value cpu
import torch
q = torch.ones(2, 2, 3, 8, device="cuda")
y = torch.nn.functional.scaled_dot_product_attention(q, q, q.cpu())
# 3: Expected query, key, and value to have the same device type, but got query.device: cuda:0 key.device: cuda:0 and value.device: cpu instead.
# %% sdpa mask cpu
import torch
q = torch.ones(2, 2, 3, 8, device="cuda")
y = torch.nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=torch.ones(3, 3, dtype=torch.bool).tril())
# 3: Expected all tensors to be on the same device, but got attn_bias is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA___scaled_dot_product_efficient_attention)
# %% cross entropy target cpu
import torch
loss = torch.nn.functional.cross_entropy(torch.ones(3, 5, device="cuda"), torch.zeros(3, dtype=torch.long))
# 2: Expected all tensors to be on the same device, but got target is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_nll_loss_forward)
# %% cross entropy logits cpu
import torch
loss = torch.nn.functional.cross_entropy(torch.ones(3, 5), torch.zeros(3, dtype=torch.long, device="cuda"))
# 2: Expected all tensors to be on the same device, but got target is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_nll_loss_forward)
# %% cross entropy weight cpu
import torch
criterion = torch.nn.CrossEntropyLoss(weight=torch.ones(5))
loss = criterion(torch.ones(3, 5, device="cuda"), torch.zeros(3, dtype=torch.long, device="cuda"))
# 3: Expected all tensors to be on the same device, but got weight is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_nll_loss_forward)
# %% cross entropy 2d target cpu
import torch
loss = torch.nn.functional.cross_entropy(torch.ones(3, 5, 4, 4, device="cuda"), torch.zeros(3, 4, 4, dtype=torch.long))
# 2: Expected all tensors to be on the same device, but got target is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA__nll_loss2d_forward)
# %% cross entropy soft target cpu
import torch
loss = torch.nn.functional.cross_entropy(torch.ones(3, 5, device="cuda"), torch.ones(3, 5) / 5)
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% nll
import torch
loss = torch.nn.functional.nll_loss(torch.ones(3, 5, device="cuda"), torch.zeros(3, dtype=torch.long))
# 2: Expected all tensors to be on the same device, but got target is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_nll_loss_forward)
# %% mse
import torch
loss = torch.nn.functional.mse_loss(torch.ones(3, 5, device="cuda"), torch.zeros(3, 5))
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% mse cpu first
import torch
loss = torch.nn.functional.mse_loss(torch.ones(3, 5), torch.zeros(3, 5, device="cuda"))
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% l1
import torch
loss = torch.nn.L1Loss()(torch.ones(3, 5, device="cuda"), torch.zeros(3, 5))
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% smooth l1
import torch
loss = torch.nn.functional.smooth_l1_loss(torch.ones(3, 5, device="cuda"), torch.zeros(3, 5))
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% bce
import torch
loss = torch.nn.functional.binary_cross_entropy(torch.ones(3, device="cuda") / 2, torch.zeros(3))
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% bce logits
import torch
loss = torch.nn.functional.binary_cross_entropy_with_logits(torch.ones(3, device="cuda"), torch.zeros(3))
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% bce logits pos_weight
import torch
loss = torch.nn.BCEWithLogitsLoss(pos_weight=torch.tensor([2.0, 1.0]))(torch.ones(3, 2, device="cuda"), torch.zeros(3, 2, device="cuda"))
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% kl
import torch
loss = torch.nn.functional.kl_div(torch.ones(3, 2, device="cuda"), torch.ones(3, 2))
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% ctc targets cpu
import torch
logp = torch.zeros(10, 2, 5, device="cuda").log_softmax(-1)
loss = torch.nn.functional.ctc_loss(logp, torch.ones(2, 3, dtype=torch.long), torch.tensor([10, 10]), torch.tensor([3, 3]))
# runs
# %% ctc lengths cpu targets cuda
import torch
logp = torch.zeros(10, 2, 5, device="cuda").log_softmax(-1)
loss = torch.nn.functional.ctc_loss(logp, torch.ones(2, 3, dtype=torch.long, device="cuda"), torch.tensor([10, 10]), torch.tensor([3, 3]))
# runs
# %% cosine
import torch
s = torch.nn.functional.cosine_similarity(torch.ones(3, 2, device="cuda"), torch.ones(3, 2))
# 2: Expected all tensors to be on the same device, but got min is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_clamp_min__Tensor)
# %% triplet
import torch
a = torch.ones(3, 2, device="cuda")
s = torch.nn.functional.triplet_margin_loss(a, a, a.cpu())
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% prelu
import torch
s = torch.nn.PReLU()(torch.ones(2, 3, device="cuda"))
# 2: Expected all tensors to be on the same device, but got weight is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA___prelu_kernel)
# %% bilinear
import torch
net = torch.nn.Bilinear(3, 4, 5).cuda()
s = net(torch.ones(2, 3, device="cuda"), torch.ones(2, 4))
# 3: Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_bmm)
# %% autocast float
import torch
net = torch.nn.Linear(4, 5).cuda()
with torch.autocast("cuda"):
    y = net(torch.ones(3, 4))
# 4: Expected all tensors to be on the same device, but got mat1 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)
# %% nn.Transformer
import torch
net = torch.nn.Transformer(8, 2, 1, 1, 8, batch_first=True).cuda()
s = net(torch.ones(2, 3, 8, device="cuda"), torch.ones(2, 3, 8))
# 3: Expected all tensors to be on the same device, but got mat2 is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_mm)
# %% data parallel of one
import torch
net = torch.nn.DataParallel(torch.nn.Linear(3, 4))
s = net(torch.ones(2, 3))
# runs
# %% load to cuda
import torch
net = torch.nn.Linear(3, 4).cuda()
net.load_state_dict({k: v.cpu() for k, v in net.state_dict().items()})
s = net(torch.ones(2, 3, device="cuda"))
# runs
