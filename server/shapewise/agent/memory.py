"""What calls of layers take at their peak: of each place, the first call of a layer that no layer makes.

On a card torch's allocator counts. On the CPU every memory that an operation makes is counted until it is
let go; what a kernel needs for itself meanwhile is not seen there. Parameters and buffers are not in it, the
inputs are.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

MOST = 64
"""Places that are measured."""


class Peaks:
    """Measures until the process ends. `place` tells the user's own line that is running."""

    def __init__(self, place: Callable[[], tuple[str, int] | None]) -> None:
        self._place = place
        self._depth = 0
        self._rows: dict[tuple[str, int, str], dict[str, Any] | None] = {}
        self._open: Any = None
        self._warmed: set[torch.device] = set()
        self.whole = 0
        """The most that the allocator of the card had given out, from the beginning."""

    def begin(self) -> None:
        """From now on calls of layers are measured."""
        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()
        register_module_forward_pre_hook(self._before)
        register_module_forward_hook(self._after, always_call=True)

    def rows(self) -> list[dict[str, Any]]:
        """What was measured, in the order of the calls. Bytes."""
        return [row for row in self._rows.values() if row is not None]

    def on_card(self) -> int:
        """The peak of the whole run on the card, in bytes."""
        self.whole = max(self.whole, torch.cuda.max_memory_allocated())
        return self.whole

    def warm(self, device: torch.device) -> None:
        """Have cuBLAS take its workspace from torch's allocator, which it does at its first product and keeps."""
        if device in self._warmed:
            return
        self._warmed.add(device)
        with torch.no_grad():
            for dtype in (torch.float32, torch.bfloat16):
                one = torch.ones(16, 16, device=device, dtype=dtype)
                torch.addmm(one[0], one, one)  # with a bias it goes through cuBLASLt
                torch.mm(one, one)

    # Nothing here may ever change what the user's code does.

    def _before(self, layer: torch.nn.Module, given: Any) -> None:
        self._depth += 1
        if self._depth > 1 or len(self._rows) >= MOST:
            return
        try:
            where = self._place()
            if where is None or (key := (*where, type(layer).__name__)) in self._rows:
                return
            self._rows[key] = None
            held = [one for one in tree_leaves(given) if isinstance(one, torch.Tensor)]
            kind = held[0].device.type if held else "cpu"
            counter = _OnCard(self) if kind == "cuda" else _OnCPU(layer) if kind == "cpu" else None
            if counter is not None:
                self._open = key, counter, counter.begin(held)
        except Exception:
            self._open = None

    def _after(self, layer: torch.nn.Module, given: Any, result: Any) -> None:
        self._depth = max(0, self._depth - 1)
        if self._depth or self._open is None:
            return
        (file, line, name), counter, inputs = self._open
        self._open = None
        try:
            peak, device = counter.end()
            if result is None:
                return  # it failed
            row = {"file": file, "line": line, "layer": name, "device": device, "bytes": peak + inputs}
            self._rows[file, line, name] = row
        except Exception:
            return


def _bytes(tensors: list[torch.Tensor]) -> int:
    memories = {one.untyped_storage()._cdata: one.untyped_storage().nbytes() for one in tensors}
    return sum(memories.values())


class _OnCard:
    def __init__(self, peaks: Peaks) -> None:
        self._peaks = peaks
        self._base = 0

    def begin(self, given: list[torch.Tensor]) -> int:
        self._peaks.warm(given[0].device)
        self._peaks.on_card()
        torch.cuda.reset_peak_memory_stats()
        self._base = torch.cuda.memory_allocated()
        return _bytes([one for one in given if one.is_cuda])

    def end(self) -> tuple[int, str]:
        return torch.cuda.max_memory_allocated() - self._base, "cuda"


class _OnCPU(TorchDispatchMode):  # type: ignore[misc]
    def __init__(self, layer: torch.nn.Module) -> None:
        super().__init__()
        self._seen = {
            one.untyped_storage()._cdata
            for one in (*layer.parameters(), *layer.buffers())
            if not isinstance(one, torch.nn.parameter.UninitializedTensorMixin)
        }
        self._now = self._peak = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # which would import it, in a second

    def begin(self, given: list[torch.Tensor]) -> int:
        self._seen |= {one.untyped_storage()._cdata for one in given}
        self.__enter__()
        return _bytes(given)

    def end(self) -> tuple[int, str]:
        self.__exit__(None, None, None)
        return self._peak, "cpu"

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        given = {
            one.untyped_storage()._cdata
            for one in tree_leaves((args, kwargs))
            if isinstance(one, torch.Tensor) and one.layout is torch.strided
        }
        for one in tree_leaves(result):
            if isinstance(one, torch.Tensor) and one.layout is torch.strided:
                memory = one.untyped_storage()
                if memory._cdata not in self._seen and memory._cdata not in given:
                    self._seen.add(memory._cdata)
                    self._now += memory.nbytes()
                    weakref.finalize(memory, self._freed, memory._cdata, memory.nbytes())
        self._peak = max(self._peak, self._now)
        return result

    def _freed(self, number: int, size: int) -> None:
        self._seen.discard(number)
        self._now -= size
