import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions import Normal, OneHotCategorical, MixtureSameFamily, Categorical, Independent


class MixtureDensityNetwork(nn.Module):
    def __init__(self, dim_in, dim_out, n_components):
        super().__init__()
        self.pi_network = CategoricalNetwork(dim_in, n_components)
        self.normal_network = MixtureDiagNormalNetwork(dim_in, dim_out, n_components)

    def forward(self, x):
        return self.pi_network(x), self.normal_network(x)

    def loss(self, x, y):
        pi, normal = self.forward(x)
        loglik = normal.log_prob(y.unsqueeze(1).expand_as(normal.loc))
        loglik = torch.sum(loglik, dim=2)
        loss = -torch.logsumexp(torch.log(pi.probs) + loglik, dim=1)
        return loss

    def sample(self, x):
        pi, normal = self.forward(x)
        samples = torch.sum(pi.sample().unsqueeze(2) * normal.sample(), dim=1)
        return samples


class MixtureDiagNormalNetwork(nn.Module):
    def __init__(self, in_dim, out_dim, n_components, hidden_dim=None):
        super().__init__()
        self.n_components = n_components
        if hidden_dim is None:
            hidden_dim = in_dim
        self.network = nn.Sequential(
            nn.Linear(in_dim, hidden_dim),
            nn.ELU(),
            nn.Linear(hidden_dim, 2 * out_dim * n_components),
        )

    def forward(self, x):
        params = self.network(x)
        mean, sd = torch.split(params, params.shape[1] // 2, dim=1)
        mean = torch.stack(mean.split(mean.shape[1] // self.n_components, 1))
        sd = torch.stack(sd.split(sd.shape[1] // self.n_components, 1))
        return Normal(mean.transpose(0, 1), torch.exp(sd).transpose(0, 1))


class CategoricalNetwork(nn.Module):
    def __init__(self, in_dim, out_dim, hidden_dim=None):
        super().__init__()
        if hidden_dim is None:
            hidden_dim = in_dim
        self.network = nn.Sequential(nn.Linear(in_dim, hidden_dim), nn.ELU(), nn.Linear(hidden_dim, out_dim))

    def forward(self, x):
        params = self.network(x)
        return OneHotCategorical(logits=params)


def gen_data(n=512):
    y = torch.linspace(-10, 10, n)
    x = 7 * torch.sin(0.75 * y) + 0.5 * y + torch.randn(n)
    return x[:, None], y[:, None]


torch.manual_seed(7)
x, y = gen_data()
x = (x - x.mean(0)) / x.std(0)
model = MixtureDensityNetwork(1, 1, n_components=3)
optimizer = optim.Adam(model.parameters(), lr=0.005)
for i in range(10):
    optimizer.zero_grad()
    loss = model.loss(x, y).mean()
    loss.backward()
    optimizer.step()
    if i % 5 == 0:
        print(f"Iter: {i}\t" + f"Loss: {loss.data:.2f}")

with torch.no_grad():
    y_hat = model.sample(x)
residual = (y_hat - y).abs()
print(residual.mean(), residual.quantile(torch.tensor([0.1, 0.5, 0.9])))

# the same with torch's own mixture
pi, comp = model(x)
mix = Categorical(probs=pi.probs)
gmm = MixtureSameFamily(mix, Independent(comp, 1))
ll = gmm.log_prob(y)
mean, var = gmm.mean, gmm.variance
samples = gmm.sample((5,))
print(ll.shape, mean.shape, var.sqrt().mean(), samples.shape)
torch.testing.assert_close(-ll.mean(), model.loss(x, y).mean(), rtol=1e-3, atol=1e-3)
