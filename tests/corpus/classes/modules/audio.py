"""Audio: WaveNet, Conv-TasNet, spectrograms."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalConv1d(nn.Conv1d):
    def __init__(self, in_channels, out_channels, kernel_size, dilation=1):
        self.left = (kernel_size - 1) * dilation
        super().__init__(in_channels, out_channels, kernel_size, dilation=dilation)

    def forward(self, x):
        x = F.pad(x, (self.left, 0))
        return super().forward(x)


class WaveNetBlock(nn.Module):
    def __init__(self, residual_channels, skip_channels, kernel_size, dilation):
        super().__init__()
        self.filter_conv = CausalConv1d(residual_channels, residual_channels, kernel_size, dilation)
        self.gate_conv = CausalConv1d(residual_channels, residual_channels, kernel_size, dilation)
        self.residual = nn.Conv1d(residual_channels, residual_channels, 1)
        self.skip = nn.Conv1d(residual_channels, skip_channels, 1)

    def forward(self, x):
        gated = torch.tanh(self.filter_conv(x)) * torch.sigmoid(self.gate_conv(x))
        skip = self.skip(gated)
        out = self.residual(gated) + x
        return out, skip


class WaveNet(nn.Module):
    def __init__(self, classes=256, residual_channels=32, skip_channels=64, blocks=1, layers=4):
        super().__init__()
        self.embedding = nn.Embedding(classes, residual_channels)
        self.blocks = nn.ModuleList(
            WaveNetBlock(residual_channels, skip_channels, 2, 2**layer) for _ in range(blocks) for layer in range(layers)
        )
        self.end1 = nn.Conv1d(skip_channels, skip_channels, 1)
        self.end2 = nn.Conv1d(skip_channels, classes, 1)

    def forward(self, x):
        h = self.embedding(x).transpose(1, 2)
        total = 0
        for block in self.blocks:
            h, skip = block(h)
            total = total + skip
        y = self.end1(F.relu(total))
        logits = self.end2(F.relu(y))
        return logits


class GlobalLayerNorm(nn.Module):
    def __init__(self, channel_size):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(1, channel_size, 1))
        self.beta = nn.Parameter(torch.zeros(1, channel_size, 1))

    def forward(self, y):
        mean = y.mean(dim=1, keepdim=True).mean(dim=2, keepdim=True)
        var = ((y - mean) ** 2).mean(dim=1, keepdim=True).mean(dim=2, keepdim=True)
        return self.gamma * (y - mean) / (var + 1e-8) ** 0.5 + self.beta


class TasNetEncoder(nn.Module):
    def __init__(self, L, N):
        super().__init__()
        self.conv1d_U = nn.Conv1d(1, N, kernel_size=L, stride=L // 2, bias=False)

    def forward(self, mixture):
        mixture = torch.unsqueeze(mixture, 1)
        mixture_w = F.relu(self.conv1d_U(mixture))
        return mixture_w


class Separator(nn.Module):
    def __init__(self, N, B, H, C):
        super().__init__()
        self.C = C
        self.norm = GlobalLayerNorm(N)
        self.bottleneck = nn.Conv1d(N, B, 1)
        self.conv = nn.Sequential(nn.Conv1d(B, H, 1), nn.PReLU(), nn.Conv1d(H, H, 3, padding=1, groups=H), nn.PReLU(), nn.Conv1d(H, B, 1))
        self.mask_conv = nn.Conv1d(B, C * N, 1)

    def forward(self, mixture_w):
        M, N, K = mixture_w.size()
        y = self.bottleneck(self.norm(mixture_w))
        y = y + self.conv(y)
        score = self.mask_conv(y)
        score = score.view(M, self.C, N, K)
        est_mask = F.softmax(score, dim=1)
        return est_mask


class TasNetDecoder(nn.Module):
    def __init__(self, N, L):
        super().__init__()
        self.L = L
        self.basis_signals = nn.Linear(N, L, bias=False)

    def forward(self, mixture_w, est_mask):
        source_w = torch.unsqueeze(mixture_w, 1) * est_mask
        source_w = torch.transpose(source_w, 2, 3)
        est_source = self.basis_signals(source_w)
        m, c, k, l = est_source.shape
        est_source = est_source.reshape(m * c, k, l).transpose(1, 2)
        step = self.L // 2
        length = (k - 1) * step + self.L
        out = F.fold(est_source, output_size=(1, length), kernel_size=(1, self.L), stride=(1, step))
        return out.view(m, c, length)


class Spectrogram(nn.Module):
    def __init__(self, n_fft=64, hop_length=16):
        super().__init__()
        self.n_fft = n_fft
        self.hop_length = hop_length
        self.register_buffer("window", torch.hann_window(n_fft))

    def forward(self, waveform):
        spec = torch.stft(waveform, self.n_fft, self.hop_length, window=self.window, return_complex=True)
        power = spec.abs().pow(2)
        log_power = torch.log(power + 1e-6)
        return log_power


class ConformerConv(nn.Module):
    def __init__(self, d_model, kernel_size):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.pointwise_conv1 = nn.Conv1d(d_model, 2 * d_model, 1)
        self.depthwise_conv = nn.Conv1d(d_model, d_model, kernel_size, padding=(kernel_size - 1) // 2, groups=d_model)
        self.batch_norm = nn.BatchNorm1d(d_model)
        self.pointwise_conv2 = nn.Conv1d(d_model, d_model, 1)

    def forward(self, x, pad_mask=None):
        x = self.norm(x).transpose(1, 2)
        if pad_mask is not None:
            x = x.masked_fill(pad_mask.unsqueeze(1), 0.0)
        x = F.glu(self.pointwise_conv1(x), dim=1)
        x = F.silu(self.batch_norm(self.depthwise_conv(x)))
        x = self.pointwise_conv2(x)
        return x.transpose(1, 2)


class SpeechSubsampling(nn.Module):
    def __init__(self, idim, odim):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, odim, 3, 2), nn.ReLU(), nn.Conv2d(odim, odim, 3, 2), nn.ReLU())
        self.out = nn.Linear(odim * (((idim - 1) // 2 - 1) // 2), odim)

    def forward(self, x, lengths):
        x = x.unsqueeze(1)
        x = self.conv(x)
        b, c, t, f = x.size()
        x = self.out(x.transpose(1, 2).contiguous().view(b, t, c * f))
        lengths = ((lengths - 1) // 2 - 1) // 2
        return x, lengths
