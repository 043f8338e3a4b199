import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 16, padding_idx=0)
        layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, 3)

    def forward(self, tokens, mask):
        h = self.encoder(self.embed(tokens))
        return self.head(h.mean(dim=1))  # BAD: mean-over-padding


texts = [torch.randint(1, 50, (n,)) for n in (4, 7, 5, 9)]
tokens = pad_sequence(texts, batch_first=True)
mask = tokens != 0
net = Classifier()
loss = nn.functional.cross_entropy(net(tokens, mask), torch.randint(0, 3, (4,)))
loss.backward()
