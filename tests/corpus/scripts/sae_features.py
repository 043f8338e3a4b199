"""Toy models of superposition and a sparse autoencoder on top."""
from dataclasses import dataclass
from typing import Literal

import torch
from torch import nn, Tensor
from torch.nn import functional as F


def linear_lr(step, steps):
    return 1 - (step / steps)


def constant_lr(*_):
    return 1.0


@dataclass
class ToyConfig:
    n_inst: int = 3
    n_features: int = 5
    d_hidden: int = 2
    feature_probability: float = 0.1


class ToyModel(nn.Module):
    W: Tensor
    b_final: Tensor

    def __init__(self, cfg: ToyConfig, importance=1.0, device="cpu"):
        super().__init__()
        self.cfg = cfg
        if isinstance(importance, float):
            importance = torch.tensor(importance)
        self.importance = importance.to(device).expand(cfg.n_inst, cfg.n_features)
        self.W = nn.Parameter(nn.init.xavier_normal_(torch.empty((cfg.n_inst, cfg.d_hidden, cfg.n_features))))
        self.b_final = nn.Parameter(torch.zeros((cfg.n_inst, cfg.n_features)))
        self.to(device)

    def forward(self, features: Tensor) -> Tensor:
        hidden = torch.einsum("bif,ihf->bih", features, self.W)
        out = torch.einsum("bih,ihf->bif", hidden, self.W) + self.b_final
        return F.relu(out)

    def generate_batch(self, batch_size: int) -> Tensor:
        feat_mag = torch.rand((batch_size, self.cfg.n_inst, self.cfg.n_features))
        feat_seeds = torch.rand((batch_size, self.cfg.n_inst, self.cfg.n_features))
        return torch.where(feat_seeds <= self.cfg.feature_probability, feat_mag, 0.0)

    def calculate_loss(self, out: Tensor, batch: Tensor) -> Tensor:
        error = self.importance * ((batch - out) ** 2)
        loss = error.mean(dim=(0, 2)).sum()
        return loss

    def optimize(self, batch_size=64, steps=4, lr=1e-3, lr_scale=constant_lr):
        optimizer = torch.optim.Adam(self.parameters(), lr=lr)
        for step in range(steps):
            step_lr = lr * lr_scale(step, steps)
            for group in optimizer.param_groups:
                group["lr"] = step_lr
            optimizer.zero_grad()
            batch = self.generate_batch(batch_size)
            out = self(batch)
            loss = self.calculate_loss(out, batch)
            loss.backward()
            optimizer.step()
        return loss.item()


@dataclass
class SAEConfig:
    n_inst: int
    d_in: int
    d_sae: int
    l1_coeff: float = 0.2
    weight_normalize_eps: float = 1e-8
    tied_weights: bool = False
    architecture: Literal["standard", "gated", "topk"] = "standard"


class SAE(nn.Module):
    def __init__(self, cfg: SAEConfig, model: ToyModel) -> None:
        super().__init__()
        assert cfg.d_in == model.cfg.d_hidden
        self.cfg = cfg
        self.model = model.requires_grad_(False)
        self.W_enc = nn.Parameter(nn.init.kaiming_uniform_(torch.empty((cfg.n_inst, cfg.d_in, cfg.d_sae))))
        self._W_dec = None if cfg.tied_weights else nn.Parameter(nn.init.kaiming_uniform_(torch.empty((cfg.n_inst, cfg.d_sae, cfg.d_in))))
        self.b_enc = nn.Parameter(torch.zeros(cfg.n_inst, cfg.d_sae))
        self.b_dec = nn.Parameter(torch.zeros(cfg.n_inst, cfg.d_in))

    @property
    def W_dec(self):
        return self._W_dec if self._W_dec is not None else self.W_enc.transpose(-1, -2)

    @property
    def W_dec_normalized(self):
        return self.W_dec / (self.W_dec.norm(dim=-1, keepdim=True) + self.cfg.weight_normalize_eps)

    def generate_batch(self, batch_size: int):
        features = self.model.generate_batch(batch_size)
        return torch.einsum("bif,ihf->bih", features, self.model.W)

    def activate(self, pre: Tensor) -> Tensor:
        if self.cfg.architecture == "topk":
            values, idx = pre.topk(2, dim=-1)
            return torch.zeros_like(pre).scatter(-1, idx, values.relu())
        return F.relu(pre)

    def forward(self, h: Tensor):
        h_cent = h - self.b_dec
        acts_pre = torch.einsum("bid,ids->bis", h_cent, self.W_enc) + self.b_enc
        acts = self.activate(acts_pre)
        h_reconstructed = torch.einsum("bis,isd->bid", acts, self.W_dec_normalized) + self.b_dec
        loss_dict = {
            "L_reconstruction": (h_reconstructed - h).pow(2).mean(-1),
            "L_sparsity": acts.abs().sum(-1),
        }
        loss = loss_dict["L_reconstruction"] + self.cfg.l1_coeff * loss_dict["L_sparsity"]
        return loss_dict, loss, acts, h_reconstructed

    @torch.no_grad()
    def resample_simple(self, frac_active_in_window: Tensor, resample_scale: float = 0.5):
        dead = (frac_active_in_window < 1e-8).all(dim=0)
        n_dead = int(dead.sum().item())
        replacement = torch.randn((n_dead, self.cfg.d_in))
        replacement = replacement / (replacement.norm(dim=-1, keepdim=True) + 1e-8)
        self.W_enc.data.transpose(-1, -2)[dead] = resample_scale * replacement
        self.b_enc.data[dead] = 0.0
        return n_dead

    def optimize(self, batch_size=64, steps=4, lr=1e-3):
        optimizer = torch.optim.Adam([p for p in self.parameters() if p.requires_grad], lr=lr, betas=(0.0, 0.999))
        frac_active_list = []
        for step in range(steps):
            h = self.generate_batch(batch_size)
            loss_dict, loss, acts, _ = self.forward(h)
            loss.mean(0).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
            frac_active = (acts.abs() > 1e-8).float().mean(0)
            frac_active_list.append(frac_active)
        window = torch.stack(frac_active_list[-2:], dim=0)
        self.resample_simple(window)
        return {k: v.mean(0).sum().item() for k, v in loss_dict.items()}


torch.manual_seed(0)
cfg = ToyConfig()
importance = (0.9 ** torch.arange(cfg.n_features))
toy = ToyModel(cfg, importance=importance)
print(toy.optimize(lr_scale=linear_lr))
for arch in ("standard", "topk"):
    sae = SAE(SAEConfig(cfg.n_inst, cfg.d_hidden, 5, architecture=arch), toy)
    print(arch, sae.optimize())
W_normed = toy.W / toy.W.norm(dim=1, keepdim=True)
gram = W_normed.mT @ W_normed
interference = gram - torch.eye(cfg.n_features)
dim_per_feature = toy.W.norm(dim=1) ** 2 / (torch.einsum("ihf,ihg->ifg", W_normed, toy.W) ** 2).sum(-1)
print(interference.abs().amax(dim=(1, 2)), dim_per_feature.shape)
