# Notes: extending autograd
import torch
from torch.autograd import Function, gradcheck
from torch.autograd.function import once_differentiable
import torch.nn as nn
import torch.nn.functional as F


class LinearFunction(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


class MulConstant(Function):
    @staticmethod
    def forward(ctx, tensor, constant):
        ctx.constant = constant
        return tensor * constant

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None


class StraightThroughRound(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, levels):
        return torch.round(x * levels) / levels

    @staticmethod
    def backward(ctx, g):
        return g, None


class SwishFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = i * torch.sigmoid(i)
        ctx.save_for_backward(i)
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        i = ctx.saved_tensors[0]
        sigmoid_i = torch.sigmoid(i)
        return grad_output * (sigmoid_i * (1 + i * (1 - sigmoid_i)))


class GradReverse(Function):
    @staticmethod
    def forward(ctx, x, lambd=1.0):
        ctx.lambd = lambd
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.lambd, None


linear = LinearFunction.apply
input = (torch.randn(20, 20, dtype=torch.double, requires_grad=True), torch.randn(30, 20, dtype=torch.double, requires_grad=True))
test = gradcheck(linear, input, eps=1e-6, atol=1e-4)
print(test)


class MyLinear(nn.Module):
    def __init__(self, input_features, output_features, bias=True):
        super().__init__()
        self.input_features = input_features
        self.output_features = output_features
        self.weight = nn.Parameter(torch.empty(output_features, input_features))
        if bias:
            self.bias = nn.Parameter(torch.empty(output_features))
        else:
            self.register_parameter('bias', None)
        nn.init.uniform_(self.weight, -0.1, 0.1)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -0.1, 0.1)

    def forward(self, input):
        return LinearFunction.apply(input, self.weight, self.bias)

    def extra_repr(self):
        return 'input_features={}, output_features={}, bias={}'.format(self.input_features, self.output_features, self.bias is not None)


class DANN(nn.Module):
    def __init__(self):
        super().__init__()
        self.feature = MyLinear(8, 16)
        self.label = nn.Linear(16, 3)
        self.domain = MyLinear(16, 2, bias=False)

    def forward(self, x, alpha):
        f = SwishFn.apply(self.feature(x))
        f = StraightThroughRound.apply(f, 16)
        rev = GradReverse.apply(f, alpha)
        return self.label(f), self.domain(rev)


model = DANN()
print(model)
src, tgt = torch.randn(12, 8), torch.randn(10, 8) + 1
labels = torch.randint(3, (12,))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for p in range(3):
    alpha = 2 / (1 + 2.718 ** (-10 * p / 3)) - 1
    class_out, dom_src = model(src, alpha)
    _, dom_tgt = model(tgt, alpha)
    dom_logits = torch.cat([dom_src, dom_tgt])
    dom_labels = torch.cat([torch.zeros(len(src)), torch.ones(len(tgt))]).long()
    loss = F.cross_entropy(class_out, labels) + F.cross_entropy(dom_logits, dom_labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
    grad_norms = [param.grad.norm() for param in model.parameters()]
    total = torch.stack(grad_norms).norm()

x = torch.linspace(-2, 2, 9, requires_grad=True)
y = MulConstant.apply(x, 3.0).pow(2)
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
(gg,) = torch.autograd.grad(g.sum(), x)
print(g, gg)
v = torch.ones(3)
a = torch.tensor([2., 3., 4.], requires_grad=True)
J = torch.autograd.functional.jacobian(lambda t: t ** 2 * v.sum(), a)
H = torch.autograd.functional.hessian(lambda t: (t ** 3).sum(), a)
out, vjp = torch.autograd.functional.vjp(lambda t: t.exp(), a, v)
print(J.shape, H.diag(), vjp)
