# needs: nflows
# beside: nflows
import torch
from torch import optim
from nflows.flows.base import Flow
from nflows.distributions.normal import StandardNormal
from nflows.transforms.base import CompositeTransform
from nflows.transforms.autoregressive import MaskedAffineAutoregressiveTransform
from nflows.transforms.permutations import ReversePermutation

torch.manual_seed(0)
num_layers = 3
base_dist = StandardNormal(shape=[2])
transforms = []
for _ in range(num_layers):
    transforms.append(ReversePermutation(features=2))
    transforms.append(MaskedAffineAutoregressiveTransform(features=2, hidden_features=8))
transform = CompositeTransform(transforms)
flow = Flow(transform, base_dist)
optimizer = optim.Adam(flow.parameters())
theta = torch.rand(64) * 3.1416
data = torch.stack([theta.cos(), theta.sin()], dim=1) + 0.05 * torch.randn(64, 2)
for i in range(3):
    x = data[i * 16:(i + 1) * 16]
    optimizer.zero_grad()
    loss = -flow.log_prob(inputs=x).mean()
    loss.backward()
    optimizer.step()
xline = torch.linspace(-1.5, 1.5, 10)
yline = torch.linspace(-1.5, 1.5, 12)
xgrid, ygrid = torch.meshgrid(xline, yline, indexing='xy')
xyinput = torch.cat([xgrid.reshape(-1, 1), ygrid.reshape(-1, 1)], dim=1)
with torch.no_grad():
    zgrid = flow.log_prob(xyinput).exp().reshape(12, 10)
samples = flow.sample(5)
print(zgrid.sum(), samples.shape)
