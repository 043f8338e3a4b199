import torch

from transformer import LabelSmoothing, Transformer

for batch, source, target, words, others, dim, heads, layers, ff in (
    (3, 11, 9, 50, 40, 32, 4, 2, 64),
    (5, 7, 12, 30, 77, 24, 3, 1, 100),
    (2, 16, 6, 90, 61, 48, 6, 3, 80),
):
    model = Transformer(words, others, dim, heads, layers, ff, 20)
    out = model(torch.randint(1, words, (batch, source)), torch.randint(1, others, (batch, target)))
    flat = out.reshape(-1, others).log_softmax(-1)
    LabelSmoothing(others, 0)(flat, torch.randint(1, others, (batch * target,)))
