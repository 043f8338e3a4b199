"""What layers do when they are called: their parts, FLOPs and memory. Only in traces that ask for it.

A global hook of torch's tells of each call of a layer, those inside torch's own containers included;
a dispatch mode sees each operation of torch's core, below autograd. FLOPs are those of
`torch.utils.flop_counter`. Nothing is let go of during the trace, so that no memory has the number
of another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from ...vocabulary.events import Unknown, Value
from ...vocabulary.layers import LayerCall, Measured, Step
from ...vocabulary.span import Span
from ..gate.own import interpreted_class
from ..unknowns import doubts

if TYPE_CHECKING:
    from ..run import Run

_NO_FORMULA = ("_native_multi_head", "_transformer_encoder", "mkldnn_rnn", "_cudnn_rnn", "_fft_", "linalg_")
"""Heavy work that torch's counter does not count."""


class Meter(TorchDispatchMode):
    """Measures the layers of one trace. `running` it is around the trace, inside FakeTensorMode."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        from torch.utils.flop_counter import flop_registry

        self._formulas = flop_registry
        self._run = run
        self._calls: list[dict[str, Any]] = []
        self._steps: list[Step] = []
        self._open: list[_Open] = []
        self._weights: set[int] = set()
        self._known: set[int] = set()
        """The memories whose beginning is written down."""
        self._saved: dict[int, None] = {}
        self._held: list[Any] = []
        self._failed = False
        self._measured: set[Any] = set()
        self._passed: nn.Module | None = None
        """A layer that is being called once more, and not measured again."""

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measure what happens inside."""
        before = register_module_forward_pre_hook(self._guarded(self._begin))
        after = register_module_forward_hook(self._guarded(self._end), always_call=True)
        try:
            with self:
                yield
        finally:
            before.remove()
            after.remove()
            self._guarded(self._end_all)()

    def _guarded(self, hook: Callable[..., None]) -> Callable[..., None]:
        """A hook that gives the measuring up where it fails: a file may override what it asks a layer for."""

        def guarded(*args: Any) -> None:
            if self._failed:
                return
            try:
                hook(*args)
            except Exception as error:
                self._failed = True
                for call in reversed(self._open):
                    call.hooks.close()
                self._open.clear()
                self._run.recorder.note(f"layers could not be measured: {type(error).__name__}: {error}")

        return guarded

    def measured(self) -> Measured | None:
        """What was measured so far; None if that failed."""
        if self._failed:
            return None
        calls = tuple(LayerCall(**call) for call in self._calls)
        return Measured(calls, tuple(self._steps), tuple(self._saved))

    # ------------------------------------------------------------ layers

    def _begin(self, module: nn.Module, given: Any) -> None:
        run = self._run
        if run.attempt is not None:
            return
        if self._passed is not None:
            return
        around = self._open[-1] if self._open else None
        if around is None and self._is_known(module, given):
            self._passed = module
            return
        if around is None:
            self._weights = {self._memory(tensor)[0] for tensor in _weights(module)}
        frame, span = self._place()
        with ExitStack() as hooks:
            if around is None:
                hooks.enter_context(torch.autograd.graph.saved_tensors_hooks(self._pack, _unpack))
            self._calls.append(
                {
                    "parent": around.index if around else None,
                    "module": run.recorder.number(module),
                    "name": _path(around.module, module) if around else "",
                    "type": type(module).__name__,
                    "frame": frame,
                    "span": span,
                    "given": self._given(given),
                    "first": len(self._steps),
                    "training": module.training,
                    "perhaps": self._in_doubt(),
                }
            )
            self._open.append(_Open(len(self._calls) - 1, module, frame, span, hooks.pop_all()))

    def _is_known(self, module: nn.Module, given: Any) -> bool:
        """Whether the same layer was called at the same place with the same before: a training loop is measured once."""
        looks = [(leaf.shape, leaf.dtype) for leaf in tree_leaves(given) if isinstance(leaf, torch.Tensor)]
        number, span = self._place()
        frame = self._run.recorder.frames[number]
        modes = module.training, torch.is_grad_enabled()
        key = (frame.file, frame.scope, span, id(module), modes, tuple(looks))
        known = key in self._measured
        if not self._in_doubt():
            self._measured.add(key)
        return known

    def _end(self, module: nn.Module, given: Any, output: Any) -> None:
        if self._passed is not None:
            if self._passed is module:
                self._passed = None
            return
        if not any(call.module is module for call in self._open):
            return
        while True:  # what an exception left is ended too
            call = self._open.pop()
            is_this = call.module is module
            result = output if is_this else None
            self._close(call, result, result is None)
            if is_this:
                return

    def _end_all(self) -> None:
        """What ended the trace ended the calls that were under way."""
        while self._open:
            self._close(self._open.pop(), None, False)

    def _close(self, call: _Open, output: Any, failed: bool) -> None:
        call.hooks.close()
        self._calls[call.index].update(
            output=self._described(output), end=len(self._steps), failed=failed, **_counts(call.module)
        )

    def _described(self, output: Any) -> Value:
        return Unknown("it gave nothing") if output is None else self._run.recorder.describe(output)

    def _given(self, given: Any) -> tuple[tuple[int, int], ...]:
        found = {self._memory(leaf) for leaf in tree_leaves(given) if isinstance(leaf, torch.Tensor)}
        self._known |= {number for number, _ in found}
        return tuple(sorted(found))

    def _place(self) -> tuple[int, Span | None]:
        """Where the user's code is: inside a layer of torch's, where that was called."""
        around = self._open[-1] if self._open else None
        if around is not None and not interpreted_class(type(around.module)):
            return around.frame, around.span
        return (self._run.frames[-1] if self._run.frames else 0), self._run.site

    def _in_doubt(self) -> bool:
        return bool(self._run.ways) or doubts.NOW.active

    # ------------------------------------------------------------ operations

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        packet = func._overloadpacket
        if not self._open or func.namespace == "prim":  # a question after the device
            return func(*args, **kwargs)
        if packet not in self._formulas:
            with self:  # in inference mode composite operations come here whole
                made = func.decompose(*args, **kwargs)
            if made is not NotImplemented:
                return made
        result = func(*args, **kwargs)
        self._note(str(packet).rpartition(".")[2], packet, args, kwargs, result)
        return result

    def _note(self, name: str, packet: Any, args: Any, kwargs: Any, result: Any) -> None:
        outputs = [leaf for leaf in tree_leaves(result) if isinstance(leaf, FakeTensor)]
        inputs = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, FakeTensor)]
        if not outputs and not inputs:
            return
        formula = self._formulas.get(packet)
        flops: int | None = 0
        if formula is not None:
            try:
                flops = int(formula(*args, **kwargs, out_val=result))
            except Exception:  # arguments that torch's own formula does not expect
                flops = None
        elif name.startswith(_NO_FORMULA):
            flops = None
        reads = {self._memory(tensor)[0] for tensor in inputs} - self._weights
        makes = {self._memory(tensor) for tensor in outputs}
        new = tuple(
            sorted(
                (number, size) for number, size in makes if number not in reads | self._weights | self._known
            )
        )
        self._known |= {number for number, _ in new}
        if not (reads or new or flops):
            return
        frame, span = self._place()
        self._steps.append(
            Step(
                self._open[-1].index,
                name,
                frame,
                span,
                flops,
                tuple(sorted(reads)),
                new,
                len(self._run.recorder.events),
                self._in_doubt(),
            )
        )

    def _pack(self, tensor: torch.Tensor) -> torch.Tensor:
        number, _ = self._memory(tensor)
        if number not in self._weights:
            self._saved[number] = None
        return tensor

    def _memory(self, tensor: torch.Tensor) -> tuple[int, int]:
        """The number of a tensor's memory, as the recorder has it, and its bytes."""
        with torch._C.DisableTorchFunction():
            self._held.append(tensor)
            try:
                size = tensor.untyped_storage().nbytes()
            except (NotImplementedError, RuntimeError):  # a wrapper of torch.func
                size = 0
            return self._run.recorder.memory(tensor), size


class _Open:
    """A call that is under way."""

    __slots__ = ("frame", "hooks", "index", "module", "span")

    def __init__(
        self, index: int, module: nn.Module, frame: int, span: Span | None, hooks: ExitStack
    ) -> None:
        self.index = index
        self.module = module
        self.frame = frame
        self.span = span
        self.hooks = hooks


def _unpack(tensor: torch.Tensor) -> torch.Tensor:
    return tensor


def _path(root: nn.Module, module: nn.Module) -> str:
    return next((name for name, one in root.named_modules(remove_duplicate=False) if one is module), "")


def _weights(module: nn.Module) -> list[torch.Tensor]:
    tensors: list[torch.Tensor] = [*module.parameters(), *module.buffers()]
    return [
        tensor for tensor in tensors if not isinstance(tensor, (UninitializedParameter, UninitializedBuffer))
    ]


def _counts(module: nn.Module) -> dict[str, int]:
    """How many elements a layer has, with all that is in it."""
    weights = _weights(module)
    parameters = [one for one in weights if isinstance(one, nn.Parameter)]
    return {
        "parameters": sum(one.numel() for one in parameters),
        "trainable": sum(one.numel() for one in parameters if one.requires_grad),
        "buffers": sum(one.numel() for one in weights) - sum(one.numel() for one in parameters),
        "weight_bytes": sum(one.numel() * one.element_size() for one in weights),
    }
