"""Ops, generators, gradients and distributions on mixed devices or a card: what a card said of each (an H200, torch 2.11), as the last line of each."""

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
# %% normal log_prob
import torch
d = torch.distributions.Normal(torch.zeros(3, device="cuda"), torch.ones(3, device="cuda"))
s = d.log_prob(torch.zeros(3))
# 3: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
