"""A classifier of padded texts, and one of windows of words."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class TransformerClassifier(nn.Module):
    def __init__(self, vocab_size, d_model, nhead, num_layers, num_classes, max_len=512, pad=0):
        super().__init__()
        self.pad = pad
        self.tok = nn.Embedding(vocab_size, d_model, padding_idx=pad)
        self.pos = nn.Parameter(torch.zeros(1, max_len, d_model))
        layer = nn.TransformerEncoderLayer(d_model, nhead, 4 * d_model, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, ids):
        key_padding_mask = ids == self.pad
        x = self.tok(ids) + self.pos[:, :ids.size(1)]
        h = self.encoder(x, src_key_padding_mask=key_padding_mask)
        keep = (~key_padding_mask).unsqueeze(-1).float()
        pooled = (h * keep).sum(1) / keep.sum(1).clamp(min=1e-6)
        logits = self.head(pooled)
        return logits


class WindowClassifier(nn.Module):
    def __init__(self, vocab_size, embed_dim, n_filters, num_classes, windows=(3, 4, 5), dropout=0.5):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.convs = nn.ModuleList(nn.Conv1d(embed_dim, n_filters, size) for size in windows)
        self.dropout = nn.Dropout(dropout)
        self.fc = nn.Linear(n_filters * len(windows), num_classes)

    def forward(self, ids):
        x = self.embedding(ids).transpose(1, 2)
        pooled = [F.relu(conv(x)).max(dim=2).values for conv in self.convs]
        joined = self.dropout(torch.cat(pooled, dim=1))
        return self.fc(joined)
