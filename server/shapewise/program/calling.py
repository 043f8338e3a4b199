"""Calls: of what the file defines they are followed, of all else written down."""

from __future__ import annotations

import ast
from typing import Any

from .contexts import MANAGER
from .definitions import Class
from .events import Branch, Context, Loop, Within
from .keywords import CHANGES_DICT, items_of
from .standard import Standard
from .values import (
    CLASS,
    CONST,
    EITHER,
    FUNCTION,
    INSTANCE,
    NOTHING,
    PATH,
    Value,
    join,
    open_ended,
    options_of,
    roots,
)
from .walking import Scope

_REGISTERS = (".register_buffer", ".register_parameter", ".add_module", ".register_module")
"""Methods of modules that set the attribute which their first argument names."""
_READS = ("builtins.", "torch.", "json.", "yaml.", "copy.", "logging.", "pprint.", "wandb.", "dataclasses.")
"""Of what is called so no dict is changed that it is given."""
_CHANGES_LIST = (".append", ".extend", ".insert", ".pop", ".remove", ".clear", ".reverse", ".sort")
_MADE_WITH = ("dataclasses.field", "pydantic.Field", "attr.ib", "attr.field", "attrs.field")
"""How a field of a class says what it is unless another value is given."""


class Calling(Standard):
    """The part of the walk that knows calls."""

    def expr_Call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.keywords:
            return self._super(node)
        callee = self.value(node.func)
        args = tuple(one for arg in node.args for one in self.spread_out(self.value(arg)))
        kwargs: dict[str, Value] = {}
        for kw in node.keywords:
            given = self.value(kw.value)
            kwargs.update({kw.arg: given} if kw.arg else self.keywords(given, kw.value))
        results = [self._call(one, args, kwargs, node) for one in options_of(callee) if one.const is not None]
        return join(results) if results else Value(node=node)

    def spread_out(self, given: Value) -> tuple[Value, ...]:
        """The arguments that `*given` stands for, where its items are known; else itself."""
        inner = given.on if given.by == "*" else None
        if inner is None or inner.by not in ("tuple", "list") or any(one.spread for one in inner.args):
            return (given,)
        return (given,) if id(inner) in self.changed else inner.args

    def _call(
        self, callee: Value, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call
    ) -> Value:
        inside = wrapped(callee)
        if inside is not None and not callee.by.startswith("."):
            # A wrapper such as DDP calls what it wraps.
            return self._call_instance(inside, args, kwargs, node, callee)
        if inside is not None:
            callee = inside
        if callee.by == FUNCTION and callee.function is not None:
            return self._call_function(callee, args, kwargs, node)
        if callee.by == CLASS and callee.cls is not None:
            return self._construct(callee.cls, args, kwargs, node)
        if callee.by == INSTANCE and callee.cls is not None:
            return self._call_instance(callee, args, kwargs, node)
        if callee.by == "functools.partial" and callee.args and not open_ended(callee):
            first, *rest = callee.args
            if first.by in (PATH, FUNCTION, CLASS):
                return self._call(first, (*rest, *args), {**callee.kwargs, **kwargs}, node)
        if callee.by == PATH:
            if callee.path == "torch.nn.Sequential":
                args = _layers_of(args)
            name, on = callee.path, None
            value = self.handed_on(name, on, args, kwargs, node) or Value(
                name, node=node, args=args, kwargs=kwargs
            )
        elif callee.by == "." and isinstance(node.func, ast.Attribute) and not _is_held(callee):
            name, on = f".{callee.name}", callee.on
            value = self.handed_on(name, on, args, kwargs, node) or Value(
                name, node=node, on=on, args=args, kwargs=kwargs
            )
        else:
            name, on = "()", callee
            value = self.handed_on(name, on, args, kwargs, node) or Value(
                name, node=node, on=on, args=args, kwargs=kwargs
            )
        self.note("call", name, node, on=on, args=args, kwargs=kwargs, value=value)
        if name == ".update" and on is not None:
            self._update(on, args, kwargs)
        elif name == ".setdefault" and on is not None and args and args[0].const in on.keys:
            pass  # it is there
        elif name in CHANGES_DICT and on is not None:
            self.changed.add(id(on))
        if name in (".append", ".extend") and on is not None and on.by == "list" and len(args) == 1:
            # What a list may hold; how many of them is not known in a loop.
            on.args += args if name == ".append" else (args[0].args if args[0].by == "list" else args)
        if name in _CHANGES_LIST and on is not None and on.by == "list":
            if name not in (".append", ".extend") or any(
                isinstance(one, (Branch, Loop)) for one in self.where
            ):
                self.changed.add(id(on))
        if on is not None and on.by == "torch.nn.Sequential" and name in (".append", ".add_module"):
            surely = not any(isinstance(one, Branch) for one in self.where)
            on.args += args[-1:] if surely else (Value("*", spread=True),)
        if name in _REGISTERS and on is not None and on.by == INSTANCE and len(args) > 1:
            if isinstance(args[0].const, str):
                on.attrs[args[0].const] = args[1]
        if name in (".add_argument", ".set_defaults") and on is not None:
            self.told_of_options(name, on, args, kwargs)
        if name in (".enter_context", ".enter_async_context") and len(args) == 1:
            return self._enter_context(args[0], node)
        self._hand_over(name, args, kwargs, node)
        return value

    def _enter_context(self, given: Value, node: ast.Call) -> Value:
        """What an ExitStack enters holds to the end of the block around it."""
        result, depth = given, len(self.where)
        blocks: list[Context] = [Within(given, node)]

        def inner(yielded: Value) -> None:
            nonlocal result, blocks
            result, blocks = yielded, self.where[depth:]

        self.within_manager(given, inner)
        self.where += blocks
        return result

    def _update(self, on: Value, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
        """`on.update(...)`: of what is not known any item may be another."""
        for given in args:
            items = items_of(given)
            for key, value in {NOTHING: Value()}.items() if items is None else items.items():
                self.put(on, key, value)
        for key, value in kwargs.items():
            self.put(on, NOTHING if key == "**" else key, value)

    def _hand_over(self, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.AST) -> None:
        """What is given to a call that is not followed may be called by it, or changed; a closure given to `step` is."""
        for arg in (*args, *kwargs.values()):
            if arg.by in ("dict", "list") and not name.startswith(_READS):
                self.changed.add(id(arg))
            if arg.by == "functools.partial" and arg.args and arg.args[0].function is not None:
                self._hand_over_partial(arg, node)
            if arg.by != FUNCTION or arg.function is None or not self.can_enter(arg.function):
                continue
            if name == ".step":
                self.enter(arg, [], {}, node)
            elif isinstance(arg.node, ast.Lambda):
                with self.around(Branch(object(), 0, node)):
                    self.enter(arg, [self.given(one, node) for one in arg.function.parameters()], {}, node)

    def _hand_over_partial(self, given: Value, node: ast.AST) -> None:
        """A function whose first arguments are known is called with others."""
        made, *known = given.args
        assert made.function is not None
        if open_ended(given) or not self.can_enter(made.function):
            return
        left = made.function.parameters()[len(known) + (made.bound is not None) :]
        more = [self.given(one, node) for one in left if one.arg not in given.kwargs]
        with self.around(Branch(object(), 0, node)):
            self.enter(made, [*known, *more], given.kwargs, node)

    def _call_function(
        self, callee: Value, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call
    ) -> Value:
        function = callee.function
        assert function is not None
        managed = self.is_manager(function)
        follows = managed or self.can_enter(function)
        event = self.note(
            "call",
            "def",
            node,
            on=callee,
            args=args,
            kwargs=kwargs,
            value=Value("def", node=node, on=callee, args=args, kwargs=kwargs),
            followed=follows,
        )
        assert event.value is not None
        if managed:  # its body is walked around the block
            return Value(MANAGER, node=node, on=callee, args=args, kwargs=kwargs)
        return self.enter(callee, args, kwargs, node) if follows else event.value

    def _construct(
        self, cls: Any, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call
    ) -> Value:
        value = self.instance(cls, node)
        value.args, value.kwargs = args, kwargs
        init = cls.method("__init__")
        follows = init is not None and self.can_enter(init)
        self.note(
            "call",
            "class",
            node,
            on=self.classes.get(cls.node),
            args=args,
            kwargs=kwargs,
            value=value,
            followed=follows or init is None,
        )
        if follows and init is not None:
            self.enter(self.method(value, init.node, node), args, kwargs, node)
        elif init is None:
            fields = [name for one in reversed(list(cls.ancestry())) for name in one.fields()]
            given = {**dict(zip(fields, args)), **{k: v for k, v in kwargs.items() if k != "**"}}
            if "**" not in kwargs and not any(one.spread for one in args):
                value.attrs.update(self.made_by_fields(cls, [name for name in fields if name not in given]))
            value.attrs.update(given)
            after = cls.method("__post_init__")
            if after is not None and self.can_enter(after):
                self.enter(self.method(value, after.node, node), (), {}, node)
        return value

    def made_by_fields(self, cls: Class, names: list[str]) -> dict[str, Value]:
        """What `field(default_factory=Optim)` and `field(default=3)` give an object that is given none."""
        found: dict[str, Value] = {}
        for name in names:
            owner = next((one for one in cls.ancestry() if name in one.attributes), None)
            default = (
                self.classes[owner.node].attrs.get(name) if owner and owner.node in self.classes else None
            )
            if default is None or default.by not in _MADE_WITH:
                continue
            factory = default.kwargs.get("default_factory") or default.kwargs.get("factory")
            if "default" in default.kwargs or default.args:
                found[name] = default.kwargs.get("default") or default.args[0]
            elif factory is not None and isinstance(default.node, ast.Call):
                found[name] = self._call(factory, (), {}, default.node)
        return found

    def _call_instance(
        self,
        callee: Value,
        args: tuple[Value, ...],
        kwargs: dict[str, Value],
        node: ast.Call,
        wrapper: Value | None = None,
    ) -> Value:
        assert callee.cls is not None
        method = callee.cls.method("__call__") or callee.cls.method("forward")
        follows = method is not None and self.can_enter(method)
        value = Value("()", node=node, on=callee, args=args, kwargs=kwargs)
        self.note(
            "call", "()", node, on=wrapper or callee, args=args, kwargs=kwargs, value=value, followed=follows
        )
        if not follows or method is None:
            return value
        result = self.enter(self.method(callee, method.node, node), args, kwargs, node)
        return value if result.by in ("", CONST) else result

    def _super(self, node: ast.Call) -> Value:
        scope: Scope | None = self.scope
        while scope is not None and (scope.function is None or scope.function.cls is None):
            scope = scope.parent
        if scope is None or scope.function is None or scope.function.cls is None:
            return Value("super", node=node)
        first = next((arg.arg for arg in scope.function.parameters()), None)
        me = scope.names.get(first) if first else None
        value = Value("super", node=node, on=me, cls=scope.function.cls)
        for cls in list(scope.function.cls.ancestry())[1:]:
            for name, function in cls.methods.items():
                if name not in value.attrs and me is not None:
                    value.attrs[name] = self.method(me, function.node, node)
        return value

    def method(self, owner: Value, definition: ast.AST, node: ast.AST) -> Value:
        plain = self.functions[definition]
        assert plain.function is not None
        marks = {d.id for d in plain.function.decorators if isinstance(d, ast.Name)}
        if "staticmethod" in marks or (owner.by == CLASS and "classmethod" not in marks):
            return plain
        bound = Value(
            FUNCTION,
            node=definition,
            function=plain.function,
            scope=plain.scope,
            bound=owner,
            name=plain.name,
        )
        if {"property", "cached_property"} & marks and self.can_enter(plain.function):
            return self.enter(bound, [], {}, node)
        return bound


def _layers_of(args: tuple[Value, ...]) -> tuple[Value, ...]:
    """The layers of a Sequential that is given an `OrderedDict([("name", layer), ...])`."""
    if len(args) != 1 or args[0].by != "collections.OrderedDict" or len(args[0].args) != 1:
        return args
    items = args[0].args[0]
    if items.by == "dict" and not any(one.spread for one in items.args):
        return items.args
    pairs = items.args if items.by in ("list", "tuple") else ()
    known = bool(pairs) and all(one.by == "tuple" and len(one.args) == 2 for one in pairs)
    return tuple(one.args[1] for one in pairs) if known else args


_OF_MODULES = frozenset(
    "add_module apply bfloat16 buffers children compile cpu cuda double eval extra_repr float forward get_buffer "
    "get_parameter get_submodule half load_state_dict modules mtia named_buffers named_children named_modules "
    "named_parameters parameters register_backward_hook register_buffer register_forward_hook register_forward_pre_hook "
    "register_full_backward_hook register_full_backward_pre_hook register_load_state_dict_post_hook register_module "
    "register_parameter register_state_dict_pre_hook requires_grad_ set_extra_state get_extra_state share_memory "
    "state_dict to to_empty train type xpu zero_grad register_load_state_dict_pre_hook".split()
)
"""The methods of nn.Module."""


def _is_held(callee: Value) -> bool:
    """Whether what is called is something that an object of the file holds, and no method that it inherits."""
    owner = callee.on
    if owner is None or owner.by != INSTANCE or owner.cls is None:
        return False
    foreign = owner.cls.foreign()
    if any(not base.startswith(("torch.nn.Module", "builtins.object", "abc.")) for base in foreign):
        return False
    return not foreign or callee.name not in _OF_MODULES


def wrapped(value: Value) -> Value | None:
    """The object of a class of the file that a device move or a wrapper hands on."""
    if value.by in (INSTANCE, CLASS, FUNCTION, PATH, CONST, EITHER) or not (value.on or value.args):
        return None
    found = [root for root in roots(value) if root is not value]
    return found[0] if len(found) == 1 and found[0].by == INSTANCE else None
