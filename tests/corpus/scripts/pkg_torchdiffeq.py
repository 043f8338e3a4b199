# needs: torchdiffeq scipy
# beside: torchdiffeq
import argparse
import torch
import torch.nn as nn
import torch.optim as optim
from torchdiffeq import odeint, odeint_adjoint

parser = argparse.ArgumentParser('ODE demo')
parser.add_argument('--method', type=str, choices=['dopri5', 'rk4', 'euler'], default='rk4')
parser.add_argument('--data_size', type=int, default=100)
parser.add_argument('--batch_time', type=int, default=6)
parser.add_argument('--batch_size', type=int, default=8)
parser.add_argument('--niters', type=int, default=3)
parser.add_argument('--adjoint', action='store_true')
args = parser.parse_args()
if args.adjoint:
    odeint = odeint_adjoint

torch.manual_seed(0)
true_y0 = torch.tensor([[2., 0.]])
t = torch.linspace(0., 2.5, args.data_size)
true_A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])


class Lambda(nn.Module):
    def forward(self, t, y):
        return torch.mm(y ** 3, true_A)


with torch.no_grad():
    true_y = odeint(Lambda(), true_y0, t, method=args.method)


def get_batch():
    s = torch.randperm(args.data_size - args.batch_time)[:args.batch_size]
    batch_y0 = true_y[s]
    batch_t = t[:args.batch_time]
    batch_y = torch.stack([true_y[s + i] for i in range(args.batch_time)], dim=0)
    return batch_y0, batch_t, batch_y


class ODEFunc(nn.Module):
    def __init__(self):
        super(ODEFunc, self).__init__()
        self.net = nn.Sequential(nn.Linear(2, 50), nn.Tanh(), nn.Linear(50, 2))
        for m in self.net.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, mean=0, std=0.1)
                nn.init.constant_(m.bias, val=0)

    def forward(self, t, y):
        return self.net(y ** 3)


func = ODEFunc()
optimizer = optim.RMSprop(func.parameters(), lr=1e-3)
for itr in range(1, args.niters + 1):
    optimizer.zero_grad()
    batch_y0, batch_t, batch_y = get_batch()
    pred_y = odeint(func, batch_y0, batch_t, method=args.method)
    loss = torch.mean(torch.abs(pred_y - batch_y))
    loss.backward()
    optimizer.step()
with torch.no_grad():
    pred_y = odeint(func, true_y0, t, method=args.method)
    loss = torch.mean(torch.abs(pred_y - true_y))
    print('Iter {:04d} | Total Loss {:.6f}'.format(itr, loss.item()), pred_y.shape)
