"""`torch.autocast("cuda")`, by torch's own lists: without a card torch switches it off, and fake tensors stand on the CPU.

The lists are those of ATen/autocast_mode.h (2.6 to 2.13); a tensor is cast if it is a floating one
on the card and not of double precision.
"""

from __future__ import annotations

from typing import Any

import torch

from ..shims import here
from ..unknowns import doubts
from .devices import OnTheCard, device_of, place, tensors_in

_LOWER = frozenset(
    "_convolution conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution prelu addmm "
    "addmv addr matmul rmatmul linalg_matmul einsum mm mv linalg_vecdot vecdot linear addbmm baddbmm bmm chain_matmul linalg_multi_dot "
    "multi_dot lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell scaled_dot_product_attention".split()
)
_RECURRENT = frozenset("lstm gru rnn_tanh rnn_relu".split())
_FLOAT32 = frozenset(
    "acos arccos asin arcsin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow rpow softplus layer_norm "
    "native_layer_norm rms_norm group_norm frobenius_norm nuclear_norm cosine_similarity poisson_nll_loss "
    "cosine_embedding_loss nll_loss nll_loss_nd nll_loss2d cross_entropy_loss hinge_embedding_loss kl_div l1_loss "
    "smooth_l1_loss huber_loss mse_loss margin_ranking_loss multilabel_margin_loss soft_margin_loss triplet_margin_loss "
    "multi_margin_loss pairwise_distance binary_cross_entropy_with_logits ctc_loss dist pdist cdist renorm logsumexp norm "
    "upsample_nearest1d _upsample_nearest_exact1d upsample_nearest2d _upsample_nearest_exact2d upsample_nearest3d "
    "_upsample_nearest_exact3d upsample_linear1d upsample_bilinear2d _upsample_bilinear2d_aa upsample_trilinear3d "
    "upsample_bicubic2d _upsample_bicubic2d_aa".split()
)
_FLOAT32_UNLESS_SAID = frozenset(
    "prod softmax log_softmax cumprod cumsum linalg_vector_norm linalg_matrix_norm linalg_norm sum".split()
)
_WIDEST = frozenset(
    "addcdiv addcmul atan2 bilinear cross linalg_cross dot vdot grid_sampler tensordot scatter_add cat concat stack".split()
)
_BANNED = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
    "safe to autocast."
)


def install() -> None:
    """Once a process: with tensors on a card, `torch.autocast` is what it is on a machine that has one."""
    kind = torch.amp.autocast_mode.autocast
    original = kind.__init__

    def init(
        self: Any, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: Any = None
    ) -> None:
        original(self, device_type, dtype, enabled, cache_enabled)
        env = here()
        if env is not None and env.run.guard.foreign and self.device == "cuda":
            self._enabled = bool(enabled)

    kind.__init__ = init


def cast(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments as they reach an op under autocast. Raises torch's RuntimeError where that is forbidden."""
    if not torch.is_autocast_enabled("cuda"):
        return args, kwargs
    name = getattr(func, "__name__", "")
    if name.startswith("__") and name.endswith("__"):
        name = name.strip("_")
    lower = torch.get_autocast_dtype("cuda")
    if name in _LOWER or name in _RECURRENT:
        to = lower
    elif name in _FLOAT32:
        to = torch.float32
    elif name in _FLOAT32_UNLESS_SAID:
        if kwargs.get("dtype") is not None or any(isinstance(arg, torch.dtype) for arg in args):
            return args, kwargs
        to = torch.float32
    elif name in _WIDEST:
        wide = any(_eligible(one) and one.dtype == torch.float32 for one in tensors_in((args, kwargs)))
        to = torch.float32 if wide else lower
    elif name == "binary_cross_entropy" and any(_on_card(one) for one in tensors_in(args)):
        raise OnTheCard(_BANNED)
    else:
        return args, kwargs
    cast_args, cast_kwargs = _cast(args, to), _cast(kwargs, to)
    if name in _RECURRENT and lower != torch.float16:
        for one in tensors_in(cast_args[:1]):
            doubts.mark(one, doubts.of(one) | {doubts.DTYPE})
    return cast_args, cast_kwargs


def meant_for_the_cpu(args: Any, kwargs: Any) -> bool:
    """Whether autocast of the CPU would be at work although the tensors stand elsewhere."""
    return torch.is_autocast_enabled("cpu") and any(_on_card(one) for one in tensors_in((args, kwargs)))


def _on_card(tensor: torch.Tensor) -> bool:
    return device_of(tensor).startswith("cuda")


def _eligible(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() and tensor.dtype != torch.float64 and _on_card(tensor)


def _cast(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor):
        if not _eligible(value) or value.dtype == dtype:
            return value
        return place(value.to(dtype), torch.device(device_of(value)))
    if type(value) in (tuple, list):
        return type(value)([_cast(one, dtype) for one in value])
    if type(value) is dict:
        return {key: _cast(one, dtype) for key, one in value.items()}
    return value
