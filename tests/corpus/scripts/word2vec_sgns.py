import collections
import math
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(1); np.random.seed(1); torch.manual_seed(1)

text = """in the beginning god created the heaven and the earth and the earth was without form and void
and darkness was upon the face of the deep and the spirit of god moved upon the face of the waters
and god said let there be light and there was light and god saw the light that it was good"""
words = text.split()
counts = collections.Counter(words)
vocab = [w for w, c in counts.most_common(30)]
w2i = {w: i for i, w in enumerate(vocab)}
data = [w2i[w] for w in words if w in w2i]
freqs = np.array([counts[w] for w in vocab], dtype=np.float64)
freqs = freqs / freqs.sum()
unigram = freqs ** 0.75
unigram /= unigram.sum()
keep_prob = np.minimum(1.0, np.sqrt(0.05 / freqs))

WINDOW, DIM, NEG, BATCH = 2, 20, 5, 32


def pairs(tokens):
    for i, center in enumerate(tokens):
        left, right = max(0, i - WINDOW), min(len(tokens), i + WINDOW + 1)
        for j in range(left, right):
            if j != i:
                yield center, tokens[j]


class SkipGramNeg(nn.Module):
    def __init__(self, n_vocab, n_embed, noise_dist=None):
        super().__init__()
        self.n_vocab, self.n_embed = n_vocab, n_embed
        self.noise_dist = noise_dist
        self.in_embed = nn.Embedding(n_vocab, n_embed)
        self.out_embed = nn.Embedding(n_vocab, n_embed)
        self.in_embed.weight.data.uniform_(-1, 1)
        self.out_embed.weight.data.uniform_(-1, 1)

    def forward_input(self, input_words):
        return self.in_embed(input_words)

    def forward_output(self, output_words):
        return self.out_embed(output_words)

    def forward_noise(self, batch_size, n_samples):
        noise_dist = torch.ones(self.n_vocab) if self.noise_dist is None else self.noise_dist
        noise_words = torch.multinomial(noise_dist, batch_size * n_samples, replacement=True)
        noise_vectors = self.out_embed(noise_words).view(batch_size, n_samples, self.n_embed)
        return noise_vectors


class NegativeSamplingLoss(nn.Module):
    def forward(self, input_vectors, output_vectors, noise_vectors):
        batch_size, embed_size = input_vectors.shape
        input_vectors = input_vectors.view(batch_size, embed_size, 1)
        output_vectors = output_vectors.view(batch_size, 1, embed_size)
        out_loss = torch.bmm(output_vectors, input_vectors).sigmoid().log()
        out_loss = out_loss.squeeze()
        noise_loss = torch.bmm(noise_vectors.neg(), input_vectors).sigmoid().log()
        noise_loss = noise_loss.squeeze().sum(1)
        return -(out_loss + noise_loss).mean()


examples = list(pairs(data))
random.shuffle(examples)
n_batches = len(examples) // BATCH
model = SkipGramNeg(len(vocab), DIM, noise_dist=torch.from_numpy(unigram))
criterion = NegativeSamplingLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
for b in range(n_batches):
    chunk = examples[b * BATCH:(b + 1) * BATCH]
    inputs, targets = zip(*chunk)
    inputs, targets = torch.LongTensor(inputs), torch.LongTensor(targets)
    input_vectors = model.forward_input(inputs)
    output_vectors = model.forward_output(targets)
    noise_vectors = model.forward_noise(inputs.shape[0], NEG)
    loss = criterion(input_vectors, output_vectors, noise_vectors)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def cosine_similarity(embedding, valid_size=6):
    embed_vectors = embedding.weight
    magnitudes = embed_vectors.pow(2).sum(dim=1).sqrt().unsqueeze(0)
    valid_examples = np.array(random.sample(range(len(vocab)), valid_size))
    valid_examples = torch.LongTensor(valid_examples)
    valid_vectors = embedding(valid_examples)
    similarities = torch.mm(valid_vectors, embed_vectors.t()) / magnitudes
    return valid_examples, similarities


valid_examples, valid_similarities = cosine_similarity(model.in_embed)
_, closest_idxs = valid_similarities.topk(4)
for ii, valid_idx in enumerate(valid_examples):
    closest_words = [vocab[idx.item()] for idx in closest_idxs[ii]][1:]
    print(vocab[valid_idx.item()] + " | " + ', '.join(closest_words))


# the same corpus as a fixed-window language model (Bengio)
class NNLM(nn.Module):
    def __init__(self, context=3):
        super().__init__()
        self.C = nn.Embedding(len(vocab), DIM)
        self.H = nn.Linear(context * DIM, 24)
        self.U = nn.Linear(24, len(vocab), bias=False)
        self.W = nn.Linear(context * DIM, len(vocab))

    def forward(self, X):
        X = self.C(X)
        X = X.view(X.size(0), -1)
        tanh = torch.tanh(self.H(X))
        return self.W(X) + self.U(tanh)


ctx = torch.tensor(data).unfold(0, 4, 1)
X, Y = ctx[:, :3], ctx[:, 3]
lm = NNLM()
out = lm(X)
ppl = F.cross_entropy(out, Y).exp()
print(ppl.item(), math.log(len(vocab)), keep_prob.min())
