"""Dtypes, kernels and what a card is asked for on mixed devices or a card: what a card said of each (an H200, torch 2.11), as the last line of each."""

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
