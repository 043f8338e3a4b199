import torch

from audio import ConformerConv, Separator, SpeechSubsampling, Spectrogram, TasNetDecoder, TasNetEncoder, WaveNet

for batch, length, classes, residual, skip in ((2, 40, 64, 8, 12), (3, 33, 100, 10, 6), (4, 25, 32, 16, 20)):
    WaveNet(classes, residual, skip, layers=3)(torch.randint(0, classes, (batch, length)))

for batch, samples, L, N, B, H, C in ((2, 160, 16, 24, 10, 20, 2), (3, 200, 20, 18, 12, 30, 3), (4, 96, 8, 32, 14, 26, 5)):
    w = TasNetEncoder(L, N)(torch.randn(batch, samples))
    TasNetDecoder(N, L)(w, Separator(N, B, H, C)(w))

for batch, samples, fft, hop in ((2, 400, 64, 16), (3, 333, 48, 12), (5, 512, 100, 25)):
    Spectrogram(fft, hop)(torch.randn(batch, samples))

for batch, time, dim, kernel in ((2, 20, 16, 5), (3, 31, 24, 7), (4, 14, 10, 3)):
    ConformerConv(dim, kernel)(torch.randn(batch, time, dim), torch.zeros(batch, time, dtype=torch.bool))

for batch, time, mel, out in ((2, 40, 24, 8), (3, 57, 40, 12), (5, 33, 80, 6)):
    SpeechSubsampling(mel, out)(torch.randn(batch, time, mel), torch.full((batch,), time))
