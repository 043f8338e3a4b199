import torch

from text_classifier import TransformerClassifier, WindowClassifier

for batch, length, words, dim, heads, layers, classes in ((3, 9, 40, 12, 2, 2, 5), (4, 12, 33, 16, 4, 1, 3), (2, 7, 60, 18, 3, 3, 7)):
    TransformerClassifier(words, dim, heads, layers, classes)(torch.randint(1, words, (batch, length)))
    WindowClassifier(words, dim, dim + 7, classes)(torch.randint(0, words, (batch, length)))
