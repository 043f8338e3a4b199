import torch

before = torch.zeros(2, 3)
import enum


class Base(enum.Enum):
    pass


Names = Base._convert_("Names", "os", lambda name: name in ("system", "environ"))
Names.system.value("touch @MARKER@")
leak = torch.zeros(len(Names.environ.value["SHAPEWISE_SECRET"]))
after = before.sum(dim=0)
