# needs: transformers huggingface-hub safetensors tokenizers tqdm regex packaging filelock pyyaml requests
import torch
from transformers import BertConfig, BertModel, BertForSequenceClassification, GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
config = BertConfig(vocab_size=120, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
                    max_position_embeddings=40)
model = BertModel(config)
model.eval()
input_ids = torch.randint(0, 120, (3, 12))
attention_mask = torch.ones_like(input_ids)
attention_mask[1, 8:] = 0
with torch.no_grad():
    outputs = model(input_ids=input_ids, attention_mask=attention_mask)
last_hidden = outputs.last_hidden_state
cls = last_hidden[:, 0]
mask = attention_mask.unsqueeze(-1).float()
mean_pooled = (last_hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
sim = torch.nn.functional.cosine_similarity(mean_pooled[:1], mean_pooled)

clf = BertForSequenceClassification(config)
labels = torch.tensor([0, 1, 1])
optimizer = torch.optim.AdamW(clf.parameters(), lr=1e-4)
clf.train()
for epoch in range(2):
    out = clf(input_ids, attention_mask=attention_mask, labels=labels)
    loss, logits = out.loss, out.logits
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()

gpt = GPT2LMHeadModel(GPT2Config(vocab_size=100, n_positions=32, n_embd=24, n_layer=2, n_head=2))
ids = torch.randint(0, 100, (2, 10))
res = gpt(ids, labels=ids)
next_logits = res.logits[:, -1]
next_token = next_logits.argmax(-1, keepdim=True)
ids = torch.cat([ids, next_token], dim=-1)
print(loss.item(), logits.shape, sim, res.loss, ids.shape)
