"""The whole walk: expressions, on top of calls, statements, functions and targets."""

from __future__ import annotations

import ast
from typing import Any

from .calling import Calling, wrapped
from .conditions import decided
from .events import Branch, Loop
from .folding import folded
from .names import is_builtin, spelled
from .spelling import operator_name
from .standard import is_callable
from .values import (
    CLASS,
    CONST,
    DISPLAYS,
    EITHER,
    GIVEN,
    INSTANCE,
    NOTHING,
    PATH,
    Value,
    join,
)
from .walking import Scope


class Walk(Calling):
    """The whole walk through one file."""

    def value(self, node: ast.expr | None) -> Value:
        if node is None:
            return Value(CONST, const=None)
        method = getattr(self, f"expr_{type(node).__name__}", None)
        if method is None:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.value(child)
            return Value(node=node)
        value = method(node)
        assert isinstance(value, Value)
        return value

    # ------------------------------------------------------------ names, constants, displays

    def expr_Constant(self, node: ast.Constant) -> Value:
        return Value(CONST, node=node, const=node.value)

    def expr_Name(self, node: ast.Name) -> Value:
        scope: Scope | None = self.scope
        while scope is not None:
            known = scope.names.get(node.id)
            if known is not None:
                return known
            if scope.function is not None and node.id in scope.function.locals:
                break
            scope = scope.parent
        if scope is None and is_builtin(node.id):
            return Value(PATH, node=node, path=f"builtins.{node.id}")
        value = Value(node=node, name=node.id)
        (scope or self.module_scope).names[node.id] = value
        return value

    def _display(self, by: str, node: ast.List | ast.Tuple | ast.Set) -> Value:
        return Value(by, node=node, args=tuple(self.value(item) for item in node.elts))

    def expr_List(self, node: ast.List) -> Value:
        return self._display("list", node)

    def expr_Tuple(self, node: ast.Tuple) -> Value:
        return self._display("tuple", node)

    def expr_Set(self, node: ast.Set) -> Value:
        return self._display("set", node)

    def expr_Dict(self, node: ast.Dict) -> Value:
        items: list[Value] = []
        keys: list[Any] = []
        for key, item in zip(node.keys, node.values):
            value = self.value(item)
            keys.append(self.value(key).const if key is not None else NOTHING)
            items.append(value if key is not None else Value("*", on=value, spread=True))
        return Value("dict", node=node, args=tuple(items), keys=tuple(keys))

    def expr_Starred(self, node: ast.Starred) -> Value:
        return Value("*", node=node, on=self.value(node.value), spread=True)

    def expr_JoinedStr(self, node: ast.JoinedStr) -> Value:
        parts = [self.value(v.value) for v in node.values if isinstance(v, ast.FormattedValue)]
        return Value("fstring", node=node, args=tuple(parts))

    def expr_Lambda(self, node: ast.Lambda) -> Value:
        return self.define(node, None)

    # ------------------------------------------------------------ operators

    def expr_BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        by = operator_name(node.op)
        if left.by == right.by == CONST:
            return folded(by, left.const, right.const, node)
        value = Value(by, node=node, args=(left, right))
        self.note("op", by, node, args=value.args, value=value)
        return (self.merged(left, right, node) if by == "|" else None) or value

    def expr_UnaryOp(self, node: ast.UnaryOp) -> Value:
        operand = self.value(node.operand)
        if isinstance(node.op, ast.USub) and isinstance(operand.const, (int, float)):
            return Value(CONST, node=node, const=-operand.const)
        return Value(operator_name(node.op), node=node, args=(operand,))

    def expr_BoolOp(self, node: ast.BoolOp) -> Value:
        return Value("bool", node=node, options=tuple(self.value(value) for value in node.values))

    def expr_Compare(self, node: ast.Compare) -> Value:
        operands = [self.value(node.left), *(self.value(one) for one in node.comparators)]
        value = Value("compare", node=node, args=tuple(operands))
        for number, op in enumerate(node.ops):
            self.note(
                "op", operator_name(op), node, args=(operands[number], operands[number + 1]), value=value
            )
        return value

    def expr_IfExp(self, node: ast.IfExp) -> Value:
        known = decided(node.test, self.value(node.test), self.unsettled)
        fork = object()
        options = []
        for number, way in enumerate((node.body, node.orelse)):
            with self.around(Branch(fork, number, node, node.test)):
                options.append(self.value(way))
        return join(options) if known is None else options[0 if known else 1]

    def expr_NamedExpr(self, node: ast.NamedExpr) -> Value:
        value = self.value(node.value)
        self.assign(node.target, value)
        return value

    def expr_Subscript(self, node: ast.Subscript) -> Value:
        return self._item_at(self.value(node.value), self.value(node.slice), node)

    def _item_at(self, owner: Value, index: Value, node: ast.Subscript) -> Value:
        owner = self.fields_in_order(owner) or owner
        if owner.by == EITHER:
            several = [one for one in owner.options if one.const is not None]
            if several and all(one.by in DISPLAYS for one in several):
                return join([self._item_at(one, index, node) for one in several])
        if owner.by in _HOLD_ITEMS and len(owner.args) == 1 and index.const is not NOTHING:
            held = self._item_at(owner.args[0], index, node) if owner.args[0].by in DISPLAYS else None
            if held is not None and held.by != "[]":
                return held
        if owner.by == "builtins.vars" and len(owner.args) == 1 and isinstance(index.const, str):
            return self.attribute(owner.args[0], index.const, node)
        if index.const is NOTHING and (chosen := _one_of_many(owner)) is not None:
            return chosen
        if owner.by in ("tuple", "list") and type(index.const) is int:
            if -len(owner.args) <= index.const < len(owner.args) and not any(a.spread for a in owner.args):
                return owner.args[index.const]
        if owner.by == "dict" and index.const is not NOTHING and index.const in owner.keys:
            at = max(at for at, key in enumerate(owner.keys) if key == index.const)
            known, later = owner.args[at], [one for one in owner.args[at:] if one.spread]
            if not later:
                return known
            made = all(
                one.on is not None and one.on.by == "dictcomp" for one in later
            )  # by the text, of other keys
            return Value(EITHER, node=node, options=(known, Value()), default=known if made else None)
        if owner.by == PATH and owner.path != "os.environ":
            return owner  # Optional[X], list[int]
        value = Value("[]", node=node, on=owner, args=(index,))
        self.note("index", "[]", node, on=owner, args=(index,), value=value)
        return value

    def expr_Slice(self, node: ast.Slice) -> Value:
        parts = [self.value(part) for part in (node.lower, node.upper, node.step) if part is not None]
        return Value("slice", node=node, args=tuple(parts))

    # ------------------------------------------------------------ comprehensions, generators, await

    def _comprehension(self, by: str, node: Any, *parts: ast.expr) -> Value:
        outer, self.scope = self.scope, Scope(dict(self.scope.names), self.scope.parent, self.scope.function)
        depth = len(self.where)
        source = Value()
        try:
            for number, generator in enumerate(node.generators):
                over = self.iterated(self.value(generator.iter), node)
                source = over if number == 0 else source
                self.where.append(Loop(node, over))
                self.assign_item(generator.target, over)
                for test in generator.ifs:
                    self.value(test)
                if generator.ifs:
                    self.where.append(Branch(object(), 0, node, generator.ifs[0]))
            items = tuple(self.value(part) for part in parts)
        finally:
            del self.where[depth:]
            self.scope = outer
        return Value(by, node=node, on=source, args=items)

    def expr_ListComp(self, node: ast.ListComp) -> Value:
        return self._comprehension("listcomp", node, node.elt)

    def expr_SetComp(self, node: ast.SetComp) -> Value:
        return self._comprehension("listcomp", node, node.elt)

    def expr_GeneratorExp(self, node: ast.GeneratorExp) -> Value:
        return self._comprehension("genexp", node, node.elt)

    def expr_DictComp(self, node: ast.DictComp) -> Value:
        """One dict of known keys where it goes over such a one: each item is an object of its own."""
        first = node.generators[0]
        pair = first.target.elts if isinstance(first.target, ast.Tuple) else []
        over = first.iter.func if isinstance(first.iter, ast.Call) and not first.iter.args else None
        if len(node.generators) == 1 and not first.ifs and len(pair) == 2 and isinstance(over, ast.Attribute):
            table = (
                self.value(over.value) if over.attr == "items" and isinstance(over.value, ast.Name) else None
            )
            known = self.unchanged(table, None) if table is not None else None
            if known and len(known) <= _FEW:
                return self._dict_over(node, pair, known)
        return self._comprehension("dictcomp", node, node.key, node.value)

    def _dict_over(self, node: ast.DictComp, pair: list[ast.expr], known: dict[Any, Value]) -> Value:
        outer, self.scope = self.scope, Scope(dict(self.scope.names), self.scope.parent, self.scope.function)
        keys: list[Any] = []
        items: list[Value] = []
        try:
            for key, held in known.items():
                self.assign(pair[0], Value(CONST, const=key))
                self.assign(pair[1], held)
                keys.append(self.value(node.key).const)
                items.append(self.value(node.value))
        finally:
            self.scope = outer
        return Value("dict", node=node, args=tuple(items), keys=tuple(keys))

    def expr_Await(self, node: ast.Await) -> Value:
        return self.value(node.value)

    def expr_Yield(self, node: ast.Yield) -> Value:
        value = self.value(node.value)
        self.note("yield", "yield", node, args=(value,))
        if self.scope.at_yield is not None:
            self.scope.at_yield(value)
        self.scope.yields.append(value)
        return Value(node=node)

    def expr_YieldFrom(self, node: ast.YieldFrom) -> Value:
        value = self.value(node.value)
        self.note("yield", "yield", node, args=(value,))
        self.scope.yields.append(Value("for", on=value))
        return Value(node=node)

    # ------------------------------------------------------------ attributes

    def expr_Attribute(self, node: ast.Attribute) -> Value:
        return self.attribute(self.value(node.value), node.attr, node)

    def attribute(self, owner: Value, name: str, node: ast.AST) -> Value:
        """What an attribute of a value is. Of one nobody knows it is always the same object."""
        if owner.by == PATH:
            return Value(PATH, node=node, path=spelled(f"{owner.path}.{name}"))
        if owner.by == EITHER:
            found = [self.attribute(one, name, node) for one in owner.options if one.const is not None]
            return join(found) if found else Value(node=node, name=name)
        known = owner.attrs.get(name)
        if known is not None:
            return known
        inside = wrapped(owner)
        if inside is not None and (name in inside.attrs or (inside.cls and inside.cls.method(name))):
            return self.attribute(inside, name, node)
        if owner.by in (INSTANCE, CLASS) and owner.cls is not None:
            for cls in owner.cls.ancestry():
                if name in cls.methods:
                    return self.method(owner, cls.methods[name].node, node)
                if name in cls.attributes:
                    value = self.classes[cls.node].attrs.get(name) if cls.node in self.classes else None
                    if value is not None:
                        return value
        if owner.by == CONST and name == "value":
            return owner  # of a member of an Enum
        if name == "__dict__":
            return Value("builtins.vars", node=node, args=(owner,))
        value = Value(".", node=node, on=owner, name=name, default=self._unless_said(owner, name, node))
        owner.attrs[name] = value
        return value

    def _unless_said(self, owner: Value, name: str, node: ast.AST) -> Value | None:
        """What an attribute is unless somebody says so: an option of the command line, a field of a config that is given."""
        if owner.default is not None:
            return self.attribute(owner.default, name, node)
        if owner.by == GIVEN and owner.cls is not None:
            for cls in owner.cls.ancestry():
                if name in cls.attributes and cls.node in self.classes:
                    made = self.made_by_fields(cls, [name])
                    return made.get(name) or self.classes[cls.node].attrs.get(name)
            return None
        return self.option(owner, name)


_FEW = 6
"""Items of a dict, up to which a comprehension over it is followed for each."""
_HOLD_ITEMS = ("torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.Sequential")
_OBJECTS = ("torch.optim.", "torch.nn.")


def _one_of_many(owner: Value) -> Value | None:
    """One of functions or classes in a display, or of objects that a comprehension makes, whichever it is."""
    if owner.by in DISPLAYS and owner.args and all(is_callable(one) for one in owner.args):
        return join(list(owner.args))
    made = owner.args[-1] if owner.by in ("listcomp", "dictcomp") and owner.args else None
    if made is not None and (
        made.by == INSTANCE or made.by.startswith(_OBJECTS) and made.short()[:1].isupper()
    ):
        return made
    return None
