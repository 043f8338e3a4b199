from types import SimpleNamespace

import torch

from bert import BertForClassification, BertMLMHead

for batch, length, labels, config in (
    (3, 17, 4, dict(vocab_size=100, hidden_size=32, num_attention_heads=4, num_hidden_layers=2, intermediate_size=64, type_vocab_size=2, max_position_embeddings=40)),
    (5, 12, 3, dict(vocab_size=77, hidden_size=24, num_attention_heads=6, num_hidden_layers=1, intermediate_size=50, type_vocab_size=3, max_position_embeddings=64)),
    (2, 25, 7, dict(vocab_size=130, hidden_size=40, num_attention_heads=5, num_hidden_layers=3, intermediate_size=90, type_vocab_size=4, max_position_embeddings=30)),
):
    config = SimpleNamespace(**config, hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.1)
    model = BertForClassification(config, labels)
    ids = torch.randint(0, config.vocab_size, (batch, length))
    mask = torch.ones(batch, length, dtype=torch.long)
    model(ids, mask, labels=torch.randint(0, labels, (batch,)))
    model(ids, mask, token_type_ids=torch.zeros_like(ids))
    BertMLMHead(config, model.embeddings.word_embeddings.weight)(torch.randn(batch, length, config.hidden_size))
