import torch
from torch import nn

latent, image = 16, 28 * 28


class Generator(nn.Module):
    def __init__(self):
        super().__init__()

        def block(n_in, n_out, normalize=True):
            layers = [nn.Linear(n_in, n_out)]
            if normalize:
                layers.append(nn.BatchNorm1d(n_out, 0.8))
            layers.append(nn.LeakyReLU(0.2, inplace=True))
            return layers

        self.model = nn.Sequential(*block(latent, 64, normalize=False), *block(64, 128), nn.Linear(128, image), nn.Tanh())

    def forward(self, z):
        img = self.model(z)
        img = img.view(img.size(0), 1, 28, 28)
        return img


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(nn.Flatten(), nn.Linear(image, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1), nn.Sigmoid())

    def forward(self, img):
        validity = self.model(img)
        return validity


G, D = Generator(), Discriminator()
loss_fn = nn.BCELoss()
opt_g = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))

for step in range(3):
    real = torch.rand(32, 1, 28, 28) * 2 - 1
    valid = torch.ones(real.size(0), 1)
    fake = torch.zeros(real.size(0), 1)

    opt_g.zero_grad()
    z = torch.randn(real.shape[0], latent)
    generated = G(z)
    g_loss = loss_fn(D(generated), valid)
    g_loss.backward()
    opt_g.step()

    opt_d.zero_grad()
    real_loss = loss_fn(D(real), valid)
    fake_loss = loss_fn(D(generated.detach()), fake)
    d_loss = (real_loss + fake_loss) / 2
    d_loss.backward()
    opt_d.step()

grid = generated[:16].reshape(4, 4, 28, 28).permute(0, 2, 1, 3).reshape(4 * 28, 4 * 28)
