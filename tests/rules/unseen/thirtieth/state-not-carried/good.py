"""A translator: GRU encoder, GRU cell decoder, greedy decoding."""
import torch
import torch.nn.functional as F
from torch import nn

BOS, PAD = 1, 0


class Encoder(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.embed = nn.Embedding(vocab, width, padding_idx=PAD)
        self.rnn = nn.GRU(width, width, batch_first=True)

    def forward(self, tokens, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(self.embed(tokens), lengths, batch_first=True, enforce_sorted=False)
        _, state = self.rnn(packed)
        return state


class Decoder(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.embed = nn.Embedding(vocab, width, padding_idx=PAD)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, vocab)

    def forward(self, tokens, state):
        out, state = self.rnn(self.embed(tokens), state)
        return self.head(out), state


class Translator(nn.Module):
    def __init__(self, vocab=50, width=24):
        super().__init__()
        self.encoder = Encoder(vocab, width)
        self.decoder = Decoder(vocab, width)

    def forward(self, source, lengths, target):
        logits, _ = self.decoder(target[:, :-1], self.encoder(source, lengths))
        return F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)

    @torch.no_grad()
    def translate(self, source, lengths, longest=8):
        state = self.encoder(source, lengths)
        word = torch.full((source.size(0), 1), BOS)
        words = []
        for _ in range(longest):
            logits, state = self.decoder(word, state)
            word = logits.argmax(-1)
            words.append(word)
        return torch.cat(words, dim=1)


def batches(count, size=6):
    for _ in range(count):
        lengths = torch.randint(3, 9, (size,))
        source = torch.randint(2, 50, (size, 8)) * (torch.arange(8) < lengths[:, None])
        target = torch.cat([torch.full((size, 1), BOS), torch.randint(2, 50, (size, 6))], dim=1)
        yield source, lengths, target


model = Translator()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for source, lengths, target in batches(4):
    optimizer.zero_grad()
    loss = model(source, lengths, target)
    loss.backward()
    optimizer.step()
model.eval()
print(model.translate(torch.randint(2, 50, (2, 5)), torch.tensor([5, 3])).shape)
