"""Torch's own sample inputs (op_db, module_db) through the gate, against real CPU runs.

    python tests/torch_samples.py ops|modules [permuted]

needs `expecttest`, which torch's testing modules import. Prints what is wrong, refused or unknown:
shape, dtype, stride, contiguity and requires_grad of every tensor that comes out. `permuted` gives
each tensor the memory of a transposed one. Minutes; run it after a new torch.
"""

from __future__ import annotations

import itertools
import random
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import torch

PER_OP = 4


def facts(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        if value.layout is not torch.strided:
            return str(value.layout)
        stride = tuple(None if size == 1 else step for size, step in zip(value.shape, value.stride()))
        return tuple(value.shape), value.dtype, stride if value.numel() else None, value.requires_grad
    return [facts(one) for one in value] if isinstance(value, (tuple, list)) else type(value).__name__


def mapped(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return change(value)
    if type(value) in (tuple, list):
        return type(value)(mapped(one, change) for one in value)
    if type(value) is dict:
        return {key: mapped(one, change) for key, one in value.items()}
    return value


def permuted(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.layout is not torch.strided or tensor.dim() < 2:
        return tensor
    turned = tensor.detach().mT.contiguous().mT
    return turned.requires_grad_(tensor.requires_grad)


def stand_in(tensor: torch.Tensor) -> torch.Tensor:
    made = torch.empty_strided(tuple(tensor.shape), tensor.stride(), dtype=tensor.dtype)
    return made.requires_grad_() if tensor.requires_grad else made


def ops() -> Iterator[tuple[str, Any, tuple[Any, ...], dict[str, Any]]]:
    from torch.testing._internal.common_methods_invocations import op_db

    for op in op_db:
        dtype = next(
            (d for d in (torch.float32, torch.complex64, torch.bool, torch.int64) if d in op.dtypes), None
        )
        wants_grad = dtype == torch.float32 and op.supports_autograd
        samples = list(itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=wants_grad), 40))
        random.Random(0).shuffle(samples)
        for sample in samples[:PER_OP]:
            yield op.name, op.op, (sample.input, *sample.args), sample.kwargs


def modules() -> Iterator[tuple[str, Any, tuple[Any, ...], dict[str, Any]]]:
    from torch.testing._internal.common_modules import module_db

    for info in module_db:
        for training in (True, False):
            inputs = info.module_inputs_func(
                info, device="cpu", dtype=torch.float32, requires_grad=False, training=training
            )
            for one in itertools.islice(inputs, 3):
                if one.forward_input is not None:
                    made, given = one.constructor_input, one.forward_input

                    def build(
                        *args: Any, _made: Any = made, _info: Any = info, _on: bool = training, **kwargs: Any
                    ) -> Any:
                        return _info.module_cls(*_made.args, **_made.kwargs).train(_on)(*args, **kwargs)

                    yield info.name, build, given.args, given.kwargs


def main(source: str, *options: str) -> None:
    warnings.simplefilter("ignore")
    work = []
    for name, function, args, kwargs in {"ops": ops, "modules": modules}[source]():
        if options:
            args, kwargs = mapped(args, permuted), mapped(kwargs, permuted)
        try:
            work.append((name, function, args, kwargs, facts(function(*args, **kwargs))))
        except Exception as error:
            print(f"{name} does not run for real: {str(error)[:80]}")
    from shapewise.trace import calls, session
    from shapewise.trace.control import Budget
    from shapewise.trace.own import own
    from shapewise.trace.unknown import Unknown
    from shapewise.vocabulary.span import Span

    session.prepare()
    found: dict[str, list[str]] = defaultdict(list)

    def body(env: Any) -> None:
        for name, function, args, kwargs, real in work:
            env.run.budget = Budget()
            own(function)
            try:
                told = calls.call(
                    env, Span(1, 0, 1, 1), function, mapped(args, stand_in), mapped(kwargs, stand_in), name
                )
            except BaseException as error:
                found["raised"].append(f"{name}: {error!r}"[:200])
                continue
            if type(told) is Unknown:
                found["unknown"].append(f"{name}: {told.why}")
            else:
                found["right" if facts(told) == real else "wrong"].append(
                    f"{name}: {facts(told)}, really {real}"
                )

    original = session.compile_text
    session.compile_text = lambda text, broken: body if text == "#" else original(text, broken)  # type: ignore[assignment]
    session.trace("samples.py", "#", {})
    for kind, lines in found.items():
        print(f"{kind}: {len(lines)}", *(dict.fromkeys(lines) if kind != "right" else ()), sep="\n    ")


if __name__ == "__main__":
    main(*sys.argv[1:])
