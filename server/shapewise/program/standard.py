"""Calls of Python's own library that only hand on what the text says: dicts, namespaces, options, attributes by name."""

from __future__ import annotations

import ast
import re

from .events import Loop
from .folding import called
from .keywords import items_of
from .options import option_names
from .statements import Statements
from .values import CONST, DISPLAYS, FUNCTION, INSTANCE, NOTHING, PATH, Value, join, open_ended, options_of

_NAMESPACES = ("types.SimpleNamespace", "argparse.Namespace")
_AS_DICT = ("dataclasses.asdict", ".asdict", "._asdict", ".model_dump")
_WITH_OTHERS = ("dataclasses.replace", "._replace", ".model_copy")
_ENVIRONMENT = ("os.environ.get", "os.getenv")
_PARSED = (".parse_args", ".parse_intermixed_args", ".parse_known_args")
_PARTS_OF_PARSERS = (".add_argument_group", ".add_mutually_exclusive_group", ".add_parser", ".add_subparsers")
_UNLESS_SAID = {"store_true": False, "store_false": True}


class Standard(Statements):
    """The part of the walk that knows what such calls give."""

    def handed_on(
        self, name: str, on: Value | None, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call
    ) -> Value | None:
        """What a call gives, where the text shows it. `name`: a dotted path, or `.method` of `on`."""
        if name == "builtins.dict":
            return self._dict(args, kwargs, node)
        if name in _NAMESPACES:
            return Value(name, node=node, kwargs=kwargs, attrs={k: v for k, v in kwargs.items() if k != "**"})
        if name in _AS_DICT or name in _WITH_OTHERS:
            owner = on if on is not None else args[0] if args else None
            if owner is None or owner.by != INSTANCE or owner.cls is None:
                return None
            return (
                self._fields_of(owner, node) if name in _AS_DICT else self._with_others(owner, kwargs, node)
            )
        if name == "builtins.getattr" and len(args) > 1:
            return self._named_attribute(args, node)
        if name in _ENVIRONMENT and len(args) == 2:
            return Value(name, node=node, args=args, default=args[1])
        if name == ".get" and on is not None and args:
            return self._got(on, args, node)
        if name == ".copy" and on is not None and on.by == "dict":
            return Value("dict", node=node, keys=on.keys, args=on.args)
        if name == "copy.deepcopy" and len(args) == 1 and args[0].by == "dict" and _is_plain(args[0]):
            return Value("dict", node=node, keys=args[0].keys, args=args[0].args)
        if name == "builtins.map" and len(args) == 2 and args[0].by == FUNCTION:
            return self._mapped(args[0], args[1], node)
        if name == "()" and on is not None and on.by == "collections.namedtuple":
            return _tuple_of(on, args, kwargs, node)
        return called(name, args, node)

    def _dict(self, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call) -> Value | None:
        """`dict(base, lr=3)` as a display."""
        base = items_of(args[0], self._is_changed) if len(args) == 1 else {}
        if base is None or len(args) > 1 or "**" in kwargs:
            return None
        items = {**base, **kwargs}
        return Value("dict", node=node, keys=tuple(items), args=tuple(items.values()))

    def merged(self, left: Value, right: Value, node: ast.AST) -> Value | None:
        """`left | right` of two dicts that are known."""
        mine = items_of(left, self._is_changed)
        others = items_of(right, self._is_changed)
        if mine is None or others is None:
            return None
        items = {**mine, **others}
        return Value("dict", node=node, keys=tuple(items), args=tuple(items.values()))

    def _fields_of(self, owner: Value, node: ast.Call) -> Value | None:
        """The dict of a dataclass's fields that `asdict(config)` is."""
        assert owner.cls is not None
        names = dict.fromkeys(name for one in reversed(list(owner.cls.ancestry())) for name in one.fields())
        held = tuple(self.attribute(owner, name, node) for name in names)
        return Value("dict", node=node, keys=tuple(names), args=held) if names else None

    def _with_others(self, owner: Value, kwargs: dict[str, Value], node: ast.Call) -> Value:
        given = {name: value for name, value in kwargs.items() if name != "**"}
        return Value(INSTANCE, node=node, cls=owner.cls, attrs={**owner.attrs, **given})

    def _named_attribute(self, args: tuple[Value, ...], node: ast.Call) -> Value | None:
        """`getattr(owner, name)`: the attribute, or of methods all whose names fit what is known of the name."""
        owner, name = args[:2]
        if isinstance(name.const, str):
            if len(args) > 2 and lacks(owner, name.const):
                return args[2]
            found = self.attribute(owner, name.const, node)
            if found.by == "." and len(args) > 2 and found.default is None:
                found.default = args[2]
            return found
        if owner.by == PATH and owner.path == "torch.optim":
            return Value(PATH, node=node, path="torch.optim.?")  # one of them, whichever
        pattern = _pattern(name)
        if owner.by != INSTANCE or owner.cls is None or pattern is None:
            return None
        methods = {one: found.methods[one].node for found in owner.cls.ancestry() for one in found.methods}
        fit = [
            self.method(owner, methods[one], node)
            for one in methods
            if len(one) <= _LONGEST_NAME and pattern.fullmatch(one)
        ]
        return join(fit) if fit else None

    def _got(self, on: Value, args: tuple[Value, ...], node: ast.Call) -> Value | None:
        """`table.get(key, other)`."""
        otherwise = args[1] if len(args) > 1 else Value(CONST, node=node, const=None)
        table = on if on.by == "dict" else None
        if table is None or any(one.spread for one in table.args) or NOTHING in table.keys:
            return Value(".get", node=node, on=on, args=args, default=args[1]) if len(args) > 1 else None
        if args[0].const is NOTHING:
            return join([*table.args, otherwise]) if _all_callable(table.args) else None
        if args[0].const in table.keys:
            return table.args[len(table.keys) - 1 - table.keys[::-1].index(args[0].const)]
        return None if self._is_changed(table) else otherwise

    def _mapped(self, function: Value, over: Value, node: ast.Call) -> Value | None:
        """`map(function, items)`: a call in each round."""
        made = function.function
        if made is None or not self.can_enter(made):
            return None
        with self.around(Loop(node, over)):
            item = self.one_of(over)
            self.note(
                "call", "def", node, on=function, args=(item,), value=Value("def", on=function), followed=True
            )
            result = self.enter(function, [item], {}, node)
        return Value("genexp", node=node, on=over, args=(result,))

    # ------------------------------------------------------------ options of the command line

    def told_of_options(
        self, name: str, on: Value, args: tuple[Value, ...], kwargs: dict[str, Value]
    ) -> None:
        """`parser.add_argument(...)`, `parser.set_defaults(...)`: what an option is unless somebody says so."""
        known = self.options.setdefault(id(_parser(on)), {})
        if name == ".set_defaults":
            known.update({key: value for key, value in kwargs.items() if key != "**"})
            return
        names = option_names(args)
        if not names:
            return
        dest = kwargs["dest"].const if "dest" in kwargs else names[0]
        action = kwargs["action"].const if "action" in kwargs else None
        if "default" in kwargs:
            known[dest] = kwargs["default"]
        elif action in _UNLESS_SAID:
            known.setdefault(dest, Value(CONST, const=_UNLESS_SAID[action]))

    def option(self, owner: Value, name: str) -> Value | None:
        """What `args.name` is unless somebody says so."""
        parsed = owner.on if owner.by == "item" and owner.on is not None and owner.keys == (0,) else owner
        if parsed.by not in _PARSED or parsed.on is None:
            return None
        top = _parser(parsed.on)
        for parser in (top, *(one for given in (top.kwargs.get("parents"),) if given for one in given.args)):
            if (found := self.options.get(id(_parser(parser)), {}).get(name)) is not None:
                return found
        return None


def lacks(owner: Value, name: str) -> bool:
    """Whether an object of the file surely has no attribute of a name: all that its class inherits is seen."""
    if owner.by != INSTANCE or owner.cls is None or name in owner.attrs or name.startswith("__"):
        return False
    if any(base not in ("builtins.object", "abc.ABC") for base in owner.cls.foreign()):
        return False
    return not any(
        name in (*cls.methods, *cls.attributes) or "__getattr__" in cls.methods
        for cls in owner.cls.ancestry()
    )


def _tuple_of(made: Value, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call) -> Value | None:
    """A tuple with names, of a type that `namedtuple("Point", "x y")` made."""
    given = made.argument("field_names", 1)
    if given is None or any(one.spread for one in args) or "**" in kwargs:
        return None
    names = (
        given.const.replace(",", " ").split()
        if isinstance(given.const, str)
        else [v.const for v in given.args]
    )
    held = {**dict(zip(names, args)), **kwargs}
    if list(held) != names:
        return None
    return Value("tuple", node=node, args=tuple(held.values()), attrs=held)


def _parser(value: Value) -> Value:
    """The parser to which a group or a command of it belongs."""
    while value.by in _PARTS_OF_PARSERS and value.on is not None:
        value = value.on
    return value


_UNKNOWN_PARTS, _LONGEST_NAME = 2, 200
"""Of a name that is put together, and of one that may be it: to look for one in the other takes no time that a file decides."""


def _pattern(name: Value) -> re.Pattern[str] | None:
    """What fits a text of which parts are known: `f"{phase}_step"`, `"on_" + event`."""
    parts = _parts(name)
    joined = "".join(".+" if part is None else re.escape(part) for part in parts)
    is_some = any(part for part in parts) and parts.count(None) <= _UNKNOWN_PARTS
    return re.compile(joined) if is_some else None


def _parts(name: Value, depth: int = 6) -> list[str | None]:
    """The parts of a text in order, None for what is not known."""
    if isinstance(name.const, str):
        return [name.const]
    if name.by == "+" and len(name.args) == 2 and depth:
        return [part for one in name.args for part in _parts(one, depth - 1)]
    if isinstance(name.node, ast.JoinedStr):
        return [str(one.value) if isinstance(one, ast.Constant) else None for one in name.node.values]
    return [None]


def _all_callable(values: tuple[Value, ...]) -> bool:
    """Whether all are functions, classes, names of a library: what is no object with a state."""
    return bool(values) and all(is_callable(option) for one in values for option in options_of(one))


def is_callable(value: Value) -> bool:
    """Whether a value is a function, a class or what a library names."""
    return value.by in (FUNCTION, "class", PATH) or (
        value.by == "functools.partial" and not open_ended(value)
    )


def _is_plain(value: Value) -> bool:
    """Whether a display holds constants and displays of them only."""
    return value.by in (CONST, PATH) or (value.by in DISPLAYS and all(map(_is_plain, value.args)))
