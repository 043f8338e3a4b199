import torch
from torch.utils.data import DataLoader, Dataset, random_split


def pad_collate(batch: list[dict], pad_id: int = 0) -> dict:
    max_len = max(len(item["input_ids"]) for item in batch)
    input_ids, labels, attn_mask = [], [], []
    for item in batch:
        ids = item["input_ids"]
        n = len(ids)
        pad = max_len - n
        input_ids.append(ids + [pad_id] * pad)
        labels.append(item["labels"] + [-100] * pad)  # -100 = ignore in CE
        attn_mask.append([1] * n + [0] * pad)
    return {
        "input_ids": torch.tensor(input_ids, dtype=torch.long),
        "labels": torch.tensor(labels, dtype=torch.long),
        "attention_mask": torch.tensor(attn_mask, dtype=torch.long),
    }


class Sentences(Dataset):
    def __init__(self, n: int):
        self.rows = [{"input_ids": list(range(8)), "labels": list(range(1, 9))} for _ in range(n)]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, idx: int) -> dict:
        return self.rows[idx]


train_set, val_set = random_split(Sentences(40), [32, 8])
loader = DataLoader(train_set, batch_size=4, shuffle=True, collate_fn=pad_collate)
emb = torch.nn.Embedding(50, 16)
head = torch.nn.Linear(16, 50)
opt = torch.optim.AdamW([*emb.parameters(), *head.parameters()])
for batch in loader:
    inputs, labels = batch["input_ids"], batch["labels"]
    hidden = emb(inputs) * batch["attention_mask"].unsqueeze(-1)
    logits = head(hidden)
    loss = torch.nn.functional.cross_entropy(logits.reshape(-1, logits.size(-1)), labels.reshape(-1), ignore_index=-100)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
