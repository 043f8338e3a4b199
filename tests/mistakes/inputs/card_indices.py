"""Parts, masks and places on mixed devices or a card: what a card said of each (an H200, torch 2.11), as the last line of each."""

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
# %% categorical log_prob
import torch
d = torch.distributions.Categorical(logits=torch.zeros(2, 3, device="cuda"))
s = d.log_prob(torch.zeros(2))
# 3: Expected all tensors to be on the same device, but got index is on cpu, different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_gather)
