# %% a skip connection of an image whose size is odd
import torch
import torch.nn as nn


def double_conv(in_channels, out_channels):
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.Conv2d(out_channels, out_channels, 3, padding=1),
        nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, n_class):
        super().__init__()
        self.dconv_down1 = double_conv(3, 16)
        self.dconv_down2 = double_conv(16, 32)
        self.dconv_down3 = double_conv(32, 64)
        self.maxpool = nn.MaxPool2d(2)
        self.upsample = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
        self.dconv_up2 = double_conv(32 + 64, 32)
        self.dconv_up1 = double_conv(32 + 16, 16)
        self.conv_last = nn.Conv2d(16, n_class, 1)

    def forward(self, x):
        conv1 = self.dconv_down1(x)
        x = self.maxpool(conv1)
        conv2 = self.dconv_down2(x)
        x = self.maxpool(conv2)
        x = self.dconv_down3(x)
        x = self.upsample(x)
        x = torch.cat([x, conv2], dim=1)
        x = self.dconv_up2(x)
        x = self.upsample(x)
        x = torch.cat([x, conv1], dim=1)
        return self.conv_last(self.dconv_up1(x))


model = UNet(n_class=6)
images = torch.randn(2, 3, 90, 90)
masks = model(images)
loss = nn.BCEWithLogitsLoss()(masks, torch.rand(2, 6, 90, 90))

# %% an up path that forgets that the skip doubles the channels
import torch
from torch import nn


class Up(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.up = nn.ConvTranspose2d(in_channels, out_channels, kernel_size=2, stride=2)
        self.conv = nn.Conv2d(out_channels, out_channels, 3, padding=1)

    def forward(self, x, skip):
        x = self.up(x)
        x = torch.cat([skip, x], dim=1)
        return torch.relu(self.conv(x))


encoder = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.ReLU())
bottom = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(64, 128, 3, padding=1))
up = Up(128, 64)
skip = encoder(torch.randn(1, 3, 64, 64))
decoded = up(bottom(skip), skip)

# %% a hidden state made for the time dim
import torch
import torch.nn as nn


class SentimentLSTM(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden_dim, num_layers):
        super().__init__()
        self.num_layers = num_layers
        self.hidden_dim = hidden_dim
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.lstm = nn.LSTM(embed_dim, hidden_dim, num_layers, batch_first=True)
        self.fc = nn.Linear(hidden_dim, 1)

    def forward(self, x):
        embedded = self.embedding(x)
        h0 = torch.zeros(self.num_layers, x.size(1), self.hidden_dim)
        c0 = torch.zeros(self.num_layers, x.size(1), self.hidden_dim)
        out, _ = self.lstm(embedded, (h0, c0))
        return torch.sigmoid(self.fc(out[:, -1]))


model = SentimentLSTM(5000, 64, 128, 2)
reviews = torch.randint(0, 5000, (32, 80))
probabilities = model(reviews)
loss = nn.BCELoss()(probabilities.squeeze(1), torch.rand(32))

# %% both directions of an lstm in a layer for one
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, words, tags, dim=100, hidden=128):
        super().__init__()
        self.embed = nn.Embedding(words, dim, padding_idx=0)
        self.encoder = nn.LSTM(dim, hidden, num_layers=2, bidirectional=True, batch_first=True, dropout=0.3)
        self.drop = nn.Dropout(0.5)
        self.classify = nn.Linear(hidden, tags)

    def forward(self, tokens):
        x = self.drop(self.embed(tokens))
        states, (h, c) = self.encoder(x)
        return self.classify(self.drop(states))


tagger = Tagger(8000, 9)
optimizer = torch.optim.Adam(tagger.parameters(), lr=1e-3)
tokens, tags = torch.randint(1, 8000, (16, 40)), torch.randint(0, 9, (16, 40))
logits = tagger(tokens)
loss = nn.functional.cross_entropy(logits.transpose(1, 2), tags)
loss.backward()
optimizer.step()

# %% the last batch is smaller
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

BATCH_SIZE = 64
dataset = TensorDataset(torch.randn(1000, 1, 28, 28), torch.randint(0, 10, (1000,)))
loader = DataLoader(dataset, batch_size=BATCH_SIZE, shuffle=True)
model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

for epoch in range(2):
    for images, labels in loader:
        optimizer.zero_grad()
        images = images.view(BATCH_SIZE, 784)
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()

# %% a 1d convolution over the features of each step
import torch
from torch import nn


class TextCNN(nn.Module):
    def __init__(self, vocab, dim, classes, sizes=(3, 4, 5)):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim)
        self.convs = nn.ModuleList(nn.Conv1d(dim, 100, size) for size in sizes)
        self.fc = nn.Linear(100 * len(sizes), classes)

    def forward(self, text):
        x = self.embedding(text)
        pooled = [torch.relu(conv(x)).max(dim=2).values for conv in self.convs]
        return self.fc(torch.cat(pooled, dim=1))


model = TextCNN(20000, 300, 4)
batch = torch.randint(0, 20000, (50, 120))
scores = model(batch)
print(scores.argmax(1))

# %% a padding mask that lacks two dims
import math

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, mask):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        k = k.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        v = v.view(B, T, self.heads, C // self.heads).transpose(1, 2)
        att = q @ k.transpose(-2, -1) / math.sqrt(C // self.heads)
        att = att.masked_fill(mask == 0, float("-inf")).softmax(dim=-1)
        y = (att @ v).transpose(1, 2).reshape(B, T, C)
        return self.out(y)


attention = SelfAttention(256, 8)
lengths = torch.tensor([12, 20, 7])
mask = torch.arange(20)[None, :] < lengths[:, None]
y = attention(torch.randn(3, 20, 256), mask)

# %% a class token that is not expanded to the batch
import torch
from torch import nn


class ViT(nn.Module):
    def __init__(self, image=32, patch=4, dim=64, depth=2, classes=10):
        super().__init__()
        self.patchify = nn.Conv2d(3, dim, patch, patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.zeros(1, (image // patch) ** 2 + 1, dim))
        layer = nn.TransformerEncoderLayer(dim, 4, 128, batch_first=True)
        self.blocks = nn.TransformerEncoder(layer, depth)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.patchify(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls, x], dim=1) + self.pos
        return self.head(self.blocks(x)[:, 0])


vit = ViT()
logits = vit(torch.randn(8, 3, 32, 32))

# %% a shortcut that does not halve the image
import torch
import torch.nn.functional as F
from torch import nn


class BasicBlock(nn.Module):
    def __init__(self, inplanes, planes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.shortcut = nn.Sequential()
        if inplanes != planes:
            self.shortcut = nn.Sequential(nn.Conv2d(inplanes, planes, 1, bias=False), nn.BatchNorm2d(planes))

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        return F.relu(out)


stem = nn.Conv2d(3, 64, 3, padding=1)
layers = nn.Sequential(BasicBlock(64, 64), BasicBlock(64, 128, stride=2), BasicBlock(128, 256, stride=2))
features = layers(stem(torch.randn(4, 3, 32, 32)))

# %% noise that is no image yet
import torch
import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, nz=100, ngf=64):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 4, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 4),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 4, 1, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, z):
        return self.main(z)


netG = Generator()
noise = torch.randn(64, 100)
fake = netG(noise)

# %% a reconstruction that is flat beside images that are not
import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 400)
        self.fc21, self.fc22 = nn.Linear(400, 20), nn.Linear(400, 20)
        self.fc3, self.fc4 = nn.Linear(20, 400), nn.Linear(400, 784)

    def forward(self, x):
        h = F.relu(self.fc1(x.view(-1, 784)))
        mu, logvar = self.fc21(h), self.fc22(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z)))), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x, reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


model = VAE()
data = torch.rand(128, 1, 28, 28)
recon, mu, logvar = model(data)
loss = loss_function(recon, data, mu, logvar)
loss.backward()

# %% masks of a segmentation with a channel
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Cells(Dataset):
    def __len__(self):
        return 20

    def __getitem__(self, i):
        return torch.rand(3, 64, 64), torch.randint(0, 5, (1, 64, 64))


net = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 5, 1))
criterion = nn.CrossEntropyLoss()
for image, mask in DataLoader(Cells(), batch_size=4):
    output = net(image)
    loss = criterion(output, mask)
    loss.backward()

# %% attention over a hidden state that is not turned
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def forward(self, hidden, encoder_outputs):
        energies = torch.bmm(encoder_outputs, hidden)
        weights = F.softmax(energies.squeeze(2), dim=1)
        return torch.bmm(weights.unsqueeze(1), encoder_outputs)


encoder = nn.GRU(32, 64, batch_first=True)
decoder = nn.GRU(32, 64, batch_first=True)
attend = Attention()
source, step = torch.randn(16, 12, 32), torch.randn(16, 1, 32)
encoder_outputs, hidden = encoder(source)
output, hidden = decoder(step, hidden)
context = attend(hidden, encoder_outputs)
out = torch.cat([output, context], dim=2)

# %% the state of two directions in a decoder of one
import torch
from torch import nn


class Seq2Seq(nn.Module):
    def __init__(self, vocab, dim=64, hidden=128):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.encoder = nn.GRU(dim, hidden, bidirectional=True, batch_first=True)
        self.decoder = nn.GRU(dim, hidden, batch_first=True)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, src, trg):
        _, state = self.encoder(self.embed(src))
        outputs, _ = self.decoder(self.embed(trg), state)
        return self.out(outputs)


model = Seq2Seq(1000)
src, trg = torch.randint(0, 1000, (8, 15)), torch.randint(0, 1000, (8, 11))
logits = model(src, trg[:, :-1])
loss = nn.functional.cross_entropy(logits.reshape(-1, 1000), trg[:, 1:].reshape(-1))

# %% a graph convolution the wrong way round
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, adj):
        support = torch.mm(x, self.weight)
        return torch.mm(support, adj)


class GCN(nn.Module):
    def __init__(self, features, hidden, classes):
        super().__init__()
        self.gc1 = GCNLayer(features, hidden)
        self.gc2 = GCNLayer(hidden, classes)

    def forward(self, x, adj):
        return self.gc2(torch.relu(self.gc1(x, adj)), adj).log_softmax(dim=1)


adj = torch.eye(2708)
x = torch.randn(2708, 1433)
model = GCN(1433, 16, 7)
out = model(x, adj)

# %% a layer norm over the channels of an image
import torch
from torch import nn


class ConvNeXtBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dwconv = nn.Conv2d(dim, dim, kernel_size=7, padding=3, groups=dim)
        self.norm = nn.LayerNorm(dim)
        self.pwconv1 = nn.Linear(dim, 4 * dim)
        self.pwconv2 = nn.Linear(4 * dim, dim)

    def forward(self, x):
        shortcut = x
        x = self.norm(self.dwconv(x))
        x = x.permute(0, 2, 3, 1)
        x = self.pwconv2(torch.relu(self.pwconv1(x)))
        return shortcut + x.permute(0, 3, 1, 2)


block = ConvNeXtBlock(96)
y = block(torch.randn(2, 96, 56, 56))

# %% the derivative of a net at many points
import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))


def residual(t, x):
    t.requires_grad_(True)
    x.requires_grad_(True)
    u = net(torch.cat([t, x], dim=1))
    u_t, u_x = torch.autograd.grad(u, (t, x), create_graph=True)
    u_xx = torch.autograd.grad(u_x.sum(), x, create_graph=True)[0]
    return u_t + u * u_x - 0.01 * u_xx


optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(5):
    optimizer.zero_grad()
    loss = residual(torch.rand(100, 1), torch.rand(100, 1)).pow(2).mean()
    loss.backward()
    optimizer.step()

# %% an odd number of features in the sines and cosines
import math

import torch
import torch.nn as nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=500):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0).transpose(0, 1))

    def forward(self, x):
        return self.dropout(x + self.pe[: x.size(0)])


encode = PositionalEncoding(75)
out = encode(torch.randn(20, 8, 75))

# %% a mixup of two batches
import numpy as np
import torch
from torch import nn


def mixup(x, y, alpha=0.4, classes=10):
    lam = torch.from_numpy(np.random.beta(alpha, alpha, size=x.size(0)))
    order = torch.randperm(x.size(0))
    onehot = nn.functional.one_hot(y, classes)
    mixed = lam * x + (1 - lam) * x[order]
    return mixed, lam[:, None] * onehot + (1 - lam[:, None]) * onehot[order]


images, labels = torch.rand(16, 3, 32, 32), torch.randint(0, 10, (16,))
mixed, targets = mixup(images, labels)

# %% a triplet of which one is a row short
import numpy as np
import torch

embeddings = np.random.rand(300, 128).astype("float32")
queries = np.random.rand(10, 64).astype("float32")


def cosine(a, b):
    a = a / np.linalg.norm(a, axis=1, keepdims=True)
    b = b / np.linalg.norm(b, axis=1, keepdims=True)
    return a @ b.T


similarity = cosine(queries, embeddings)
best = np.argsort(-similarity, axis=1)[:, :5]
nearest = torch.from_numpy(embeddings[best])
