# needs: transformers huggingface-hub safetensors tokenizers tqdm regex packaging filelock pyyaml requests
"""LoRA by hand on a tiny Llama, then greedy decoding."""
import math
import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r: int = 4, alpha: int = 8):
        super().__init__()
        self.base = base
        self.base.weight.requires_grad_(False)
        self.A = nn.Parameter(torch.empty(r, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scaling = alpha / r

    def forward(self, x):
        delta = (x @ self.A.T) @ self.B.T
        return self.base(x) + self.scaling * delta


config = LlamaConfig(vocab_size=96, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
                     num_key_value_heads=2, max_position_embeddings=64)
model = LlamaForCausalLM(config)
for p in model.parameters():
    p.requires_grad = False
for layer in model.model.layers:
    attn = layer.self_attn
    attn.q_proj = LoRALinear(attn.q_proj)
    attn.v_proj = LoRALinear(attn.v_proj)
trainable = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.AdamW(trainable, lr=1e-3)
ids = torch.randint(0, 96, (2, 16))
labels = ids.clone()
labels[:, :4] = -100
for step in range(2):
    out = model(input_ids=ids, labels=labels)
    loss = out.loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
model.eval()
tokens = ids[:, :5]
with torch.no_grad():
    for _ in range(3):
        logits = model(input_ids=tokens).logits
        nxt = logits[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, nxt], dim=1)
ppl = torch.exp(loss.detach())
print(tokens.shape, ppl, sum(p.numel() for p in trainable))
