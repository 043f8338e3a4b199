"""Which values surely are tensors, by what made them."""

from __future__ import annotations

from .ops import LOSS_LAYERS
from .values import DISPLAYS, Value, options_of, roots


def is_tensor(value: Value, nested: int = 2) -> bool:
    """Whether a value is surely a tensor: something of torch's gave it. `nested`: how far into displays, which may hold what was
    taken out of them.
    """
    for option in options_of(value):
        if option.by.startswith(("torch.nn.functional.", "torch.special.", "torch.linalg.")):
            continue
        if option.by.startswith("torch.") and option.by.count(".") == 1 and option.short() in _GIVE_TENSORS:
            continue
        if option.by in _OPERATORS and any(is_tensor(arg, nested) for arg in option.args):
            continue
        if option.by.startswith(".") and option.by[1:] in _KEEP_TENSORS and option.on is not None:
            if is_tensor(option.on, nested):
                continue
        if option.by == "()" and option.on is not None and gives_tensor(option.on):
            continue
        if option.by == "[]" and option.on is not None and is_tensor(option.on, nested):
            continue
        if nested and option.by == "[]" and option.on is not None and option.on.by in DISPLAYS:
            if option.on.args and all(is_tensor(one, nested - 1) for one in option.on.args):
                continue
        if option.annotation in ("torch.Tensor", "torch.FloatTensor", "torch.LongTensor"):
            continue
        return False
    return True


_OPERATORS = ("+", "-", "*", "/", "@", "**", "+=", "-=", "*=", "/=", "//", "%")
_BOTH = (
    "abs add addcdiv addcmul addmm all amax amin any argmax argmin argsort baddbmm bmm ceil clamp clamp_max clamp_min clip "
    "cos cosh cumprod cumsum diag diag_embed diagonal diff div dot eq erf exp exp2 expm1 flatten flip floor "
    "floor_divide fmod gather ge gt histc index_add index_select isfinite isinf isnan kron le lerp log log10 log1p log2 "
    "log_softmax logical_and logical_not logical_or logsumexp lt masked_fill masked_select matmul maximum mean minimum mm "
    "movedim mul mv nan_to_num nanmean nansum narrow ne neg norm outer permute pow prod quantile reciprocal relu remainder "
    "repeat_interleave reshape roll round rsqrt scatter scatter_add select sigmoid sign sin sinh softmax sqrt square "
    "squeeze std sub subtract sum swapaxes take take_along_dim tan tanh tile trace transpose tril triu trunc unflatten "
    "unsqueeze var"
)
"""What gives one tensor both as a function and as a method."""
_GIVE_TENSORS = frozenset(
    f"{_BOTH} arange as_tensor bernoulli bincount block_diag bucketize cartesian_prod cat cdist column_stack combinations "
    "complex concat concatenate cov corrcoef cross dstack einsum empty empty_like eye from_numpy full full_like hann_window "
    "heaviside hstack hypot linspace logaddexp logspace multinomial normal ones ones_like polar rand rand_like randint "
    "randint_like randn randn_like randperm searchsorted stack tensor tensordot tril_indices triu_indices vstack where "
    "zeros zeros_like".split()
)
_KEEP_TENSORS = frozenset(
    f"{_BOTH} add_ bfloat16 bincount bool clamp_ clone contiguous copy_ cpu cuda detach div_ double exp_ expand expand_as fill_ "
    "float half int long mul_ new_empty new_full new_ones new_tensor new_zeros normal_ pin_memory pow_ repeat requires_grad_ "
    "sub_ t to type uniform_ view view_as zero_".split()
)
_TENSOR_LAYERS = frozenset(
    "Linear Conv1d Conv2d Conv3d BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm GroupNorm Dropout Dropout2d ReLU GELU "
    "SiLU Tanh Sigmoid Softmax LogSoftmax Embedding Flatten MaxPool2d AvgPool2d AdaptiveAvgPool2d ConvTranspose2d "
    "LeakyReLU ELU Sequential RMSNorm".split()
)


def gives_tensor(layer: Value) -> bool:
    """Whether it surely is a layer of torch's that gives one tensor."""
    found = roots(layer)
    return bool(found) and all(
        one.by.startswith("torch.nn.") and (one.short() in _TENSOR_LAYERS or one.short() in LOSS_LAYERS)
        for one in found
    )
