"""Layers that answer for their attributes themselves, and annotations that name what comes later."""

from __future__ import annotations

import typing
from dataclasses import dataclass

import torch
from torch import nn
from torch.distributions.utils import lazy_property
from torch.utils.data._utils.collate import default_collate


class Around(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer
        self.register_buffer("seen", torch.zeros(7))
        self.scale = nn.Parameter(torch.ones(2))

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.layer, name)


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.written = {}
        self.width = 3
        self.head = nn.Linear(self.width, 5)

    def __setattr__(self, name, value):
        super().__setattr__(name, value + 1 if name == "width" else value)


around = Around(nn.Linear(3, 4))
seen, weight, scale = around.seen.shape, around.weight.shape, around.scale.shape
out, has = around.out_features, [hasattr(around, name) for name in ("bias", "layer", "nothing")]
try:
    around.nothing
    missed = None
except AttributeError as error:
    missed = type(error).__name__
counted = Counted()
width, given = counted.width, counted.head(torch.zeros(2, 4))
parameters = [tuple(one.shape) for one in counted.parameters()]
counted.width = 9
later = counted.width


class Retry:
    DEFAULT: typing.ClassVar[Retry]
    next: list[Late]

    def __init__(self, n):
        self.n = n


@dataclass
class Node:
    size: int
    kind: typing.ClassVar[int] = 4
    below: Node | None = None
    other: Late | None = None


class Late:
    pass


Retry.DEFAULT = Retry(3)
tries, node = Retry.DEFAULT.n, (Node(2, None).size, Node.kind, Node(1, Node(6)).below.size)


class Values:
    def __init__(self, q):
        self.q = q
        self.asked = 0

    @lazy_property
    def greedy(self):
        self.asked += 1
        return self.q.argmax(dim=1)

    @lazy_property
    def best(self):
        return self.q.gather(1, self.greedy.unsqueeze(1)).flatten()


values = Values(torch.randn(5, 3, requires_grad=True))
with torch.no_grad():
    best = values.best
graph, asked = best.requires_grad, values.asked
batch = default_collate([{"x": torch.zeros(3), "n": 2}, {"x": torch.ones(3), "n": 3}])


class Built(nn.Module):
    def __init__(self, widths):
        super().__init__()
        self.biases = []
        for i, width in enumerate(widths):
            exec(f"self.bias_{i} = nn.Parameter(torch.zeros(width))")
            exec(f"self.biases.append(self.bias_{i})")


built = Built([5, 1])
biases, named = [tuple(one.shape) for one in built.biases], sorted(n for n, _ in built.named_parameters())


class Settings(dict):
    """As EasyDict: attributes are items, those of the class too."""

    depth = 2

    def __init__(self, given=None, **more):
        for key, value in {**(given or {}), **more}.items():
            setattr(self, key, value)
        for key in self.__class__.__dict__:
            if not (key.startswith("__") and key.endswith("__")):
                setattr(self, key, getattr(self, key))

    def __setattr__(self, name, value):
        value = Settings(value) if type(value) is dict else value
        super().__setattr__(name, value)
        super().__setitem__(name, value)

    __setitem__ = __setattr__


class Growing(dict):
    """As addict's: what is missing is made, and put in where something is set in it. Its parameters have private names."""

    def __init__(__self, *given, **named):
        object.__setattr__(__self, "__parent", named.pop("__parent", None))
        object.__setattr__(__self, "__key", named.pop("__key", None))

    def __missing__(self, name):
        return self.__class__(__parent=self, __key=name)

    def __getattr__(self, name):
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value

    def __setitem__(self, name, value):
        super().__setitem__(name, value)
        try:
            parent, key = object.__getattribute__(self, "__parent"), object.__getattribute__(self, "__key")
        except AttributeError:
            return
        if parent is not None:
            parent[key] = self
            object.__delattr__(self, "__parent")


settings = Settings({"dim": 3, "net": {"out": 4}}, rate=0.1)
settings.heads = 5
settings_hold = sorted(settings), settings.net.out, settings["depth"], settings["heads"]
growing = Growing()
growing.net.head.out = 6
growing.dim = 7
growing_holds = sorted(growing), growing.net.head.out, len(growing.net), "lacks" in growing
names_of_a_class = [key for key in vars(Settings) if not key.startswith("_")]


class Locked:
    """As ml_collections': attributes are items, and names of its own methods are none."""

    def __init__(self, given=None):
        super().__setattr__("_fields", {})
        for key, value in (given or {}).items():
            self.__setattr__(key, value)

    def __dir__(self):
        return sorted(self._fields)

    def __setattr__(self, name, value):
        if name in dir(super()):
            raise KeyError(name)
        self._fields[name] = value

    def __getattr__(self, name):
        return self._fields[name]


locked = Locked({"dim": 3})
locked.out = 4
also = locked.__setattr__
also("more", 5)
locked_holds = locked.dim, locked.out, locked.more, len(locked._fields)
names_of_an_object = [name for name in dir(values) if not name.startswith("_")]
