"""Functions of torch whose results have values where what they are given has, or where they make them of literals."""

from __future__ import annotations

import torch

FILLED = {
    "zeros": 0,
    "zeros_like": 0,
    "new_zeros": 0,
    "ones": 1,
    "ones_like": 1,
    "new_ones": 1,
}
OF_NUMBERS = frozenset(
    (torch.arange, torch.eye, torch.full, torch.linspace, torch.tril_indices, torch.triu_indices)
)
"""What the real function makes of the same numbers."""
OF_LITERALS = OF_NUMBERS | {torch.tensor, torch.as_tensor, torch.asarray, torch.Tensor.new_tensor}
DRAWN = frozenset((torch.randint, torch.randperm, torch.multinomial, torch.argmax, torch.argmin)) | {
    torch.Tensor.multinomial,
    torch.Tensor.argmax,
    torch.Tensor.argmin,
}
COUNTS = {torch.sum, torch.Tensor.sum, torch.count_nonzero, torch.Tensor.count_nonzero}
MAKERS = (
    OF_LITERALS
    | DRAWN
    | COUNTS
    | {getattr(torch, name, None) or getattr(torch.Tensor, name) for name in FILLED}
)
"""Functions whose results may carry a value although nothing that they are given does."""

CAST = frozenset("to cpu cuda type float double half bfloat16 long int short char byte bool type_as".split())
KEEP = frozenset(
    "getitem view reshape flatten unflatten squeeze unsqueeze expand expand_as view_as permute transpose t T mT H mH swapaxes "
    "movedim clone contiguous detach unbind split chunk stack cat concat repeat index_select gather narrow select flip "
    "roll tile broadcast_to ravel hstack vstack max min amax amin diagonal take_along_dim sort".split()
)
"""What moves elements about and makes no new ones."""
POINTWISE = frozenset(
    "add radd sub rsub subtract mul rmul multiply div rdiv truediv rtruediv divide true_divide floor_divide floordiv "
    "remainder mod fmod pow rpow neg abs clamp clip clamp_min clamp_max maximum minimum round floor ceil exp expm1 "
    "log log2 log10 log1p sqrt rsqrt reciprocal sin cos tanh sigmoid square sign iadd isub imul".split()
)
WHOLE = (
    KEEP
    | POINTWISE
    | frozenset(
        "eq ne lt le gt ge and or xor invert logical_and logical_or logical_not logical_xor bitwise_and bitwise_or "
        "bitwise_not sum prod mean cumsum cumprod all any argmax argmin argsort tril triu where masked_fill diag "
        "diag_embed outer matmul mm bmm repeat_interleave meshgrid cartesian_prod one_hot isin bincount unique "
        "nonzero count_nonzero fill zero masked_select setitem copy index_fill scatter triu_indices isnan isinf "
        "isfinite floor_ceil nan_to_num unfold rot90 logsumexp softmax norm std var median topk searchsorted "
        "bucketize kron combinations trace pad lerp relu argwhere iand ior ixor diff trunc frac hypot gcd lcm dot mv "
        "tensordot cross block_diag cummax cummin aminmax histc vander".split()
    )
)
"""What is computed for real where all that goes in is known."""
