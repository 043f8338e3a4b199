"""What an assignment, a loop and unpacking bind: names, attributes, items."""

from __future__ import annotations

import ast
from typing import Any

from .events import Branch, Context, Entered, Loop
from .keywords import items_of
from .values import CONST, INSTANCE, NOTHING, Value, join, options_of
from .walking import Walking

SAME_ITEMS = (
    "torch.nn.ModuleList",
    "builtins.list",
    "builtins.tuple",
    "builtins.reversed",
    "builtins.iter",
    "builtins.sorted",
    "itertools.islice",
    "itertools.cycle",
    "tqdm.tqdm",
    "tqdm.auto.tqdm",
    "tqdm.notebook.tqdm",
    "rich.progress.track",
)
"""Calls that give the items of what they are given first."""


class Targets(Walking):
    """The part of the walk that binds."""

    def assign(self, target: ast.expr, value: Value, quiet: bool = False) -> None:
        """Bind a target. `quiet`: write no event down."""
        if isinstance(target, ast.Name):
            if not value.name and value.by != CONST:
                value.name = target.id
            if not quiet:
                self.note("bind", target.id, target, args=(value,))
            function = self.scope.function
            if function is not None and target.id in function.globals:
                known = self.module_scope.names.get(target.id)
                self.module_scope.names[target.id] = join([known, value]) if known is not None else value
            else:
                self.scope.names[target.id] = value
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value)
            if value.by != CONST:
                value.also = target.attr if value.name else ""
                value.name = value.name or target.attr
            if not quiet:
                self.note("set", target.attr, target, on=owner, args=(value,))
            for one in options_of(owner):
                known = one.attrs.get(target.attr)
                unsure = known is not None and any(isinstance(c, Branch) for c in self._here())
                one.attrs[target.attr] = join([known, value]) if unsure and known is not None else value
        elif isinstance(target, ast.Subscript):
            owner, index = self.value(target.value), self.value(target.slice)
            if not quiet:
                self.note("store", "[]=", target, on=owner, args=(index, value))
            for one in options_of(owner):
                self.put(one, index.const, value)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, Value("item", on=value), quiet)
        elif isinstance(target, (ast.Tuple, ast.List)):
            whole = self.fields_in_order(value) or value
            starred = any(isinstance(each, ast.Starred) for each in target.elts)
            fits = whole.by in ("tuple", "list") and len(whole.args) == len(target.elts) and not starred
            for number, each in enumerate(target.elts):
                self.assign(each, whole.args[number] if fits else self.item(whole, number), quiet)

    def fields_in_order(self, value: Value) -> Value | None:
        """The fields of a named tuple, as the tuple that it is."""
        if value.by != INSTANCE or value.cls is None or "typing.NamedTuple" not in value.cls.foreign():
            return None
        held = tuple(value.attrs.get(name) or Value() for name in value.cls.fields())
        return Value("tuple", node=value.node, args=held)

    def put(self, owner: Value, key: Any, value: Value) -> None:
        """Write an item into a list or a dict that is written out. Where it is not surely written there, it may be there."""
        if owner.by == "dict":
            known, places = key is not NOTHING, [at for at, one in enumerate(owner.keys) if one == key]
        elif owner.by == "list":
            known, places = type(key) is int and not any(one.spread for one in owner.args), []
            if known and -len(owner.args) <= key < len(owner.args):
                places = [key % len(owner.args)]
        else:
            self.changed.add(id(owner))
            return
        if not known:
            self.changed.add(id(owner))
        sure = known and not any(isinstance(one, (Branch, Loop)) for one in self.where)
        if owner.by == "dict" and known and not places:
            owner.keys += (key,)
            owner.args += (value if sure else join([value, Value()]),)
            return
        items = list(owner.args)
        for at in places if known else range(len(items)):
            if not items[at].spread:
                items[at] = value if sure else join([items[at], value])
        owner.args = tuple(items)

    def _here(self) -> list[Context]:
        """The contexts within the function that is being walked."""
        start = max((i for i, one in enumerate(self.where) if isinstance(one, Entered)), default=-1)
        return self.where[start + 1 :]

    def item(self, value: Value, number: int) -> Value:
        """One of the items that unpacking takes out of a value."""
        if value.by in (".prepare", ".setup") and number < len(value.args) and len(value.args) > 1:
            return Value(value.by, node=value.node, on=value.on, args=(value.args[number],))
        if value.by == "builtins.zip" and number < len(value.args):
            return Value("for", on=value.args[number])
        return Value("item", on=value, keys=(number,)) if value.by != "const" else Value()

    def keywords(self, given: Value, written: ast.expr) -> dict[str, Value]:
        """The arguments that `**given` stands for, where it is a dict that is known and never changed; else itself."""
        known = self.unchanged(given, written)
        return {"**": given} if known is None else known

    def unchanged(self, value: Value, written: ast.expr | None) -> dict[str, Value] | None:
        names = {getattr(written, "id", ""), getattr(written, "attr", "")}
        changed = self._is_changed(value) or (names & self.changed_names and not self._is_made_here(value))
        return None if changed else items_of(value, self._is_changed)

    def _is_changed(self, value: Value) -> bool:
        """Whether a dict may hold something else than what was seen to be put into it."""
        if id(value) in self.changed:
            return True
        return value.name in self.changed_names and not self._is_made_here(value)

    def _is_made_here(self, value: Value) -> bool:
        """Whether it is made in the function that is being walked, so that all was seen that was done to it so far."""
        function = self.scope.function.node if self.scope.function is not None else None
        made = getattr(value.node, "lineno", 0)
        return function is not None and function.lineno <= made <= (function.end_lineno or 0)

    def assign_item(self, target: ast.expr, over: Value) -> None:
        """Bind the target of a loop to one of what it goes over."""
        pair = isinstance(target, ast.Tuple) and len(target.elts) == 2
        if over.by == ".items" and pair and (held := self._held_values(over.on)):
            assert isinstance(target, ast.Tuple)
            self.assign(target.elts[0], Value("for"))
            self.assign(target.elts[1], join(held))
        elif over.by == "builtins.enumerate" and pair:
            assert isinstance(target, ast.Tuple)
            self.assign(target.elts[0], Value("for"))
            self.assign_item(target.elts[1], over.args[0] if over.args else Value())
        elif over.by == "builtins.zip" and isinstance(target, ast.Tuple):
            for number, each in enumerate(target.elts):
                self.assign_item(each, over.args[number] if number < len(over.args) else Value())
        elif over.by in SAME_ITEMS and over.args:
            self.assign_item(target, over.args[0])
        else:
            self.assign(target, self.one_of(over))

    def one_of(self, over: Value) -> Value:
        """One of what something goes over."""
        if over.by == ".values" and (held := self._held_values(over.on)):
            return join(held)
        if over.by in ("tuple", "list") and over.args and not any(arg.spread for arg in over.args):
            one = join(list(over.args))
            return one if one.by or len(over.args) == 1 else Value("for", on=over)
        if over.by in ("listcomp", "genexp", "generator") and over.args and not over.args[0].spread:
            return over.args[0]
        if over.by in SAME_ITEMS and over.args:
            return self.one_of(over.args[0])
        return Value("for", on=over)

    def _held_values(self, table: Value | None) -> list[Value] | None:
        """What a dict holds, as far as it is known and stays so."""
        if table is not None and table.by == "dictcomp" and len(table.args) == 2:
            return [table.args[1]]
        known = self.unchanged(table, None) if table is not None else None
        return list(known.values()) if known else None
