import random
from collections import Counter

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

random.seed(5)
torch.manual_seed(5)

FIRST = "Anna Bob Carla Dmitri Elena Farid Grace Hugo".split()
CITY = "Berlin Paris Oslo Lima Cairo Delhi".split()
VERB = "visited left loves hates".split()


def make_sentence():
    toks, tags = [], []
    toks.append(random.choice(FIRST)); tags.append("B-PER")
    if random.random() < 0.3:
        toks.append(random.choice("Smith Jones Meyer".split())); tags.append("I-PER")
    toks.append(random.choice(VERB)); tags.append("O")
    if random.random() < 0.5:
        toks += ["the", "old"]; tags += ["O", "O"]
    toks.append(random.choice(CITY)); tags.append("B-LOC")
    toks.append("."); tags.append("O")
    return toks, tags


class Vocab:
    def __init__(self, counter, min_freq=1, specials=("<pad>", "<unk>")):
        self.itos = list(specials) + [w for w, c in counter.most_common() if c >= min_freq]
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def __getitem__(self, w):
        return self.stoi.get(w, self.stoi["<unk>"])


data = [make_sentence() for _ in range(120)]
word_vocab = Vocab(Counter(w for toks, _ in data for w in toks), min_freq=2)
char_vocab = Vocab(Counter(c for toks, _ in data for w in toks for c in w))
tag_vocab = sorted({t for _, tags in data for t in tags})
tag2id = {t: i for i, t in enumerate(tag_vocab)}
PAD_TAG = -100


class NERDataset(Dataset):
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        toks, tags = self.items[i]
        words = torch.tensor([word_vocab[w] for w in toks])
        chars = [torch.tensor([char_vocab[c] for c in w]) for w in toks]
        labels = torch.tensor([tag2id[t] for t in tags])
        return words, chars, labels


def collate_fn(batch):
    batch.sort(key=lambda b: len(b[0]), reverse=True)
    words, chars, labels = zip(*batch)
    lengths = torch.tensor([len(w) for w in words])
    words = pad_sequence(words, batch_first=True)
    labels = pad_sequence(labels, batch_first=True, padding_value=PAD_TAG)
    max_word = max(len(c) for cs in chars for c in cs)
    char_tensor = torch.zeros(words.size(0), words.size(1), max_word, dtype=torch.long)
    for i, cs in enumerate(chars):
        for j, c in enumerate(cs):
            char_tensor[i, j, : len(c)] = c
    return words, char_tensor, labels, lengths


class CharCNN(nn.Module):
    def __init__(self, n_chars, dim=16, out=24, k=3):
        super().__init__()
        self.emb = nn.Embedding(n_chars, dim, padding_idx=0)
        self.conv = nn.Conv1d(dim, out, k, padding=k // 2)

    def forward(self, chars):
        b, t, w = chars.shape
        x = self.emb(chars.view(b * t, w))
        x = self.conv(x.transpose(1, 2))
        x, _ = x.max(dim=-1)
        return x.view(b, t, -1)


class Tagger(nn.Module):
    def __init__(self, n_words, n_chars, n_tags, dim=32, hidden=48):
        super().__init__()
        self.emb = nn.Embedding(n_words, dim, padding_idx=0)
        self.char = CharCNN(n_chars)
        self.lstm = nn.LSTM(dim + 24, hidden, num_layers=1, bidirectional=True, batch_first=True)
        self.drop = nn.Dropout(0.25)
        self.out = nn.Linear(2 * hidden, n_tags)

    def forward(self, words, chars, lengths):
        x = torch.cat([self.emb(words), self.char(chars)], dim=-1)
        x = self.drop(x)
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        out, (h, c) = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        return self.out(self.drop(out))


def spans(tags):
    found, start, kind = set(), None, None
    for i, tag in enumerate(list(tags) + ["O"]):
        if tag.startswith("B-") or tag == "O":
            if start is not None:
                found.add((start, i, kind))
                start = None
        if tag.startswith("B-"):
            start, kind = i, tag[2:]
    return found


def evaluate(model, loader):
    model.eval()
    tp = fp = fn = 0
    with torch.no_grad():
        for words, chars, labels, lengths in loader:
            logits = model(words, chars, lengths)
            preds = logits.argmax(-1)
            for p, l, n in zip(preds, labels, lengths):
                p = [tag_vocab[i] for i in p[:n].tolist()]
                l = [tag_vocab[i] for i in l[:n].tolist()]
                sp, sl = spans(p), spans(l)
                tp += len(sp & sl)
                fp += len(sp - sl)
                fn += len(sl - sp)
    prec = tp / max(tp + fp, 1)
    rec = tp / max(tp + fn, 1)
    return 2 * prec * rec / max(prec + rec, 1e-8)


train_loader = DataLoader(NERDataset(data[:96]), batch_size=16, shuffle=True, collate_fn=collate_fn)
dev_loader = DataLoader(NERDataset(data[96:]), batch_size=8, collate_fn=collate_fn)
model = Tagger(len(word_vocab), len(char_vocab), len(tag_vocab))
criterion = nn.CrossEntropyLoss(ignore_index=PAD_TAG)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(3):
    model.train()
    total, n_tok = 0.0, 0
    for words, chars, labels, lengths in train_loader:
        optimizer.zero_grad()
        logits = model(words, chars, lengths)
        loss = criterion(logits.view(-1, logits.size(-1)), labels.view(-1))
        loss.backward()
        optimizer.step()
        mask = labels != PAD_TAG
        total += loss.item() * mask.sum().item()
        n_tok += mask.sum().item()
    print(epoch, round(total / n_tok, 3), round(evaluate(model, dev_loader), 3))
