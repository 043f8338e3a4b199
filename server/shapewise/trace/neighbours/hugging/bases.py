"""What classes of the file's own are made from in transformers, and what their forward asks it for.

transformers' own bases evaluate annotations where a class is made from them, and register it: here that is plain torch.
"""

from __future__ import annotations

import types
from typing import Any

import torch
from torch import nn

from ...gate.own import is_interpreted
from ...unknowns import doubts
from ...unknowns.unknown import Lost, Unknown
from ...wall import allowed
from . import loaded

_WHY = "what transformers does with it is not followed"


class PreTrainedModel(nn.Module):
    """`transformers.PreTrainedModel` and those that it makes of it: a module with its configuration."""

    def __init__(self, config: Any = None, *args: Any, **options: Any) -> None:
        super().__init__()
        self.config = config

    @property
    def device(self) -> Any:
        """Where its parameters are."""
        return next((one.device for one in self.parameters()), torch.device("cpu"))

    @property
    def dtype(self) -> Any:
        """The dtype of its parameters."""
        return next((one.dtype for one in self.parameters() if one.is_floating_point()), torch.float32)

    def post_init(self, *args: Any, **options: Any) -> None:
        """Weights get other numbers, and nothing another shape."""

    init_weights = _init_weights = tie_weights = _backward_compatibility_gradient_checkpointing = post_init
    gradient_checkpointing_enable = gradient_checkpointing_disable = enable_input_require_grads = post_init
    warn_if_padding_and_no_attention_mask = post_init

    @classmethod
    def _from_config(cls, config: Any, **options: Any) -> Any:
        return cls(config)

    from_pretrained: Any = classmethod(loaded.model)

    def get_extended_attention_mask(self, *args: Any, **options: Any) -> Any:
        """A mask with as many dims as attention needs."""
        return Unknown(_WHY, True)

    invert_attention_mask = get_extended_attention_mask

    def _of_transformers(self, *args: Any, **options: Any) -> Any:
        return Unknown(_WHY)

    get_head_mask = resize_token_embeddings = get_input_embeddings = _gradient_checkpointing_func = (
        _of_transformers
    )
    loss_function = generate = get_output_embeddings = _of_transformers


class GradientCheckpointingLayer(nn.Module):
    """A layer that may be run again for its gradients: what it gives is the same."""

    gradient_checkpointing = False


class ModelOutput:
    """What a model gives, by name and by number: of a dataclass, those of its fields that are not None."""

    def to_tuple(self) -> tuple[Any, ...]:
        """All that it holds."""
        return tuple(value for value in vars(self).values() if value is not None)

    def __getitem__(self, key: Any) -> Any:
        return vars(self)[key] if type(key) is str else self.to_tuple()[key]

    def keys(self) -> Any:
        """The names of all that it holds."""
        return [name for name, value in vars(self).items() if value is not None]


class GenerationMixin:
    """What generates with a model."""

    generate = loaded.generate


class Attentions:
    """`ALL_ATTENTION_FUNCTIONS`: by name, what gives `(batch, length, heads, features)`, and weights or None."""

    def get_interface(self, name: Any, default: Any = None) -> Any:
        """The one of a name."""
        return attend

    __getitem__ = get = get_interface


def attend(module: Any, query: Any, key: Any, value: Any, *args: Any, **options: Any) -> Any:
    """Attention, of query `(B, H, N, D)` and value `(B, G, M, E)`."""
    weights = Unknown("weights of attention, which not every kind of it gives")
    if any(type(one) is Unknown for one in (query, value)) or query.dim() != 4 or value.dim() != 4:
        return Unknown(_WHY, True), weights
    out = (query[..., :1] * value[:, :1, :1]).transpose(1, 2).contiguous()
    doubts.may_lie_otherwise(out)  # the file's own may leave it transposed
    return out, weights


def apply_chunking_to_forward(forward_fn: Any, chunk_size: Any, chunk_dim: Any, *inputs: Any) -> Any:
    """A function of all at once: in parts it gives the same. Only one of the file's own: another has its gate elsewhere."""
    function = forward_fn.__func__ if type(forward_fn) is types.MethodType else forward_fn
    if type(function) is not types.FunctionType or not is_interpreted(function):
        raise Lost(_WHY)
    return forward_fn(*inputs)


def _mask(*args: Any, **options: Any) -> Any:
    return Unknown("a mask, or None where none is needed")


class Activation(nn.Module):
    """Any activation: all change each number for itself."""

    def forward(self, x: Any) -> Any:
        """The same shape and dtype."""
        return nn.functional.silu(x)


class Activations:
    """`ACT2FN`: a layer by the name of an activation."""

    def __getitem__(self, name: Any) -> nn.Module:
        return Activation()

    def __contains__(self, name: Any) -> Any:
        return Unknown(_WHY)


_MASKS = (
    "create_causal_mask create_sliding_window_causal_mask create_chunked_causal_mask create_bidirectional_mask "
    "create_masks_for_generate"
).split()
_STAND_INS = (PreTrainedModel, GradientCheckpointingLayer, ModelOutput)
BASES: dict[str, type] = {one.__name__: one for one in _STAND_INS}
"""What stands for a class of transformers, or for one made from it, where a class of the file's own is made from that."""
INSTEAD: dict[str, dict[str, Any]] = {
    "transformers": {"GenerationMixin": GenerationMixin},
    "transformers.generation": {"GenerationMixin": GenerationMixin},
    "transformers.generation.utils": {"GenerationMixin": GenerationMixin},
    "transformers.modeling_utils": {"ALL_ATTENTION_FUNCTIONS": Attentions()},
    "transformers.activations": {"ACT2FN": Activations(), "get_activation": lambda name: Activation()},
    "transformers.pytorch_utils": {"apply_chunking_to_forward": apply_chunking_to_forward},
    "transformers.masking_utils": dict.fromkeys(_MASKS, _mask),
}
"""Members of modules of transformers."""


def prepare() -> None:
    """Once a process: list all of it, with what is not known, too."""
    for kind in (*BASES.values(), GenerationMixin, Attentions, Activations, Activation):
        allowed.list_callable(kind, kind.__name__)
        allowed.list_methods(kind, (__name__,))
        for name, value in vars(kind).items():
            function = value.__func__ if isinstance(value, classmethod) else value
            if isinstance(function, types.FunctionType):
                allowed.list_callable(function, name)
                allowed.TAKES_UNKNOWNS.add(id(function))
    for function in (attend, apply_chunking_to_forward, _mask):
        allowed.list_callable(function, f"transformers.{function.__name__}")
        allowed.TAKES_UNKNOWNS.add(id(function))
