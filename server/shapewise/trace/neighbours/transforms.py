"""`torchvision.transforms`: what each makes of the size of a picture or of a tensor. Nothing is drawn or read.

Sizes as torchvision 0.28 computes them (transforms/functional.py, v2 alike).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from .. import arrays
from ..log.facts import same
from ..unknowns import doubts
from ..unknowns.joining import join
from ..unknowns.unknown import Lost, Unknown
from ..wall import allowed
from .pictures import Picture, from_array


class Transform(nn.Module):
    """One transform: `rule(value, *settings)` on what it is called with, alone or the first of several."""

    def __init__(self, rule: Callable[..., Any], settings: tuple[Any, ...], named: dict[str, Any]) -> None:
        super().__init__()
        self._rule = rule
        self._settings = settings
        self._named = named

    def forward(self, *values: Any) -> Any:
        """The result for each value that is a picture or a tensor; others are given back as they are."""
        results = [
            self._rule(value, *self._settings, **self._named) if isinstance(value, _SEEN) or not n else value
            for n, value in enumerate(values)
        ]
        return results[0] if len(values) == 1 else tuple(results)


_SEEN = (torch.Tensor, Picture, arrays.Array)


def _size_of(value: Any) -> tuple[int, int]:
    if isinstance(value, Picture):
        if value._height is None or value._width is None:
            raise Lost("the size of a picture")
        return value._height, value._width
    if isinstance(value, torch.Tensor):
        return int(value.shape[-2]), int(value.shape[-1])
    raise TypeError(f"Unexpected type {type(value)}")


def _is_unsized(value: Any) -> bool:
    return isinstance(value, Picture) and (value._height is None or value._width is None)


def _pair(size: Any) -> tuple[Any, Any]:
    if isinstance(size, (tuple, list)):
        return (_side(size[0]), _side(size[-1]))
    return _side(size), _side(size)


def _side(size: Any) -> Any:
    return size if type(size) is Unknown else int(size)


def _in_size(value: Any, height: Any, width: Any) -> Any:
    """The value, made anew in another size. Raises Lost where a tensor's is not known."""
    if isinstance(value, Picture):
        return value.resized(*(None if type(side) is Unknown else side for side in (height, width)))
    if type(height) is Unknown or type(width) is Unknown:
        raise Lost("a size that is not known")
    if (height, width) == _size_of(value):
        return value
    order = sorted(range(value.dim()), key=lambda dim: -value.stride(dim))
    made = torch.empty_permuted((*value.shape[:-2], height, width), order, dtype=value.dtype)
    return _as_doubtful(made, value)


def _as_doubtful(made: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """What lies as the value does: if nobody knows how that lies, nor does this."""
    if doubts.LAYOUT in doubts.of(value):
        doubts.may_lie_otherwise(made)
    return made


def _laid_anew(made: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Made by a kernel that lays pictures whose channels lie last that way again, but not all of them."""
    if doubts.LAYOUT in doubts.of(value) or not value.is_contiguous():
        doubts.may_lie_otherwise(made)
    return made


def _cut(value: Any, height: int, width: int) -> Any:
    """A part of the value: of a tensor a view."""
    if isinstance(value, Picture):
        return value.resized(height, width)
    return value[..., :height, :width]


def _as_it_is(value: Any, *settings: Any, **named: Any) -> Any:
    """Another content, or (by chance) the same object."""
    if isinstance(value, torch.Tensor):
        return join(value, value.clone(memory_format=torch.contiguous_format), same)
    return value


def _to_tensor(value: Any) -> Any:
    """`ToTensor`: a picture of one channel keeps the strides of its rows, as torchvision's does."""
    if isinstance(value, Picture):
        try:
            tensor = _planes(value).contiguous()
        except Lost as lost:
            return Unknown(lost.why, True)
    elif type(value) is not arrays.Array:
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(value)}")
    elif value.ndim not in (2, 3):
        raise ValueError(f"pic should be 2/3 dimensional. Got {value.ndim} dimensions.")
    else:
        planes: Any = value if value.ndim == 3 else value[:, :, None]  # type: ignore[index]
        tensor = arrays.array_to_tensor(planes.transpose(2, 0, 1)).contiguous()
    return tensor.to(torch.get_default_dtype()) if tensor.dtype == torch.uint8 else tensor


def _planes(picture: Picture) -> torch.Tensor:
    channels, height, width = picture.known()
    dtype = {"I": torch.int32, "F": torch.float32}.get(picture._mode or "", torch.uint8)
    return torch.empty((height, width, channels), dtype=dtype).permute(2, 0, 1)


def _to_bytes(value: Any, *settings: Any, **named: Any) -> Any:
    """`PILToTensor`, `v2.ToImage`: the numbers as they are."""
    if isinstance(value, Picture):
        return _planes(value)
    if isinstance(value, torch.Tensor):
        return value
    planes = value if value.ndim == 3 else value[:, :, None]
    return arrays.array_to_tensor(planes.transpose(2, 0, 1))


def _to_picture(value: Any, mode: Any = None) -> Any:
    if isinstance(value, torch.Tensor):
        height, width = _size_of(value)
        channels = value.shape[0] if value.dim() == 3 else 1
        return Picture(mode or {1: "L", 3: "RGB", 4: "RGBA", 2: "LA"}.get(channels), height, width)
    return from_array(value, mode)


def _normalize(value: Any, mean: Any, std: Any, inplace: Any = False) -> Any:
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(value)}")
    if not value.is_floating_point():
        raise TypeError(f"Input tensor should be a float tensor. Got {value.dtype}.")
    result = value if inplace else value.clone()
    for numbers in (mean, std):
        result.sub_(torch.as_tensor(numbers, dtype=value.dtype).view(-1, 1, 1))
    return result


def _to_dtype(value: Any, dtype: Any = torch.float32, *args: Any, **named: Any) -> Any:
    if isinstance(dtype, dict):
        raise Lost("a dtype for each kind of value")
    return value.to(dtype) if isinstance(value, torch.Tensor) else value


def _resize(
    value: Any, size: Any = None, interpolation: Any = None, max_size: Any = None, antialias: Any = None
) -> Any:
    if isinstance(size, (tuple, list)) and len(size) == 2:
        return _in_size(value, *_pair(size))
    if size is None:
        raise Lost("a size that is not given")
    if _is_unsized(value):
        return value.resized(None, None)
    shorter = _pair(size)[0]
    if type(shorter) is Unknown:
        return _in_size(value, shorter, shorter)
    height, width = _size_of(value)
    short, long = (width, height) if width <= height else (height, width)
    new_short, new_long = shorter, int(shorter * long / short)
    if max_size is not None and new_long > max_size:
        new_short, new_long = int(max_size * new_short / new_long), int(max_size)
    return _in_size(value, *((new_long, new_short) if width <= height else (new_short, new_long)))


def _pad(value: Any, padding: Any, *args: Any, **named: Any) -> Any:
    sides = list(padding) if isinstance(padding, (tuple, list)) else [padding]
    if _is_unsized(value):
        return value.resized(None, None)
    left, top, right, bottom = sides * 4 if len(sides) == 1 else sides * 2 if len(sides) == 2 else sides
    height, width = _size_of(value)
    return _in_size(value, height + top + bottom, width + left + right)


def _center_crop(value: Any, size: Any) -> Any:
    height, width = _pair(size)
    if isinstance(value, Picture):
        return value.resized(height, width)
    had_height, had_width = _size_of(value)
    if height > had_height or width > had_width:
        value = _in_size(value, max(height, had_height), max(width, had_width))
    return _cut(value, height, width)


def _random_crop(
    value: Any, size: Any, padding: Any = None, pad_if_needed: Any = False, *args: Any, **named: Any
) -> Any:
    if _is_unsized(value):
        return value.resized(*_pair(size))
    value = value if padding is None else _pad(value, padding)
    (height, width), (had_height, had_width) = _pair(size), _size_of(value)
    if height > had_height or width > had_width:
        if not pad_if_needed:
            raise ValueError(
                f"Required crop size {(height, width)} is larger than input image size {(had_height, had_width)}"
            )
        value = _in_size(value, max(height, had_height), max(width, had_width))
    return _cut(value, height, width)


def _resized_crop(value: Any, size: Any, *args: Any, **named: Any) -> Any:
    height, width = _pair(size)
    if isinstance(value, Picture):
        return value.resized(height, width)
    return _laid_anew(torch.empty((*value.shape[:-2], height, width), dtype=value.dtype), value)


def _rotation(
    value: Any, degrees: Any, interpolation: Any = None, expand: Any = False, *args: Any, **named: Any
) -> Any:
    if expand:
        raise Lost("the size of a rotated picture")
    return _made_anew(value)


def _made_anew(value: Any, *settings: Any, **named: Any) -> Any:
    """Another content in the same size."""
    if not isinstance(value, torch.Tensor):
        return value
    return _laid_anew(value.clone(memory_format=torch.contiguous_format), value)


def _jittered(
    value: Any, brightness: Any = 0, contrast: Any = 0, saturation: Any = 0, hue: Any = 0, **named: Any
) -> Any:
    """`ColorJitter`: where the hue changes, its channels lie last unless a step after it lays them anew."""
    made = _made_anew(value)
    if isinstance(made, torch.Tensor) and hue != 0:
        doubts.may_lie_otherwise(made)
    return made


def _grayscale(value: Any, num_output_channels: Any = 1) -> Any:
    if isinstance(value, Picture):
        return Picture("L" if num_output_channels == 1 else "RGB", value._height, value._width)
    gray = torch.empty((*value.shape[:-3], 1, *value.shape[-2:]), dtype=value.dtype)
    return gray.expand(*value.shape[:-3], num_output_channels, *value.shape[-2:])


def _compose(value: Any, transforms: Any, *args: Any, **named: Any) -> Any:
    for transform in transforms:
        if type(value) is Unknown:
            return value
        value = transform(value)
    return value


def _perhaps(value: Any, transforms: Any, *args: Any, **named: Any) -> Any:
    """`RandomApply`: all of them, or none."""
    return join(value, _compose(value, transforms), same)


def _one_of(value: Any, transforms: Any, *args: Any, **named: Any) -> Any:
    result = _compose(value, transforms[:1])
    for transform in transforms[1:]:
        result = join(result, _compose(value, [transform]), same)
    return result


def _lambda(value: Any, lambd: Any, *args: Any) -> Any:
    return lambd(value)


def _crops(count: int) -> Any:
    def crops(value: Any, size: Any, *args: Any, **named: Any) -> Any:
        return tuple(_cut(value, *_pair(size)) for _ in range(count))

    return crops


_RULES: dict[str, Callable[..., Any]] = {
    "Compose": _compose,
    "ToTensor": _to_tensor,
    "PILToTensor": _to_bytes,
    "ToImage": _to_bytes,
    "ToPILImage": _to_picture,
    "ToPureTensor": lambda value: value,
    "Identity": lambda value: value,
    "ConvertImageDtype": _to_dtype,
    "ToDtype": _to_dtype,
    "Normalize": _normalize,
    "Resize": _resize,
    "Pad": _pad,
    "CenterCrop": _center_crop,
    "RandomCrop": _random_crop,
    "RandomResizedCrop": _resized_crop,
    "FiveCrop": _crops(5),
    "TenCrop": _crops(10),
    "RandomRotation": _rotation,
    "ColorJitter": _jittered,
    "Grayscale": _grayscale,
    "Lambda": _lambda,
    "RandomApply": _perhaps,
    "RandomChoice": _one_of,
    "RandomOrder": _compose,
    **dict.fromkeys("GaussianBlur RandomAffine ElasticTransform GaussianNoise AugMix".split(), _made_anew),
    **dict.fromkeys(
        "RandomHorizontalFlip RandomVerticalFlip RandomErasing RandomGrayscale RandomPerspective RandomInvert "
        "RandomPosterize RandomSolarize RandomAdjustSharpness RandomAutocontrast RandomEqualize AutoAugment RandAugment "
        "TrivialAugmentWide RandomPhotometricDistort".split(),
        _as_it_is,
    ),
}


def _maker(name: str, rule: Callable[..., Any]) -> Any:
    def make(*settings: Any, **named: Any) -> Transform:
        if name == "Compose":
            named, settings = {}, (settings[0] if settings else named["transforms"],)
        if name.startswith("Random") and rule in (_as_it_is,):
            settings, named = (), {}
        made = kind(rule, settings, named)
        if name == "Compose":
            object.__setattr__(made, "transforms", settings[0])
        return made

    kind = type(name, (Transform,), {"__module__": "torchvision.transforms"})
    make.__name__ = make.__qualname__ = name
    return make


class _Words:
    """An enumeration whose members nobody looks at."""

    def __init__(self, names: str) -> None:
        for name in names.split():
            setattr(self, name, name.lower())


TRANSFORMS: dict[str, Any] = {
    **{name: _maker(name, rule) for name, rule in _RULES.items()},
    "InterpolationMode": _Words("NEAREST NEAREST_EXACT BILINEAR BICUBIC BOX HAMMING LANCZOS"),
    "AutoAugmentPolicy": _Words("IMAGENET CIFAR10 SVHN"),
}
"""Members of `torchvision.transforms` and of its `v2`."""


def _function(rule: Callable[..., Any]) -> Any:
    def apply(img: Any, *settings: Any, **named: Any) -> Any:
        return Unknown(img.why) if type(img) is Unknown else rule(img, *settings, **named)

    if rule in (_resize, _made_anew, _cut_out):  # what is not known are numbers, which they may do without
        allowed.TAKES_UNKNOWNS.add(id(apply))
    return apply


def _cut_out(value: Any, top: Any, left: Any, height: Any, width: Any) -> Any:
    known = type(height) is not Unknown and type(width) is not Unknown
    return _cut(value, int(height), int(width)) if known else _in_size(value, height, width)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "to_tensor": _to_tensor,
    "pil_to_tensor": _to_bytes,
    "to_image": _to_bytes,
    "to_pil_image": _to_picture,
    "normalize": _normalize,
    "resize": _resize,
    "center_crop": _center_crop,
    "pad": _pad,
    "convert_image_dtype": _to_dtype,
    "to_dtype": _to_dtype,
    "hflip": _made_anew,
    "vflip": _made_anew,
    "rgb_to_grayscale": _grayscale,
    "to_grayscale": _grayscale,
    "crop": _cut_out,
    "rotate": _rotation,
    "resized_crop": lambda img, top, left, height, width, size, *args, **named: _resized_crop(img, size),
    **dict.fromkeys(
        "adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_saturation adjust_sharpness affine autocontrast "
        "equalize gaussian_blur invert perspective posterize solarize".split(),
        _made_anew,
    ),
}

FUNCTIONAL: dict[str, Any] = {name: _function(rule) for name, rule in _FUNCTIONS.items()}
"""Members of `torchvision.transforms.functional`."""
