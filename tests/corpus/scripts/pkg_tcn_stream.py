# needs: pytorch-tcn
# beside: pytorch_tcn
import numpy as np
import torch
import torch.nn as nn
from pytorch_tcn import TCN

# copy-with-delay task, sequences of 64 steps
rng = np.random.default_rng(0)
seqs = rng.normal(size=(48, 6, 64)).astype("float32")
inputs = torch.from_numpy(seqs)
targets = torch.roll(inputs, 4, dims=2)[:, :2]
targets[:, :, :4] = 0

tcn = TCN(
    num_inputs=6,
    num_channels=[16, 16, 32],
    kernel_size=4,
    dropout=0.1,
    causal=True,
    use_norm="weight_norm",
    activation="relu",
    use_skip_connections=True,
)
head = nn.Conv1d(32, 2, 1)
optimizer = torch.optim.AdamW([*tcn.parameters(), *head.parameters()], lr=1e-3)

for epoch in range(2):
    perm = torch.randperm(inputs.size(0))
    for batch in perm.split(16):
        optimizer.zero_grad()
        hidden = tcn(inputs[batch])
        prediction = head(hidden)
        loss = nn.functional.smooth_l1_loss(prediction, targets[batch])
        loss.backward()
        optimizer.step()

# blockwise
tcn.eval()
tcn.reset_buffers()
outputs = []
with torch.no_grad():
    for block in inputs[:1].split(16, dim=2):
        out = tcn(block, inference=True)
        outputs.append(head(out))
stream = torch.cat(outputs, dim=-1)
print(stream.shape)
