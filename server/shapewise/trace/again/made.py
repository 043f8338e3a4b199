"""How to make a value like the one that a call gave."""

from __future__ import annotations

import collections
import types
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._mode_utils import no_dispatch

from ..fakes.devices import place
from ..gate.own import interpreted_class
from ..unknowns import values
from ..unknowns.grown import is_grown
from ..unknowns.unknown import NO_SAMPLE, Unknown
from ..wall import allowed
from .code import ATOMS, Unfit
from .graph import Sources, connected, graphs_of, part_of_graphs, sources_of
from .look import OF_EVERY_TENSOR, Look, has_hooks, is_plain

if TYPE_CHECKING:
    from ..log.recorder import Recorder
    from ..run import Run

_CONTAINERS = (list, tuple, dict, collections.OrderedDict)
_ITEMS = 400
_OPEN: Any = object()
_SPLITS = ("Split", "Unbind", "Chunk", "Unsafe")
"""The graphs of views that torch refuses to write into."""


class _Tensor(NamedTuple):
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: torch.dtype
    offset: int
    memory: int
    device: torch.device | None
    value: tuple[torch.Tensor, bool] | None
    """What it carries: see `values`."""
    graph: int | None
    """Its number among the graphs of the call."""
    requires_grad: bool
    is_param: bool


class Made(NamedTuple):
    """An object made again: the number that the log had for it, and for its memory, if it is a tensor."""

    value: Any
    number: int | None
    memory: int | None


class Pattern:
    """What a call gave: how each part of it came about. Raises Unfit where one cannot be made again.

    `born`: an object that the call filled, which was empty before.
    """

    def __init__(self, look: Look, recorder: Recorder, result: Any, born: Any = None) -> None:
        self._look, self._recorder = look, recorder
        self._memories: dict[int, int] = {}
        self.sizes: list[int] = []
        """Bytes of each memory that is new."""
        self._sources: list[Sources] = []
        self._known: dict[int, Any] = {}
        self.numbers: list[tuple[int | None, int | None]] = []
        self._buffers: set[int] = set()
        """Tensors (by id) of torch's own layers, whose values nobody asks for."""
        if born is not None:
            self._known[id(born)] = ("born", recorder.known_number(born))
        self._root = self._part(result)
        self._born = None if born is None else self._attributes(vars(born))
        self.graphs, self.parts = graphs_of(self._sources)
        del self._look, self._recorder, self._known, self._memories, self._buffers, self._sources

    def _part(self, value: Any) -> Any:
        kind = type(value)
        if kind in ATOMS or kind is float:
            return "is", value
        at = self._look.place_of(value)
        if at is not None:
            return "held", at
        known = self._known.get(id(value))
        if known is _OPEN:
            raise Unfit  # a container in itself
        if known is not None:
            return known
        if kind is FakeTensor:
            return self._tensor(value)
        if kind in _CONTAINERS:
            return self._container(value, kind)
        if isinstance(value, nn.Module):
            return self._module(value, kind)
        if kind is set and all(type(item) is str for item in value):
            return "set", frozenset(value)
        if kind is weakref.ref:
            return "ref", self._part(value())
        if kind is Unknown and not value.holds_objects:
            if value.sample is NO_SAMPLE or type(value.sample) in (int, float, range):
                return "unknown", (value.why, value.tensor, value.kind, value.sample, value.limits)
        if not isinstance(value, type) and allowed.name_of(value) is not None:
            return "is", value
        if isinstance(value, tuple) and interpreted_class(kind) and hasattr(kind, "_fields"):
            return "tuple", (self._code(kind), [self._part(item) for item in value])
        if not isinstance(value, type) and is_plain(kind):
            return self._object(value, self._code(kind) if interpreted_class(kind) else ("is", kind))
        return self._code(value)

    def _container(self, value: Any, kind: Any) -> Any:
        if is_grown(value) is not None or len(value) > _ITEMS:
            raise Unfit
        if kind is tuple:
            return kind, [self._part(item) for item in value]
        self._known[id(value)] = _OPEN
        at = len(self.numbers)
        self.numbers.append((None, None))
        if kind is list:
            part = kind, (at, [self._part(item) for item in value])
        else:
            if not all(type(key) in ATOMS for key in value):
                raise Unfit
            part = kind, (at, [(key, self._part(item)) for key, item in value.items()])
        self._known[id(value)] = ("again", at)
        return part

    def _code(self, value: Any) -> Any:
        """A function or class of the file."""
        for at, code in enumerate(self._look.codes):
            for place_in, one in enumerate(code.objects):
                if one is value:
                    return "code", (at, place_in)
        raise Unfit

    def _module(self, value: nn.Module, kind: Any) -> Any:
        if interpreted_class(kind):
            cls = self._code(kind)
        elif kind.__module__.startswith("torch.nn"):
            cls = "is", kind
            self._buffers.update(map(id, value._buffers.values()))
        else:
            raise Unfit
        return self._object(value, cls)

    def _object(self, value: Any, cls: Any) -> Any:
        """Something that is its attributes: a layer, say. `cls`: the part that is its class."""
        at = len(self.numbers)
        self.numbers.append((self._recorder.known_number(value), None))
        self._known[id(value)] = ("again", at)
        return "object", (cls, at, self._attributes(vars(value)))

    def _attributes(self, held: dict[str, Any]) -> list[tuple[str, Any]]:
        if has_hooks(held):
            raise Unfit
        return [(name, self._part(item)) for name, item in held.items()]

    def _tensor(self, value: Any) -> Any:
        attributes = vars(value)
        if not attributes.keys() <= OF_EVERY_TENSOR or attributes.get("_shapewise_doubts"):
            raise Unfit
        if value.constant is not None and id(value) not in self._buffers:
            raise Unfit
        if value._backward_hooks or value.is_inference() != torch.is_inference_mode_enabled():
            raise Unfit
        if value.layout is not torch.strided or value.dtype.is_complex or value.is_quantized:
            raise Unfit
        if value.is_neg() or value._has_symbolic_sizes_strides:
            raise Unfit
        if self._look.memory_of(value) is not None:
            raise Unfit
        if value._is_view() and type(value.grad_fn).__name__.startswith(_SPLITS):
            raise Unfit
        if value.is_leaf and (value.grad is not None):
            raise Unfit
        memory = value.untyped_storage()
        stands = self._memories.get(memory._cdata)
        if stands is None:
            stands = self._memories[memory._cdata] = len(self.sizes)
            self.sizes.append(memory.nbytes())
        carried = values.held(value) if "_shapewise_value" in attributes else None
        real = None
        if id(value) in self._buffers:
            carried = None
        if carried is not None:
            with no_dispatch(), torch._C.DisableTorchFunction():
                real = carried.real.clone(), carried.whole
        made = _Tensor(
            tuple(value.shape),
            value.stride(),
            value.dtype,
            value.storage_offset(),
            stands,
            attributes.get("_shapewise_device"),
            real,
            self._graph(value) if value.grad_fn is not None else None,
            value.requires_grad,
            "_is_param" in attributes,
        )
        at = len(self.numbers)
        self.numbers.append((self._recorder.known_number(value), self._recorder.known_memory(value)))
        self._known[id(value)] = ("again", at)
        return "tensor", (at, made)

    def _graph(self, value: Any) -> int:
        self._sources.append(sources_of(value, self._look))
        return len(self._sources) - 1

    def make(self, run: Run, look: Look, born: Any = None) -> tuple[Any, list[Made]]:
        """The value once more, and the objects that were made for it. `born`: the object to fill."""
        making = _Making(run, look, self, born)
        result = making.value(self._root)
        if self._born is not None:
            making.fill(vars(born), self._born)
        return result, [
            Made(one, *said) for one, said in zip(making.objects, self.numbers) if said != (None, None)
        ]


def _blank(cls: type) -> Any:
    """An object of a class without any attributes."""
    return (types.SimpleNamespace if issubclass(cls, types.SimpleNamespace) else object).__new__(cls)


class _Making:
    def __init__(self, run: Run, look: Look, pattern: Pattern, born: Any) -> None:
        self._run, self._look, self._born = run, look, born
        self._sizes, self._graphs = pattern.sizes, pattern.graphs
        self.objects: list[Any] = [None] * len(pattern.numbers)
        self._memories: list[Any] = [None] * len(pattern.sizes)
        self._parts = [part_of_graphs(self._number, inputs, look) for inputs in pattern.parts]

    def _number(self) -> Any:
        return self._run.fake.new((), (), torch.float32, 0, None, torch.float32.itemsize)

    def fill(self, held: dict[str, Any], attributes: list[tuple[str, Any]]) -> None:
        """Give an object its attributes: most are plain, or the empty dicts of a layer's hooks."""
        for name, part in attributes:
            kind, what = part
            if kind == "is":
                held[name] = what
            elif (kind is dict or kind is collections.OrderedDict) and not what[1]:
                held[name] = self.objects[what[0]] = kind()
            else:
                held[name] = self.value(part)

    def value(self, part: Any) -> Any:
        kind, what = part
        if kind == "is":
            return what
        if kind == "tensor":
            at, made = what
            tensor = self.objects[at] = self._tensor(made)
            return tensor
        if kind == "object":
            cls, at, attributes = what
            made = self.objects[at] = _blank(self.value(cls))
            self.fill(vars(made), attributes)
            return made
        if kind == "tuple":
            cls, items = what
            return tuple.__new__(self.value(cls), [self.value(item) for item in items])
        if kind is tuple:
            return tuple([self.value(item) for item in what])
        if kind is list:
            made = self.objects[what[0]] = [self.value(item) for item in what[1]]
            return made
        if kind in (dict, collections.OrderedDict):
            made = self.objects[what[0]] = kind((key, self.value(item)) for key, item in what[1])
            return made
        if kind == "held":
            return self._look.held[what]
        if kind == "again":
            return self.objects[what]
        if kind == "born":
            return self._born
        if kind == "set":
            return set(what)
        if kind == "ref":
            return weakref.ref(self.value(what))
        if kind == "code":
            return self._look.codes[what[0]].objects[what[1]]
        why, tensor, text, sample, limits = what
        unknown = Unknown(why, tensor, sample=sample)
        unknown.kind, unknown.limits = text, limits
        return unknown

    def _tensor(self, made: _Tensor) -> Any:
        def new() -> Any:
            memory = self._memories[made.memory]
            size = self._sizes[made.memory]
            tensor = self._run.fake.new(made.shape, made.stride, made.dtype, made.offset, memory, size)
            self._memories[made.memory] = tensor.untyped_storage()
            return tensor

        if made.graph is None:
            tensor = new()
        else:
            graph = self._graphs[made.graph]
            tensor = connected(new, graph, self._look, [self._parts[at] for at in graph.shared])
        if made.graph is None and made.requires_grad:
            tensor.requires_grad_()
        if made.is_param:
            tensor._is_param = True
        if made.device is not None:
            place(tensor, made.device)
        if made.value is not None:
            with no_dispatch(), torch._C.DisableTorchFunction():
                real = made.value[0].clone()
            values.carry(tensor, real, made.value[1])
            self._run.guard.valued = True
        return tensor
