import torch
import torch.nn as nn
import torch.nn.functional as F
from functools import partial
from torch.func import vmap, grad, jacrev, jacfwd, hessian, functional_call, stack_module_state, vjp, jvp

torch.manual_seed(0)

# ---- per-sample gradients
class SimpleCNN(nn.Module):
    def __init__(self):
        super(SimpleCNN, self).__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, 1)
        self.conv2 = nn.Conv2d(8, 16, 3, 1)
        self.fc1 = nn.Linear(2304, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, x):
        x = self.conv1(x)
        x = F.relu(x)
        x = self.conv2(x)
        x = F.relu(x)
        x = F.max_pool2d(x, 2)
        x = torch.flatten(x, 1)
        x = self.fc1(x)
        x = F.relu(x)
        x = self.fc2(x)
        return x


def loss_fn(predictions, targets):
    return F.cross_entropy(predictions, targets)


num_models = 4
batch_size = 8
data = torch.randn(batch_size, 1, 28, 28)
targets = torch.randint(10, (batch_size,))
model = SimpleCNN()
predictions = model(data)

params = {k: v.detach() for k, v in model.named_parameters()}
buffers = {k: v.detach() for k, v in model.named_buffers()}


def compute_loss(params, buffers, sample, target):
    batch = sample.unsqueeze(0)
    targets = target.unsqueeze(0)
    predictions = functional_call(model, (params, buffers), (batch,))
    loss = loss_fn(predictions, targets)
    return loss


ft_compute_grad = grad(compute_loss)
ft_compute_sample_grad = vmap(ft_compute_grad, in_dims=(None, None, 0, 0))
ft_per_sample_grads = ft_compute_sample_grad(params, buffers, data, targets)
for name, g in ft_per_sample_grads.items():
    print(name, tuple(g.shape))
flat = torch.cat([g.flatten(1) for g in ft_per_sample_grads.values()], dim=1)
norms = flat.norm(dim=1)
clip = (1.0 / norms).clamp(max=1.0)
private = {k: torch.einsum('n,n...->...', clip, g) / batch_size for k, g in ft_per_sample_grads.items()}

# ---- ensembles
models = [SimpleCNN() for _ in range(num_models)]
stacked_params, stacked_buffers = stack_module_state(models)
base_model = SimpleCNN().to('meta')


def fmodel(params, buffers, x):
    return functional_call(base_model, (params, buffers), (x,))


minibatches = data[None].expand(num_models, -1, -1, -1, -1)
predictions1_vmap = vmap(fmodel)(stacked_params, stacked_buffers, minibatches)
predictions2_vmap = vmap(fmodel, in_dims=(0, 0, None))(stacked_params, stacked_buffers, data)
vote = predictions2_vmap.mean(0).argmax(-1)
disagreement = predictions2_vmap.softmax(-1).var(dim=0).sum(-1)

# ---- jacobians and hessians
D = 16


def predict(weight, bias, x):
    return F.linear(x, weight, bias).tanh()


weight = torch.randn(D, D)
bias = torch.randn(D)
x = torch.randn(D)
ft_jacobian = jacrev(predict, argnums=2)(weight, bias, x)
jac_fwd = jacfwd(predict, argnums=2)(weight, bias, x)
jw, jb = jacrev(predict, argnums=(0, 1))(weight, bias, x)
hess = hessian(predict, argnums=2)(weight, bias, x)
batch_x = torch.randn(5, D)
batch_jac = vmap(jacrev(predict, argnums=2), in_dims=(None, None, 0))(weight, bias, batch_x)
_, vjp_fn = vjp(partial(predict, weight, bias), x)
(ft_vjps,) = vmap(vjp_fn)(torch.eye(D))
out, tangent = jvp(partial(predict, weight, bias), (x,), (torch.ones(D),))
trace = torch.diagonal(hess, dim1=1, dim2=2).sum(-1)


# ---- batched regression with vmap over closed forms
def solve(A, b, lam):
    n = A.shape[1]
    gram = A.T @ A + lam * torch.eye(n)
    return torch.linalg.solve(gram, A.T @ b)


A = torch.randn(6, 20, 3)
b = torch.randn(6, 20)
w = vmap(solve, in_dims=(0, 0, None))(A, b, 0.1)
paths = vmap(vmap(solve, in_dims=(None, None, 0)), in_dims=(0, 0, None))(A, b, torch.logspace(-3, 1, 7))
print(w.shape, paths.shape, hess.shape, trace.sum(), vote, disagreement.max())
