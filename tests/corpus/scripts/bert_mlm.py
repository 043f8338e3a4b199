import math
from dataclasses import dataclass, field
from typing import Dict, List, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

CORPUS = """the quick brown fox jumps over the lazy dog
a stitch in time saves nine
all that glitters is not gold
birds of a feather flock together
the early bird catches the worm
actions speak louder than words
when in rome do as the romans do
the pen is mightier than the sword""".splitlines()

SPECIAL = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]"]


class WordTokenizer:
    def __init__(self, texts: List[str]):
        words = sorted({w for t in texts for w in t.split()})
        self.itos = SPECIAL + words
        self.stoi = {w: i for i, w in enumerate(self.itos)}
        self.pad_id, self.cls_id, self.sep_id, self.mask_id, self.unk_id = range(5)

    def __len__(self):
        return len(self.itos)

    def encode(self, text: str, max_len: int) -> Dict[str, List[int]]:
        ids = [self.cls_id] + [self.stoi.get(w, self.unk_id) for w in text.split()][: max_len - 2] + [self.sep_id]
        mask = [1] * len(ids)
        pad = max_len - len(ids)
        return {"input_ids": ids + [self.pad_id] * pad, "attention_mask": mask + [0] * pad}


class MLMDataset(Dataset):
    def __init__(self, texts, tokenizer, max_len=16, p=0.15):
        self.texts, self.tok, self.max_len, self.p = texts, tokenizer, max_len, p

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        enc = self.tok.encode(self.texts[i], self.max_len)
        input_ids = torch.tensor(enc["input_ids"])
        attention_mask = torch.tensor(enc["attention_mask"])
        labels = input_ids.clone()
        probability_matrix = torch.full(labels.shape, self.p)
        special = input_ids < len(SPECIAL)
        probability_matrix.masked_fill_(special, value=0.0)
        masked_indices = torch.bernoulli(probability_matrix).bool()
        labels[~masked_indices] = -100
        replaced = torch.bernoulli(torch.full(labels.shape, 0.8)).bool() & masked_indices
        input_ids[replaced] = self.tok.mask_id
        return dict(input_ids=input_ids, attention_mask=attention_mask, labels=labels)


@dataclass
class BertConfig:
    vocab_size: int
    hidden_size: int = 48
    num_hidden_layers: int = 2
    num_attention_heads: int = 4
    intermediate_size: int = 96
    hidden_dropout_prob: float = 0.1
    max_position_embeddings: int = 32
    type_vocab_size: int = 2
    layer_norm_eps: float = 1e-12


class BertEmbeddings(nn.Module):
    def __init__(self, config: BertConfig):
        super().__init__()
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=0)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.register_buffer("position_ids", torch.arange(config.max_position_embeddings).expand((1, -1)))

    def forward(self, input_ids, token_type_ids=None):
        input_shape = input_ids.size()
        seq_length = input_shape[1]
        position_ids = self.position_ids[:, :seq_length]
        if token_type_ids is None:
            token_type_ids = torch.zeros(input_shape, dtype=torch.long, device=input_ids.device)
        inputs_embeds = self.word_embeddings(input_ids)
        token_type_embeddings = self.token_type_embeddings(token_type_ids)
        embeddings = inputs_embeds + token_type_embeddings
        embeddings += self.position_embeddings(position_ids)
        embeddings = self.LayerNorm(embeddings)
        return self.dropout(embeddings)


class BertSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        if config.hidden_size % config.num_attention_heads != 0:
            raise ValueError("hidden size is not a multiple of the number of heads")
        self.num_attention_heads = config.num_attention_heads
        self.attention_head_size = int(config.hidden_size / config.num_attention_heads)
        self.all_head_size = self.num_attention_heads * self.attention_head_size
        self.query = nn.Linear(config.hidden_size, self.all_head_size)
        self.key = nn.Linear(config.hidden_size, self.all_head_size)
        self.value = nn.Linear(config.hidden_size, self.all_head_size)

    def transpose_for_scores(self, x: torch.Tensor) -> torch.Tensor:
        new_x_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        x = x.view(new_x_shape)
        return x.permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask=None, output_attentions=False):
        query_layer = self.transpose_for_scores(self.query(hidden_states))
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        if attention_mask is not None:
            attention_scores = attention_scores + attention_mask
        attention_probs = nn.functional.softmax(attention_scores, dim=-1)
        context_layer = torch.matmul(attention_probs, value_layer)
        context_layer = context_layer.permute(0, 2, 1, 3).contiguous()
        new_context_layer_shape = context_layer.size()[:-2] + (self.all_head_size,)
        context_layer = context_layer.view(new_context_layer_shape)
        outputs = (context_layer, attention_probs) if output_attentions else (context_layer,)
        return outputs


class BertLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention = BertSelfAttention(config)
        self.output = nn.Linear(config.hidden_size, config.hidden_size)
        self.norm1 = nn.LayerNorm(config.hidden_size)
        self.intermediate = nn.Linear(config.hidden_size, config.intermediate_size)
        self.out2 = nn.Linear(config.intermediate_size, config.hidden_size)
        self.norm2 = nn.LayerNorm(config.hidden_size)

    def forward(self, hidden_states, attention_mask=None, output_attentions=False):
        self_outputs = self.attention(hidden_states, attention_mask, output_attentions)
        attention_output = self.norm1(hidden_states + self.output(self_outputs[0]))
        layer_output = self.norm2(attention_output + self.out2(F.gelu(self.intermediate(attention_output))))
        return (layer_output,) + self_outputs[1:]


class BertForMaskedLM(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embeddings = BertEmbeddings(config)
        self.layer = nn.ModuleList([BertLayer(config) for _ in range(config.num_hidden_layers)])
        self.transform = nn.Sequential(nn.Linear(config.hidden_size, config.hidden_size), nn.GELU(), nn.LayerNorm(config.hidden_size))
        self.decoder = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.apply(self._init_weights)
        self.decoder.weight = self.embeddings.word_embeddings.weight

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            module.weight.data.normal_(mean=0.0, std=0.02)
            if module.bias is not None:
                module.bias.data.zero_()
        elif isinstance(module, nn.Embedding):
            module.weight.data.normal_(mean=0.0, std=0.02)
            if module.padding_idx is not None:
                module.weight.data[module.padding_idx].zero_()

    def get_extended_attention_mask(self, attention_mask, dtype):
        extended = attention_mask[:, None, None, :]
        extended = extended.to(dtype=dtype)
        return (1.0 - extended) * torch.finfo(dtype).min

    def forward(self, input_ids, attention_mask=None, labels: Optional[torch.Tensor] = None):
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        extended_mask = self.get_extended_attention_mask(attention_mask, self.bias.dtype)
        hidden_states = self.embeddings(input_ids)
        all_attentions = ()
        for i, layer_module in enumerate(self.layer):
            layer_outputs = layer_module(hidden_states, extended_mask, output_attentions=True)
            hidden_states = layer_outputs[0]
            all_attentions = all_attentions + (layer_outputs[1],)
        sequence_output = self.transform(hidden_states)
        logits = self.decoder(sequence_output) + self.bias
        loss = None
        if labels is not None:
            loss_fct = nn.CrossEntropyLoss()
            loss = loss_fct(logits.view(-1, self.config.vocab_size), labels.view(-1))
        return {"loss": loss, "logits": logits, "attentions": all_attentions}


tokenizer = WordTokenizer(CORPUS)
dataset = MLMDataset(CORPUS * 2, tokenizer)
loader = DataLoader(dataset, batch_size=8, shuffle=True)
model = BertForMaskedLM(BertConfig(vocab_size=len(tokenizer)))
no_decay = ["bias", "LayerNorm.weight"]
grouped = [
    {"params": [p for n, p in model.named_parameters() if not any(nd in n for nd in no_decay)], "weight_decay": 0.01},
    {"params": [p for n, p in model.named_parameters() if any(nd in n for nd in no_decay)], "weight_decay": 0.0},
]
optimizer = torch.optim.AdamW(grouped, lr=5e-4)
total_steps = len(loader) * 3
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min((s + 1) / 3, max(0.0, (total_steps - s) / total_steps)))
model.train()
for epoch in range(3):
    for batch in loader:
        batch = {k: v.to("cpu") for k, v in batch.items()}
        outputs = model(**batch)
        loss = outputs["loss"]
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
model.eval()
enc = tokenizer.encode("the early [MASK] catches the worm", 12)
input_ids = torch.tensor([enc["input_ids"]])
with torch.no_grad():
    out = model(input_ids, attention_mask=torch.tensor([enc["attention_mask"]]))
mask_pos = (input_ids == tokenizer.mask_id).nonzero(as_tuple=True)[1]
mask_logits = out["logits"][0, mask_pos]
top = mask_logits.softmax(-1).topk(3)
print([tokenizer.itos[i] for i in top.indices[0].tolist()])
