import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


class Classifier(nn.Module):
    def __init__(self, vocab=100, dim=32, hidden=64, layers=2, classes=5):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hidden, num_layers=layers, batch_first=True, bidirectional=True, dropout=0.1)
        self.fc = nn.Linear(2 * hidden, classes)

    def forward(self, tokens, lengths=None):
        x = self.embedding(tokens)
        if lengths is not None:
            packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            output, (h, c) = self.lstm(packed)
            output, sizes = pad_packed_sequence(output, batch_first=True)
        else:
            output, (h, c) = self.lstm(x)
        last = torch.cat((h[-2], h[-1]), dim=1)
        return self.fc(last)


model = Classifier()
tokens = torch.randint(1, 100, (8, 20))
logits = model(tokens)
labels = torch.randint(0, 5, (8,))
loss = nn.functional.cross_entropy(logits, labels)
loss.backward()

sentences = [torch.randint(1, 100, (n,)) for n in (5, 9, 3)]
padded = pad_sequence(sentences, batch_first=True)
lengths = torch.tensor([len(s) for s in sentences])
scores = model(padded, lengths)

rnn = nn.GRUCell(10, 20)
state = torch.zeros(3, 20)
outputs = []
for t in range(6):
    state = rnn(torch.randn(3, 10), state)
    outputs.append(state)
sequence = torch.stack(outputs, dim=1)
