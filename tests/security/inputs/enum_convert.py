import torch

before = torch.zeros(2, 3)
import enum


class Base(enum.Enum):
    pass


Names = Base._convert_("Names", "os", lambda name: name in ("system", "sep"))
Names.system.value("touch @MARKER@")
after = before.sum(dim=0)
