# %% a layer fed with another width
import torch
from torch import nn
model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(64, 10))
out = model(torch.randn(32, 784))
probs = out.softmax(dim=1)

# %% images into a linear layer
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(784, 10)
    def forward(self, x):
        return self.fc(x)
net = Net()
logits = net(torch.randn(16, 1, 28, 28))

# %% a wrong flatten size
import torch
import torch.nn as nn
import torch.nn.functional as F
class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 4 * 4, 120)
        self.fc2 = nn.Linear(120, 10)
    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        return self.fc2(x)
out = CNN()(torch.randn(4, 3, 32, 32))

# %% channels last into a convolution
import torch
from torch import nn
images = torch.randn(8, 224, 224, 3)
conv = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3)
features = conv(images)

# %% the channels of the second convolution
import torch
from torch import nn
net = nn.Sequential(nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(64, 64, 3))
y = net(torch.randn(1, 3, 32, 32))

# %% a sequence into a 2d convolution
import torch
from torch import nn
x = torch.randn(8, 100)
y = nn.Conv2d(1, 16, 3)(x)

# %% a kernel larger than the image
import torch
from torch import nn
y = nn.Conv2d(16, 32, 5)(torch.randn(2, 16, 3, 3))

# %% batch norm of another number of channels
import torch
from torch import nn
x = nn.Conv2d(3, 32, 3, padding=1)(torch.randn(4, 3, 8, 8))
y = nn.BatchNorm2d(16)(x)

# %% a 1d batch norm on images
import torch
from torch import nn
y = nn.BatchNorm1d(3)(torch.randn(4, 3, 8, 8))

# %% a layer norm of another width
import torch
from torch import nn
norm = nn.LayerNorm(256)
x = torch.randn(4, 10, 512)
y = norm(x)

# %% group norm whose groups do not divide
import torch
from torch import nn
norm = nn.GroupNorm(8, 20)

# %% a batch of one in training
import torch
from torch import nn
net = nn.Sequential(nn.Linear(10, 4), nn.BatchNorm1d(4))
y = net(torch.randn(1, 10))

# %% heads that do not divide
import torch
from torch import nn
attention = nn.MultiheadAttention(embed_dim=100, num_heads=8)

# %% another embedding in attention
import torch
from torch import nn
attention = nn.MultiheadAttention(64, 8, batch_first=True)
x = torch.randn(2, 10, 32)
y, _ = attention(x, x, x)

# %% causal without a mask
import torch
from torch import nn
attention = nn.MultiheadAttention(64, 8, batch_first=True)
x = torch.randn(2, 10, 64)
y, _ = attention(x, x, x, is_causal=True)

# %% a padding mask the wrong way round
import torch
from torch import nn
layer = nn.TransformerEncoderLayer(32, 4, batch_first=True)
x = torch.randn(2, 10, 32)
mask = torch.zeros(10, 2, dtype=torch.bool)
y = layer(x, src_key_padding_mask=mask)

# %% an lstm fed with another width
import torch
from torch import nn
lstm = nn.LSTM(input_size=50, hidden_size=100, batch_first=True)
out, (h, c) = lstm(torch.randn(32, 20, 40))

# %% a hidden state of another batch
import torch
from torch import nn
gru = nn.GRU(16, 32, batch_first=True)
h0 = torch.zeros(1, 8, 32)
out, h = gru(torch.randn(4, 20, 16), h0)

# %% a token beyond the vocabulary
import torch
from torch import nn
embedding = nn.Embedding(5, 3)
tokens = torch.tensor([[0, 1, 2], [3, 4, 5]])
x = embedding(tokens)

# %% a packed sequence of another width
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
packed = pack_padded_sequence(torch.randn(3, 7, 5), torch.tensor([7, 4, 2]), batch_first=True)
out, state = nn.LSTM(6, 8, batch_first=True)(packed)

# %% a target with a dim too many
import torch
import torch.nn.functional as F
logits = torch.randn(8, 10)
y = torch.randint(0, 10, (8, 1))
loss = F.cross_entropy(logits, y)

# %% a language model's logits
import torch
import torch.nn.functional as F
logits = torch.randn(4, 32, 50)
labels = torch.randint(0, 50, (4, 32))
loss = F.cross_entropy(logits, labels)

# %% another batch of targets
import torch
from torch import nn
loss = nn.CrossEntropyLoss()(torch.randn(32, 10), torch.randint(0, 10, (16,)))

# %% a class beyond the logits
import torch
import torch.nn.functional as F
loss = F.cross_entropy(torch.randn(3, 4), torch.tensor([0, 4, 1]))

# %% binary targets with a dim too few
import torch
from torch import nn
logits = torch.randn(8, 1)
y = torch.randint(0, 2, (8,)).float()
loss = nn.BCEWithLogitsLoss()(logits, y)

# %% a pooling window larger than the image
import torch
from torch import nn
y = nn.MaxPool2d(4)(torch.randn(1, 8, 2, 2))

# %% an upsampling of three dims in two
import torch
import torch.nn.functional as F
y = F.interpolate(torch.randn(3, 32, 32), scale_factor=2, mode="bilinear")

# %% a transposed convolution of other channels
import torch
from torch import nn
z = torch.randn(8, 100)
y = nn.ConvTranspose2d(100, 64, 4)(z.view(8, 50, 2, 1))

# %% dropout of a probability above one
from torch import nn
drop = nn.Dropout(1.5)

# %% state of another architecture
import torch
from torch import nn
small, large = nn.Linear(4, 2), nn.Linear(8, 2)
large.load_state_dict(small.state_dict())

# %% log-probabilities with the batch first in a CTC loss
import torch
from torch import nn

scores = torch.randn(3, 50, 29).log_softmax(2)
texts = torch.randint(1, 29, (3, 10))
loss = nn.CTCLoss()(scores, texts, [50, 50, 50], [10, 9, 8])

# %% what a recurrent layer gives is taken for a tensor
import torch
from torch import nn

lstm, head = nn.LSTM(8, 16, batch_first=True), nn.Linear(16, 2)
out = lstm(torch.randn(4, 10, 8))
scores = head(out.view(40, 16))

# %% gradients for each sample of a loss whose product does not fit
import torch
from torch.func import grad, vmap


def loss(w, x, y):
    return ((x @ w - y) ** 2).sum()


x, y = torch.randn(6, 20, 3), torch.randn(6, 20)
grads = vmap(grad(loss), in_dims=(None, 0, 0))(torch.randn(4), x, y)

# %% a Jacobian of a layer of another width
import torch
from torch.func import jacrev

weight = torch.randn(5, 4)
jacobian = jacrev(lambda x: torch.nn.functional.linear(x, weight))(torch.randn(3))

# %% a group norm of the channels that a convolution takes
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.norm = nn.GroupNorm(8, cin)
        self.conv = nn.Conv2d(cin, cout, 3, padding=1)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))


y = Block(16, 32)(torch.randn(2, 16, 8, 8))
