"""Subscripts of the interpreted program: read, set and deleted, at a place that is known or not."""

from __future__ import annotations

import ast
import collections
import contextlib
import operator
from typing import TYPE_CHECKING, Any

import torch

from ...vocabulary.span import Span
from .. import arrays
from ..log.facts import same
from ..state import CONTENTS, NAME
from ..unknowns import doubts, samples, values
from ..unknowns.alike import fill, kind_of_items, value_in
from ..unknowns.cuts import cut
from ..unknowns.grown import (
    DICTS,
    STORES,
    any_grown,
    decided,
    grown,
    is_grown,
    mark_of,
    put_mark,
    surely_has,
    unknown_in,
)
from ..unknowns.joining import join
from ..unknowns.lengths import in_part, marked, one_of
from ..unknowns.linked import linked
from ..unknowns.standing import Compared, compared, one_of_compared
from ..unknowns.unknown import NO_SAMPLE, Lost, Unknown, likely
from ..worlds import worlds
from .absent import no_item
from .admitted import admit
from .operators import apply
from .own import NODES

if TYPE_CHECKING:
    from ..run import Env, Run

_ALIKE = 512
"""A list of up to so many items, at an unknown index, gives what is common to all of them."""


def subscript(env: Env, span: Span, value: Any, index: Any) -> Any:
    """`value[index]`."""
    value = likely(value)
    if type(value) is Unknown:
        env.run.unfollowed += 1
    if isinstance(value, type) or type(value).__module__ == "typing":
        try:
            return admit(value[index])
        except Exception:
            return Unknown("a subscripted type")
    if isinstance(value, (list, tuple, dict)) and type(index) is not Unknown and unknown_in(index) is None:
        lost = is_grown(value)
        if lost is not None:
            if type(index) is slice:
                return _part_of(env.run, value, index, lost)
            if surely_has(value, index):
                return admit(value[index])
            if isinstance(value, collections.defaultdict) and index not in value:
                return _of_any_key(env.run, value, index)
            try:
                return value_in(value, same) if isinstance(value, dict) else kind_of_items(value, same)
            except LookupError:
                return lost
        if isinstance(value, collections.defaultdict) and value.default_factory is not None:
            env.run.journal.note(CONTENTS, value)
        if not isinstance(value, dict) and _is_of_data(index):
            index = Unknown("an index that data decides")
        else:
            try:
                return admit(value[index])
            except Exception as error:
                return no_item(env, span, value, index, error)
    if isinstance(value, collections.defaultdict) and value.default_factory is not None:
        return _of_any_key(env.run, value, index)
    if type(index) is slice and type(value) is list:
        lost = unknown_in(index)
        assert lost is not None
        return _part_of(env.run, value, index, lost)
    if type(value) is not arrays.Array:
        index = decided(index)
    is_a_pair = isinstance(value, dict) and type(index) is tuple  # a key that is known in part
    if isinstance(value, (list, tuple, dict)) and (type(index) is Unknown or is_a_pair):
        why = index.why if type(index) is Unknown else _ANY_KEY
        try:
            if is_grown(value) is not None:
                return value_in(value, same) if isinstance(value, dict) else kind_of_items(value, same)
        except LookupError:
            return is_grown(value)
        items = list(value.values()) if isinstance(value, dict) else list(value)
        try:
            return any_of(env.run, items, why)
        except LookupError:
            pass
    index = _places(value, index)
    if isinstance(value, torch.Tensor):
        return admit(
            cut(value, index, lambda within: apply(env, span, "[]", operator.getitem, [value, within]))
        )
    return admit(apply(env, span, "[]", operator.getitem, [value, index]))


def _places(value: Any, index: Any) -> Any:
    """The index as torch is given it: one that it refuses, it refuses as it is."""
    if isinstance(value, torch.Tensor) and any_grown():
        index = tuple(map(_as_many, index)) if type(index) is tuple else _as_many(index)
    if isinstance(value, torch.Tensor) and type(index) in (tuple, arrays.Array):
        with contextlib.suppress(Exception):
            return arrays.of_unknown(index)
    return index


def _as_many(index: Any) -> Any:
    """A list of integers of which nobody knows how many it has, as a tensor that has as many."""
    mark = mark_of(index) if type(index) is list else None
    if mark is None:
        return index
    if not mark.alike or not all(type(one) is int or type(one) is Unknown for one in index):
        return Unknown(mark.why)
    return torch.empty((worlds.size(),), dtype=torch.int64)


def _is_of_data(index: Any) -> bool:
    """Whether an index of a list is a tensor of one integer that nobody knows."""
    if not isinstance(index, torch.Tensor) or index.is_floating_point() or index.is_complex():
        return False
    return index.numel() == 1 and values.known(index) is None


def _part_of(run: Run, value: Any, index: slice, lost: Unknown) -> Any:
    """A slice of a list of nobody knows how many items, or of nobody knows which."""
    mark = mark_of(value)
    if not isinstance(value, list) or (mark is not None and not mark.alike):
        return Unknown(lost.why)
    window = _window(run, value, index, lost.why)
    if window is not None:
        return window
    return marked(list(value), lost.why, True, in_part(value, index))


def _window(run: Run, value: list[Any], index: slice, why: str) -> list[Any] | None:
    """`rows[i : i + 8]`: as many items as there are between two such places in this world."""
    start, stop, known = index.start, index.stop, is_grown(value) is None
    if index.step is not None or not {type(start), type(stop)} <= {Unknown, int}:
        return None
    if known and type(start) is type(stop) is int:
        return None
    try:
        kind = any_of(run, value, why) if known else kind_of_items(value, same)
        many = samples.between_places(start, stop, len(value) if known else worlds.some())
    except (LookupError, Lost):
        return None
    return None if many is None else [kind] * many


def any_of(run: Run, items: list[Any], why: str) -> Any:
    """What is common to all items of a list. Raises LookupError where there are too many."""
    if items and all(type(item) in (int, float) for item in items):
        return worlds.one_of(items, why)
    items = [*{id(item): item for item in items}.values()]
    with contextlib.suppress(LookupError, Lost):
        return linked(one_of_compared(items, _compared(run, items), why), items)
    if 0 < len(items) <= _ALIKE:
        return one_of(run.join(items), items)
    raise LookupError


def _compared(run: Run, items: list[Any]) -> Compared:
    """All items of a list side by side: of those of the last subscript (`[graphs[j] for j in order]`) once, if nothing was
    written or computed since. Raises LookupError."""
    state = run.journal.writes, run.budget.ops
    before = run.compared
    is_known = before is not None and before[0] == state and len(before[1]) == len(items)
    if before is None or not is_known or any(map(operator.is_not, before[1], items)):
        them: Compared | None = None
        with contextlib.suppress(LookupError):
            them = compared(items)
        before = run.compared = state, items, them
    if before[2] is None:
        raise LookupError
    return before[2]


def store_subscript(env: Env, span: Span, value: Any, index: Any, new: Any) -> None:
    """`value[index] = new`."""
    run, value = env.run, likely(value)
    if type(value) is Unknown:
        return
    if type(value) in STORES:
        try:
            value[index] = new
        except Exception as error:
            run.absorb(error)
        return
    if isinstance(value, (list, dict)):
        run.journal.note(CONTENTS, value)
        run.perhaps(env, value, lambda other: store_subscript(env, span, other, index, new))
        if unknown_in(index) is not None:
            _set_anywhere(run, value, index, new)
            return
    if isinstance(value, dict) and run.modules.is_names(value):
        run.journal.note(NAME, value, index)
    if isinstance(value, (list, dict)):
        try:
            value[index] = new
        except Exception as error:
            run.absorb(error)
        return
    index = _places(value, index)
    if isinstance(value, torch.Tensor) and unknown_in((index, new)) is not None:
        if (type(new) is Unknown and new.sample is NO_SAMPLE) or (
            isinstance(new, torch.Tensor) and new.requires_grad
        ):
            doubts.may_require_grad(value)
    elif type(value) is arrays.Array and unknown_in((index, new)) is not None:
        arrays.forget_numbers(value)
    apply(env, span, "[]=", operator.setitem, [value, index, new])


def _is_of_few(items: list[Any]) -> bool:
    """Whether a list holds no more than some things, each perhaps many times: `[None] * capacity`."""
    return len(items) <= _ALIKE or len(set(map(id, items))) <= _ALIKE


def _set_anywhere(run: Run, value: Any, index: Any, new: Any) -> None:
    """An item is set at an unknown index: of a list any may be the new one, of a dict there may be one more."""
    mark = mark_of(value)
    if type(value) is list and type(index) is Unknown and mark is not None and mark.alike:
        if value[-1:] == [None] and new is not None:
            value.pop()  # a place that was made for it
        value.append(new)  # it is as long as it was, and nobody knows how long that is
    elif type(value) is list and type(index) is Unknown and mark is None and _is_of_few(value):
        doubts.choose(doubts.ROUNDS)
        made = {id(item): item for item in value}
        made = {key: join(item, new, same) for key, item in made.items()}
        value[:] = [made[id(item)] for item in value]
        doubts.choose(None)
    elif isinstance(value, list) and type(index) is slice and type(new) is list:
        value.extend(new)  # those that it replaces may be others
        grown(value, "set at an unknown index", alike=mark is None or mark.alike)
    elif type(value) in DICTS:
        fill(value, "set at an unknown index", new, index, same)
    else:
        grown(value, "set at an unknown index")


_LISTS = (list, set, collections.deque)
_ANY_KEY = "read at an unknown key"


def _of_any_key(run: Run, value: Any, key: Any) -> Any:
    """`value[key]` of a defaultdict that may or may not have the key: what it made, or makes now, for it.

    One container stands for those of all keys that are not known: it has items such as are put into any of them.
    """
    why, make, mark = _ANY_KEY, value.default_factory, mark_of(value)
    run.journal.note(CONTENTS, value)
    if (number := _number_made(make)) is not None:
        if any(type(one) is not type(number) for one in value.values()):
            return Unknown(why)
        fill(value, why, number, key, same)
        return worlds.number(why) if type(number) is int else worlds.real(why)
    if make not in _LISTS or (mark is not None and type(mark.of) is not make):
        grown(value, why)
        return Unknown(why)
    for one in value.values():
        if type(one) is make:
            run.journal.note(CONTENTS, one)
            grown(one, why)  # it may be the one that is changed through what is given here
    made = make() if mark is None else mark.of
    grown(made, why, alike=not value and ((seen := mark_of(made)) is None or seen.alike))
    grown(value, why, of=made, key=key if mark is None else join(mark.key, key, same))
    return made


def _number_made(make: Any) -> int | float | None:
    """The number that a defaultdict makes: `int`, or a function without parameters that calls nothing (`lambda: UNKNOWN`)."""
    node = NODES.get(id(make))
    if isinstance(node, ast.Lambda) and isinstance(node.body, (ast.Constant, ast.Name, ast.Attribute)):
        with contextlib.suppress(Exception):
            made = make()
            return made if type(made) in (int, float) else None
    return make() if make in (int, float) else None


def _is_all(index: slice) -> bool:
    return index.start is index.stop is index.step is None


def delete_subscript(env: Env, span: Span, value: Any, index: Any) -> None:
    """`del value[index]`."""
    if type(value) is Unknown:
        return
    if type(value) in STORES:
        try:
            del value[index]
        except Exception as error:
            env.run.absorb(error)
        return
    if isinstance(value, (list, dict)):
        env.run.journal.note(CONTENTS, value)
        mark = mark_of(value)
        if mark is not None and type(index) is slice and _is_all(index) and not env.run.ways:
            value.clear()
            put_mark(value, None)
            return
        if surely_has(value, index):
            del value[index]
            return
        if mark is not None or unknown_in(index) is not None:
            alike = isinstance(value, list) and (mark is None or mark.alike)
            grown(value, "deleted from at an unknown index", alike)
            return
    if isinstance(value, dict) and env.run.modules.is_names(value):
        env.run.journal.note(NAME, value, index)
    apply(env, span, "del []", operator.delitem, [value, index])
