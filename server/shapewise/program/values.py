"""One value as the text makes it: by what, of what."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .definitions import Class, Function


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Any = _Nothing()
"""In place of a constant that is not known; None is one that is."""

EITHER = "either"
PATH = "path"
CONST = "const"
INSTANCE = "instance"
FUNCTION = "function"
CLASS = "class"
GIVEN = "given"
DISPLAYS = ("tuple", "list", "set", "dict")


@dataclass(eq=False, slots=True, repr=False)
class Value:
    """A value, known by how it came about. Two are the same object only if they are this same one.

    `by` says what made it:
    - the dotted path of what was called (`torch.optim.Adam`), with `args` and `kwargs`;
    - `.name` for a method called on `on`; `()` for a value called as such, as a layer is;
    - an operator (`+`, `[]`), with its operands in `args`; `.` for an attribute `name` of `on`;
    - `tuple`, `list`, `set`, `dict` for a display, with `args` as items (and `keys`);
    - `const`, with `const`; `path` for what an import names, with `path`; `given` for a parameter;
    - `instance`, `class`, `function` for what the file defines, with `cls` or `function`;
    - `item`, `for` for one of the items of `on`; `either` for one of `options`; "" if nobody knows.
    `name` is what the text first calls it, `also` what it calls it later. `default`: what a parameter is where nobody gives it.
    """

    by: str = ""
    node: ast.AST | None = None
    on: Value | None = None
    args: tuple[Value, ...] = ()
    kwargs: dict[str, Value] = field(default_factory=dict)
    name: str = ""
    const: Any = NOTHING
    path: str = ""
    keys: tuple[Any, ...] = ()
    options: tuple[Value, ...] = ()
    function: Function | None = None
    cls: Class | None = None
    bound: Value | None = None
    scope: Any = None
    annotation: str = ""
    attrs: dict[str, Value] = field(default_factory=dict)
    default: Value | None = None
    also: str = ""
    spread: bool = False

    def __repr__(self) -> str:
        return f"<{self.by or '?'} {self.name}>"

    def argument(self, name: str, position: int | None = None) -> Value | None:
        """An argument of the call that made it, by keyword or by place (from 0)."""
        return argument(self.args, self.kwargs, name, position)

    def made_of(self) -> tuple[Value, ...]:
        """What it was made of: receiver, arguments, options."""
        on = (self.on,) if self.on is not None else ()
        return (*on, *self.args, *self.kwargs.values(), *self.options)

    def short(self) -> str:
        """The last part of what made it: `Adam` of `torch.optim.Adam`, `to` of `.to`."""
        return self.by.rsplit(".", 1)[-1]


def argument(
    args: tuple[Value, ...], kwargs: dict[str, Value], name: str, position: int | None = None
) -> Value | None:
    """An argument by keyword, else by place; none where a `*args` may have shifted the places."""
    if name in kwargs:
        return kwargs[name]
    if position is not None and position < len(args) and not any(a.spread for a in args[: position + 1]):
        return args[position]
    return None


def open_ended(value: Value) -> bool:
    """Whether a call was given `*args` or `**kwargs`, in which anything may be."""
    return "**" in value.kwargs or any(arg.spread for arg in value.args)


def function_of(value: Value | None) -> Function | None:
    """The function of the file that a call of a value runs: itself, what a partial holds, the `__call__` or `forward` of
    an object.
    """
    while value is not None and value.by in ("functools.partial", "def"):
        value = value.on if value.by == "def" else value.args[0] if value.args else None
    if value is not None and value.by == INSTANCE and value.cls is not None:
        return value.cls.method("__call__") or value.cls.method("forward")
    return value.function if value is not None else None


def options_of(value: Value) -> tuple[Value, ...]:
    """All that it may be: itself, unless it is one of several."""
    if value.by != EITHER:
        return (value,)
    return tuple(option for each in value.options for option in options_of(each))


def join(values: list[Value]) -> Value:
    """One of several."""
    flat: list[Value] = []
    for value in values:
        for option in options_of(value):
            if all(option is not other and not _same_const(option, other) for other in flat):
                flat.append(option)
    if len(flat) == 1:
        return flat[0]
    if len(flat) > 8:
        return Value(name=flat[0].name)
    names = {value.name for value in flat if value.by != CONST or value.const is not None}
    return Value(EITHER, options=tuple(flat), name=names.pop() if len(names) == 1 else "")


def _same_const(left: Value, right: Value) -> bool:
    return (
        left.by == right.by == CONST and type(left.const) is type(right.const) and left.const == right.const
    )


def constant(value: Value | None) -> Any:
    """The one Python constant that it is, or NOTHING."""
    return NOTHING if value is None else value.const


def number(value: Value | None) -> float | None:
    """The one number that it is, no bool."""
    const = constant(value)
    return const if isinstance(const, (int, float)) and not isinstance(const, bool) else None


_KEPT = frozenset(
    "to cuda cpu mps xpu float half double bfloat16 train eval requires_grad_ apply share_memory type to_empty "
    "prepare setup compile".split()
)
_WRAPPERS = frozenset(
    "DistributedDataParallel DataParallel DDP FullyShardedDataParallel FSDP fully_shard compile script trace "
    "prepare_model convert_sync_batchnorm DataParallelModel DeepSpeedEngine".split()
)


def roots(value: Value | None) -> tuple[Value, ...]:
    """The objects that it may stand for, device moves and wrappers such as DDP and compile taken off."""
    if value is None:
        return ()
    found: list[Value] = []
    waiting, seen = [value], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if one.by in (EITHER, "bool"):  # `given or Default()` too
            waiting += one.options
        elif one.by.startswith(".") and one.by[1:] in _KEPT and one.on is not None:
            waiting.append(one.args[0] if one.short() in ("prepare", "setup") and one.args else one.on)
        elif one.by == "." and one.name in ("module", "_orig_mod") and one.on is not None:
            waiting.append(one.on)
        elif one.short() in _WRAPPERS and one.args and "." in one.by:
            waiting.append(one.args[0])
        elif one.by == CONST and one.const is None:
            continue
        else:
            found.append(one)
    return tuple(found)


def same(left: Value | None, right: Value | None) -> bool:
    """Whether two may stand for one object."""
    mine = roots(left)
    return any(one is other for one in mine for other in roots(right))


def within(value: Value, depth: int = 12) -> Iterator[Value]:
    """It and all that it was made of, however long ago, nearest first."""
    seen: set[int] = set()
    level = [value]
    for _ in range(depth):
        following: list[Value] = []
        for one in level:
            if id(one) not in seen:
                seen.add(id(one))
                yield one
                following += one.made_of()
        if not following or len(seen) > 400:
            return
        level = following


def contents(value: Value) -> Iterator[Value]:
    """It and what displays hold, however nested; no further."""
    yield value
    if value.by in (*DISPLAYS, EITHER):
        for item in (*value.args, *value.options):
            yield from contents(item)


def flows_into(value: Value, depth: int = 15, without: frozenset[int] = frozenset()) -> Iterator[Value]:
    """It and the data that it was computed from, nearest first; not the layers that computed it.

    Values whose `id` is in `without` are left out, and what only they were computed from.
    """
    seen: set[int] = set()
    level = [value]
    for _ in range(depth):
        following: list[Value] = []
        for one in level:
            if id(one) in seen or id(one) in without:
                continue
            seen.add(id(one))
            yield one
            if one.by == "()":
                following += one.args
            elif one.by == "slice":
                continue  # where a part begins and ends is no data
            elif not (one.by.startswith("torch.") and one.short()[:1].isupper()) and one.by != INSTANCE:
                following += one.made_of()
        if not following or len(seen) > 400:
            return
        level = following
