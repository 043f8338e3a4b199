import math
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.utils.data as data
from torch.nn.utils.rnn import pad_sequence
from torch import optim


class TextTransform:
    """Maps characters to integers and vice versa"""

    def __init__(self):
        self.char_map = {"'": 0, ' ': 1}
        self.char_map.update({chr(c): i + 2 for i, c in enumerate(range(ord('a'), ord('z') + 1))})
        self.index_map = {i: c for c, i in self.char_map.items()}

    def text_to_int(self, text):
        int_sequence = []
        for c in text:
            int_sequence.append(self.char_map[c])
        return int_sequence

    def int_to_text(self, labels):
        return ''.join(self.index_map[i] for i in labels)


text_transform = TextTransform()
SR, N_FFT, HOP, N_MELS = 4000, 128, 64, 20


def hz_to_mel(f):
    return 2595.0 * math.log10(1.0 + f / 700.0)


def mel_filterbank(n_freqs, f_min, f_max, n_mels, sample_rate):
    all_freqs = torch.linspace(0, sample_rate // 2, n_freqs)
    m_pts = torch.linspace(hz_to_mel(f_min), hz_to_mel(f_max), n_mels + 2)
    f_pts = 700.0 * (10.0 ** (m_pts / 2595.0) - 1.0)
    f_diff = f_pts[1:] - f_pts[:-1]
    slopes = f_pts.unsqueeze(0) - all_freqs.unsqueeze(1)
    zero = torch.zeros(1)
    down_slopes = (-1.0 * slopes[:, :-2]) / f_diff[:-1]
    up_slopes = slopes[:, 2:] / f_diff[1:]
    fb = torch.max(zero, torch.min(down_slopes, up_slopes))
    return fb


FB = mel_filterbank(N_FFT // 2 + 1, 0.0, SR / 2, N_MELS, SR)
WINDOW = torch.hann_window(N_FFT)


def mel_spectrogram(wave):
    stft = torch.stft(wave, N_FFT, hop_length=HOP, window=WINDOW, center=True, return_complex=True)
    power = stft.abs().pow(2)
    mel = power.transpose(-1, -2) @ FB
    return torch.log(mel + 1e-6)


class FakeSpeech(data.Dataset):
    WORDS = ["cat", "hello there", "speech", "open the door", "nine", "go"]

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        utterance = self.WORDS[i % len(self.WORDS)]
        length = 1600 * len(utterance) // 2
        steps = torch.arange(length) / SR
        wave = torch.zeros(length)
        for j, c in enumerate(utterance):
            wave = wave + torch.sin(2 * math.pi * (200 + 30 * ord(c) % 700) * steps) * (steps > j * 0.1)
        return wave / wave.abs().max().clamp(min=1e-3), utterance


def data_processing(batch):
    spectrograms, labels, input_lengths, label_lengths = [], [], [], []
    for (waveform, utterance) in batch:
        spec = mel_spectrogram(waveform)
        spectrograms.append(spec)
        label = torch.Tensor(text_transform.text_to_int(utterance.lower()))
        labels.append(label)
        input_lengths.append(spec.shape[0] // 2)
        label_lengths.append(len(label))
    spectrograms = pad_sequence(spectrograms, batch_first=True).unsqueeze(1).transpose(2, 3)
    labels = pad_sequence(labels, batch_first=True)
    return spectrograms, labels, input_lengths, label_lengths


def GreedyDecoder(output, labels, label_lengths, blank_label=28, collapse_repeated=True):
    arg_maxes = torch.argmax(output, dim=2)
    decodes, targets = [], []
    for i, args in enumerate(arg_maxes):
        decode = []
        targets.append(text_transform.int_to_text(labels[i][:label_lengths[i]].int().tolist()))
        for j, index in enumerate(args):
            if index != blank_label:
                if collapse_repeated and j != 0 and index == args[j - 1]:
                    continue
                decode.append(index.item())
        decodes.append(text_transform.int_to_text(decode))
    return decodes, targets


class CNNLayerNorm(nn.Module):
    def __init__(self, n_feats):
        super().__init__()
        self.layer_norm = nn.LayerNorm(n_feats)

    def forward(self, x):
        x = x.transpose(2, 3).contiguous()
        x = self.layer_norm(x)
        return x.transpose(2, 3).contiguous()


class ResidualCNN(nn.Module):
    def __init__(self, in_channels, out_channels, kernel, stride, dropout, n_feats):
        super().__init__()
        self.cnn1 = nn.Conv2d(in_channels, out_channels, kernel, stride, padding=kernel // 2)
        self.cnn2 = nn.Conv2d(out_channels, out_channels, kernel, stride, padding=kernel // 2)
        self.dropout1, self.dropout2 = nn.Dropout(dropout), nn.Dropout(dropout)
        self.layer_norm1, self.layer_norm2 = CNNLayerNorm(n_feats), CNNLayerNorm(n_feats)

    def forward(self, x):
        residual = x
        x = self.layer_norm1(x)
        x = F.gelu(x)
        x = self.dropout1(x)
        x = self.cnn1(x)
        x = self.layer_norm2(x)
        x = F.gelu(x)
        x = self.dropout2(x)
        x = self.cnn2(x)
        x += residual
        return x


class BidirectionalGRU(nn.Module):
    def __init__(self, rnn_dim, hidden_size, dropout, batch_first):
        super().__init__()
        self.BiGRU = nn.GRU(input_size=rnn_dim, hidden_size=hidden_size, num_layers=1, batch_first=batch_first, bidirectional=True)
        self.layer_norm = nn.LayerNorm(rnn_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        x = self.layer_norm(x)
        x = F.gelu(x)
        x, _ = self.BiGRU(x)
        x = self.dropout(x)
        return x


class SpeechRecognitionModel(nn.Module):
    def __init__(self, n_cnn_layers, n_rnn_layers, rnn_dim, n_class, n_feats, stride=2, dropout=0.1):
        super().__init__()
        n_feats = n_feats // 2
        self.cnn = nn.Conv2d(1, 8, 3, stride=stride, padding=3 // 2)
        self.rescnn_layers = nn.Sequential(*[ResidualCNN(8, 8, kernel=3, stride=1, dropout=dropout, n_feats=n_feats) for _ in range(n_cnn_layers)])
        self.fully_connected = nn.Linear(n_feats * 8, rnn_dim)
        self.birnn_layers = nn.Sequential(*[
            BidirectionalGRU(rnn_dim=rnn_dim if i == 0 else rnn_dim * 2, hidden_size=rnn_dim, dropout=dropout, batch_first=i == 0)
            for i in range(n_rnn_layers)])
        self.classifier = nn.Sequential(nn.Linear(rnn_dim * 2, rnn_dim), nn.GELU(), nn.Dropout(dropout), nn.Linear(rnn_dim, n_class))

    def forward(self, x):
        x = self.cnn(x)
        x = self.rescnn_layers(x)
        sizes = x.size()
        x = x.view(sizes[0], sizes[1] * sizes[2], sizes[3])
        x = x.transpose(1, 2)
        x = self.fully_connected(x)
        x = self.birnn_layers(x)
        x = self.classifier(x)
        return x


def main():
    torch.manual_seed(7)
    hparams = {"n_cnn_layers": 1, "n_rnn_layers": 2, "rnn_dim": 32, "n_class": 29, "n_feats": N_MELS, "stride": 2, "dropout": 0.1}
    train_loader = data.DataLoader(dataset=FakeSpeech(6), batch_size=3, shuffle=False, collate_fn=lambda x: data_processing(x))
    model = SpeechRecognitionModel(**hparams)
    optimizer = optim.AdamW(model.parameters(), 5e-4)
    criterion = nn.CTCLoss(blank=28, zero_infinity=True)
    for epoch in range(2):
        model.train()
        for batch_idx, _data in enumerate(train_loader):
            spectrograms, labels, input_lengths, label_lengths = _data
            optimizer.zero_grad()
            output = model(spectrograms)
            output = F.log_softmax(output, dim=2)
            output = output.transpose(0, 1)
            loss = criterion(output, labels, input_lengths, label_lengths)
            loss.backward()
            optimizer.step()
        decoded_preds, decoded_targets = GreedyDecoder(output.transpose(0, 1), labels, label_lengths)
        print(epoch, loss.item(), decoded_targets, [len(d) for d in decoded_preds])


if __name__ == "__main__":
    main()
