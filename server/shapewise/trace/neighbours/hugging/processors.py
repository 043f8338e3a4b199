"""Processors of transformers: how many pictures or sounds they give, and how large the models of a checkpoint want them.

https://huggingface.co/docs/transformers/main_classes/image_processor, `preprocessor_config.json` of the checkpoints.
"""

from __future__ import annotations

from typing import Any

import torch

from ... import arrays
from ...outside import outside
from ...unknowns.grown import is_grown
from ...unknowns.unknown import Unknown, find_unknown
from ...worlds import worlds
from ..pictures import Picture
from . import checkpoints
from .tokens import BatchEncoding, Tokenizer

_WHY = "what a processor gives"
_SIDE = 224
"""Of the pictures that it makes for the models below, but where their configuration says it."""
_SEES = frozenset("vit dinov2 resnet clip".split())
_BANDS, _FRAMES = 80, 3000
"""Of whisper: 30 seconds."""
_KNOWN = frozenset(
    "images text audio return_tensors padding truncation max_length sampling_rate raw_speech".split()
)


class Processor:
    """A processor of a checkpoint. Of one that is not known nothing is."""

    def __init__(self, checkpoint: checkpoints.Checkpoint | None = None) -> None:
        self._kind = checkpoint.kind if checkpoint is not None else None
        self._side = (
            checkpoint.options.get("image_size", _SIDE)
            if checkpoint is not None and self._kind == "vit"
            else _SIDE
        )
        self.tokenizer = Tokenizer(checkpoint)

    @classmethod
    def from_pretrained(cls, name: Any = None, *args: Any, **options: Any) -> Any:
        """The one of a checkpoint as it stands there."""
        if args or set(options) - {"use_fast", "cache_dir", "token", "revision"}:
            return Unknown(_WHY)
        return cls(outside(lambda: checkpoints.known(name)))

    def __call__(self, first: Any = None, *args: Any, **options: Any) -> Any:
        """`(pictures, 3, height, width)` or `(sounds, bands, frames)` float32, and tokens of a text."""
        if args or set(options) - _KNOWN or options.get("return_tensors") != "pt":
            return Unknown(_WHY)
        if find_unknown([options.get(name) for name in ("padding", "truncation", "max_length")]) is not None:
            return Unknown(_WHY)
        if self._kind == "whisper":
            return self._heard(
                first if first is not None else options.get("audio", options.get("raw_speech"))
            )
        if self._kind not in _SEES:
            return Unknown(_WHY)
        if first is not None and self._kind == "clip":
            return Unknown(_WHY)  # texts or pictures come first, by the version
        text, images = options.get("text"), options.get("images", first)
        held: dict[str, Any] = {}
        if text is not None:
            asked = {
                name: options[name]
                for name in ("padding", "truncation", "max_length", "return_tensors")
                if name in options
            }
            tokens = self.tokenizer(text, **asked)
            if type(tokens) is not BatchEncoding:
                return Unknown(_WHY)
            held.update(tokens)
        if images is not None:
            count = _count(images, (2, 3))
            held["pixel_values"] = torch.empty((count, 3, self._side, self._side))
        return BatchEncoding(held, sure=False)

    def _heard(self, sounds: Any) -> Any:
        return BatchEncoding(
            {"input_features": torch.empty((_count(sounds, (1,)), _BANDS, _FRAMES))}, sure=False
        )

    preprocess = __call__

    def decode(self, *args: Any, **options: Any) -> Any:
        """As its tokenizer."""
        return self.tokenizer.decode(*args, **options)

    def batch_decode(self, *args: Any, **options: Any) -> Any:
        """As its tokenizer."""
        return self.tokenizer.batch_decode(*args, **options)

    def save_pretrained(self, *args: Any, **options: Any) -> None:
        """Not carried out."""


def _count(items: Any, dims_of_one: tuple[int, ...]) -> int:
    """How many there are: one alone, those of a list, or of a tensor with a dim more."""
    if isinstance(items, Picture):
        return 1
    if isinstance(items, (torch.Tensor, arrays.Array)):
        return 1 if len(items.shape) in dims_of_one else int(items.shape[0])
    if (
        isinstance(items, (list, tuple))
        and is_grown(items) is None
        and not (items and type(items[0]) in (int, float))
    ):
        return len(items)
    return worlds.size()


PROCESSORS: dict[str, Any] = dict.fromkeys(
    "AutoImageProcessor AutoProcessor AutoFeatureExtractor ViTImageProcessor ViTImageProcessorFast ViTFeatureExtractor "
    "CLIPImageProcessor CLIPProcessor WhisperProcessor WhisperFeatureExtractor".split(),
    Processor,
)
"""Members of `transformers`."""
