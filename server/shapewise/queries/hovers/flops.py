"""What a product costs: two operations, a multiplication and an addition, for each pair of elements that meet.

Counted as `torch.utils.flop_counter` counts: biases, elementwise ops and reductions are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from ...vocabulary.events import Size, Tensor
from ..values import integers
from .run import Run, plain
from .words import number, product

Factors = Sequence[Size]


def told(run: Run) -> str | None:
    """`2·8·12·64·64 = 786 kFLOP`, or the factors alone where they have names."""
    counted = factors(run)
    if counted is None or None in counted:
        return None
    known = [one for one in counted if isinstance(one, int)]
    if 0 in known:
        return None
    if len(known) < len(counted):
        return f"{product([2, *(one for one in counted if one != 1)])} FLOP"
    total = 2 * prod(known)
    return f"{product([2, *(one for one in known if one != 1)])} = {_flop(total)}"


def _flop(total: int) -> str:
    return f"{number(total)}FLOP" if total >= 10_000 else f"{number(total)} FLOP"


def total(run: Run) -> int | None:
    """The number of operations, where every size is known."""
    counted = factors(run)
    if counted is None:
        return None
    known = [one for one in counted if isinstance(one, int)]
    return 2 * prod(known) if len(known) == len(counted) else None


def factors(run: Run) -> Factors | None:
    """The sizes whose product is half of the operations; None for what is no product."""
    result = run.result
    ask = _ASK.get(run.op.name.removeprefix("torch.nn.functional.").removeprefix("torch."))
    return ask(run, result) if ask is not None and result is not None else None


def _matmul(run: Run, result: Tensor) -> Factors | None:
    tensors = [tensor for _, tensor in run.tensors]
    if len(tensors) != 2 or not tensors[0].shape:
        return None
    return *result.shape, tensors[0].shape[-1]


def _added(run: Run, result: Tensor) -> Factors | None:
    """`addmm` and `baddbmm`: the product is of the second and the third."""
    tensors = [tensor for _, tensor in run.tensors]
    return (*result.shape, tensors[1].shape[-1]) if len(tensors) == 3 else None


def _linear(run: Run, result: Tensor) -> Factors | None:
    tensors = [tensor for _, tensor in run.tensors]
    return (*result.shape, tensors[0].shape[-1]) if tensors and tensors[0].shape else None


def _einsum(run: Run, result: Tensor) -> Factors | None:
    """Of two operands, none of which has an index of its own to be summed first."""
    equation = plain(run.argument(0, "equation"))
    if not isinstance(equation, str) or "." in equation:
        return None
    given, arrow, wanted = equation.replace(" ", "").partition("->")
    terms, shapes = given.split(","), [tensor.shape for _, tensor in run.tensors]
    if not arrow or len(terms) != 2 or len(shapes) != 2:
        return None
    sizes: dict[str, Size] = {}
    for term, shape in zip(terms, shapes):
        if len(term) != len(shape) or len(set(term)) != len(term):
            return None
        for letter, size in zip(term, shape):
            if sizes.setdefault(letter, size) != size:
                return None
    first, second = map(set, terms)
    summed = (first | second) - set(wanted)
    if not summed or summed - (first & second):
        return None
    return *(sizes[letter] for letter in wanted), *(sizes[letter] for letter in sorted(summed))


def _convolution(run: Run, result: Tensor) -> Factors | None:
    """`F.conv2d(input, weight)`: of the weight, what one element of the result needs."""
    weight = run.argument(1, "weight")
    if not isinstance(weight, Tensor) or len(weight.shape) != len(result.shape):
        return None
    return *result.shape, *weight.shape[1:]


def _transposed(run: Run, result: Tensor) -> Factors | None:
    source, weight = run.argument(0, "input"), run.argument(1, "weight")
    if not isinstance(source, Tensor) or not isinstance(weight, Tensor):
        return None
    return (*source.shape, *weight.shape[1:]) if len(source.shape) == len(weight.shape) else None


def _layer_of(dims: int, transposed: bool) -> Callable[[Run, Tensor], Factors | None]:
    def ask(run: Run, result: Tensor) -> Factors | None:
        """The layer as it was built, if it holds as many parameters as that says."""
        tensors, built = [tensor for _, tensor in run.tensors], run.built
        if built is None or run.weights is None or len(tensors) != 1 or len(result.shape) != dims + 2:
            return None

        def told(at: int, name: str, otherwise: int) -> tuple[int, ...] | None:
            given = built.argument(name, at=at)
            return (otherwise,) if given is None else integers([given])

        kernel = told(2, "kernel_size", 0)
        groups = told(8 if transposed else 6, "groups", 1)
        source = tensors[0]
        if kernel is None or groups is None or 0 in kernel or not isinstance(source.shape[1], int):
            return None
        if len(kernel) == 1:
            kernel = kernel * dims
        outer, inner = (source, result) if transposed else (result, source)
        channels = inner.shape[1]
        if len(kernel) != dims or not isinstance(channels, int) or not isinstance(outer.shape[1], int):
            return None
        weights = outer.shape[1] * (channels // groups[0]) * prod(kernel)
        if run.weights.parameters not in (weights, weights + int(result.shape[1] or 0)):
            return None
        return *outer.shape, channels // groups[0], *kernel

    return ask


def _attention(run: Run, result: Tensor) -> Factors | None:
    """Scores and what they weigh: two products, as one if keys and values are as wide."""
    query, key, value = (run.argument(at, name) for at, name in enumerate(("query", "key", "value")))
    if not (isinstance(query, Tensor) and isinstance(key, Tensor) and isinstance(value, Tensor)):
        return None
    if len(query.shape) < 3 or query.shape[-1] != value.shape[-1] or query.shape[:-2] != key.shape[:-2]:
        return None
    return 2, *query.shape[:-1], key.shape[-2], query.shape[-1]


_ASK: dict[str, Callable[[Run, Tensor], Factors | None]] = {
    **dict.fromkeys("@ matmul mm bmm mv dot".split(), _matmul),
    **dict.fromkeys(("addmm", "baddbmm"), _added),
    **dict.fromkeys(("linear", "nn.Linear()"), _linear),
    "einsum": _einsum,
    "scaled_dot_product_attention": _attention,
    **dict.fromkeys(("conv1d", "conv2d", "conv3d"), _convolution),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), _transposed),
    **{f"nn.Conv{dims}d()": _layer_of(dims, False) for dims in (1, 2, 3)},
    **{f"nn.ConvTranspose{dims}d()": _layer_of(dims, True) for dims in (1, 2, 3)},
}
