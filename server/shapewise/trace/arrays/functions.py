"""numpy's functions by what they look at: tables for `compute`. All else of numpy is not followed."""

from __future__ import annotations

ALL = -1
"""Every positional argument of the function is data."""


def _words(**groups: str) -> dict[str, str]:
    return {name: group for group, names in groups.items() for name in names.split()}


KINDS = _words(
    # another look at the same memory, however long
    view=(
        "reshape ravel transpose swapaxes moveaxis rollaxis squeeze expand_dims broadcast_to broadcast_arrays "
        "atleast_1d atleast_2d atleast_3d split array_split hsplit vsplit dsplit flip fliplr flipud rot90 diagonal "
        "permute_dims matrix_transpose unstack asarray asanyarray ascontiguousarray asfortranarray real imag "
        "sliding_window_view view"
    ),
    # about as much work as there are numbers
    linear=(
        "sum prod mean std var max min amax amin argmax argmin all any ptp median percentile quantile average nansum "
        "nanmean nanstd nanvar nanmax nanmin nanprod nanmedian nanpercentile nanquantile nanargmax nanargmin "
        "cumsum cumprod nancumsum nancumprod cumulative_sum cumulative_prod diff ediff1d gradient sort argsort "
        "partition argpartition lexsort round around fix nan_to_num clip copy array zeros_like ones_like empty_like "
        "full_like concatenate concat stack vstack hstack dstack column_stack row_stack block append insert delete "
        "where select choose take take_along_axis compress extract searchsorted digitize interp isin in1d roll pad "
        "tile repeat resize nonzero flatnonzero argwhere count_nonzero unique unique_values unique_counts "
        "unique_inverse union1d intersect1d setdiff1d setxor1d trim_zeros bincount histogram histogram2d astype "
        "flatten trace angle real_if_close isclose allclose array_equal array_equiv polyval unwrap sinc i0 trapezoid "
        "trapz cross ravel_multi_index unravel_index piecewise apply_over_axes isreal iscomplex tril triu "
        "isneginf isposinf conj conjugate fft ifft rfft irfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn hfft ihfft fftshift "
        "ifftshift fftfreq rfftfreq hanning hamming blackman bartlett kaiser"
    ),
    # more work, or a longer result, than there are numbers
    heavy=(
        "dot matmul inner outer vdot vecdot tensordot einsum kron convolve correlate cov corrcoef diag diagflat vander "
        "meshgrid ix_ norm matrix_norm vector_norm det inv pinv solve lstsq svd svdvals qr cholesky eigh eigvalsh eig "
        "eigvals matrix_power matrix_rank cond slogdet multi_dot polyfit roots linspace logspace geomspace arange eye "
        "identity tri indices tril_indices triu_indices diag_indices tril_indices_from triu_indices_from mask_indices "
        "leggauss hermgauss laggauss chebgauss"
    ),
    # of a shape that is given
    filled="zeros ones empty full",
    # plain answers about shapes and dtypes
    asked=(
        "ndim shape size iscomplexobj isrealobj isscalar result_type can_cast promote_types min_scalar_type issubdtype "
        "broadcast_shapes shares_memory may_share_memory common_type isfortran"
    ),
)
"""Name of a function (ufuncs are not among them) -> its kind."""

DATA = {
    **dict.fromkeys(
        "concatenate concat stack vstack hstack dstack column_stack row_stack block meshgrid atleast_1d atleast_2d "
        "atleast_3d broadcast_arrays multi_dot ix_ array asarray asanyarray ascontiguousarray asfortranarray "
        "copy shape ndim size iscomplexobj isrealobj isscalar result_type common_type isfortran can_cast "
        "where take searchsorted digitize interp isin in1d isclose allclose array_equal array_equiv append "
        "take_along_axis roll dot matmul inner outer vdot vecdot kron convolve correlate cross trapezoid trapz "
        "linspace logspace geomspace solve lstsq cov corrcoef clip histogram2d compress extract setdiff1d union1d "
        "intersect1d setxor1d polyval lexsort select choose ravel_multi_index shares_memory may_share_memory "
        "percentile quantile nanpercentile nanquantile einsum".split(),
        ALL,
    ),
    "__getitem__": ALL,
    "full_like": 2,
    "tensordot": 2,
    "polyfit": 2,
    "gradient": ALL,
    **dict.fromkeys(
        "zeros ones empty full arange eye identity tri indices tril_indices triu_indices broadcast_shapes "
        "leggauss hermgauss laggauss chebgauss".split(),
        0,
    ),
}
"""How many of the first arguments are data, whose numbers say nothing about the shape; 1 where it is not said.

Of `linspace` and the like the number of items is one more argument, which `COUNTS` names.
"""

COUNTS = {
    "linspace": 2,
    "logspace": 2,
    "geomspace": 2,
    "roll": 2,
    "clip": 3,
    "take": 2,
    "percentile": 2,
    "quantile": 2,
}
"""Of functions whose first arguments are all data: how many they are."""

DATA_KEYS = frozenset(
    "a x y arr v m b weights initial fill_value constant_values values p rhs object tup arrays condition a_min a_max min max q".split()
)
"""Arguments given by name that are data."""

SHAPE_BY_DATA = frozenset(
    "nonzero flatnonzero argwhere unique unique_values unique_counts unique_inverse union1d intersect1d setdiff1d "
    "setxor1d trim_zeros bincount compress extract eig eigvals roots real_if_close".split()
)
"""Functions whose result has a shape or a dtype that the numbers decide."""

FITS = frozenset(
    "concatenate concat stack vstack hstack dstack column_stack row_stack append where dot matmul inner vdot vecdot "
    "tensordot einsum cross solve __setitem__".split()
)
"""Functions, besides ufuncs and views, that find fault with the values of their arguments only where shapes do not fit."""

READS = dict.fromkeys(
    "loadtxt genfromtxt fromregex".split(),
    "what is read from a file is not known",
)
"""Functions that read: never carried out."""

NOTHING = frozenset(
    "savetxt set_printoptions seterr seterrcall show_config info copyto put place putmask "
    "fill_diagonal put_along_axis".split()
)
"""Functions without a result: what they write is not carried out."""

METHODS = frozenset(
    "reshape ravel transpose swapaxes squeeze diagonal view flatten astype copy sum prod mean std var max min argmax "
    "argmin all any ptp cumsum cumprod round clip argsort argpartition repeat take searchsorted conj conjugate trace dot "
    "nonzero compress choose".split()
)
IN_PLACE = frozenset("sort fill partition put itemset setfield byteswap".split())

BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
}
COMPARE = {
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
}
UNARY = {"neg": "negative", "pos": "positive", "invert": "invert", "abs": "absolute"}
