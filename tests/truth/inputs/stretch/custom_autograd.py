import torch
from torch.autograd import Function, grad


class Square(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return x * x * scale

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_x = grad_output * 2 * x * ctx.scale
        return grad_x, None


x = torch.randn(5, 3, requires_grad=True)
y = Square.apply(x, 2.0)
loss = y.mean()
loss.backward()
g = x.grad

w = torch.randn(3, requires_grad=True)
z = (w ** 3).sum()
(first,) = grad(z, w, create_graph=True)
(second,) = grad(first.sum(), w)
jacobian = torch.autograd.functional.jacobian(lambda t: t ** 2, torch.ones(3))


def loss_fn(weight, sample, target):
    prediction = sample @ weight
    return ((prediction - target) ** 2).mean()


per_sample = torch.func.vmap(torch.func.grad(loss_fn), in_dims=(None, 0, 0))
grads = per_sample(torch.randn(4), torch.randn(8, 4), torch.randn(8))

weight = torch.randn(4, 2, requires_grad=True)
with torch.no_grad():
    weight -= 0.1
    frozen = weight * 2
copied = weight.detach().clone().requires_grad_()
