"""torchvision's detectors: how many boxes are left once those that overlap are suppressed, only data decides."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import torch


def install() -> None:
    """Once torchvision is there: its detectors suppress boxes by these, too."""
    boxes: Any = importlib.import_module("torchvision.ops.boxes")
    around: Any = importlib.import_module("torchvision.ops")
    extension: Any = importlib.import_module("torchvision.extension")

    @functools.wraps(boxes.nms)
    def nms(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
        extension._assert_has_ops()
        _check(boxes, scores)
        return _some(scores)

    def one_class_at_a_time(
        boxes: torch.Tensor, scores: torch.Tensor, idxs: torch.Tensor, iou_threshold: float
    ) -> torch.Tensor:
        """It goes through all classes that there are among very many boxes."""
        return nms(boxes, scores, iou_threshold)

    boxes.nms = around.nms = nms
    if hasattr(boxes, "_batched_nms_vanilla"):
        boxes._batched_nms_vanilla = one_class_at_a_time
    _of_detectors()


def _of_detectors() -> None:
    """What they do for one box after the other, or as often as data decides."""
    within = "torchvision.models.detection"
    scaling: Any = importlib.import_module(f"{within}.transform")
    scaling.GeneralizedRCNNTransform.torch_choice = lambda self, sizes: sizes[
        0
    ]  # by chance; no fact hangs on it
    heads: Any = importlib.import_module(f"{within}.roi_heads")
    heads.paste_masks_in_image = scaling.paste_masks_in_image = _paste_masks_in_image
    heads.heatmaps_to_keypoints = _heatmaps_to_keypoints
    importlib.import_module(f"{within}.retinanet").max = _max  # type: ignore[attr-defined]


def _paste_masks_in_image(
    masks: torch.Tensor, boxes: torch.Tensor, img_shape: tuple[int, int], padding: int = 1
) -> torch.Tensor:
    """`[N, 1, h, w]` of each box -> `[N, 1, H, W]` of the picture."""
    return masks.new_empty((masks.shape[0], 1, *img_shape))


def _heatmaps_to_keypoints(maps: torch.Tensor, rois: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """`[N, K, h, w]` -> `[N, K, 3]` and their scores, `[N, K]`: float32."""
    count, keypoints = len(rois), maps.size(1)
    empty = functools.partial(torch.empty, dtype=torch.float32, device=maps.device)
    return empty((count, 3, keypoints)).permute(0, 2, 1), empty((count, keypoints))


def _max(least: Any, number: Any) -> Any:
    """`max(1, positives)`, of which one is a tensor: what is divided by it has the same facts."""
    return number if isinstance(number, torch.Tensor) else max(least, number)


def _some(scores: torch.Tensor) -> torch.Tensor:
    """Places among `[N]`: `[?]`, int64."""
    return torch.where(scores > 0)[0]


def _check(boxes: torch.Tensor, scores: torch.Tensor) -> None:
    """Raises RuntimeError as torchvision/csrc/ops/cpu/nms_kernel.cpp does."""
    if boxes.dim() != 2:
        raise RuntimeError(f"boxes should be a 2d tensor, got {boxes.dim()}D")
    if boxes.size(1) != 4:
        raise RuntimeError(f"boxes should have 4 elements in dimension 1, got {boxes.size(1)}")
    if scores.dim() != 1:
        raise RuntimeError(f"scores should be a 1d tensor, got {scores.dim()}D")
    if boxes.size(0) != scores.size(0):
        raise RuntimeError(
            "boxes and scores should have same number of elements in dimension 0, got "
            f"{boxes.size(0)} and {scores.size(0)}"
        )
    if boxes.dtype != scores.dtype:
        raise RuntimeError("dets should have the same type as scores")
