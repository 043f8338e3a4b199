import re
from collections import Counter, OrderedDict
from functools import partial

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

REVIEWS = [
    ("pos", "A wonderful little production. The filming technique is very unassuming!"),
    ("pos", "I thought this was a wonderful way to spend time on a too hot summer weekend."),
    ("neg", "Basically there's a family where a little boy thinks there's a zombie in his closet."),
    ("pos", "Petter Mattei's film is a visually stunning film to watch."),
    ("neg", "This show was an amazing, fresh & innovative idea in the 70's; now it is dull."),
    ("neg", "The plot is simplistic, but the dialogue is bad and the characters are unlikable."),
    ("pos", "Probably my all-time favorite movie."),
    ("neg", "Awful."),
    ("pos", "If you like original gut wrenching laughter you will like this movie, great!"),
    ("neg", "Encouraged by the positive comments I was looking forward to it. Bad mistake."),
]

PAD, UNK = 0, 1


def tokenizer(text):
    text = re.sub(r"<[^>]*>", "", text)
    text = re.sub(r"[\W]+", " ", text.lower())
    return text.split()


token_counts = Counter()
for label, line in REVIEWS:
    token_counts.update(tokenizer(line))
sorted_by_freq = OrderedDict(sorted(token_counts.items(), key=lambda x: x[1], reverse=True))
vocab = {"<pad>": PAD, "<unk>": UNK}
for tok, freq in sorted_by_freq.items():
    if freq >= 1:
        vocab.setdefault(tok, len(vocab))

text_pipeline = lambda x: [vocab.get(token, UNK) for token in tokenizer(x)]
label_pipeline = lambda x: 1. if x == 'pos' else 0.


def collate_batch(batch, device="cpu"):
    label_list, text_list, lengths = [], [], []
    for _label, _text in batch:
        label_list.append(label_pipeline(_label))
        processed_text = torch.tensor(text_pipeline(_text), dtype=torch.int64)
        text_list.append(processed_text)
        lengths.append(processed_text.size(0))
    label_list = torch.tensor(label_list)
    lengths = torch.tensor(lengths)
    padded_text_list = pad_sequence(text_list, batch_first=True)
    return padded_text_list.to(device), label_list.to(device), lengths


train_dl = DataLoader(REVIEWS[:8], batch_size=4, shuffle=False, collate_fn=partial(collate_batch, device="cpu"))
valid_dl = DataLoader(REVIEWS[8:], batch_size=2, shuffle=False, collate_fn=collate_batch)
text_batch, label_batch, length_batch = next(iter(train_dl))
print(text_batch.shape, label_batch, length_batch)


class RNN(nn.Module):
    def __init__(self, vocab_size, embed_dim, rnn_hidden_size, fc_hidden_size, bidirectional=True):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=0)
        self.rnn = nn.LSTM(embed_dim, rnn_hidden_size, batch_first=True, bidirectional=bidirectional, num_layers=2, dropout=0.1)
        self.attn = nn.Linear(2 * rnn_hidden_size, 1)
        self.fc1 = nn.Linear(rnn_hidden_size * 4, fc_hidden_size)
        self.relu = nn.ReLU()
        self.fc2 = nn.Linear(fc_hidden_size, 1)
        self.sigmoid = nn.Sigmoid()

    def forward(self, text, lengths):
        out = self.embedding(text)
        packed = pack_padded_sequence(out, lengths.cpu().numpy(), enforce_sorted=False, batch_first=True)
        packed_out, (hidden, cell) = self.rnn(packed)
        out, out_lengths = pad_packed_sequence(packed_out, batch_first=True)
        mask = torch.arange(out.size(1))[None, :] < out_lengths[:, None]
        score = self.attn(out).squeeze(-1).masked_fill(~mask, float('-inf'))
        alpha = torch.softmax(score, dim=1)
        context = torch.bmm(alpha.unsqueeze(1), out).squeeze(1)
        final = torch.cat((hidden[-2, :, :], hidden[-1, :, :]), dim=1)
        out = torch.cat([final, context], dim=1)
        out = self.fc1(out)
        out = self.relu(out)
        out = self.fc2(out)
        out = self.sigmoid(out)
        return out


model = RNN(len(vocab), embed_dim=20, rnn_hidden_size=16, fc_hidden_size=32)
loss_fn = nn.BCELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)


def train(dataloader):
    model.train()
    total_acc, total_loss = 0, 0
    for text_batch, label_batch, lengths in dataloader:
        optimizer.zero_grad()
        pred = model(text_batch, lengths)[:, 0]
        loss = loss_fn(pred, label_batch)
        loss.backward()
        optimizer.step()
        total_acc += ((pred >= 0.5).float() == label_batch).float().sum().item()
        total_loss += loss.item() * label_batch.size(0)
    return total_acc / len(dataloader.dataset), total_loss / len(dataloader.dataset)


def evaluate(dataloader):
    model.eval()
    total_acc, total_loss = 0, 0
    with torch.no_grad():
        for text_batch, label_batch, lengths in dataloader:
            pred = model(text_batch, lengths)[:, 0]
            loss = loss_fn(pred, label_batch)
            total_acc += ((pred >= 0.5).float() == label_batch).float().sum().item()
            total_loss += loss.item() * label_batch.size(0)
    return total_acc / len(dataloader.dataset), total_loss / len(dataloader.dataset)


num_epochs = 3
torch.manual_seed(1)
for epoch in range(num_epochs):
    acc_train, loss_train = train(train_dl)
    acc_valid, loss_valid = evaluate(valid_dl)
    print(f'Epoch {epoch} accuracy: {acc_train:.4f} val_accuracy: {acc_valid:.4f}')
