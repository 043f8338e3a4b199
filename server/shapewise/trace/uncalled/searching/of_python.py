"""What Python refused: an int called, iterated, asked for a field; a shape of another length; a list of another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import torch

from ...fakes.devices import tensors_in
from ...unknowns.values import element
from ..inputs.sizes import Free
from ..inputs.specs import RANKS, Array, Bundle, Opaque, Plain, Row, Spec, bundles_in, with_rank
from ..reading.arguments import keeps_shapes, of_field
from ..reading.tensors import ITEMS
from .of_lists import MOST, OfLists

_WANTS_A_NUMBER = re.compile(
    r"tuple of ints, ?but (found element of type|got) \w*Tensor|got \((int, )*(Fake)?Tensor|must be (int|Number), not \w*Tensor"
)
"""A tensor stands where torch takes a number."""
_WANTS_A_TENSOR = re.compile(r"Tensor' and 'list'|'list' and '\w*Tensor'|must be Tensor, not list")
"""A list stands where torch takes a tensor."""
_NOTHING_GIVEN = re.compile(r"ReLU\.forward\(\) missing 1 required positional argument")
_TOO_MUCH_GIVEN = re.compile(
    r"ReLU\.forward\(\) (?:takes 2 positional arguments but|got an unexpected keyword)"
)
_LONGEST = 16
"""Items of a list of numbers."""


_FIELD = re.compile(r"'(?:types.SimpleNamespace|int)' object has no attribute '(\w+)'")
_CONFIG = re.compile(r"(config|cfg|params|args|opts?)$")
_NO_LIST = re.compile(
    r"unsupported operand type\(s\) for .*: '(?:list|tuple)' and 'int'|: 'int' and '(?:list|tuple)'"
)
"""A list stands where Python takes a number."""
_NO_TUPLE = re.compile(r"'tuple' object has no attribute|must be Tensor, not tuple")


class OfPython(OfLists):
    """One refusal of Python's own."""

    def _of_python(self) -> bool:
        """What Python refused: an int called, iterated, asked for a field; a shape of another length."""
        text = self.text
        unpacked = re.search(r"values to unpack \(expected (?:at least )?(\d+)(?:, got (\d+))?", text)
        if unpacked is not None and self.trouble.given:
            value = self.trouble.given[0]
            if isinstance(value, (tuple, list)):
                if value and all(isinstance(one, torch.Tensor) for one in value):
                    if self._longer(int(unpacked[1])):  # `c2, c3, c4, c5 = features[-4:]`
                        return True
                    if self.in_parts(value, int(unpacked[1])):
                        return True
                    return self.unify(len(value), int(unpacked[1]), exactly=True)  # `x.unbind(-1)`
                for array in self.arrays():  # `b, c, h, w, heads = *x.shape, self.heads`
                    if value and _is_part(self.shape_of(array), tuple(value)):
                        rank = len(array.dims or ()) + int(unpacked[1]) - len(value)
                        if rank not in array.ranks and rank not in RANKS and rank <= MOST:
                            array.ranks.append(rank)
                        return self.try_rank(array, rank)
                if (
                    value
                    and all(type(one) is int for one in value)
                    and self._of_as_many(value, int(unpacked[1]))
                ):
                    return True
            if isinstance(value, torch.Tensor) and value.dim():
                return self.unify(int(value.shape[0]), int(unpacked[1]))
        if isinstance(self.trouble.error, IndexError) and self._of_more(*self.trouble.given):
            return True
        if isinstance(self.trouble.error, KeyError) and self._of_keys(self.trouble.error.args[0]):
            return True
        if (field := _FIELD.search(text)) is not None and self._of_fields(field[1]):
            return True
        if "indices must be integers or slices, not str" in text and self._of_a_dict(*self.trouble.given):
            return True
        if "only Tensors of floating point dtype" in text and self._of_a_float():
            return True
        if _NO_TUPLE.search(text) and any(map(self._of_one, self.trouble.given)):
            return True
        if "not iterable" in text or "cannot unpack non-iterable int" in text or "has no len" in text:
            if any(type(value) is int and self._of_lists(value, 2) for value in self.trouble.given):
                return True
        if _NO_LIST.search(text) and any(map(self._of_number, self.trouble.given)):
            return True
        if "'int' object is not subscriptable" in text and len(self.trouble.given) == 2:
            if type(self.trouble.given[0]) is int and self._of_lists(self.trouble.given[0], ITEMS):
                return True
        several = re.search(r"\(position (\d+)\) must be tuple of ints, not int", text)
        if several is not None and int(several[1]) <= len(self.trouble.given):
            path = self._spec_of(self.trouble.given[int(several[1]) - 1])
            if path is not None:
                path[0][path[1]] = Row([Free(f"{path[1]}[{at}]", small=True) for at in range(2)], tuple)
                return True
        integer = re.search(r"\(position (\d+)\) must be int, not", text)
        if integer is not None and int(integer[1]) <= len(self.trouble.given):
            if self._is_a_number(self.trouble.given[int(integer[1]) - 1]):
                return True
        if _WANTS_A_NUMBER.search(text) and any(
            map(self._is_a_number, tensors_in([*self.args, *self.trouble.given]))
        ):
            return True
        if _WANTS_A_TENSOR.search(text):
            if any(self._of_tensor(value) for value in self.trouble.given):
                return True
        if _NOTHING_GIVEN.search(text) and self._no_activation(self.trouble.given, Plain(torch.nn.ReLU)):
            return True
        if _TOO_MUCH_GIVEN.search(text) and self._no_activation(self.trouble.given, Opaque()):
            return True
        for value in self.trouble.given:
            if type(value) is int and (path := self._spec_of(value)) is not None:
                specs, name = path
                keys = [key for key in self.trouble.given if type(key) is str and "not subscriptable" in text]
                if keys:
                    specs[name] = Row([of_field(keys[0])], dict, keys=(keys[0],))
                    return True
                if "not callable" in text and specs not in self.specs and not keeps_shapes(name):
                    specs[name] = Opaque()  # `backbone.forward`
                elif "not callable" in text:
                    specs[name] = Plain(torch.nn.ReLU())
                elif "not iterable" in text or "not subscriptable" in text or "has no len" in text:
                    specs[name] = Row([Free(f"{name}[0]"), Free(f"{name}[1]")])
                elif "has no attribute" in text:
                    specs[name] = Opaque()
                else:
                    continue
                return True
        return False

    def _no_activation(self, values: Sequence[Any], instead: Spec) -> bool:
        """What was taken for an activation is another: what makes one, `activation()`, or a layer of another kind, `attention(q, k, v)`."""
        for specs in (*self.specs, *(bundle.fields for bundle in self._bundles())):
            for name, spec in specs.items():
                if isinstance(spec, Plain) and isinstance(spec.value, torch.nn.ReLU):
                    if any(spec.value is value for value in values):
                        specs[name] = instead
                        return True
        return False

    def _bundles(self) -> list[Bundle]:
        return bundles_in([spec for specs in self.specs for spec in specs.values()])

    def _of_fields(self, name: str) -> bool:
        """A configuration has one field more, or what was taken for a number is one: `config.text_config.width`."""
        owner = getattr(self.trouble.error, "obj", None)
        if type(owner) is int:
            path = self._spec_of(owner)
            if path is None or not _CONFIG.search(path[1]):
                return False
            named = [one for one, spec in path[0].items() if isinstance(spec, Free) and _CONFIG.search(one)]
            path[0].update((one, Bundle({name: of_field(name)})) for one in named)
            return True
        alike = [
            bundle
            for bundle in self._bundles()
            if bundle.cls is None and (owner is None or vars(owner).keys() == bundle.fields.keys())
        ]
        for bundle in alike:
            bundle.fields.setdefault(name, of_field(name))
        return bool(alike)

    def _of_a_float(self) -> bool:
        """A number of which a parameter is made is no integer: `nn.Parameter(torch.tensor(config.scale))`."""
        for tensor in tensors_in([*self.args, *self.trouble.given]):
            path = self._spec_of(element(tensor))
            if path is not None:
                path[0][path[1]] = Plain(0.5)
                return True
        return False

    def _of_one(self, value: Any) -> bool:
        """What was taken for a tuple of tensors is one of them, whatever its annotation says."""
        for specs in self.specs:
            for name, spec in specs.items():
                tensors = (
                    isinstance(spec, Row) and spec.items and all(isinstance(one, Array) for one in spec.items)
                )
                if tensors and type(value) is tuple and len(value) == len(spec.items):  # type: ignore[union-attr]
                    specs[name] = Array()
                    return True
        return False

    def _of_keys(self, key: Any) -> bool:
        """A dict that was made up has one key more."""
        given = next((one for one in self.trouble.given if isinstance(one, dict)), None)
        if given is None or type(key) is not str:
            return False
        for holder in [*self.specs, *(bundle.fields for bundle in self._bundles())]:
            for name, spec in holder.items():
                if isinstance(spec, Row) and spec.kind is dict and spec.keys == tuple(given):
                    holder[name] = Row([*spec.items, of_field(key)], dict, keys=(*spec.keys, key))
                    return True
        return False

    def _of_more(self, value: Any = None, at: Any = None, *_: Any) -> bool:
        """A list of numbers is asked for one that it has not: `backbone.channels[4]`."""
        if type(value) not in (list, tuple) or type(at) is not int or not len(value) <= at < _LONGEST:
            return False
        for holder in [*self.specs, *(bundle.fields for bundle in self._bundles())]:
            for name, spec in holder.items():
                if isinstance(spec, Row) and spec.items and self._numbers_in(spec) == list(value):
                    more = [Free(f"{name}[{one}]") for one in range(len(spec.items), at + 1)]
                    holder[name] = Row([*spec.items, *more], spec.kind)
                    return True
        return False

    def _of_a_dict(self, value: Any, key: Any) -> bool:
        """What was taken for a list of numbers is asked for a key: a configuration is a dict, `config["width"]`."""
        for specs in self.specs:
            for name, spec in specs.items():
                if isinstance(spec, Row) and type(value) in (list, tuple) and type(key) is str:
                    if spec.items and self._numbers_in(spec) == list(value)[: len(spec.items)]:
                        specs[name] = Row([of_field(key)], dict, keys=(key,))
                        return True
        return False

    def _is_a_number(self, tensor: Any) -> bool:
        """An input is an integer, that was taken for a tensor."""
        array = self.array_of(tensor)
        for specs in self.specs:
            for name, spec in specs.items():
                if spec is array and array is not None:
                    specs[name] = Free(name)
                    return True
        return False

    def _of_tensor(self, value: Any) -> bool:
        """A list of numbers is computed with as a tensor is: it is one."""
        for specs in self.specs:
            for name, spec in specs.items():
                if (
                    isinstance(spec, Row)
                    and spec.open
                    and isinstance(value, list)
                    and len(value) >= len(spec.items)
                ):
                    numbers = [one for one in spec.items if isinstance(one, Free)]
                    if [self.attempt.sizes.value(one, self.attempt.run) for one in numbers] == value[
                        : len(spec.items)
                    ]:
                        made = Array(dtype=torch.int64, ranks=[1])
                        with_rank(made, 1)
                        specs[name] = made
                        return True
        return False

    def _spec_of(self, value: Any) -> tuple[dict[str, Spec], str] | None:
        """Where the one parameter or field stands that has this number."""
        waiting = list(self.specs)
        while waiting:
            specs = waiting.pop()
            for name, spec in specs.items():
                if isinstance(spec, Bundle):
                    waiting.append(spec.fields)
                elif isinstance(spec, Free) and self.attempt.sizes.value(spec, self.attempt.run) == value:
                    return specs, name
        return None


def _is_part(part: tuple[Any, ...], whole: tuple[Any, ...]) -> bool:
    """Whether some values stand in others, side by side."""
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))
