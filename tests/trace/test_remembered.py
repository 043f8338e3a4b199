"""What is remembered is what torch would say again: of single ops, and of whole files."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from shapewise.repair import repair
from shapewise.trace.fakes import remembered
from shapewise.trace.fakes.direct import DIRECT
from shapewise.trace.fakes.remembered import Remembering
from shapewise.trace.sources import compiled

TESTS = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    remembered._KNOWN.clear()
    yield
    remembered._KNOWN.clear()


def strides(value: torch.Tensor) -> list[int]:
    """Those that mean something: of a dim of size 1, fake tensors say another one than torch on the CPU."""
    return [step for step, size in zip(value.stride(), value.shape) if size > 1 and value.numel()]


def facts(value: Any, given: list[Any]) -> Any:
    """All that may be asked of a result; whose memory it looks at, and which argument it is."""
    if isinstance(value, (tuple, list)):
        return [facts(item, given) for item in value]
    if not isinstance(value, torch.Tensor):
        return value
    memory = value.untyped_storage()._cdata
    return (
        value.shape,
        strides(value),
        value.storage_offset(),
        value.dtype,
        value.requires_grad,
        value.is_leaf,
        type(value.grad_fn).__name__,
        value._version,
        value._is_view(),
        value.is_inference(),
        [at for at, one in enumerate(given) if one.untyped_storage()._cdata == memory],
        [at for at, one in enumerate(given) if one is value],
        str(torch._C._dispatch_keys(value)),  # of torch 2.6 no two are equal
    )


def further_in(tensor: torch.Tensor) -> torch.Tensor:
    """Such a tensor that begins eight items further in its memory."""
    if tensor.layout is not torch.strided or tensor.is_conj() or tensor.is_neg() or not tensor.numel():
        return tensor
    most = sum(step * (size - 1) for step, size in zip(tensor.stride(), tensor.shape))
    memory = torch.empty(most + 9, dtype=tensor.dtype)
    return memory.as_strided(tensor.shape, tensor.stride(), 8).detach().requires_grad_(tensor.requires_grad)


def answered(mode: FakeTensorMode, case: Any, further: bool = False) -> Any:
    """The facts of a call's result, or its error."""
    given: list[Any] = []

    def faked(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            fake = mode.from_tensor(further_in(value) if further else value, static_shapes=True)
            given.append(fake)
            return fake
        if isinstance(value, (tuple, list)):
            return type(value)([faked(item) for item in value])
        return {k: faked(v) for k, v in value.items()} if isinstance(value, dict) else value

    try:
        args, kwargs = faked(case.args), faked(case.kwargs)
    except Exception:
        return None
    with mode:
        try:
            return facts(case.function(*args, **kwargs), given), [one._version for one in given]
        except Exception as error:
            return type(error), str(error).split("\n")[0]


@pytest.mark.slow
@pytest.mark.parametrize("inference", [False, True])
def test_an_op_asked_again_says_what_torch_says(inference, thorough):
    pytest.importorskip("expecttest", reason="torch's testing modules import it")
    sys.path.insert(0, str(TESTS / "opdb"))
    try:
        from cases import samples

        cases = [*samples(1, every=1 if thorough else 11)]
    finally:
        sys.path.pop(0)
    differing = []
    with torch.inference_mode(inference):
        for case in cases:
            first, plain = answered(Remembering(), case), answered(FakeTensorMode(), case)
            again, elsewhere = answered(Remembering(), case), answered(Remembering(), case, further=True)
            if (
                first != plain
                or again != plain
                or elsewhere != answered(FakeTensorMode(), case, further=True)
            ):
                differing.append((case.name, plain, first, again, elsewhere))
    assert not differing, differing[:3]
    assert len(remembered._KNOWN) > 50


ATEN = torch.ops.aten
DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool)
SHAPES = ((), (1,), (3,), (2, 3), (3, 1), (1, 3), (2, 1, 3), (2, 3, 4, 5), (1, 3, 1, 5), (0, 3), (2, 0))


class Calls:
    """Random calls of the ops that are asked of their meta kernels, many of them wrong."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed).choice

    def tensor(self, shape: tuple[int, ...] | None = None) -> torch.Tensor:
        """A tensor of some dtype, laid out in some way."""
        shape, dtype, layout = shape or self.pick(SHAPES), self.pick(DTYPES), self.pick(range(4))
        if layout == 1 and len(shape) > 1:
            return torch.zeros(shape[::-1], dtype=dtype).permute(*reversed(range(len(shape))))
        if layout == 2 and shape:
            return torch.zeros((*shape[:-1], 2 * shape[-1]), dtype=dtype)[..., ::2]
        if layout == 3 and len(shape) == 4:
            return torch.zeros(shape, dtype=dtype).to(memory_format=torch.channels_last)
        return torch.zeros(shape, dtype=dtype)

    def product(self) -> list[torch.Tensor]:
        n, m, p = self.pick((0, 2)), self.pick((1, 3)), self.pick((1, 4))
        return [self.tensor((n, m)), self.tensor((self.pick((m, m, m + 1)), p))]

    def normalised(self, name: str) -> tuple[Any, ...]:
        """What is normalised, and weights that mostly fit."""
        x = self.tensor(self.pick(SHAPES[3:]))
        size = x.shape[-1 if name == "native_layer_norm" else 1]
        weight, bias = (self.pick((None, self.tensor((size,)), self.tensor((size + 1,)))) for _ in "wb")
        if name == "native_layer_norm":
            return x, [self.pick((size, size, size + 1))], weight, bias, 1e-5
        if name == "native_group_norm":
            rest = x[0, 0].numel() if x.numel() else 0
            return x, weight, bias, x.shape[0], x.shape[1], rest, self.pick((1, 3)), 1e-5
        running = self.pick((None, torch.zeros(size)))
        return x, weight, bias, running, running, self.pick((False, True)), 0.1, 1e-5

    def loss(self, name: str) -> tuple[Any, ...]:
        """Log probabilities and targets that mostly fit."""
        x = self.tensor(self.pick(((2, 3), (3,), (2, 3, 4))))
        target = torch.zeros(
            self.pick((x.shape[:1], (), (5,))), dtype=self.pick((torch.int64, torch.float32))
        )
        weight, reduction = self.pick((None, torch.zeros(3))), self.pick((0, 1, 2))
        if name == "nll_loss_forward":
            return x, target, weight, reduction, -100
        gradient = torch.zeros(() if reduction else x.shape[:1])
        return gradient, x, target, weight, reduction, -100, torch.zeros(())

    def arguments(self, op: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """For an op by its name and the kinds of its arguments."""
        x, name, dim = self.tensor(), op._schema.name.split("::")[1], self.pick(range(-3, 4))
        if name.rstrip("_") in ("add", "sub", "mul", "div"):
            return (x, self.pick((self.tensor(), x, 2, 2.5, True))), {}
        if name in ("native_layer_norm", "native_batch_norm", "native_group_norm"):
            return self.normalised(name), {}
        if name in ("nll_loss_forward", "nll_loss_backward"):
            return self.loss(name), {}
        if name == "max_pool2d_with_indices":
            kernel, stride = self.pick(([2, 2], [3, 1], [9, 9])), self.pick(([2, 2], [1, 1], []))
            return (self.tensor(self.pick(SHAPES[-4:-2])), kernel, stride, self.pick(([0, 0], [1, 1]))), {}
        if name.endswith("_backward_data"):
            return (x, self.pick((x, self.tensor())), dim, self.pick((x.dtype, torch.float32))), {}
        if name == "threshold_backward":
            return (x, self.pick((x, self.tensor())), 0), {}
        if name == "addmm":
            return (self.tensor(self.pick(((1,), (4,), (2, 4)))), *self.product()), {}
        if name in ("mm", "bmm"):
            pair = self.product()
            return tuple(one[None].expand(2, *one.shape) for one in pair) if name == "bmm" else (*pair,), {}
        if name in ("view", "_unsafe_view", "expand"):
            return (x, self.pick(([-1], [3, 2], [2, -1], [*x.shape], [1, -1], [4, 2, 3], [-1, 3]))), {}
        if name in ("cat", "stack"):
            return ([x, self.pick((x, self.tensor()))], dim), {}
        if name in ("mean", "sum"):
            return (x, self.pick(([0], [-1], [0, 1], [], None, [5])), self.pick((False, True))), {}
        if name == "slice":
            return (
                x,
                dim,
                self.pick((None, 0, -1, 9)),
                self.pick((None, 2, -1, 99)),
                self.pick((1, 2, 0)),
            ), {}
        if name in ("_softmax", "_log_softmax"):
            return (x, dim, self.pick((False, True))), {}
        if name in ("embedding", "gather"):
            index = self.pick((torch.zeros(2, 3, dtype=torch.int64), torch.zeros(3, dtype=torch.int32), x))
            return (x, index) if name == "embedding" else (x, dim, index), {}
        more = {
            "split": (self.pick((1, 2, 0, 9)), dim),
            "unsafe_split": (self.pick((1, 2, 0)), dim),
            "split_with_sizes": (self.pick(([1, 1], [1, 2], [3], [2, -1])), dim),
            "unbind": (dim,),
            "squeeze": (dim if op._overloadname == "dim" else [dim],),
            "transpose": (dim, -1),
            "select": (dim, 0),
            "unsqueeze": (dim,),
            "pow": (self.pick((2, 0.5)),),
        }
        if name == "permute":
            more[name] = ([*range(x.dim())][::-1],)
        if name == "empty":
            kinds = ({}, {"dtype": x.dtype}, {"memory_format": torch.channels_last}, {"device": "meta"})
            return ([*x.shape],), self.pick(kinds)
        return (x, *more.get(name, ())), {}


def test_what_is_asked_of_a_meta_kernel_is_what_fake_tensors_say(monkeypatch):
    monkeypatch.setattr("torch._subclasses.fake_tensor.log.error", lambda *args: None)
    direct: list[Any] = []
    ask = Remembering._direct

    def asked(self: Remembering, func: Any, *given: Any) -> Any:
        made = ask(self, func, *given)
        direct.append(func if made is not None else None)
        return made

    monkeypatch.setattr(Remembering, "_direct", asked)
    differing, calls = [], Calls(3)
    for op in sorted(DIRECT, key=str):
        for _ in range(30):
            remembered._KNOWN.clear()
            case = Call(op, *calls.arguments(op))
            mine, plain = answered(Remembering(), case), answered(FakeTensorMode(), case)
            if mine != plain:
                differing.append((case, plain, mine))
    assert not differing, differing[:3]
    assert {*direct} >= DIRECT


class Call(NamedTuple):
    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def test_arguments_that_share_memory_are_others():
    with Remembering():
        x, y = torch.zeros(4), torch.zeros(4)
        for _ in range(2):
            assert torch.add(x, y).untyped_storage()._cdata not in (
                x.untyped_storage()._cdata,
                y.untyped_storage()._cdata,
            )
            assert x.add_(y) is x and x.add_(x) is x and y.add_(x) is y


def test_a_view_looks_at_the_memory_of_its_own_base():
    with Remembering():
        for _ in range(2):
            base = torch.zeros(4, 6, requires_grad=True)
            view = base.transpose(0, 1)
            assert type(view) is FakeTensor and view._base is base
            assert view.untyped_storage()._cdata == base.untyped_storage()._cdata
            other = torch.zeros(4, 6)
            before = other._version
            other[0].mul_(2)
            assert other._version == before + 1


def test_a_backward_through_remembered_ops_reaches_every_leaf():
    for _ in range(2):
        with Remembering():
            layer = torch.nn.Linear(3, 4)
            out = torch.softmax(layer(torch.zeros(2, 3)), -1)
            out.sum().backward()
            assert layer.weight.grad is not None and layer.weight.grad.shape == (4, 3)
            with pytest.raises(RuntimeError, match="second time"):
                out.sum().backward()


def test_numbers_that_compare_equal_are_not_the_same():
    with Remembering():
        x = torch.zeros(3, dtype=torch.int64)
        assert [(x * n).dtype for n in (1, 1.0, True) * 2] == [torch.int64, torch.float32, torch.int64] * 2


@pytest.mark.parametrize("inference", [False, True])
def test_complex_tensors_and_what_looks_at_them(inference):
    x = torch.zeros(2, 4, 3, dtype=torch.complex64)
    functions = (
        lambda x: x * x,
        lambda x: x.transpose(0, 1)[1:],
        lambda x: torch.view_as_real(x).flatten(1),
        lambda x: torch.view_as_complex(torch.view_as_real(x)),
        lambda x: x.conj(),
        lambda x: x.conj() * x,
        lambda x: x.conj().imag,
        lambda x: x.real + x.abs(),
        lambda x: torch.fft.ifft(torch.fft.fft(x)),
    )
    with torch.inference_mode(inference):
        for function in functions:
            case = Call(function, (x,), {})
            first, again = answered(Remembering(), case), answered(Remembering(), case)
            assert first == again == answered(FakeTensorMode(), case)


def test_a_view_in_inference_mode_is_what_its_tensor_is():
    x = torch.zeros(4, 3)
    with torch.inference_mode():
        case = Call(lambda x: x[1:] + x[1:].transpose(0, 1).t(), (x,), {})
        first, again = answered(Remembering(), case), answered(Remembering(), case)
        assert first == again == answered(FakeTensorMode(), case)
        case = Call(lambda x: x[1:], (x,), {})
        first, again = answered(Remembering(), case), answered(Remembering(), case)
        assert first == again == answered(FakeTensorMode(), case)


def test_the_default_dtype_belongs_to_what_is_asked():
    with Remembering():
        x = torch.zeros(3, dtype=torch.int64)
        try:
            assert (x / 2).dtype == torch.float32
            torch.set_default_dtype(torch.float64)
            assert (x / 2).dtype == torch.float64
        finally:
            torch.set_default_dtype(torch.float32)


def files() -> list[Path]:
    return sorted([*(TESTS.parent / "examples").glob("*.py"), *(TESTS / "truth" / "inputs").glob("**/*.py")])


def test_a_file_traced_again_says_the_same(trace):
    from shapewise.trace import session

    for path in files():
        text = repair(path.read_text()).text
        remembered._KNOWN.clear()
        compiled._BLOCKS.clear()
        cold = session.trace(str(path), text, {})
        warm = session.trace(str(path), text, {})
        assert replace(warm, seconds=0.0) == replace(cold, seconds=0.0), path.name


@pytest.mark.slow
def test_a_file_after_edits_says_what_a_fresh_trace_says(trace, thorough):
    """Lines come, go and change: what was kept of the text before does not show."""
    from shapewise.trace import session

    random_ = random.Random(8)
    for path in files():
        text = path.read_text()
        for _ in range(2 if thorough else 1):
            lines = text.split("\n")
            at = random_.randrange(len(lines))
            lines[at : at + 1] = random_.choice(
                (
                    [],
                    ["", lines[at]],
                    [lines[at], lines[at]],
                    [f"{lines[at]}  # é"],
                    [lines[at].replace("2", "3")],
                )
            )
            text = "\n".join(lines)
            repaired = repair(text)
            broken = {one.span.line: one.names for one in repaired.broken}
            session.trace(str(path), repair(path.read_text()).text, {})
            warm = session.trace(str(path), repaired.text, broken)
            remembered._KNOWN.clear()
            compiled._BLOCKS.clear()
            fresh = session.trace("fresh" + str(path), repaired.text, broken)
            fresh = replace(
                fresh,
                file=str(path),
                frames=tuple(replace(frame, file=frame.file.removeprefix("fresh")) for frame in fresh.frames),
            )
            assert replace(warm, seconds=0.0) == replace(fresh, seconds=0.0), path.name


@pytest.mark.parametrize("dtype", [*DTYPES, torch.complex64])
def test_a_literal_is_the_fake_tensor_that_torch_makes_of_it(dtype):
    """Its number too, where it is one."""
    numbers = [torch.zeros(shape).tolist() for shape in SHAPES]

    def made(mode: FakeTensorMode) -> Any:
        with mode:
            tensors = [torch.tensor(one, dtype=dtype) for one in numbers]
            said = [(facts(one, [one]), facts(one.reshape(-1), [one])) for one in tensors]
            with torch.inference_mode():
                inferred = [torch.tensor(one, dtype=dtype) for one in numbers]
        keys = [str(torch._C._dispatch_keys(one)) for one in inferred]
        return said, keys, [None if one.constant is None else one.constant.tolist() for one in tensors]

    assert made(Remembering()) == made(FakeTensorMode())
