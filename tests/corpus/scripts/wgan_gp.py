"""WGAN-GP on small pictures: n_critic steps, gradient penalty, spectral variants, FID-like moments."""
import os
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch import autograd
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    z_dim: int = 32
    img_channels: int = 1
    features_g: int = 16
    features_d: int = 16
    num_classes: int = 5
    embed: int = 20
    lr: float = 1e-4
    critic_iterations: int = 3
    lambda_gp: float = 10.0
    batch_size: int = 16
    epochs: int = 2
    size: int = 32


class Critic(nn.Module):
    def __init__(self, channels_img, features_d, num_classes, img_size):
        super().__init__()
        self.img_size = img_size
        self.disc = nn.Sequential(
            nn.Conv2d(channels_img + 1, features_d, kernel_size=4, stride=2, padding=1),
            nn.LeakyReLU(0.2),
            self._block(features_d, features_d * 2, 4, 2, 1),
            self._block(features_d * 2, features_d * 4, 4, 2, 1),
            nn.Conv2d(features_d * 4, 1, kernel_size=4, stride=2, padding=0),
        )
        self.embed = nn.Embedding(num_classes, img_size * img_size)

    def _block(self, in_channels, out_channels, kernel_size, stride, padding):
        return nn.Sequential(
            nn.Conv2d(in_channels, out_channels, kernel_size, stride, padding, bias=False),
            nn.InstanceNorm2d(out_channels, affine=True),
            nn.LeakyReLU(0.2),
        )

    def forward(self, x, labels):
        embedding = self.embed(labels).view(labels.shape[0], 1, self.img_size, self.img_size)
        x = torch.cat([x, embedding], dim=1)
        return self.disc(x)


class Generator(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        f = cfg.features_g
        self.net = nn.Sequential(
            self._block(cfg.z_dim + cfg.embed, f * 8, 4, 1, 0),
            self._block(f * 8, f * 4, 4, 2, 1),
            self._block(f * 4, f * 2, 4, 2, 1),
            nn.ConvTranspose2d(f * 2, cfg.img_channels, kernel_size=4, stride=2, padding=1),
            nn.Tanh(),
        )
        self.embed = nn.Embedding(cfg.num_classes, cfg.embed)

    def _block(self, in_channels, out_channels, kernel_size, stride, padding):
        return nn.Sequential(
            nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride, padding, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(),
        )

    def forward(self, x, labels):
        embedding = self.embed(labels).unsqueeze(2).unsqueeze(3)
        x = torch.cat([x, embedding], dim=1)
        return self.net(x)


def initialize_weights(model):
    for m in model.modules():
        if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d, nn.BatchNorm2d)):
            nn.init.normal_(m.weight.data, 0.0, 0.02)


def gradient_penalty(critic, labels, real, fake, device="cpu"):
    BATCH_SIZE, C, H, W = real.shape
    alpha = torch.rand((BATCH_SIZE, 1, 1, 1)).repeat(1, C, H, W).to(device)
    interpolated_images = real * alpha + fake * (1 - alpha)
    interpolated_images.requires_grad_(True)

    mixed_scores = critic(interpolated_images, labels)

    gradient = autograd.grad(
        inputs=interpolated_images,
        outputs=mixed_scores,
        grad_outputs=torch.ones_like(mixed_scores),
        create_graph=True,
        retain_graph=True,
    )[0]
    gradient = gradient.view(gradient.shape[0], -1)
    gradient_norm = gradient.norm(2, dim=1)
    gradient_penalty = torch.mean((gradient_norm - 1) ** 2)
    return gradient_penalty


def moments(feats):
    mu = feats.mean(0)
    centered = feats - mu
    sigma = centered.t() @ centered / (feats.size(0) - 1)
    return mu, sigma


def frechet(a, b):
    mu1, s1 = moments(a)
    mu2, s2 = moments(b)
    diff = mu1 - mu2
    vals, vecs = torch.linalg.eigh(s1)
    root = (vecs * vals.clamp(min=0).sqrt()) @ vecs.T
    inner = torch.linalg.eigvalsh(root @ s2 @ root).clamp(min=0).sqrt()
    return diff.dot(diff) + s1.trace() + s2.trace() - 2 * inner.sum()


def make_data(cfg):
    g = torch.Generator().manual_seed(0)
    labels = torch.randint(0, cfg.num_classes, (100,), generator=g)
    grid = torch.linspace(-1, 1, cfg.size)
    yy, xx = torch.meshgrid(grid, grid, indexing="ij")
    imgs = []
    for lab in labels:
        r = 0.2 + 0.12 * lab.item()
        img = (((xx ** 2 + yy ** 2).sqrt() - r).abs() < 0.1).float()
        imgs.append(img + 0.05 * torch.randn(cfg.size, cfg.size, generator=g))
    return TensorDataset(torch.stack(imgs).unsqueeze(1) * 2 - 1, labels)


def save_checkpoint(state, filename):
    print("=> Saving checkpoint")
    torch.save(state, filename)


def main():
    cfg = Config()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)
    loader = DataLoader(make_data(cfg), batch_size=cfg.batch_size, shuffle=True, drop_last=True)
    gen = Generator(cfg).to(device)
    critic = Critic(cfg.img_channels, cfg.features_d, cfg.num_classes, cfg.size).to(device)
    initialize_weights(gen)
    initialize_weights(critic)

    opt_gen = torch.optim.Adam(gen.parameters(), lr=cfg.lr, betas=(0.0, 0.9))
    opt_critic = torch.optim.Adam(critic.parameters(), lr=cfg.lr, betas=(0.0, 0.9))
    fixed_noise = torch.randn(10, cfg.z_dim, 1, 1).to(device)
    fixed_labels = torch.arange(10, device=device) % cfg.num_classes
    step = 0
    losses = {"critic": [], "gen": []}

    gen.train()
    critic.train()
    for epoch in range(cfg.epochs):
        for batch_idx, (real, labels) in enumerate(loader):
            real = real.to(device)
            labels = labels.to(device)
            cur_batch_size = real.shape[0]

            for _ in range(cfg.critic_iterations):
                noise = torch.randn(cur_batch_size, cfg.z_dim, 1, 1).to(device)
                fake = gen(noise, labels)
                critic_real = critic(real, labels).reshape(-1)
                critic_fake = critic(fake, labels).reshape(-1)
                gp = gradient_penalty(critic, labels, real, fake, device=device)
                loss_critic = -(torch.mean(critic_real) - torch.mean(critic_fake)) + cfg.lambda_gp * gp
                critic.zero_grad()
                loss_critic.backward(retain_graph=True)
                opt_critic.step()

            gen_fake = critic(fake, labels).reshape(-1)
            loss_gen = -torch.mean(gen_fake)
            gen.zero_grad()
            loss_gen.backward()
            opt_gen.step()
            losses["critic"].append(loss_critic.item())
            losses["gen"].append(loss_gen.item())

            if batch_idx % 3 == 0:
                gen.eval()
                with torch.no_grad():
                    pictures = gen(fixed_noise, fixed_labels)
                    score = frechet(real.flatten(1)[:, ::16], pictures.flatten(1)[:, ::16])
                    top = pictures[:8].clamp(-1, 1).add(1).div(2)
                gen.train()
                step += 1
                print(f"Epoch [{epoch}/{cfg.epochs}] Batch {batch_idx}/{len(loader)} D: {loss_critic:.4f}, G: {loss_gen:.4f}, F: {score:.2f}")
    curve = torch.tensor([losses["critic"], losses["gen"]])
    smooth = curve.unfold(1, 3, 1).mean(-1)
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), "wgan.pt")
    save_checkpoint({"gen": gen.state_dict(), "critic": critic.state_dict()}, path)
    weights = torch.load(path, map_location=device)
    gen.load_state_dict(weights["gen"])
    os.remove(path)
    print(smooth.shape, top.mean())


if __name__ == "__main__":
    main()
