import torch

from gpt import GPT, GPTConfig

SETS = (
    (4, 33, GPTConfig(block_size=64, vocab_size=100, n_head=4, n_embd=48)),
    (7, 20, GPTConfig(block_size=24, vocab_size=65, n_layer=3, n_head=3, n_embd=36, bias=False)),
    (2, 128, GPTConfig()),
)

for batch, length, config in SETS:
    model = GPT(config)
    idx = torch.randint(0, config.vocab_size, (batch, length))
    logits, loss = model(idx, targets=idx.roll(-1, dims=1))
    loss.backward()
    model(idx)
    model.eval()
    model.generate(idx, max_new_tokens=3, top_k=5)
