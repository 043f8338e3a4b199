import torch
import torch.nn as nn
import torch.nn.functional as F


class VAE(nn.Module):
    def __init__(self, channels=1, hidden=32, latent=8):
        super().__init__()
        self.latent = latent
        self.encoder = nn.Sequential(
            nn.Conv2d(channels, hidden, 4, 2, 1), nn.ReLU(),
            nn.Conv2d(hidden, hidden * 2, 4, 2, 1), nn.ReLU(),
        )
        self.to_mu = nn.Linear(hidden * 2 * 7 * 7, latent)
        self.to_logvar = nn.Linear(hidden * 2 * 7 * 7, latent)
        self.from_latent = nn.Linear(latent, hidden * 2 * 7 * 7)
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(hidden * 2, hidden, 4, 2, 1), nn.ReLU(),
            nn.ConvTranspose2d(hidden, channels, 4, 2, 1), nn.Sigmoid(),
        )

    def encode(self, x):
        h = self.encoder(x).flatten(1)
        return self.to_mu(h), self.to_logvar(h)

    @staticmethod
    def reparameterize(mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        h = self.from_latent(z)
        h = h.view(-1, 64, 7, 7)
        return self.decoder(h)

    def forward(self, x):
        mu, logvar = self.encode(x)
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar

    @property
    def device(self):
        return next(self.parameters()).device


def vae_loss(recon, x, mu, logvar):
    bce = F.binary_cross_entropy(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return (bce + kld) / x.size(0)


model = VAE()
x = torch.rand(16, 1, 28, 28)
out = model(x)
recon, mu, logvar = out
loss = vae_loss(recon, x, mu, logvar)
loss.backward()
with torch.no_grad():
    samples = model.decode(torch.randn(4, model.latent, device=model.device))
