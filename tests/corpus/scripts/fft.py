import math
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

sr, dur = 800, 1.0
t = torch.arange(0, dur, 1 / sr)
sig = torch.sin(2 * math.pi * 50 * t) + 0.5 * torch.sin(2 * math.pi * 120 * t)
noisy = sig + 0.3 * torch.randn(sig.shape)
spec = torch.fft.rfft(noisy)
freqs = torch.fft.rfftfreq(noisy.numel(), d=1 / sr)
power = spec.abs() ** 2
mask = (freqs > 40) & (freqs < 130)
clean = torch.fft.irfft(spec * mask, n=noisy.numel())
win = torch.hann_window(64)
st = torch.stft(noisy, n_fft=64, hop_length=16, window=win, return_complex=True)
mag, phase = st.abs(), st.angle()
recon = torch.istft(torch.polar(mag, phase), n_fft=64, hop_length=16, window=win, length=noisy.numel())
logmag = torch.log1p(mag).unsqueeze(0)
def mel_filterbank(n_mels, n_fft, sr):
    hz2mel = lambda f: 2595 * np.log10(1 + f / 700)
    mel2hz = lambda m: 700 * (10 ** (m / 2595) - 1)
    pts = mel2hz(np.linspace(hz2mel(0), hz2mel(sr / 2), n_mels + 2))
    bins = np.floor((n_fft + 1) * pts / sr).astype(int)
    fb = np.zeros((n_mels, n_fft // 2 + 1))
    for i in range(1, n_mels + 1):
        l, c, r = bins[i - 1:i + 2]
        for k in range(l, c):
            fb[i - 1, k] = (k - l) / max(c - l, 1)
        for k in range(c, r):
            fb[i - 1, k] = (r - k) / max(r - c, 1)
    return torch.from_numpy(fb).float()
fb = mel_filterbank(8, 64, sr)
mel = fb @ (mag ** 2)
db = 10 * torch.log10(mel.clamp_min(1e-10))
db -= db.max()
class SpectralConv2d(nn.Module):
    def __init__(self, ci, co, m1, m2):
        super().__init__()
        self.co, self.m1, self.m2 = co, m1, m2
        scale = 1 / (ci * co)
        self.w1 = nn.Parameter(scale * torch.rand(ci, co, m1, m2, dtype=torch.cfloat))
        self.w2 = nn.Parameter(scale * torch.rand(ci, co, m1, m2, dtype=torch.cfloat))
    def mul(self, a, w): return torch.einsum("bixy,ioxy->boxy", a, w)
    def forward(self, x):
        B = x.shape[0]
        xf = torch.fft.rfft2(x)
        out = torch.zeros(B, self.co, x.size(-2), x.size(-1) // 2 + 1, dtype=torch.cfloat, device=x.device)
        out[:, :, :self.m1, :self.m2] = self.mul(xf[:, :, :self.m1, :self.m2], self.w1)
        out[:, :, -self.m1:, :self.m2] = self.mul(xf[:, :, -self.m1:, :self.m2], self.w2)
        return torch.fft.irfft2(out, s=(x.size(-2), x.size(-1)))
class FNO(nn.Module):
    def __init__(self, modes=4, width=6):
        super().__init__()
        self.fc0 = nn.Linear(3, width)
        for i in range(2):
            setattr(self, f'conv{i}', SpectralConv2d(width, width, modes, modes))
            setattr(self, f'w{i}', nn.Conv2d(width, width, 1))
        self.fc1 = nn.Linear(width, 1)
    def get_grid(self, shape):
        B, sx, sy = shape[0], shape[1], shape[2]
        gx = torch.tensor(np.linspace(0, 1, sx), dtype=torch.float).reshape(1, sx, 1, 1).repeat([B, 1, sy, 1])
        gy = torch.tensor(np.linspace(0, 1, sy), dtype=torch.float).reshape(1, 1, sy, 1).repeat([B, sx, 1, 1])
        return torch.cat((gx, gy), dim=-1)
    def forward(self, x):
        x = torch.cat((x, self.get_grid(x.shape)), dim=-1)
        x = self.fc0(x).permute(0, 3, 1, 2)
        for i in range(2):
            x1 = getattr(self, f'conv{i}')(x)
            x2 = getattr(self, f'w{i}')(x)
            x = F.gelu(x1 + x2)
        return self.fc1(x.permute(0, 2, 3, 1))
net = FNO()
a = torch.randn(2, 16, 16, 1)
u = net(a)
def rel_l2(p, y):
    n = p.size(0)
    d = torch.norm(p.reshape(n, -1) - y.reshape(n, -1), 2, 1)
    return torch.mean(d / torch.norm(y.reshape(n, -1), 2, 1))
loss = rel_l2(u, torch.randn_like(u)); loss.backward()
gw = net.conv0.w1.grad
def precompute_freqs_cis(dim, end, theta=10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].float() / dim))
    t = torch.arange(end)
    freqs = torch.outer(t, freqs).float()
    return torch.polar(torch.ones_like(freqs), freqs)
def rotary(xq, fc):
    xq_ = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], -1, 2))
    fc = fc.view(*[d if i == 1 or i == xq_.ndim - 1 else 1 for i, d in enumerate(xq_.shape)])
    return torch.view_as_real(xq_ * fc).flatten(3).type_as(xq)
fc = precompute_freqs_cis(8, 6)
xq = torch.randn(2, 6, 4, 8).half()
xr = rotary(xq, fc)
z = torch.complex(torch.randn(3, 3, dtype=torch.double), torch.zeros(3, 3, dtype=torch.double))
H = z + z.conj().T
w, V = torch.linalg.eigh(H)
D = V.mH @ V
re, im = z.real, z.imag
img = torch.rand(16, 16)
F2 = torch.fft.fftshift(torch.fft.fft2(img))
lowpass = torch.zeros_like(F2)
lowpass[4:12, 4:12] = F2[4:12, 4:12]
blur = torch.fft.ifft2(torch.fft.ifftshift(lowpass)).real
ker = torch.tensor([[1., 2., 1.], [2., 4., 2.], [1., 2., 1.]]) / 16
blur2 = F.conv2d(img[None, None], ker.expand(1, 1, 3, 3), padding=1)[0, 0]
