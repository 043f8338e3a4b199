"""Functions and classes of the file, each function walked in the place of its calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from .definitions import Class, Definition, Function, bound_names
from .events import Context, Entered, Within
from .options import option_names
from .targets import SAME_ITEMS, Targets
from .values import CLASS, CONST, FUNCTION, GIVEN, INSTANCE, Value, join, options_of
from .walking import STEPS, Scope

_DEPTH = 8


class Following(Targets):
    """The part of the walk that knows definitions and follows calls of them."""

    def stmt_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        value = self.define(node, None)
        for decorator in node.decorator_list:
            self.value(decorator)
        self.scope.names[node.name] = value

    stmt_AsyncFunctionDef = stmt_FunctionDef

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

    def can_enter(self, function: Function) -> bool:
        """Whether a call of it is followed: not while it runs, not too deep, not for ever."""
        if function.node in self._active or len(self._active) >= _DEPTH:
            return False
        if self._steps > STEPS:
            self.cut = True
            return False
        return True

    def enter(
        self,
        made: Value,
        args: Sequence[Value],
        kwargs: dict[str, Value],
        site: ast.AST | None,
        at_yield: Callable[[Value], None] | None = None,
    ) -> Value:
        """Walk a function of the file with these arguments. `made` is the function as a value.

        `at_yield`: what happens where it yields.
        """
        function = made.function
        assert function is not None
        node = function.node
        scope = Scope({}, made.scope, function, at_yield=at_yield)
        given = [made.bound, *args] if made.bound is not None else list(args)
        contexts: list[Context] = [Entered(function, site)]
        outer, self.scope = self.scope, made.scope
        marks = [self.value(decorator) for decorator in function.decorators]
        contexts += [Within(one, node) for mark in marks for one in (mark, *self._around_calls(mark))]
        self._bind(node, scope, given, kwargs, site is None, _declared(marks))
        self.scope = scope
        self._active.append(node)
        self.entered.add(node)
        with self.around(*contexts):
            self.block(function.body())
        self._active.pop()
        self.scope = outer
        if scope.yields:
            return Value("generator", node=site, args=(join(scope.yields),))
        return join(scope.returns) if scope.returns else Value(CONST, const=None)

    def _around_calls(self, mark: Value) -> list[Value]:
        """What a decorator of the file has around the one place where it calls what it decorates: `with torch.no_grad(): return fn(*args)`."""
        node = mark.function.node if mark.function is not None and mark.bound is None else None
        if not isinstance(node, ast.FunctionDef) or len(node.args.args) != 1 or node.decorator_list:
            return []
        name, around, calls = node.args.args[0].arg, list[ast.expr](), 0
        for inner in (one for one in node.body if isinstance(one, ast.FunctionDef)):
            calls += sum(_is_call_of(one, name) for one in ast.walk(inner))
            for block in (one for one in inner.body if isinstance(one, ast.With)):
                if any(_is_call_of(one, name) for one in ast.walk(block)):
                    around += [item.context_expr for item in block.items]
        if calls != 1:
            return []
        outer, self.scope = self.scope, mark.scope
        held = [self.value(one) for one in around]
        self.scope = outer
        return held

    def iterated(self, over: Value, node: ast.AST) -> Value:
        """What a loop goes over: of an object of the file what its `__iter__` gives, through `enumerate` and the like too."""
        if over.by in (*SAME_ITEMS, "builtins.enumerate", "builtins.zip") and over.args:
            inner = tuple(self.iterated(one, node) for one in over.args)
            same = all(one is other for one, other in zip(inner, over.args))
            return over if same else replace(over, args=inner)
        method = over.cls.method("__iter__") if over.by == INSTANCE and over.cls is not None else None
        if method is None or not self.can_enter(method):
            return over
        given = self.enter(replace(self.functions[method.node], bound=over), [], {}, node)
        return given.args[0] if given.by == "builtins.iter" and len(given.args) == 1 else given

    def _bind(
        self,
        node: Definition,
        scope: Scope,
        given: list[Value],
        kwargs: dict[str, Value],
        is_root: bool,
        declared: dict[str, Value],
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
                written = self.value(defaults[arg.arg]) if arg.arg in defaults else None
                value.default = declared.get(arg.arg) or written
            scope.names[arg.arg] = value
        if args.vararg is not None:
            rest = tuple(given[len(positional) :])
            scope.names[args.vararg.arg] = Value("" if is_root or spread else "tuple", args=rest)
        if args.kwarg is not None:
            known = {arg.arg for arg in (*positional[len(args.posonlyargs) :], *args.kwonlyargs)}
            more = {name: value for name, value in kwargs.items() if name not in known}
            scope.names[args.kwarg.arg] = (
                Value(name=args.kwarg.arg)
                if is_root or spread
                else Value("dict", keys=tuple(more), args=tuple(more.values()), name=args.kwarg.arg)
            )

    def given(self, arg: ast.arg, node: ast.AST) -> Value:
        """A parameter of which only its name and annotation are known. One that is annotated as a module of the file is
        like the others of that class.
        """
        named = self._annotated(arg.annotation)
        cls = named.cls if named is not None and named.by == CLASS else None
        made = self.instances.get(cls) if cls is not None and cls.is_module else None
        if made is not None:
            like = another_like(made)
            like.node, like.name = arg, arg.arg
            return like
        return Value(GIVEN, node=arg, name=arg.arg, annotation=self.annotation(arg.annotation), cls=cls)

    def annotation(self, node: ast.expr | None) -> str:
        """The dotted path of an annotation, Optional and `| None` taken off; empty if it is another."""
        value = self._annotated(node)
        return "" if value is None else value.path or (value.cls.qualname if value.cls is not None else "")

    def _annotated(self, node: ast.expr | None) -> Value | None:
        """What an annotation names."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value, mode="eval").body
            except (SyntaxError, ValueError, RecursionError):
                return None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._annotated(node.left) or self._annotated(node.right)
        if isinstance(node, ast.Subscript):
            outer = self._annotated(node.value)
            opened = outer is not None and outer.path.endswith(("Optional", "Annotated"))
            return self._annotated(node.slice) if opened else outer
        if isinstance(node, (ast.Name, ast.Attribute)):
            value = self.value(node)
            return value if value.path or value.cls is not None else None
        return None

    def instance(self, cls: Class, node: ast.AST | None) -> Value:
        """A new object of a class of the file, before its `__init__`."""
        value = Value(INSTANCE, node=node, cls=cls)
        self.instances.setdefault(cls, value)
        return value


def another_like(value: Value, depth: int = 4) -> Value:
    """Another module of the same making, whose layers are others too."""
    if value.by == INSTANCE and depth:
        held = {name: another_like(one, depth - 1) for name, one in value.attrs.items()}
        return Value(INSTANCE, node=value.node, name=value.name, cls=value.cls, attrs=held)
    if value.by.startswith("torch.nn.") and depth:
        return replace(value, args=tuple(another_like(one, depth - 1) for one in value.args), attrs={})
    return value


def _declared(marks: Sequence[Value]) -> dict[str, Value]:
    """What `@click.option("--lr", default=1e-3)` above a function says of its parameters."""
    return {
        option_names(mark.args)[0]: mark.kwargs["default"]
        for mark in marks
        if mark.by in ("click.option", "click.argument")
        and "default" in mark.kwargs
        and option_names(mark.args)
    }


def _is_call_of(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
