import argparse
import numpy as np
import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

parser = argparse.ArgumentParser()
parser.add_argument('--batch-size', type=int, default=16)
parser.add_argument('--epochs', type=int, default=2)
parser.add_argument('--latent', type=int, default=4)
args = parser.parse_args([])
torch.manual_seed(1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class VAE(nn.Module):
    def __init__(self, latent_dim):
        super(VAE, self).__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.Flatten())
        self.fc_mu = nn.Linear(16 * 7 * 7, latent_dim)
        self.fc_logvar = nn.Linear(16 * 7 * 7, latent_dim)
        self.dec_in = nn.Linear(latent_dim, 16 * 7 * 7)
        self.decoder = nn.Sequential(
            nn.Unflatten(1, (16, 7, 7)),
            nn.ConvTranspose2d(16, 8, 3, stride=2, padding=1, output_padding=1), nn.ReLU(),
            nn.ConvTranspose2d(8, 1, 3, stride=2, padding=1, output_padding=1), nn.Sigmoid())
    def encode(self, x):
        h = self.encoder(x)
        return self.fc_mu(h), self.fc_logvar(h)
    def reparameterize(self, mu, logvar):
        if self.training:
            std = torch.exp(0.5 * logvar)
            eps = torch.randn_like(std)
            return eps.mul(std).add_(mu)
        else:
            return mu
    def decode(self, z):
        return self.decoder(self.dec_in(z))
    def forward(self, x):
        mu, logvar = self.encode(x)
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar

def loss_function(recon_x, x, mu, logvar, beta=1.0):
    BCE = F.binary_cross_entropy(recon_x.view(-1, 784), x.view(-1, 784), reduction='sum')
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + beta * KLD, {'bce': BCE.item(), 'kld': KLD.detach()}

images = np.random.rand(80, 28, 28).astype('float32')
labels = np.random.randint(0, 10, size=80)
full = TensorDataset(torch.from_numpy(images)[:, None], torch.from_numpy(labels))
train_set, val_set = random_split(full, [64, 16], generator=torch.Generator().manual_seed(0))
train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True, drop_last=True)
val_loader = DataLoader(val_set, batch_size=args.batch_size)
model = VAE(args.latent).to(device)
optimizer = optim.Adam(model.parameters(), lr=1e-3)
scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)
best, patience, wait = float('inf'), 2, 0
history = {'train': [], 'val': []}
for epoch in range(1, args.epochs + 1):
    model.train()
    train_loss = 0
    for batch_idx, (data, _) in enumerate(train_loader):
        data = data.to(device)
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(data)
        loss, parts = loss_function(recon_batch, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    scheduler.step()
    model.eval()
    test_loss = 0.0
    with torch.no_grad():
        for i, (data, y) in enumerate(val_loader):
            data = data.to(device)
            recon, mu, logvar = model(data)
            test_loss += loss_function(recon, data, mu, logvar)[0].item()
            if i == 0:
                n = min(data.size(0), 8)
                comparison = torch.cat([data[:n], recon.view(args.batch_size, 1, 28, 28)[:n]])
    history['train'].append(train_loss / len(train_loader.dataset))
    history['val'].append(test_loss / len(val_loader.dataset))
    if history['val'][-1] < best:
        best, wait = history['val'][-1], 0
        state = {k: v.cpu().clone() for k, v in model.state_dict().items()}
    else:
        wait += 1
        if wait >= patience:
            print(f'early stop at {epoch}')
            break
model.load_state_dict(state)
with torch.no_grad():
    z = torch.randn(64, args.latent).to(device)
    sample = model.decode(z).cpu()
    xs = torch.linspace(-2, 2, 5)
    grid = torch.stack(torch.meshgrid(xs, xs, indexing='ij'), dim=-1).reshape(-1, 2)
    zz = torch.cat([grid, torch.zeros(grid.shape[0], args.latent - 2)], dim=1).to(device)
    canvas = model.decode(zz).view(5, 5, 28, 28).permute(0, 2, 1, 3).reshape(5 * 28, 5 * 28)
    latents = []
    for x, y in train_loader:
        latents.append(model.encode(x.to(device))[0].cpu())
    latents = torch.cat(latents).numpy()
centroid = latents.mean(axis=0)
