# %% an lstm that takes time first, and its last state
import torch
import torch.nn as nn


class LSTMClassifier(nn.Module):
    def __init__(self, vocab_size, embedding_dim, hidden_dim, num_classes):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_dim)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim, num_layers=1)
        self.fc = nn.Linear(hidden_dim, num_classes)

    def forward(self, text):
        embedded = self.embedding(text)
        out, (hidden, cell) = self.lstm(embedded)
        return self.fc(hidden[-1])

model = LSTMClassifier(vocab_size=1000, embedding_dim=50, hidden_dim=64, num_classes=4)
loss_fn = nn.CrossEntropyLoss()
text = torch.randint(0, 1000, (32, 20))
labels = torch.randint(0, 4, (32,))
logits = model(text)
loss = loss_fn(logits, labels)
loss.backward()

# %% two embeddings joined along the batch
import torch
import torch.nn as nn


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 32))
        self.classifier = nn.Linear(64, 2)

    def forward(self, a, b):
        fa, fb = self.encoder(a), self.encoder(b)
        both = torch.cat((fa, fb))
        return self.classifier(both)

net = Siamese()
a, b = torch.randn(10, 20), torch.randn(10, 20)
target = torch.randint(0, 2, (10,))
out = net(a, b)
loss = nn.functional.cross_entropy(out, target)

# %% a causal mask as long as the batch
import torch
import torch.nn as nn


class TransformerModel(nn.Module):
    def __init__(self, ntoken, d_model, nhead, d_hid, nlayers):
        super().__init__()
        self.embedding = nn.Embedding(ntoken, d_model)
        layer = nn.TransformerEncoderLayer(d_model, nhead, d_hid, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, nlayers)
        self.linear = nn.Linear(d_model, ntoken)

    def forward(self, src):
        mask = nn.Transformer.generate_square_subsequent_mask(src.size(0))
        x = self.embedding(src)
        x = self.encoder(x, mask=mask)
        return self.linear(x)

model = TransformerModel(500, 64, 4, 128, 2)
tokens = torch.randint(0, 500, (20, 35))
logits = model(tokens[:, :-1])
loss = nn.functional.cross_entropy(logits.reshape(-1, 500), tokens[:, 1:].reshape(-1))

# %% a table of positions that is not cut
import math
import torch
import torch.nn as nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=512):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * div)
        pe[0, :, 1::2] = torch.cos(position * div)
        self.register_buffer('pe', pe)

    def forward(self, x):
        return x + self.pe


class Model(nn.Module):
    def __init__(self, vocab=1000, d=64):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.pos = PositionalEncoding(d)
        self.norm = nn.LayerNorm(d)

    def forward(self, ids):
        return self.norm(self.pos(self.tok(ids)))

h = Model()(torch.randint(0, 1000, (4, 60)))

# %% a state for one layer of two
import torch
import torch.nn as nn


class Forecaster(nn.Module):
    def __init__(self, input_size=1, hidden_size=50, num_layers=2):
        super().__init__()
        self.hidden_size = hidden_size
        self.lstm = nn.LSTM(input_size, hidden_size, num_layers, batch_first=True)
        self.linear = nn.Linear(hidden_size, 1)

    def forward(self, x):
        h0 = torch.zeros(1, x.size(0), self.hidden_size)
        c0 = torch.zeros(1, x.size(0), self.hidden_size)
        out, _ = self.lstm(x, (h0, c0))
        return self.linear(out[:, -1, :])

series = torch.sin(torch.arange(0, 100, 0.1))
windows = torch.stack([series[i:i + 24] for i in range(900)]).unsqueeze(-1)
model = Forecaster()
pred = model(windows[:64])

# %% an up path of convolutions that are not padded
import torch
import torch.nn as nn


class Down(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(i, o, 3), nn.ReLU(), nn.Conv2d(o, o, 3), nn.ReLU())

    def forward(self, x):
        return self.net(x)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.d1, self.d2 = Down(1, 16), Down(16, 32)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.u1 = Down(32, 16)
        self.out = nn.Conv2d(16, 1, 1)

    def forward(self, x):
        c1 = self.d1(x)
        c2 = self.d2(self.pool(c1))
        u = self.up(c2)
        u = torch.cat([u, c1], dim=1)
        return self.out(self.u1(u))

y = UNet()(torch.randn(1, 1, 64, 64))

# %% an einsum of keys that are turned twice
import torch

q, k = torch.randn(2, 8, 10, 16), torch.randn(2, 8, 12, 16)
scores = torch.einsum('bhqd,bhkd->bhqk', q, k.transpose(-1, -2))
weights = scores.softmax(-1)

# %% a batch of sentences that is not padded
import torch
from torch.utils.data import Dataset, DataLoader
from torch.nn.utils.rnn import pad_sequence


class Sentences(Dataset):
    def __init__(self, lengths):
        self.items = [torch.arange(1, n + 1) for n in lengths]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i], i % 2


def collate(batch):
    xs, ys = zip(*batch)
    return torch.stack(xs), torch.tensor(ys)

loader = DataLoader(Sentences([5, 7, 3, 9, 4, 6]), batch_size=3, collate_fn=collate)
for x, y in loader:
    print(x.shape, y.shape)

# %% a flatten for images of another size
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = x.view(-1, 16 * 5 * 5)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)

net = Net()
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(net.parameters(), lr=0.001, momentum=0.9)
inputs = torch.randn(4, 3, 64, 64)
labels = torch.randint(0, 10, (4,))
optimizer.zero_grad()
outputs = net(inputs)
loss = criterion(outputs, labels)
loss.backward()
optimizer.step()
print('loss', loss.item())
