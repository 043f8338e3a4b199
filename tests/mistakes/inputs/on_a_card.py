"""Devices, as real code mixes them: what a card said of each (an H200, torch 2.11), as the last line of each."""

# %% add
import torch
a = torch.ones(3, 4, device="cuda")
b = torch.ones(3, 4)
c = a + b
# 4: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% add in place
import torch
a = torch.ones(3, 4, device="cuda")
a += torch.ones(4)
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% iadd cpu with cuda
import torch
a = torch.ones(3, 4)
a += torch.ones(4, device="cuda")
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% zero-dim cuda with cpu
import torch
a = torch.ones(3, 4)
c = a * torch.tensor(2.0, device="cuda")
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% zero-dim cpu with cuda
import torch
a = torch.ones(3, 4, device="cuda")
c = a * torch.tensor(2.0)
# runs
# %% both zero-dim
import torch
c = torch.tensor(2.0) * torch.tensor(2.0, device="cuda")
# runs
# %% matmul 2d
import torch
a = torch.ones(3, 4, device="cuda")
c = a @ torch.ones(4, 5)
# 3: Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_mm)
# %% matmul 2d cpu first
import torch
a = torch.ones(3, 4)
c = a @ torch.ones(4, 5, device="cuda")
# 3: Expected all tensors to be on the same device, but got mat2 is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_mm)
# %% matmul vector
import torch
a = torch.ones(3, 4, device="cuda")
c = a @ torch.ones(4)
# 3: Expected all tensors to be on the same device, but got mat is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_addmv_)
# %% matmul batched
import torch
a = torch.ones(2, 3, 4, device="cuda")
c = a @ torch.ones(2, 4, 5)
# 3: Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_bmm)
# %% matmul 3d 2d
import torch
a = torch.ones(2, 3, 4, device="cuda")
c = a @ torch.ones(4, 5)
# 3: Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_mm)
# %% dot
import torch
c = torch.dot(torch.ones(4, device="cuda"), torch.ones(4))
# 2: Expected all tensors to be on the same device, but got tensor is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA__dot)
# %% bmm
import torch
c = torch.bmm(torch.ones(2, 3, 4, device="cuda"), torch.ones(2, 4, 5))
# 2: Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_bmm)
# %% einsum
import torch
c = torch.einsum("bij,bjk->bik", torch.ones(2, 3, 4, device="cuda"), torch.ones(2, 4, 5))
# 2: Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_bmm)
# %% einsum outer
import torch
c = torch.einsum("i,j->ij", torch.ones(2, device="cuda"), torch.ones(2))
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
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
# %% cat
import torch
s = torch.cat([torch.ones(3, 2, device="cuda"), torch.ones(3, 2)])
# 2: Expected all tensors to be on the same device, but got tensors is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_cat)
# %% cat cpu first
import torch
s = torch.cat([torch.ones(3, 2), torch.ones(3, 2, device="cuda")])
# 2: Expected all tensors to be on the same device, but got tensors is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_cat)
# %% stack
import torch
s = torch.stack([torch.ones(3, 2, device="cuda"), torch.ones(3, 2)])
# 2: Expected all tensors to be on the same device, but got tensors is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_cat)
# %% hstack
import torch
s = torch.hstack([torch.ones(3, 2), torch.ones(3, 2, device="cuda")])
# 2: Expected all tensors to be on the same device, but got tensors is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_cat)
# %% where mask cpu
import torch
a = torch.ones(3, 2, device="cuda")
s = torch.where(torch.ones(3, 2, dtype=torch.bool), a, a)
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% where number cpu
import torch
a = torch.ones(3, 2, device="cuda")
s = torch.where(a > 0, a, torch.tensor(0.0))
# runs
# %% where value cpu
import torch
a = torch.ones(3, 2, device="cuda")
s = torch.where(a > 0, a, torch.zeros(3, 2))
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% masked_fill mask cpu
import torch
a = torch.ones(3, 3, device="cuda")
s = a.masked_fill(torch.ones(3, 3, dtype=torch.bool).triu(1), 0.0)
# 3: expected self and mask to be on the same device, but got mask on cpu and self on cuda:0
# %% masked_fill cpu with cuda mask
import torch
a = torch.ones(3, 3)
s = a.masked_fill(torch.ones(3, 3, dtype=torch.bool, device="cuda"), 0.0)
# 3: expected self and mask to be on the same device, but got mask on cuda:0 and self on cpu
# %% masked_fill value cpu
import torch
a = torch.ones(3, 3, device="cuda")
s = a.masked_fill(a > 0, torch.tensor(0.0))
# runs
# %% index by cpu mask
import torch
a = torch.ones(3, 3, device="cuda")
s = a[torch.ones(3, dtype=torch.bool)]
# runs
# %% index by cpu ids
import torch
a = torch.ones(3, 3, device="cuda")
s = a[torch.tensor([0, 1])]
# runs
# %% index cpu by cuda ids
import torch
a = torch.ones(3, 3)
s = a[torch.tensor([0, 1], device="cuda")]
# 3: indices should be either on cpu or on the same device as the indexed tensor (cpu)
# %% index cpu by cuda mask
import torch
a = torch.ones(3, 3)
s = a[torch.ones(3, dtype=torch.bool, device="cuda")]
# 3: indices should be either on cpu or on the same device as the indexed tensor (cpu)
# %% index by arange cpu and cuda ids
import torch
logp = torch.ones(3, 5, device="cuda")
y = torch.zeros(3, dtype=torch.long, device="cuda")
s = logp[torch.arange(3), y]
# runs
# %% index cpu by zero-dim cuda
import torch
a = torch.ones(3, 3)
s = a[torch.tensor(1, device="cuda")]
# runs
# %% setitem cpu value
import torch
a = torch.ones(3, 3, device="cuda")
a[0] = torch.zeros(3)
# runs
# %% setitem cpu mask number
import torch
a = torch.ones(3, 3, device="cuda")
a[torch.ones(3, dtype=torch.bool)] = 0.0
# runs
# %% setitem mask with cpu values
import torch
a = torch.ones(3, 3, device="cuda")
a[a > 0] = torch.zeros(9)
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% setitem ids with cpu values
import torch
a = torch.ones(3, 3, device="cuda")
a[torch.tensor([0, 1], device="cuda")] = torch.zeros(2, 3)
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% setitem cpu by cuda ids
import torch
a = torch.ones(3, 3)
a[torch.tensor([0, 1], device="cuda")] = 0.0
# runs
# %% setitem cpu from cuda
import torch
a = torch.ones(3, 3)
a[1] = torch.zeros(3, device="cuda")
# runs
# %% gather
import torch
s = torch.ones(3, 5, device="cuda").gather(1, torch.zeros(3, 1, dtype=torch.long))
# 2: Expected all tensors to be on the same device, but got index is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_gather)
# %% gather cpu
import torch
s = torch.ones(3, 5).gather(1, torch.zeros(3, 1, dtype=torch.long, device="cuda"))
# 2: Expected all tensors to be on the same device, but got index is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_gather)
# %% scatter
import torch
s = torch.zeros(3, 5, device="cuda").scatter_(1, torch.zeros(3, 1, dtype=torch.long), 1.0)
# 2: Expected all tensors to be on the same device, but got index is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_scatter__value)
# %% scatter_add src
import torch
s = torch.zeros(3, 5, device="cuda").scatter_add_(1, torch.zeros(3, 1, dtype=torch.long, device="cuda"), torch.ones(3, 1))
# 2: Expected all tensors to be on the same device, but got src is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_scatter_add_)
# %% index_select
import torch
s = torch.ones(3, 5, device="cuda").index_select(0, torch.tensor([0, 1]))
# 2: Expected all tensors to be on the same device, but got index is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA__index_select)
# %% index_add
import torch
s = torch.zeros(3, 5, device="cuda").index_add_(0, torch.tensor([0, 1], device="cuda"), torch.ones(2, 5))
# 2: Expected all tensors to be on the same device, but got source is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_index_add_)
# %% take_along_dim
import torch
s = torch.ones(3, 5, device="cuda").take_along_dim(torch.zeros(3, 1, dtype=torch.long), 1)
# 2: Expected tensor to have cuda:0 Device, but got tensor with cpu Device (while checking arguments for torch.take_along_dim():)
# %% masked_select
import torch
s = torch.ones(3, 5, device="cuda").masked_select(torch.ones(3, 5, dtype=torch.bool))
# 2: Expected all tensors to be on the same device, but got mask is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA__masked_select)
# %% one_hot then mul
import torch
s = torch.nn.functional.one_hot(torch.tensor([0, 1]), 5) * torch.ones(2, 5, device="cuda")
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% copy_
import torch
a = torch.ones(3, device="cuda")
a.copy_(torch.zeros(3))
# runs
# %% data add cpu
import torch
p = torch.nn.Parameter(torch.ones(3, device="cuda"))
with torch.no_grad():
    p.mul_(0.9).add_(torch.ones(3), alpha=0.1)
# 4: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% lerp
import torch
a = torch.ones(3, device="cuda")
a.lerp_(torch.ones(3), 0.1)
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% addcmul
import torch
a = torch.ones(3, device="cuda")
s = torch.addcmul(a, torch.ones(3), torch.ones(3, device="cuda"))
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% clamp tensor min
import torch
a = torch.ones(3, device="cuda")
s = a.clamp(min=torch.zeros(3))
# 3: Expected all tensors to be on the same device, but got min is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_clamp_Tensor)
# %% maximum
import torch
s = torch.maximum(torch.ones(3, device="cuda"), torch.zeros(3))
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% compare
import torch
s = (torch.ones(3, device="cuda").argmax() == torch.tensor(1))
# runs
# %% eq labels
import torch
s = torch.ones(3, 4, device="cuda").argmax(1) == torch.zeros(3, dtype=torch.long)
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% torch.equal
import torch
s = torch.equal(torch.ones(3, device="cuda"), torch.ones(3))
# 2: Expected all tensors to be on the same device, but got other is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA__equal)
# %% allclose
import torch
s = torch.allclose(torch.ones(3, device="cuda"), torch.ones(3))
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% numpy
import torch
s = torch.ones(3, device="cuda").numpy()
# 2: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.
# %% numpy of grad
import torch
s = torch.ones(3, device="cuda", requires_grad=True).numpy()
# 2: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.
# %% np.array
import torch, numpy as np
s = np.asarray(torch.ones(3, device="cuda"))
# 2: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.
# %% float of one
import torch
s = float(torch.ones(1, device="cuda"))
# runs
# %% generator
import torch
g = torch.Generator().manual_seed(0)
s = torch.randn(3, generator=g, device="cuda")
# 3: Expected a 'cuda' device type for generator but found 'cpu'
# %% randperm generator cuda, cpu perm
import torch
g = torch.Generator(device="cuda").manual_seed(0)
s = torch.randperm(3, generator=g)
# 3: Expected a 'cpu' device type for generator but found 'cuda'
# %% bernoulli generator
import torch
g = torch.Generator().manual_seed(0)
s = torch.bernoulli(torch.ones(3, device="cuda"), generator=g)
# 3: Expected a 'cuda' device type for generator but found 'cpu'
# %% pack padded lengths on cuda
import torch
s = torch.nn.utils.rnn.pack_padded_sequence(torch.ones(2, 3, 4, device="cuda"), torch.tensor([3, 2], device="cuda"), batch_first=True)
# 2: 'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor
# %% from_numpy plus
import torch, numpy as np
s = torch.from_numpy(np.ones(3, dtype=np.float32)) + torch.ones(3, device="cuda")
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% buffer forgotten
import torch
class Pos(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.randn(10, 4)
        self.lin = torch.nn.Linear(4, 4)
    def forward(self, x):
        return self.lin(x + self.table[: x.shape[1]])
net = Pos().to("cuda")
y = net(torch.ones(2, 3, 4, device="cuda"))
# 8: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% list of layers forgotten
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [torch.nn.Linear(4, 4) for _ in range(2)]
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
net = Net().to("cuda")
y = net(torch.ones(2, 3, 4, device="cuda"))
# 8: Expected all tensors to be on the same device, but got mat1 is on cuda:0, different from other tensors on cpu (when checking argument in method wrapper_CUDA_addmm)
# %% optimizer after move
import torch
net = torch.nn.Linear(4, 4)
opt = torch.optim.Adam(net.parameters())
net.cuda()
net(torch.ones(2, 4, device="cuda")).sum().backward()
opt.step()
# runs
# %% optimizer state left behind
import torch
net = torch.nn.Linear(4, 4)
opt = torch.optim.Adam(net.parameters())
net(torch.ones(2, 4)).sum().backward()
opt.step()
net.cuda()
opt.zero_grad()
net(torch.ones(2, 4, device="cuda")).sum().backward()
opt.step()
# 9: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% grad device
import torch
p = torch.nn.Parameter(torch.ones(3, device="cuda"))
p.grad = torch.ones(3)
# 3: attempting to assign a gradient with device type 'cpu' to a tensor with device type 'cuda'. Please ensure that the gradient and the tensor are on the same device
# %% param data swap
import torch
p = torch.nn.Parameter(torch.ones(3))
p.data = p.data.cuda()
q = p + torch.ones(3, device="cuda")
# runs
# %% cdist
import torch
s = torch.cdist(torch.ones(2, 3, device="cuda"), torch.ones(4, 3))
# 2: Expected all tensors to be on the same device, but got x2 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA___cdist_forward)
# %% conv functional weight
import torch
s = torch.nn.functional.conv2d(torch.ones(1, 1, 8, 8, device="cuda"), torch.ones(1, 1, 3, 3))
# 2: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same
# %% grid_sample grid cpu
import torch
s = torch.nn.functional.grid_sample(torch.ones(1, 1, 8, 8, device="cuda"), torch.zeros(1, 4, 4, 2))
# 2: Expected all tensors to be on the same device, but got grid is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA__grid_sampler_2d)
# %% interpolate
import torch
s = torch.nn.functional.interpolate(torch.ones(1, 1, 8, 8, device="cuda"), scale_factor=2)
s = s + torch.ones(1, 1, 16, 16)
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
# %% searchsorted
import torch
s = torch.searchsorted(torch.ones(5, device="cuda"), torch.ones(3))
# 2: Expected all tensors to be on the same device, but got self is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_Tensor_searchsorted)
# %% bucketize
import torch
s = torch.bucketize(torch.ones(5, device="cuda"), torch.ones(3))
# 2: Expected all tensors to be on the same device, but got boundaries is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_Tensor_bucketize)
# %% linalg solve
import torch
s = torch.linalg.solve(torch.eye(3, device="cuda"), torch.ones(3))
# 2: Expected all tensors to be on the same device, but got B is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA__linalg_solve_ex)
# %% outer
import torch
s = torch.outer(torch.ones(3, device="cuda"), torch.ones(3))
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% autocast float
import torch
net = torch.nn.Linear(4, 5).cuda()
with torch.autocast("cuda"):
    y = net(torch.ones(3, 4))
# 4: Expected all tensors to be on the same device, but got mat1 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)
# %% backward gradient cpu
import torch
a = torch.ones(3, device="cuda", requires_grad=True)
(a * 2).backward(torch.ones(3))
# 3: invalid gradient at index 0 - expected device cuda:0 but got cpu
# %% autograd grad outputs cpu
import torch
a = torch.ones(3, device="cuda", requires_grad=True)
g = torch.autograd.grad(a * 2, a, grad_outputs=torch.ones(3))
# 3: invalid gradient at index 0 - expected device cuda:0 but got cpu
# %% second card
import torch
a = torch.ones(3, device="cuda:1")
# 2: CUDA error: invalid device ordinal
# %% int matmul on cuda
import torch
a = torch.ones(3, 3, dtype=torch.long, device="cuda")
s = a @ a
# 3: "addmm_cuda" not implemented for 'Long'
# %% int mean on cuda
import torch
s = torch.ones(3, 3, dtype=torch.long, device="cuda").mean()
# 2: mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long
# %% half linear float input
import torch
net = torch.nn.Linear(4, 5).half().cuda()
s = net(torch.ones(3, 4, device="cuda"))
# 3: mat1 and mat2 must have the same dtype, but got Float and Half
# %% half conv float input
import torch
net = torch.nn.Conv2d(3, 5, 3).half().cuda()
s = net(torch.ones(1, 3, 8, 8, device="cuda"))
# 3: Input type (float) and bias type (c10::Half) should be the same
# %% cross entropy float target class ids
import torch
s = torch.nn.functional.cross_entropy(torch.ones(3, 5, device="cuda"), torch.zeros(3, device="cuda"))
# 2: "nll_loss_forward_reduce_cuda_kernel_2d_index" not implemented for 'Float'
# %% cross entropy int32 target
import torch
s = torch.nn.functional.cross_entropy(torch.ones(3, 5, device="cuda"), torch.zeros(3, dtype=torch.int32, device="cuda"))
# 2: "nll_loss_forward_reduce_cuda_kernel_2d_index" not implemented for 'Int'
# %% embedding float ids
import torch
s = torch.nn.Embedding(3, 4).cuda()(torch.zeros(3, device="cuda"))
# 2: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.cuda.FloatTensor instead (while checking arguments for embedding)
# %% nll target too large rank
import torch
s = torch.nn.functional.cross_entropy(torch.ones(3, 5, device="cuda"), torch.zeros(3, 1, dtype=torch.long, device="cuda"))
# 2: 0D or 1D target tensor expected, multi-target not supported
# %% matmul shapes
import torch
s = torch.ones(3, 4, device="cuda") @ torch.ones(3, 4, device="cuda")
# 2: mat1 and mat2 shapes cannot be multiplied (3x4 and 3x4)
# %% addmm shapes via linear
import torch
s = torch.nn.Linear(3, 4).cuda()(torch.ones(2, 5, device="cuda"))
# 2: mat1 and mat2 shapes cannot be multiplied (2x5 and 3x4)
# %% bmm shapes
import torch
s = torch.ones(2, 3, 4, device="cuda") @ torch.ones(2, 3, 4, device="cuda")
# 2: Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2, 3].
# %% conv channels
import torch
s = torch.nn.Conv2d(3, 8, 3).cuda()(torch.ones(2, 4, 8, 8, device="cuda"))
# 2: Given groups=1, weight of size [8, 3, 3, 3], expected input[2, 4, 8, 8] to have 3 channels, but got 4 channels instead
# %% batch norm channels
import torch
s = torch.nn.BatchNorm2d(3).cuda()(torch.ones(2, 4, 8, 8, device="cuda"))
# 2: running_mean should contain 4 elements not 3
# %% double linear
import torch
s = torch.nn.Linear(3, 4).cuda()(torch.ones(2, 3, dtype=torch.float64, device="cuda"))
# 2: mat1 and mat2 must have the same dtype, but got Double and Float
# %% lstm double
import torch
s = torch.nn.LSTM(3, 4).cuda()(torch.ones(2, 1, 3, dtype=torch.float64, device="cuda"))
# 2: RNN input dtype (torch.float64) does not match weight dtype (torch.float32). Convert input: input.to(torch.float32), or convert model: model.to(torch.float64)
# %% long to linear
import torch
s = torch.nn.Linear(3, 4).cuda()(torch.ones(2, 3, dtype=torch.long, device="cuda"))
# 2: mat1 and mat2 must have the same dtype, but got Long and Float
# %% uint8 conv
import torch
s = torch.nn.Conv2d(3, 4, 3).cuda()(torch.ones(2, 3, 8, 8, dtype=torch.uint8, device="cuda"))
# 2: Input type (unsigned char) and bias type (float) should be the same
# %% softmax int
import torch
s = torch.ones(2, 3, dtype=torch.long, device="cuda").softmax(-1)
# 2: "host_softmax" not implemented for 'Long'
# %% bce int target
import torch
s = torch.nn.functional.binary_cross_entropy_with_logits(torch.ones(3, device="cuda"), torch.zeros(3, dtype=torch.long, device="cuda"))
# 2: result type Float can't be cast to the desired output type Long
# %% bce int target plain
import torch
s = torch.nn.functional.binary_cross_entropy(torch.ones(3, device="cuda") / 2, torch.zeros(3, dtype=torch.long, device="cuda"))
# 2: Found dtype Long but expected Float
# %% mse int
import torch
s = torch.nn.functional.mse_loss(torch.ones(3, device="cuda"), torch.zeros(3, dtype=torch.long, device="cuda"))
# runs
# %% attention half and float
import torch
q = torch.ones(1, 1, 3, 8, device="cuda", dtype=torch.half)
s = torch.nn.functional.scaled_dot_product_attention(q, q.float(), q)
# 3: Expected query, key, and value to have the same dtype, but got query.dtype: c10::Half key.dtype: float and value.dtype: c10::Half instead.
# %% bce under autocast
import torch
with torch.autocast("cuda"):
    s = torch.nn.functional.binary_cross_entropy(torch.ones(3, device="cuda") / 2, torch.zeros(3, device="cuda"))
# 3: torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.
# %% scaler half gradients
import torch
net = torch.nn.Linear(3, 4).cuda().half()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda")
scaler.scale(net(torch.ones(2, 3, device="cuda", dtype=torch.half)).float().sum()).backward()
scaler.unscale_(opt)
# 6: Attempting to unscale FP16 gradients.
# %% pin memory of cuda
import torch
s = torch.ones(3, device="cuda").pin_memory()
# 2: cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned
# %% share to numpy from loss list
import torch, numpy as np
losses = [torch.ones((), device="cuda") for _ in range(3)]
s = np.mean(losses)
# 3: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.
# %% torch.tensor of cuda list
import torch
s = torch.tensor([torch.ones((), device="cuda") for _ in range(3)])
# runs
# %% sum of list
import torch
s = sum([torch.ones(2, device="cuda"), torch.ones(2)])
# 2: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% multinomial
import torch
s = torch.multinomial(torch.ones(5, device="cuda"), 2, generator=torch.Generator().manual_seed(0))
# 2: Expected a 'cuda' device type for generator but found 'cpu'
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
# %% torch.full_like cross
import torch
a = torch.ones(3, device="cuda")
s = torch.full((3,), a.sum()) + a
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% linspace device mismatch with index
import torch
a = torch.ones(3, 4, device="cuda")
s = a * torch.arange(4)
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% triu mask add
import torch
a = torch.ones(2, 4, 4, device="cuda")
s = a + torch.full((4, 4), float("-inf")).triu(1)
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% to without assign
import torch
a = torch.ones(2, 4)
a.to("cuda")
s = a + torch.ones(2, 4, device="cuda")
# 4: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% roll index put
import torch
a = torch.ones(2, 4, device="cuda")
a.index_put_((torch.tensor([0]),), torch.ones(1, 4, device="cuda"))
# runs
# %% index_copy
import torch
a = torch.ones(2, 4, device="cuda")
a.index_copy_(0, torch.tensor([0]), torch.ones(1, 4, device="cuda"))
# 3: Expected all tensors to be on the same device, but got index is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_index_copy_)
# %% index_fill
import torch
a = torch.ones(2, 4, device="cuda")
a.index_fill_(0, torch.tensor([0]), 0.0)
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
# %% repeat_interleave
import torch
a = torch.ones(2, 4, device="cuda").repeat_interleave(torch.tensor([1, 2]), dim=0)
# 2: Expected all tensors to be on the same device, but got index is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA__index_select)
# %% bincount weights
import torch
a = torch.bincount(torch.tensor([0, 1], device="cuda"), weights=torch.ones(2))
# 2: Expected all tensors to be on the same device, but got weights is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA__bincount)
# %% histogram, cross
import torch
a = torch.cross(torch.ones(2, 3, device="cuda"), torch.ones(2, 3), dim=1)
# 2: Expected all tensors to be on the same device, but got other is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_linalg_cross)
# %% tensordot
import torch
a = torch.tensordot(torch.ones(2, 3, device="cuda"), torch.ones(3, 2), dims=1)
# 2: Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_mm)
# %% vmap
import torch
a = torch.vmap(torch.dot)(torch.ones(2, 3, device="cuda"), torch.ones(2, 3))
# 2: Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_bmm)
# %% normal distribution
import torch
d = torch.distributions.Normal(torch.zeros(3, device="cuda"), torch.ones(3))
s = d.sample()
# 3: Expected all tensors to be on the same device, but got std is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_Tensor_Tensor_normal)
# %% categorical log_prob
import torch
d = torch.distributions.Categorical(logits=torch.zeros(2, 3, device="cuda"))
s = d.log_prob(torch.zeros(2))
# 3: Expected all tensors to be on the same device, but got index is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_gather)
# %% normal log_prob
import torch
d = torch.distributions.Normal(torch.zeros(3, device="cuda"), torch.ones(3, device="cuda"))
s = d.log_prob(torch.zeros(3))
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
