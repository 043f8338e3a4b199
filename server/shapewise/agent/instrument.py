"""A text with a look at every binding in it, and at those expressions of which something is claimed."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any

from .observer import Observer

OBSERVER = "__shapewise__"
"""The observer's name among the builtins, so that no namespace of the code's own has it."""

_TIMED = frozenset("item tolist numpy cpu cuda to contiguous reshape flatten".split())
"""Methods that may copy, or wait for a card."""


class Instrument(ast.NodeTransformer):
    """Adds calls of the observer. Lines stay what they are, in tracebacks too."""

    def __init__(
        self,
        observer: Observer,
        file: str,
        source: str,
        expressions: Iterable[Any],
        statements: Iterable[Any],
    ) -> None:
        """`expressions`: extents of those to look at; `statements`: places of what is said to fail."""
        self.observer, self.file = observer, file
        self.rows = source.encode("utf-8", "surrogatepass").split(b"\n")
        self.expressions = {tuple(extent) for extent in expressions}
        self.failing = {tuple(extent) for extent in statements}
        self.scopes: list[str] = []
        self.in_function = False

    # ------------------------------------------------------------ pieces

    def column(self, line: int, offset: int) -> int:
        return len(self.rows[line - 1][:offset].decode("utf-8", "surrogatepass"))

    def extent(self, node: Any) -> tuple[int, int, int, int]:
        return (
            node.lineno,
            self.column(node.lineno, node.col_offset),
            node.end_lineno,
            self.column(node.end_lineno, node.end_col_offset),
        )

    def ask(self, method: str, *arguments: ast.expr) -> ast.Call:
        function = ast.Attribute(ast.Name(OBSERVER, ast.Load()), method, ast.Load())
        return ast.Call(function, list(arguments), [])

    def look(self, kind: str, node: Any, name: str, value: ast.expr, method: str = "see") -> ast.Call:
        scope = ".".join(self.scopes) or "<module>"
        column = self.column(node.lineno, node.col_offset)
        number = self.observer.place(self.file, kind, scope, node.lineno, column, name)
        return ast.copy_location(self.ask(method, ast.Constant(number), value), node)

    def targets(self, target: ast.expr, method: str = "see") -> Iterator[ast.Call]:
        if isinstance(target, ast.Name):
            yield self.look("binding", target, target.id, ast.Name(target.id, ast.Load()), method)
        elif (
            isinstance(target, ast.Attribute)
            and isinstance(target.value, ast.Name)
            and target.value.id == "self"
        ):
            read = ast.Attribute(ast.Name("self", ast.Load()), target.attr, ast.Load())
            yield self.look("binding", target, f"self.{target.attr}", read, method)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                yield from self.targets(
                    element.value if isinstance(element, ast.Starred) else element, method
                )

    # ------------------------------------------------------------ statements

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr):
            return self.expression(node)
        made = super().visit(node)
        if isinstance(node, ast.stmt) and self.failing and not isinstance(node, _DEFINITIONS):
            inner = {one for child in _blocks(node) for one in self.failing_in(child)}
            for one in self.failing_in(node):
                if one not in inner:
                    made = [self.guarded(node, one, _listed(made))]
        return made

    def failing_in(self, node: ast.stmt) -> list[Any]:
        """Those of the places that are said to fail that lie in a statement."""
        extent = self.extent(node)
        return [one for one in self.failing if extent[:2] <= one[:2] < extent[2:]]

    def guarded(self, node: ast.stmt, extent: Any, body: list[ast.stmt]) -> ast.stmt:
        """A statement that is said to fail: whether it does is written down, and nothing is changed."""
        number = len(self.observer.watched)
        self.observer.watched[number] = {
            "file": self.file,
            "extent": list(extent),
            "passed": 0,
            "raised": [],
        }
        constant = ast.Constant(number)
        if isinstance(node, ast.Return) and node.value is not None:
            last = body[-1]
            assert isinstance(last, ast.Return) and last.value is not None
            last.value = ast.copy_location(self.ask("passed", constant, last.value), last)
        told = ast.Expr(self.ask("raised", constant, ast.Name("__shapewise_error__", ast.Load())))
        handler = ast.ExceptHandler(
            ast.Name("BaseException", ast.Load()), "__shapewise_error__", [told, ast.Raise(None, None)]
        )
        fine: ast.stmt = ast.Expr(self.ask("passed", constant))
        attempt = ast.Try(body, [handler], [fine], [])
        for one in (told, handler, fine, attempt):
            ast.copy_location(one, node)
        return attempt

    def after(self, node: ast.stmt, targets: list[ast.expr]) -> list[ast.stmt]:
        looks = [look for target in targets for look in self.targets(target)]
        self.generic_visit(node)
        return [node, *[ast.copy_location(ast.Expr(look), node) for look in looks]]

    def visit_Assign(self, node: ast.Assign) -> Any:
        return self.after(node, node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        made = self.after(node, [node.target])
        if self.extent(node) in self.expressions and isinstance(node.target, ast.Name):
            read = ast.Name(node.target.id, ast.Load())
            made.append(ast.copy_location(ast.Expr(self.seen(node, read)), node))
        return made

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        targets = [node.target] if node.value is not None else []
        looks = [look for target in targets for look in self.targets(target)]
        if node.value is not None:
            node.value = self.visit(node.value)
        return [node, *[ast.copy_location(ast.Expr(look), node) for look in looks]]

    def visit_For(self, node: Any) -> Any:
        looks = [*self.targets(node.target)]
        self.generic_visit(node)
        node.body[:0] = [ast.copy_location(ast.Expr(look), node.body[0]) for look in looks]
        return node

    visit_AsyncFor = visit_For

    def visit_With(self, node: Any) -> Any:
        names = [item.optional_vars for item in node.items if item.optional_vars is not None]
        looks = [look for name in names for look in self.targets(name)]
        self.generic_visit(node)
        node.body[:0] = [ast.copy_location(ast.Expr(look), node.body[0]) for look in looks]
        return node

    visit_AsyncWith = visit_With

    def visit_Return(self, node: ast.Return) -> Any:
        at = node
        self.generic_visit(node)
        if node.value is not None:
            node.value = self.look("return", at, "<return>", node.value)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        node.bases = [self.visit(base) for base in node.bases]
        return self.inside(node, False)

    def visit_FunctionDef(self, node: Any) -> Any:
        self.scopes.append(node.name)
        arguments = node.args
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        named += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        looks = [
            self.look("parameter", one, one.arg, ast.Name(one.arg, ast.Load()))
            for one in named
            if one.arg not in ("self", "cls")
        ]
        scope = ".".join(self.scopes)
        self.scopes.pop()
        arguments.defaults = [self.visit(one) for one in arguments.defaults]
        arguments.kw_defaults = [None if one is None else self.visit(one) for one in arguments.kw_defaults]
        behind = 1 if ast.get_docstring(node, clean=False) is not None else 0
        anchor = node.body[0]
        self.inside(node, True)
        of = [ast.Name("self", ast.Load()) for one in arguments.args[:1] if one.arg == "self"]
        enter = self.ask("enter", ast.Constant(self.file), ast.Constant(scope), *of)
        node.body[behind:behind] = [ast.copy_location(ast.Expr(call), anchor) for call in (enter, *looks)]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def inside(self, node: Any, function: bool) -> Any:
        self.scopes.append(node.name)
        before, self.in_function = self.in_function, function
        node.body = [new for old in node.body for new in _listed(self.visit(old))]
        self.in_function = before
        self.scopes.pop()
        return node

    def visit_Match(self, node: Any) -> Any:
        node.subject = self.visit(node.subject)
        for case in node.cases:  # patterns are no expressions
            case.guard = None if case.guard is None else self.visit(case.guard)
            case.body = [new for old in case.body for new in _listed(self.visit(old))]
        return node

    # ------------------------------------------------------------ expressions

    def expression(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.JoinedStr) and sys.version_info < (3, 12):
            return node  # before that, what is inside has no place of its own
        wanted = self.extent(node) in self.expressions
        at = node
        made: ast.expr = node
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            looks = [[*self.targets(one.target, "saw")] for one in node.generators]
            self.generic_visit(node)
            for generator, found in zip(node.generators, looks):
                generator.ifs[:0] = found
        elif isinstance(node, ast.NamedExpr):
            look = self.look("binding", node.target, node.target.id, self.visit(node.value))
            node.value = look
        else:
            self.generic_visit(node)
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in _TIMED
            ):
                made = self.timed(node)
        if not wanted or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return made
        if isinstance(node, (ast.Starred, ast.Slice)):
            return made
        return self.seen(at, made)

    def seen(self, at: Any, value: ast.expr) -> ast.Call:
        line, column, end_line, end_column = self.extent(at)
        scope = ".".join(self.scopes) or "<module>"
        number = self.observer.place(self.file, "expression", scope, line, column, "")
        self.observer.places[number].row.update(end_line=end_line, end_column=end_column)
        return ast.copy_location(self.ask("see", ast.Constant(number), value), at)

    def timed(self, node: ast.Call) -> ast.expr:
        assert isinstance(node.func, ast.Attribute)
        line, column, *_ = self.extent(node)
        number = len(self.observer.timings)
        self.observer.timings[number] = {
            "file": self.file,
            "line": line,
            "column": column,
            "name": node.func.attr,
            **dict.fromkeys(("count", "moved", "copied"), 0),
            **dict.fromkeys(("seconds", "longest"), 0.0),
            **dict.fromkeys(("device", "to"), ""),
        }
        call = self.ask("timed", ast.Constant(number), node.func, *node.args)
        call.keywords = node.keywords
        return ast.copy_location(call, node)


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _blocks(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statements directly inside a statement."""
    for name in ("body", "orelse", "finalbody"):
        yield from getattr(node, name, ())
    for handler in getattr(node, "handlers", ()):
        yield from handler.body
    for case in getattr(node, "cases", ()):
        yield from case.body


def _listed(visited: Any) -> list[ast.stmt]:
    return visited if isinstance(visited, list) else [visited]


def instrumented(observer: Observer, file: str, path: str, text: str, watch: dict[str, Any]) -> CodeType:
    """The code of a text that tells the observer what it does. `file` is its name there, `path` where it lies."""
    tree = ast.parse(text, path)
    instrument = Instrument(observer, file, text, watch.get("expressions", ()), watch.get("failing", ()))
    tree = ast.fix_missing_locations(instrument.visit(tree))
    return compile(tree, path, "exec", dont_inherit=True)
