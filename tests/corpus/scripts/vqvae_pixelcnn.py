import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim


class VectorQuantizerEMA(nn.Module):
    def __init__(self, num_embeddings, embedding_dim, commitment_cost, decay, epsilon=1e-5):
        super(VectorQuantizerEMA, self).__init__()
        self._embedding_dim = embedding_dim
        self._num_embeddings = num_embeddings
        self._embedding = nn.Embedding(self._num_embeddings, self._embedding_dim)
        self._embedding.weight.data.normal_()
        self._commitment_cost = commitment_cost
        self.register_buffer('_ema_cluster_size', torch.zeros(num_embeddings))
        self._ema_w = nn.Parameter(torch.Tensor(num_embeddings, self._embedding_dim))
        self._ema_w.data.normal_()
        self._decay = decay
        self._epsilon = epsilon

    def forward(self, inputs):
        inputs = inputs.permute(0, 2, 3, 1).contiguous()
        input_shape = inputs.shape
        flat_input = inputs.view(-1, self._embedding_dim)
        distances = (torch.sum(flat_input ** 2, dim=1, keepdim=True)
                     + torch.sum(self._embedding.weight ** 2, dim=1)
                     - 2 * torch.matmul(flat_input, self._embedding.weight.t()))
        encoding_indices = torch.argmin(distances, dim=1).unsqueeze(1)
        encodings = torch.zeros(encoding_indices.shape[0], self._num_embeddings, device=inputs.device)
        encodings.scatter_(1, encoding_indices, 1)
        quantized = torch.matmul(encodings, self._embedding.weight).view(input_shape)
        if self.training:
            self._ema_cluster_size = self._ema_cluster_size * self._decay + (1 - self._decay) * torch.sum(encodings, 0)
            n = torch.sum(self._ema_cluster_size.data)
            self._ema_cluster_size = (
                (self._ema_cluster_size + self._epsilon) / (n + self._num_embeddings * self._epsilon) * n)
            dw = torch.matmul(encodings.t(), flat_input)
            self._ema_w = nn.Parameter(self._ema_w * self._decay + (1 - self._decay) * dw)
            self._embedding.weight = nn.Parameter(self._ema_w / self._ema_cluster_size.unsqueeze(1))
        e_latent_loss = F.mse_loss(quantized.detach(), inputs)
        loss = self._commitment_cost * e_latent_loss
        quantized = inputs + (quantized - inputs).detach()
        avg_probs = torch.mean(encodings, dim=0)
        perplexity = torch.exp(-torch.sum(avg_probs * torch.log(avg_probs + 1e-10)))
        return loss, quantized.permute(0, 3, 1, 2).contiguous(), perplexity, encoding_indices


class Residual(nn.Module):
    def __init__(self, in_channels, num_hiddens, num_residual_hiddens):
        super().__init__()
        self._block = nn.Sequential(
            nn.ReLU(True),
            nn.Conv2d(in_channels, num_residual_hiddens, 3, 1, 1, bias=False),
            nn.ReLU(True),
            nn.Conv2d(num_residual_hiddens, num_hiddens, 1, 1, bias=False))

    def forward(self, x):
        return x + self._block(x)


class VQVAE(nn.Module):
    def __init__(self, h=16, d=8, k=32):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(3, h, 4, 2, 1), nn.ReLU(), nn.Conv2d(h, h, 4, 2, 1), Residual(h, h, 8), nn.Conv2d(h, d, 1))
        self.vq = VectorQuantizerEMA(k, d, 0.25, 0.99)
        self.dec = nn.Sequential(nn.Conv2d(d, h, 3, 1, 1), Residual(h, h, 8), nn.ConvTranspose2d(h, h, 4, 2, 1), nn.ReLU(),
                                 nn.ConvTranspose2d(h, 3, 4, 2, 1))

    def forward(self, x):
        z = self.enc(x)
        loss, quantized, perplexity, codes = self.vq(z)
        x_recon = self.dec(quantized)
        codes = codes.view(z.shape[0], *z.shape[2:])
        return loss, x_recon, perplexity, codes


class MaskedConv2d(nn.Conv2d):
    def __init__(self, mask_type, *args, **kwargs):
        super(MaskedConv2d, self).__init__(*args, **kwargs)
        assert mask_type in {'A', 'B'}
        self.register_buffer('mask', self.weight.data.clone())
        _, _, kH, kW = self.weight.size()
        self.mask.fill_(1)
        self.mask[:, :, kH // 2, kW // 2 + (mask_type == 'B'):] = 0
        self.mask[:, :, kH // 2 + 1:] = 0

    def forward(self, x):
        self.weight.data *= self.mask
        return super(MaskedConv2d, self).forward(x)


class PixelCNN(nn.Module):
    def __init__(self, k, dim=24, n_layers=3):
        super().__init__()
        self.embed = nn.Embedding(k, dim)
        layers = [MaskedConv2d('A', dim, dim, 7, 1, 3, bias=False), nn.BatchNorm2d(dim), nn.ReLU(True)]
        for _ in range(n_layers - 1):
            layers.extend([MaskedConv2d('B', dim, dim, 7, 1, 3, bias=False), nn.BatchNorm2d(dim), nn.ReLU(True)])
        layers.append(nn.Conv2d(dim, k, 1))
        self.net = nn.Sequential(*layers)

    def forward(self, codes):
        e = self.embed(codes).permute(0, 3, 1, 2)
        return self.net(e)

    @torch.no_grad()
    def generate(self, n, shape):
        x = torch.zeros(n, *shape, dtype=torch.long)
        for i in range(shape[0]):
            for j in range(shape[1]):
                logits = self(x)
                probs = F.softmax(logits[:, :, i, j], -1)
                x[:, i, j] = torch.multinomial(probs, 1).squeeze(-1)
        return x


torch.manual_seed(0)
K = 32
model = VQVAE(k=K)
optimizer = optim.Adam(model.parameters(), lr=1e-3, amsgrad=False)
images = torch.rand(24, 3, 32, 32)
data_variance = images.var()
model.train()
train_res_recon_error, train_res_perplexity = [], []
for i in range(3):
    data = images[i * 8:(i + 1) * 8] - 0.5
    optimizer.zero_grad()
    vq_loss, data_recon, perplexity, codes = model(data)
    recon_error = F.mse_loss(data_recon, data) / data_variance
    loss = recon_error + vq_loss
    loss.backward()
    optimizer.step()
    train_res_recon_error.append(recon_error.item())
    train_res_perplexity.append(perplexity.item())
model.eval()
with torch.no_grad():
    *_, all_codes = model(images - 0.5)
prior = PixelCNN(K)
popt = optim.Adam(prior.parameters())
for _ in range(2):
    logits = prior(all_codes)
    nll = F.cross_entropy(logits, all_codes)
    popt.zero_grad()
    nll.backward()
    popt.step()
prior.eval()
new_codes = prior.generate(2, all_codes.shape[1:])
with torch.no_grad():
    z_q = model.vq._embedding(new_codes).permute(0, 3, 1, 2)
    samples = (model.dec(z_q) + 0.5).clamp(0, 1)
bpd = nll / torch.log(torch.tensor(2.0)) / 3
print(samples.shape, bpd.item(), sum(train_res_perplexity) / 3)
