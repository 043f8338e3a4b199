"""The walk: statements, functions and classes, each function in the place of its calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from .definitions import Class, Definition, Function, bound_names, stored_names
from .events import Branch, Context, Entered, Event, Loop, Within
from .names import imported, spelled
from .values import (
    CLASS,
    CONST,
    FUNCTION,
    GIVEN,
    INSTANCE,
    PATH,
    Value,
    join,
    options_of,
)

_SAME_ITEMS = ("torch.nn.ModuleList", "builtins.list", "builtins.tuple", "builtins.reversed", "builtins.iter")
"""Calls that give the items of what they are given."""
_STEPS = 20_000
"""Statements that are walked before functions are no longer followed."""
_DEPTH = 8


@dataclass(eq=False, slots=True)
class Scope:
    """The names of one run of a function, of a class body or of the module."""

    names: dict[str, Value]
    parent: Scope | None = None
    function: Function | None = None
    returns: list[Value] = field(default_factory=list)
    yields: bool = False

    def module(self) -> Scope:
        """The outermost one."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


class Statements:
    """The half of the walk that knows statements. The other half, `Expressions`, gives `value`."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.where: list[Context] = []
        self.root = 0
        self.module_scope = Scope({})
        self.scope = self.module_scope
        self.functions: dict[ast.AST, Value] = {}
        """Every function of the file that was defined on the way, by its node."""
        self.classes: dict[ast.AST, Value] = {}
        self.entered: set[ast.AST] = set()
        self.instances: dict[Class, Value] = {}
        self.cut = False
        """Whether calls were no longer followed from some point on."""
        self._steps = 0
        self._active: list[ast.AST] = []

    # ------------------------------------------------------------ to be given by the other half

    def value(self, node: ast.expr | None) -> Value:
        """The value of an expression."""
        raise NotImplementedError

    # ------------------------------------------------------------ events and contexts

    def note(self, kind: str, name: str, node: ast.AST, **more: object) -> Event:
        """Write an event down."""
        event = Event(kind, name, node, tuple(self.where), len(self.events), self.root, **more)  # type: ignore[arg-type]
        self.events.append(event)
        return event

    @contextmanager
    def around(self, *contexts: Context) -> Iterator[None]:
        """Walk something within contexts."""
        depth = len(self.where)
        self.where += contexts
        try:
            yield
        finally:
            del self.where[depth:]

    # ------------------------------------------------------------ blocks

    def block(self, statements: Sequence[ast.stmt]) -> bool:
        """Walk statements. Whether the block surely leaves (return, raise, break, continue)."""
        for statement in statements:
            self._steps += 1
            if self._steps > 2 * _STEPS:
                self.cut = True
                return False
            if self.statement(statement):
                return True
        return False

    def statement(self, node: ast.stmt) -> bool:
        """Walk one. Whether it surely leaves."""
        method = getattr(self, f"stmt_{type(node).__name__}", None)
        return bool(method(node)) if method is not None else False

    def ways(self, node: ast.AST, arms: Sequence[tuple[Sequence[ast.stmt], ast.expr | None]]) -> bool:
        """Walk several ways from the same state and join what they leave."""
        before = dict(self.scope.names)
        fork = object()
        after: list[dict[str, Value]] = []
        for number, (statements, test) in enumerate(arms):
            self.scope.names = dict(before)
            with self.around(Branch(fork, number, node, test)):
                leaves = self.block(statements)
            if not leaves:
                after.append(self.scope.names)
        if not after:
            self.scope.names = before
            return True
        self.scope.names = _joined(after)
        return False

    def stmt_If(self, node: ast.If) -> bool:
        self.value(node.test)
        if _is_main(node.test):
            return self.block(node.body)
        return self.ways(node, [(node.body, node.test), (node.orelse, node.test)])

    def stmt_Match(self, node: ast.Match) -> bool:
        self.value(node.subject)
        return self.ways(node, [*((case.body, None) for case in node.cases), ([], None)])

    def stmt_Try(self, node: ast.Try) -> bool:
        leaves = self.block([*node.body, *node.orelse])
        if node.handlers:
            before = self.scope.names
            arms = [before] if not leaves else []
            fork = object()
            for number, handler in enumerate(node.handlers):
                self.scope.names = dict(before)
                if handler.name:
                    self.scope.names[handler.name] = Value(name=handler.name)
                with self.around(Branch(fork, number + 1, handler)):
                    if not self.block(handler.body):
                        arms.append(self.scope.names)
            leaves = not arms
            self.scope.names = _joined(arms) if arms else before
        return self.block(node.finalbody) or leaves

    stmt_TryStar = stmt_Try

    def stmt_For(self, node: ast.For | ast.AsyncFor) -> bool:
        over = self.value(node.iter)
        with self.around(Loop(node, over)):
            self._open_loop(node)
            self.assign_item(node.target, over)
            self._loop_body(node.body)
        self.block(node.orelse)
        return False

    stmt_AsyncFor = stmt_For

    def stmt_While(self, node: ast.While) -> bool:
        with self.around(Loop(node, None)):
            self._open_loop(node)
            self.value(node.test)
            self._loop_body(node.body)
        self.block(node.orelse)
        return False

    def _loop_body(self, body: list[ast.stmt]) -> None:
        before = dict(self.scope.names)
        self.block(body)
        self.scope.names = _joined([before, self.scope.names])

    def _open_loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        """Numbers that the body changes are not known in it."""
        for name in stored_names(node.body):
            known = self.scope.names.get(name)
            if known is not None and any(option.by == CONST for option in options_of(known)):
                self.scope.names[name] = Value(name=name)

    def stmt_With(self, node: ast.With | ast.AsyncWith) -> bool:
        contexts: list[Context] = []
        for item in node.items:
            with self.around(*contexts):
                value = self.value(item.context_expr)
            contexts.append(Within(value, node))
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)
        with self.around(*contexts):
            return self.block(node.body)

    stmt_AsyncWith = stmt_With

    # ------------------------------------------------------------ simple statements

    def stmt_Expr(self, node: ast.Expr) -> None:
        self.value(node.value)

    def stmt_Return(self, node: ast.Return) -> bool:
        value = self.value(node.value) if node.value is not None else Value(CONST, const=None)
        self.note("return", "return", node, args=(value,))
        self.scope.returns.append(value)
        return True

    def stmt_Raise(self, node: ast.Raise) -> bool:
        if node.exc is not None:
            self.value(node.exc)
        return True

    def stmt_Break(self, node: ast.Break) -> bool:
        return True

    stmt_Continue = stmt_Break

    def stmt_Assert(self, node: ast.Assert) -> None:
        self.value(node.test)

    def stmt_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.scope.names.pop(target.id, None)

    def stmt_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for name, path in imported(node).items():
            self.scope.names[name] = Value(PATH, path=spelled(path), name=name)

    stmt_ImportFrom = stmt_Import

    def stmt_Assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.assign(target, value)

    def stmt_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value))

    def stmt_AugAssign(self, node: ast.AugAssign) -> None:
        old = self.value(_as_load(node.target))
        added = self.value(node.value)
        by = f"{_OPERATORS.get(type(node.op), '?')}="
        new = Value(by, node=node, args=(old, added), name=old.name)
        self.note("augmented", by, node, on=old, args=(added,), value=new)
        self.assign(node.target, new, quiet=True)

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
            if not value.name and value.by != CONST:
                value.name = target.attr
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
        elif isinstance(target, ast.Starred):
            self.assign(target.value, Value("item", on=value), quiet)
        elif isinstance(target, (ast.Tuple, ast.List)):
            whole = value
            starred = any(isinstance(each, ast.Starred) for each in target.elts)
            fits = whole.by in ("tuple", "list") and len(whole.args) == len(target.elts) and not starred
            for number, each in enumerate(target.elts):
                self.assign(each, whole.args[number] if fits else self.item(whole, number), quiet)

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

    def assign_item(self, target: ast.expr, over: Value) -> None:
        """Bind the target of a loop to one of what it goes over."""
        if over.by == "builtins.enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            self.assign(target.elts[0], Value("for"))
            self.assign_item(target.elts[1], over.args[0] if over.args else Value())
        elif over.by == "builtins.zip" and isinstance(target, ast.Tuple):
            for number, each in enumerate(target.elts):
                self.assign_item(each, over.args[number] if number < len(over.args) else Value())
        elif over.by in ("tuple", "list") and over.args and not any(arg.spread for arg in over.args):
            one = join(list(over.args))
            self.assign(target, one if one.by or len(over.args) == 1 else Value("for", on=over))
        elif over.by == "listcomp" and over.args and not over.args[0].spread:
            self.assign(target, over.args[0])
        elif over.by in _SAME_ITEMS and len(over.args) == 1:
            self.assign_item(target, over.args[0])
        else:
            self.assign(target, Value("for", on=over))

    # ------------------------------------------------------------ definitions

    def stmt_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        value = self.define(node, None)
        for decorator in node.decorator_list:
            self.value(decorator)
        self.scope.names[node.name] = value

    stmt_AsyncFunctionDef = stmt_FunctionDef

    def define(self, node: Definition, cls: Class | None) -> Value:
        """A function as a value."""
        name = getattr(node, "name", "<lambda>")
        outer = [one.function.qualname for one in self.where if isinstance(one, Entered)]
        path = [cls.qualname] if cls is not None else outer[-1:]
        local, declared = bound_names(node)
        function = Function(node, ".".join([*path, name]), cls, local, declared)
        value = Value(FUNCTION, node=node, function=function, scope=self.scope, name=name)
        self.functions[node] = value
        return value

    def stmt_ClassDef(self, node: ast.ClassDef) -> None:
        bases: list[str | Class] = []
        for base in node.bases:
            for option in options_of(self.value(base)):
                if option.by == CLASS and option.cls is not None:
                    bases.append(option.cls)
                else:
                    bases.append(option.path or option.by or option.name or "?")
        cls = Class(node, node.name, bases)
        value = Value(CLASS, node=node, cls=cls, name=node.name, scope=self.scope)
        outer = self.scope
        self.scope = Scope({}, outer)
        for statement in node.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                made = self.define(statement, cls)
                made.scope = outer
                assert made.function is not None
                cls.methods[statement.name] = made.function
                self.scope.names[statement.name] = made
            else:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    if statement.value is not None:
                        cls.attributes[statement.target.id] = statement.value
                elif isinstance(statement, ast.Assign):
                    for target in statement.targets:
                        if isinstance(target, ast.Name):
                            cls.attributes[target.id] = statement.value
                self.statement(statement)
        value.attrs = self.scope.names
        self.scope = outer
        self.classes[node] = value
        self.scope.names[node.name] = value

    # ------------------------------------------------------------ following calls

    def can_enter(self, function: Function) -> bool:
        """Whether a call of it is followed: not while it runs, not too deep, not for ever."""
        if function.node in self._active or len(self._active) >= _DEPTH:
            return False
        if self._steps > _STEPS:
            self.cut = True
            return False
        return True

    def enter(
        self,
        made: Value,
        args: Sequence[Value],
        kwargs: dict[str, Value],
        site: ast.AST | None,
    ) -> Value:
        """Walk a function of the file with these arguments. `made` is the function as a value."""
        function = made.function
        assert function is not None
        node = function.node
        scope = Scope({}, made.scope, function)
        given = [made.bound, *args] if made.bound is not None else list(args)
        contexts: list[Context] = [Entered(function, site)]
        outer, self.scope = self.scope, made.scope
        contexts += [Within(self.value(decorator), node) for decorator in function.decorators]
        self._bind(node, scope, given, kwargs, site is None)
        self.scope = scope
        self._active.append(node)
        self.entered.add(node)
        with self.around(*contexts):
            self.block(function.body())
        self._active.pop()
        self.scope = outer
        if scope.yields:
            return Value("generator", node=site)
        return join(scope.returns) if scope.returns else Value(CONST, const=None)

    def _bind(
        self, node: Definition, scope: Scope, given: list[Value], kwargs: dict[str, Value], is_root: bool
    ) -> None:
        args = node.args
        positional = [*args.posonlyargs, *args.args]
        defaults = dict(zip([arg.arg for arg in positional[::-1]], args.defaults[::-1]))
        defaults.update({arg.arg: d for arg, d in zip(args.kwonlyargs, args.kw_defaults) if d is not None})
        spread = any(value.spread for value in given) or "**" in kwargs
        for number, arg in enumerate([*positional, *args.kwonlyargs]):
            if number < len(positional) and number < len(given) and not given[number].spread:
                value = given[number]
            elif arg.arg in kwargs:
                value = kwargs[arg.arg]
            elif arg.arg in defaults and not is_root and not spread:
                value = self.value(defaults[arg.arg])
            else:
                value = self.given(arg, node)
            scope.names[arg.arg] = value
        if args.vararg is not None:
            rest = tuple(given[len(positional) :])
            scope.names[args.vararg.arg] = Value("" if is_root or spread else "tuple", args=rest)
        if args.kwarg is not None:
            scope.names[args.kwarg.arg] = Value(name=args.kwarg.arg)

    def given(self, arg: ast.arg, node: ast.AST) -> Value:
        """A parameter of which only its name and annotation are known."""
        return Value(GIVEN, node=arg, name=arg.arg, annotation=self.annotation(arg.annotation))

    def annotation(self, node: ast.expr | None) -> str:
        """The dotted path of an annotation, Optional and `| None` taken off; empty if it is another."""
        if node is None:
            return ""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value, mode="eval").body
            except (SyntaxError, ValueError, RecursionError):
                return ""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.annotation(node.left) or self.annotation(node.right)
        if isinstance(node, ast.Subscript):
            outer = self.annotation(node.value)
            return self.annotation(node.slice) if outer.endswith(("Optional", "Annotated")) else outer
        if isinstance(node, (ast.Name, ast.Attribute)):
            value = self.value(node)
            return value.path or (value.cls.qualname if value.cls is not None else "")
        return ""

    def instance(self, cls: Class, node: ast.AST | None) -> Value:
        """A new object of a class of the file, before its `__init__`."""
        value = Value(INSTANCE, node=node, cls=cls)
        self.instances.setdefault(cls, value)
        return value


def _joined(states: list[dict[str, Value]]) -> dict[str, Value]:
    if len(states) == 1:
        return states[0]
    first = states[0]
    if all(state == first for state in states[1:]):
        return first
    names = dict.fromkeys(name for state in states for name in state)
    return {
        name: first[name]
        if all(state.get(name) is first.get(name) for state in states)
        else join([state[name] for state in states if name in state])
        for name in names
    }


def _is_main(test: ast.expr) -> bool:
    """Whether it asks if the file is the program: what this is about is what happens then."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and isinstance(test.ops[0], ast.Eq)
    )


def _as_load(node: ast.expr) -> ast.expr:
    """A target as an expression that reads it."""
    if isinstance(node, ast.Name):
        return ast.copy_location(ast.Name(node.id, ast.Load()), node)
    if isinstance(node, ast.Attribute):
        return ast.copy_location(ast.Attribute(node.value, node.attr, ast.Load()), node)
    if isinstance(node, ast.Subscript):
        return ast.copy_location(ast.Subscript(node.value, node.slice, ast.Load()), node)
    return node


_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Invert: "~",
    ast.Not: "not",
}


def operator_name(node: ast.AST) -> str:
    """How an operator is written."""
    return _OPERATORS.get(type(node), "?")
