"""`torchvision.datasets`: their length, and what an item of theirs is. Nothing is read or downloaded.

Lengths and sizes as the data sets' own pages and torchvision's documentation state them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.data import Dataset

from .. import arrays
from ..unknowns import texts
from ..unknowns.counted import OfFiles
from ..unknowns.grown import grown
from ..unknowns.unknown import Lost, Unknown
from ..worlds import worlds
from .pictures import CHANNELS, Picture

_FILES = "how many files there are"


@dataclass(frozen=True)
class Kind:
    """What is known of one data set. `sizes`: the length of each of its splits."""

    sizes: dict[str, int]
    mode: str = "RGB"
    side: int | None = None
    classes: int | None = None
    flag: bool = True
    """Whether `train=` chooses the split, and not `split=`."""
    data: str = ""
    """How the whole is held: as a `tensor` (N, H, W), as `rows` (N, H, W, C) or `planes` (N, C, H, W) of numpy."""


def _halves(train: int, test: int) -> dict[str, int]:
    return {"train": train, "test": test}


_DIGITS = Kind(_halves(60_000, 10_000), "L", 28, 10, data="tensor")
KINDS: dict[str, Kind] = {
    **dict.fromkeys(("MNIST", "FashionMNIST", "KMNIST"), _DIGITS),
    "QMNIST": Kind(_halves(60_000, 60_000), "L", 28, 10, data="tensor"),
    "CIFAR10": Kind(_halves(50_000, 10_000), "RGB", 32, 10, data="rows"),
    "CIFAR100": Kind(_halves(50_000, 10_000), "RGB", 32, 100, data="rows"),
    "USPS": Kind(_halves(7_291, 2_007), "L", 16, 10),
    "SVHN": Kind({"train": 73_257, "test": 26_032, "extra": 531_131}, "RGB", 32, 10, False, "planes"),
    "STL10": Kind({"train": 5_000, "test": 8_000, "unlabeled": 100_000}, "RGB", 96, 10, False, "planes"),
    "Food101": Kind({"train": 75_750, "test": 25_250}, classes=101, flag=False),
    "Flowers102": Kind({"train": 1_020, "val": 1_020, "test": 6_149}, classes=102, flag=False),
    "OxfordIIITPet": Kind({"trainval": 3_680, "test": 3_669}, classes=37, flag=False),
    "GTSRB": Kind({"train": 26_640, "test": 12_630}, classes=43, flag=False),
    "DTD": Kind({"train": 1_880, "val": 1_880, "test": 1_880}, classes=47, flag=False),
    "ImageNet": Kind({"train": 1_281_167, "val": 50_000}, classes=1000, flag=False),
}
_LETTERS = {
    "byclass": (697_932, 116_323, 62),
    "bymerge": (697_932, 116_323, 47),
    "balanced": (112_800, 18_800, 47),
    "letters": (124_800, 20_800, 37),
    "digits": (240_000, 40_000, 10),
    "mnist": (60_000, 10_000, 10),
}


class Pictures(Dataset[Any]):
    """A data set of pictures and their labels."""

    _kind: Kind
    _count: int

    def _settle(self, kind: Kind, count: int, options: dict[str, Any]) -> None:
        self._kind, self._count = kind, count
        self.transform = options.get("transform")
        self.target_transform = options.get("target_transform")
        joint = options.get("transforms")
        if joint is not None:
            raise Lost("transforms of pictures and labels at once")

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if type(index) is int and index >= self._count:
            raise IndexError("index out of range")
        picture: Any = self._picture()
        label: Any = arrays.number("int64")
        if self.transform is not None:
            picture = self.transform(picture)
        if self.target_transform is not None:
            label = self.target_transform(label)
        return picture, label

    def _picture(self) -> Picture:
        return Picture(self._kind.mode, self._kind.side, self._kind.side)

    @property
    def data(self) -> Any:
        kind, side = self._kind, self._kind.side
        if not kind.data or side is None:
            return Unknown("the data of a data set")
        channels = CHANNELS[kind.mode]
        if kind.data == "tensor":
            return torch.empty((self._count, side, side), dtype=torch.uint8)
        planes = (channels, side, side) if kind.data == "planes" else (side, side, channels)
        return arrays.blank((self._count, *planes), "uint8")

    @property
    def targets(self) -> Any:
        if self._kind.data == "tensor":
            return torch.empty((self._count,), dtype=torch.int64)
        return Unknown("the labels of a data set")

    @property
    def labels(self) -> Any:
        if self._kind.data == "planes":
            return arrays.blank((self._count,), "int64")
        return Unknown("the labels of a data set")

    @property
    def classes(self) -> Any:
        if self._kind.classes is None:
            return Unknown("the classes of a data set")
        return [Unknown("the name of a class") for _ in range(self._kind.classes)]


def _maker(name: str, kind: Kind) -> Callable[..., None]:
    def begin(self: Pictures, root: Any = None, *args: Any, **options: Any) -> None:
        first = "train" if kind.flag else "split"
        order = (first, "transform", "target_transform", "download")
        given = {**dict(zip(order, args)), **options}
        chosen = given.get(first, True if kind.flag else next(iter(kind.sizes)))
        split = ("train" if chosen else "test") if kind.flag else chosen
        if split not in kind.sizes:
            raise Lost(f"the part {split} of a data set")
        self._settle(kind, kind.sizes[split], given)

    return begin


def _letters(self: Pictures, root: Any = None, split: Any = "balanced", **options: Any) -> None:
    if split not in _LETTERS:
        raise ValueError(f"Unknown value '{split}' for argument split.")
    train, test, classes = _LETTERS[split]
    kind = Kind(_halves(train, test), "L", 28, classes, data="tensor")
    self._settle(kind, train if options.get("train", True) else test, options)


class FakeData(Pictures):
    """`torchvision.datasets.FakeData`."""

    def __init__(
        self,
        size: Any = 1000,
        image_size: Any = (3, 224, 224),
        num_classes: Any = 10,
        *args: Any,
        **options: Any,
    ) -> None:
        given = {**dict(zip(("transform", "target_transform"), args)), **options}
        self._shape = tuple(image_size)
        mode = {1: "L", 3: "RGB", 4: "RGBA"}.get(self._shape[0])
        if mode is None:
            raise Lost("pictures of another kind")
        self._settle(Kind({}, mode, classes=num_classes), size, given)

    def _picture(self) -> Picture:
        return Picture(self._kind.mode, *self._shape[1:])


class ImageFolder(Pictures, OfFiles):
    """`torchvision.datasets.ImageFolder`: nobody knows how many there are."""

    def __init__(
        self, root: Any, transform: Any = None, target_transform: Any = None, *args: Any, **options: Any
    ) -> None:
        self._settle(Kind({}), 1, {"transform": transform, "target_transform": target_transform})
        self.count = worlds.count(_FILES)
        self.class_to_idx = Unknown(_FILES)

    def __len__(self) -> int:
        raise Lost(_FILES)

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(Unknown(_FILES))

    def _of_each(self, item: Any) -> Any:
        made = [item]
        grown(made, _FILES, alike=True)
        return made

    @property
    def classes(self) -> Any:
        return self._of_each(texts.text(_FILES))

    @property
    def samples(self) -> Any:
        return self._of_each((texts.text(_FILES), worlds.number(_FILES)))

    @property
    def targets(self) -> Any:
        return self._of_each(worlds.number(_FILES))

    imgs = samples


DATASETS: dict[str, Any] = {
    **{name: type(name, (Pictures,), {"__init__": _maker(name, kind)}) for name, kind in KINDS.items()},
    "EMNIST": type("EMNIST", (Pictures,), {"__init__": _letters}),
    "FakeData": FakeData,
    "ImageFolder": ImageFolder,
}
"""Members of `torchvision.datasets`."""
