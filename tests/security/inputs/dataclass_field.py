import torch

before = torch.zeros(2, 3)
import os
from dataclasses import dataclass, field


@dataclass
class Attack:
    x: int = field(default_factory=lambda: os.system("touch @MARKER@"))
    y: "os.system('touch @MARKER@')" = 1


Attack()
import typing

typing.get_type_hints(Attack)
after = before.sum(dim=0)
