"""What is remembered is what torch would say again: of single ops, and of whole files."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from shapewise.repair import repair
from shapewise.trace import compiled, remembered
from shapewise.trace.remembered import Remembering

TESTS = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    remembered._KNOWN.clear()
    yield
    remembered._KNOWN.clear()


def facts(value: Any, given: list[Any]) -> Any:
    """All that may be asked of a result; whose memory it looks at, and which argument it is."""
    if isinstance(value, (tuple, list)):
        return [facts(item, given) for item in value]
    if not isinstance(value, torch.Tensor):
        return value
    memory = value.untyped_storage()._cdata
    return (
        value.shape,
        value.stride(),
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
        torch._C._dispatch_keys(value),
    )


def answered(mode: FakeTensorMode, case: Any) -> Any:
    """The facts of a call's result, or its error."""
    given: list[Any] = []

    def faked(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            fake = mode.from_tensor(value, static_shapes=True)
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
def test_an_op_asked_again_says_what_torch_says(inference):
    pytest.importorskip("expecttest", reason="torch's testing modules import it")
    sys.path.insert(0, str(TESTS / "opdb"))
    try:
        from cases import samples

        cases = random.Random(0).sample([*samples()], 150)
    finally:
        sys.path.pop(0)
    differing = []
    with torch.inference_mode(inference):
        for case in cases:
            first, again = answered(Remembering(), case), answered(Remembering(), case)
            plain = answered(FakeTensorMode(), case)
            if first != plain or again != plain:
                differing.append((case.name, plain, first, again))
    assert not differing, differing[:3]
    assert len(remembered._KNOWN) > 100


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
        compiled._STATEMENTS.clear()
        cold = session.trace(str(path), text, {})
        warm = session.trace(str(path), text, {})
        assert replace(warm, seconds=0.0) == replace(cold, seconds=0.0), path.name


@pytest.mark.slow
def test_a_file_after_edits_says_what_a_fresh_trace_says(trace):
    """Lines come, go and change: what was kept of the text before does not show."""
    from shapewise.trace import session

    random_ = random.Random(8)
    for path in files():
        text = path.read_text()
        for _ in range(2):
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
            compiled._STATEMENTS.clear()
            fresh = session.trace("fresh" + str(path), repaired.text, broken)
            fresh = replace(
                fresh,
                file=str(path),
                frames=tuple(replace(frame, file=frame.file.removeprefix("fresh")) for frame in fresh.frames),
            )
            assert replace(warm, seconds=0.0) == replace(fresh, seconds=0.0), path.name
