"""Pictures (`PIL.Image`) as far as their mode and size are known. No file is opened."""

from __future__ import annotations

import types
from typing import Any

from .. import arrays
from ..unknowns.joining import JOINS, NARROWED
from ..unknowns.unknown import Lost, Unknown
from ..wall import allowed
from ..worlds import worlds

CHANNELS = {
    "1": 1,
    "L": 1,
    "I": 1,
    "F": 1,
    "P": 1,
    "RGB": 3,
    "YCbCr": 3,
    "LAB": 3,
    "HSV": 3,
    "RGBA": 4,
    "CMYK": 4,
    "LA": 2,
}
DTYPES = {"1": "bool", "I": "int32", "F": "float32"}
"""numpy's dtypes of modes whose numbers are no bytes."""


class Picture:
    """What `PIL.Image.Image` is to the interpreted program; None stands for what is not known."""

    def __init__(self, mode: str | None, height: int | None, width: int | None) -> None:
        self._mode = mode
        self._height = height
        self._width = width
        self._sides: tuple[int, int] | None = None
        """What stands for its height and width in this world, where one of them is not known."""
        self._one_of: tuple[Picture, ...] = ()
        """Those of which it is one: what is done to it may be done to each."""

    @property
    def mode(self) -> Any:
        return self._mode or Unknown("the mode of a picture")

    @property
    def height(self) -> Any:
        return self._side(0) if self._height is None else self._height

    @property
    def width(self) -> Any:
        return self._side(1) if self._width is None else self._width

    def _side(self, which: int) -> Unknown:
        """An unknown side, which is what stands for it where the picture becomes a tensor."""
        return Unknown(SIZE) if self._sides is None else Unknown(SIZE, sample=self._sides[which])

    @property
    def size(self) -> Any:
        return self.width, self.height

    def known(self) -> tuple[int, int, int]:
        """Channels, height and width, in this world. Raises Lost where the channels are not known."""
        if self._mode is None:
            raise Lost("the mode of a picture")
        if self._height is not None and self._width is not None:
            return CHANNELS[self._mode], self._height, self._width
        if self._sides is None:
            self._sides = worlds.sides()
        height, width = self._sides
        return CHANNELS[self._mode], self._height or height, self._width or width

    def convert(self, mode: Any = None, *args: Any, **kwargs: Any) -> Picture:
        return Picture(mode if mode in CHANNELS else None, self._height, self._width)

    def resized(self, height: int | None, width: int | None) -> Picture:
        """The same picture in another size."""
        return Picture(self._mode, height, width)

    def resize(self, size: Any, *args: Any, **kwargs: Any) -> Picture:
        return self.resized(*_sides_of(size))

    def crop(self, box: Any = None) -> Picture:
        if box is None:
            return self.copy()
        known = type(box) in (tuple, list)
        return self.resized(*_sides_of((box[2] - box[0], box[3] - box[1]) if known else None))

    def copy(self) -> Picture:
        return Picture(self._mode, self._height, self._width)

    def transpose(self, method: Any) -> Picture:
        if method in _FLIPS:
            return self.copy()
        turned = method in _QUARTERS
        return self.resized(self._width, self._height) if turned else self.resized(None, None)

    def split(self) -> Any:
        if self._mode is None:
            return Unknown("the mode of a picture")
        mode = self._mode if CHANNELS[self._mode] == 1 else "L"
        return tuple(Picture(mode, self._height, self._width) for _ in range(CHANNELS[self._mode]))

    def thumbnail(self, size: Any, *args: Any, **kwargs: Any) -> None:
        self._height = self._width = self._sides = None
        for one in self._one_of:
            one.thumbnail(size)

    def rotate(self, angle: Any, resample: Any = 0, expand: Any = False, **kwargs: Any) -> Picture:
        return self.resized(None, None) if expand else self.copy()

    def filter(self, kernel: Any) -> Picture:
        return self.copy()

    def show(self, *args: Any, **kwargs: Any) -> None:
        return None

    save = close = load = show

    def __enter__(self) -> Picture:
        return self

    def __exit__(self, *details: Any) -> None:
        return None


SIZE = "the size of a picture"
_FLIPS, _QUARTERS = (0, 1, 3), (2, 4, 5, 6)
"""What `transpose` is given: flips and half turns, and what makes rows of the columns."""


def _sides_of(size: Any) -> tuple[int | None, int | None]:
    """Height and width, of what PIL has the other way round."""
    if type(size) not in (tuple, list) or len(size) != 2:
        return None, None
    width, height = (int(one) if type(one) in (int, float) else None for one in size)
    return height, width


def as_array(picture: Picture) -> Any:
    """`numpy.array(picture)`."""
    channels, height, width = picture.known()
    mode = picture._mode or ""
    shape = (height, width) if channels == 1 else (height, width, channels)
    return arrays.blank(shape, DTYPES.get(mode, "uint8"))


def opened(*args: Any, **kwargs: Any) -> Picture:
    """`PIL.Image.open`."""
    return Picture(None, None, None)


def new(mode: Any, size: Any, color: Any = 0) -> Picture:
    """`PIL.Image.new`."""
    return Picture(mode if mode in CHANNELS else None, *_sides_of(size))


def from_array(array: Any, mode: Any = None) -> Picture:
    """`PIL.Image.fromarray`."""
    shape, name = tuple(array.shape), str(array.dtype)
    guessed = {2: {"uint8": "L", "bool": "1", "int32": "I", "float32": "F"}.get(name), 3: None}.get(
        len(shape)
    )
    if len(shape) == 3 and name == "uint8":
        guessed = {2: "LA", 3: "RGB", 4: "RGBA"}.get(shape[2])
    return Picture(mode or guessed, shape[0], shape[1])


def _one_of_two(left: Picture, right: Picture) -> Picture:
    """A picture that is one of two: what both have in common."""
    looks = [
        one if one == other else None
        for one, other in (
            (left._mode, right._mode),
            (left._height, right._height),
            (left._width, right._width),
        )
    ]
    made = Picture(*looks)  # type: ignore[arg-type]
    made._one_of = (left, right)
    return made


def _narrowed(picture: Picture, attribute: str, value: Any) -> Picture:
    """The same picture, of which a condition has told the mode."""
    if attribute != "mode" or value not in CHANNELS:
        return picture
    made = picture.convert(value)
    made._one_of = (picture,)
    return made


JOINS[Picture] = _one_of_two
NARROWED[Picture] = _narrowed
Picture.__name__ = "Image"  # as errors say

_TURNS = {
    "FLIP_LEFT_RIGHT": 0,
    "FLIP_TOP_BOTTOM": 1,
    "ROTATE_90": 2,
    "ROTATE_180": 3,
    "ROTATE_270": 4,
    "TRANSPOSE": 5,
    "TRANSVERSE": 6,
}
IMAGE = {
    "Image": Picture,
    "open": opened,
    "new": new,
    "fromarray": from_array,
    "NEAREST": 0,
    "LANCZOS": 1,
    "ANTIALIAS": 1,
    "BILINEAR": 2,
    "BICUBIC": 3,
    "BOX": 4,
    "HAMMING": 5,
    **_TURNS,
    "Transpose": types.SimpleNamespace(**_TURNS),
    "Resampling": types.SimpleNamespace(NEAREST=0, LANCZOS=1, BILINEAR=2, BICUBIC=3, BOX=4, HAMMING=5),
}
"""Members of `PIL.Image`."""
_BLIND = "convert resize crop rotate transpose filter show save thumbnail".split()
allowed.TAKES_UNKNOWNS.update(map(id, (opened, new, *(getattr(Picture, name) for name in _BLIND))))

arrays.CONVERTED[Picture] = as_array
