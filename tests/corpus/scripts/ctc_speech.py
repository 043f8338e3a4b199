import math
import string

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

ALPHABET = "_" + string.ascii_lowercase + " "
CHAR2IDX = {c: i for i, c in enumerate(ALPHABET)}
SAMPLE_RATE, N_FFT, HOP, N_MELS = 8000, 256, 128, 40
WORDS = ["hello world", "speech", "torch audio", "shapes", "connectionist", "temporal"]


def mel_filterbank(n_freqs, n_mels, sample_rate):
    all_freqs = torch.linspace(0, sample_rate // 2, n_freqs)
    m_min, m_max = 0.0, 2595.0 * math.log10(1.0 + (sample_rate / 2) / 700.0)
    m_pts = torch.linspace(m_min, m_max, n_mels + 2)
    f_pts = 700.0 * (10 ** (m_pts / 2595.0) - 1.0)
    f_diff = f_pts[1:] - f_pts[:-1]
    slopes = f_pts.unsqueeze(0) - all_freqs.unsqueeze(1)
    down = -slopes[:, :-2] / f_diff[:-1]
    up = slopes[:, 2:] / f_diff[1:]
    return torch.max(torch.zeros(1), torch.min(down, up))


class LogMel(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(N_FFT))
        self.register_buffer("fb", mel_filterbank(N_FFT // 2 + 1, N_MELS, SAMPLE_RATE))

    def forward(self, wav):
        spec = torch.stft(wav, N_FFT, HOP, window=self.window, return_complex=True)
        power = spec.abs().pow(2)
        mel = torch.matmul(power.transpose(-1, -2), self.fb)
        return torch.log(mel + 1e-6)


class Utterances(Dataset):
    def __init__(self, size):
        self.generator = torch.Generator().manual_seed(0)
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        text = WORDS[index % len(WORDS)]
        wav = torch.randn(800 * len(text), generator=self.generator)
        target = torch.tensor([CHAR2IDX[c] for c in text], dtype=torch.long)
        return wav, target, text


def collate_fn(batch):
    wavs, targets, texts = zip(*batch)
    wav_lengths = torch.tensor([w.shape[0] for w in wavs])
    target_lengths = torch.tensor([len(t) for t in targets])
    return pad_sequence(wavs, batch_first=True), wav_lengths, torch.cat(targets), target_lengths, texts


class ConvModule(nn.Module):
    def __init__(self, dim, kernel=15):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.pw1 = nn.Conv1d(dim, dim * 2, 1)
        self.dw = nn.Conv1d(dim, dim, kernel, padding=(kernel - 1) // 2, groups=dim)
        self.bn = nn.BatchNorm1d(dim)
        self.pw2 = nn.Conv1d(dim, dim, 1)

    def forward(self, x):
        x = self.norm(x).transpose(1, 2)
        x = F.glu(self.pw1(x), dim=1)
        x = F.silu(self.bn(self.dw(x)))
        return self.pw2(x).transpose(1, 2)


class ConformerBlock(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.ff1 = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim * 2), nn.SiLU(), nn.Linear(dim * 2, dim))
        self.norm = nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.conv = ConvModule(dim)
        self.out_norm = nn.LayerNorm(dim)

    def forward(self, x, key_padding_mask):
        x = x + 0.5 * self.ff1(x)
        h = self.norm(x)
        a, _ = self.attn(h, h, h, key_padding_mask=key_padding_mask, need_weights=False)
        x = x + a
        x = x + self.conv(x)
        return self.out_norm(x)


class Recognizer(nn.Module):
    def __init__(self, dim=48, depth=2):
        super().__init__()
        self.features = LogMel()
        self.subsample = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 8, 3, 2, 1), nn.ReLU())
        self.proj = nn.Linear(8 * (N_MELS // 4), dim)
        self.blocks = nn.ModuleList([ConformerBlock(dim, 4) for _ in range(depth)])
        self.fc = nn.Linear(dim, len(ALPHABET))

    def forward(self, wav, lengths):
        mel = self.features(wav)
        mel = (mel - mel.mean(dim=1, keepdim=True)) / (mel.std(dim=1, keepdim=True) + 1e-5)
        x = self.subsample(mel.unsqueeze(1))
        b, c, t, f = x.size()
        x = self.proj(x.permute(0, 2, 1, 3).contiguous().view(b, t, c * f))
        frames = torch.div(torch.div(lengths, HOP, rounding_mode="floor") + 1 + 3, 4, rounding_mode="floor")
        frames = frames.clamp(max=t)
        mask = torch.arange(t)[None, :] >= frames[:, None]
        for block in self.blocks:
            x = block(x, mask)
        return self.fc(x).log_softmax(dim=-1), frames


def greedy_decode(log_probs, lengths):
    texts = []
    best = log_probs.argmax(dim=-1)
    for row, n in zip(best, lengths):
        collapsed = torch.unique_consecutive(row[:n])
        collapsed = collapsed[collapsed != 0]
        texts.append("".join(ALPHABET[i] for i in collapsed.tolist()))
    return texts


def edit_distance(a, b):
    prev = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        cur = [i]
        for j, cb in enumerate(b, 1):
            cur.append(min(prev[j] + 1, cur[j - 1] + 1, prev[j - 1] + (ca != cb)))
        prev = cur
    return prev[-1]


torch.manual_seed(4)
loader = DataLoader(Utterances(24), batch_size=8, collate_fn=collate_fn)
model = Recognizer()
ctc = nn.CTCLoss(blank=0, zero_infinity=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-3, steps_per_epoch=len(loader), epochs=2)
for epoch in range(2):
    for wavs, wav_lengths, targets, target_lengths, texts in loader:
        log_probs, out_lengths = model(wavs, wav_lengths)
        loss = ctc(log_probs.transpose(0, 1), targets, out_lengths, target_lengths)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    model.eval()
    with torch.no_grad():
        hyps = greedy_decode(log_probs, out_lengths)
    model.train()
    cer = sum(edit_distance(h, r) for h, r in zip(hyps, texts)) / sum(map(len, texts))
    print(epoch, loss.item(), cer, scheduler.get_last_lr()[0])
