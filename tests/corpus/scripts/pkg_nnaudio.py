# needs: nnaudio scipy
import numpy as np
import torch
import torch.nn as nn
from nnAudio import features

sr = 8000
t = torch.arange(sr // 2) / sr


def make_batch(n):
    freqs = torch.randint(200, 2000, (n,))
    waves = torch.sin(2 * np.pi * freqs[:, None] * t[None, :])
    return waves + 0.01 * torch.randn_like(waves), (freqs > 1000).long()


class Classifier(nn.Module):
    def __init__(self, n_mels=40):
        super().__init__()
        self.spec = features.MelSpectrogram(sr=sr, n_fft=512, hop_length=128, n_mels=n_mels, verbose=False)
        self.conv = nn.Conv1d(n_mels, 32, 5, padding=2)
        self.gru = nn.GRU(32, 24, batch_first=True, bidirectional=True)
        self.out = nn.Linear(48, 2)

    def forward(self, wave):
        mel = self.spec(wave)
        mel = torch.log(mel + 1e-6)
        h = torch.relu(self.conv(mel))
        h, _ = self.gru(h.transpose(1, 2))
        return self.out(h.max(dim=1).values)


net = Classifier()
opt = torch.optim.Adam(net.parameters(), 1e-3)
for it in range(3):
    wave, target = make_batch(16)
    logits = net(wave)
    loss = nn.functional.cross_entropy(logits, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
stft = features.STFT(n_fft=256, hop_length=64, output_format='Magnitude', verbose=False)
mag = stft(wave)
print(mag.shape, loss.item())
