# needs: pandas python-dateutil six scikit-learn scipy joblib threadpoolctl narwhals
import re
from collections import Counter, OrderedDict
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, WeightedRandomSampler

random_state = np.random.RandomState(5)
words = "stock market team goal phone chip vote law film star rise fall win lose launch".split()
rows = []
for i in range(160):
    k = random_state.randint(3, 9)
    rows.append(
        {"title": " ".join(random_state.choice(words, k)), "label": ["world", "sport", "tech"][i % 3], "n": k}
    )
df = pd.DataFrame(rows)
df["title"] = df["title"].str.lower()
label_encoder = {l: i for i, l in enumerate(sorted(df["label"].unique()))}
df["y"] = df["label"].apply(lambda l: label_encoder[l])
counter = Counter()
for text in df["title"]:
    counter.update(re.findall(r"\w+", text))
vocab = OrderedDict((w, i + 1) for i, (w, c) in enumerate(counter.most_common()))
encode = lambda s: [vocab.get(t, 0) for t in s.split()]
train_df = df.sample(frac=0.8, random_state=1)
valid_df = df.drop(train_df.index)


def collate_batch(batch):
    label_list, text_list, offsets = [], [], [0]
    for row in batch:
        label_list.append(row.y)
        processed = torch.tensor(encode(row.title), dtype=torch.int64)
        text_list.append(processed)
        offsets.append(processed.size(0))
    label_list = torch.tensor(label_list, dtype=torch.int64)
    offsets = torch.tensor(offsets[:-1]).cumsum(dim=0)
    text_list = torch.cat(text_list)
    return label_list, text_list, offsets


class TextClassificationModel(nn.Module):
    def __init__(self, vocab_size, embed_dim, num_class):
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocab_size, embed_dim, sparse=False)
        self.fc = nn.Linear(embed_dim, num_class)
        self.init_weights()

    def init_weights(self):
        initrange = 0.5
        self.embedding.weight.data.uniform_(-initrange, initrange)
        self.fc.weight.data.uniform_(-initrange, initrange)
        self.fc.bias.data.zero_()

    def forward(self, text, offsets):
        embedded = self.embedding(text, offsets)
        return self.fc(embedded)


weights = 1.0 / train_df["y"].value_counts().sort_index()
sample_weights = torch.tensor(weights[train_df["y"].values].values)
sampler = WeightedRandomSampler(sample_weights, len(sample_weights))
train_loader = DataLoader(
    list(train_df.itertuples()), batch_size=16, sampler=sampler, collate_fn=collate_batch
)
valid_loader = DataLoader(list(valid_df.itertuples()), batch_size=16, collate_fn=collate_batch)
class_w = torch.tensor(1 / train_df.groupby("y").size().values, dtype=torch.float)
model = TextClassificationModel(len(vocab) + 1, 16, len(label_encoder))
criterion = nn.CrossEntropyLoss(weight=class_w)
optimizer = torch.optim.SGD(model.parameters(), lr=2.0)
for epoch in range(2):
    model.train()
    total_acc, total_count = 0, 0
    for idx, (label, text, offsets) in enumerate(train_loader):
        optimizer.zero_grad()
        predicted_label = model(text, offsets)
        loss = criterion(predicted_label, label)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        total_acc += (predicted_label.argmax(1) == label).sum().item()
        total_count += label.size(0)
    model.eval()
    confusion = torch.zeros(3, 3, dtype=torch.long)
    with torch.no_grad():
        for label, text, offsets in valid_loader:
            pred = model(text, offsets).argmax(1)
            for t, p in zip(label.view(-1), pred.view(-1)):
                confusion[t.long(), p.long()] += 1
    per_class = confusion.diag() / confusion.sum(1).clamp(min=1)
print(total_acc / total_count, per_class)
