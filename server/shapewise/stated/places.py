"""Each shape that a text states, and what it is said about."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from ..vocabulary.span import Span
from . import annotated, documented
from .shapes import Shape, in_comment

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Statement:
    """One shape that the text states.

    `kind`: comment, annotation or docstring. `subjects`: the places of the values that it is said
    of, each of them. `name`: the parameter, if it is one. `within`: the function whose words it uses,
    None at the top. `span`: where the dims are written.
    """

    kind: str
    shape: Shape
    span: Span
    subjects: tuple[Span, ...]
    within: Function | None = None
    name: str | None = None


def statements_of(text: str, tree: ast.Module) -> list[Statement]:
    """Every shape that is stated, in the order of the text. `tree` is the text parsed."""
    places = Places(text)
    found = [*_Reader(places, tree).statements()]
    return sorted(found, key=lambda one: one.span)


class Places:
    """The lines of a text, and where nodes of its tree stand: columns in characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = re.split(r"\r\n|\r|\n", text)

    def column(self, line: int, utf8: int) -> int:
        """The column in characters of one in UTF-8 bytes."""
        text = self.lines[line - 1]
        return (
            utf8 if text.isascii() else len(text.encode("utf-8", "replace")[:utf8].decode("utf-8", "ignore"))
        )

    def span(self, node: ast.AST) -> Span:
        """Where an expression, a statement or an argument stands."""
        line, end_line = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
        return Span(
            line,
            self.column(line, node.col_offset),  # type: ignore[attr-defined]
            end_line,
            self.column(end_line, node.end_col_offset or 0),  # type: ignore[attr-defined]
        )

    def span_of_name(self, arg: ast.arg) -> Span:
        """Where the name of a parameter stands."""
        column = self.column(arg.lineno, arg.col_offset)
        return Span(arg.lineno, column, arg.lineno, column + len(arg.arg))


class _Reader:
    def __init__(self, places: Places, tree: ast.Module) -> None:
        self.places = places
        self.functions: list[Function] = []
        self.within: dict[int, Function | None] = {}
        self.by_end: dict[int, list[ast.stmt]] = {}
        self.headers: dict[int, list[ast.stmt]] = {}
        self.arguments: dict[int, list[tuple[Function, ast.arg]]] = {}
        self.simple: list[ast.stmt] = []
        self.returns: dict[int, list[ast.stmt]] = {}
        """id of a function -> its statements that return a value."""
        self._visit(tree.body, None)

    def _visit(self, body: list[ast.stmt], within: Function | None) -> None:
        for node in body:
            self.within[id(node)] = within
            inner = within
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                inner = node
                self.functions.append(node)
                for arg in parameters(node):
                    self.arguments.setdefault(arg.end_lineno or arg.lineno, []).append((node, arg))
            blocks = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
            blocks += [one.body for one in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]]
            if not any(blocks):
                self.simple.append(node)
                if isinstance(node, ast.Return) and node.value is not None:
                    self.returns.setdefault(id(within), []).append(node)
                self.by_end.setdefault(node.end_lineno or node.lineno, []).append(node)
            elif isinstance(node, (ast.For, ast.AsyncFor)) and node.body[0].lineno > node.lineno:
                self.headers.setdefault(node.target.end_lineno or node.lineno, []).append(node)
            for block in blocks:
                if block:
                    self._visit(block, inner)

    def statements(self) -> Iterator[Statement]:
        for token in self._comments():
            yield from self._of_comment(token)
        for function in self.functions:
            yield from self._of_function(function)
        for node in self.simple:
            if isinstance(node, ast.AnnAssign):
                found = annotated.shape_in(node.annotation, self.places)
                if found is not None and node.value is not None:
                    yield Statement(
                        "annotation", *found, (self.places.span(node.target),), self.within[id(node)]
                    )

    def _comments(self) -> Iterator[tokenize.TokenInfo]:
        if not any(map(may_state, self.places.lines)):
            return  # most texts: to take one apart costs more than all the rest
        try:
            for token in tokenize.generate_tokens(io.StringIO(self.places.text).readline):
                if token.type == tokenize.COMMENT:
                    yield token
        except (tokenize.TokenError, SyntaxError, ValueError):
            return

    # ------------------------------------------------------------ comments

    def _of_comment(self, token: tokenize.TokenInfo) -> Iterator[Statement]:
        found = in_comment(token.string)
        if found is None:
            return
        about, shape = found
        line, column = token.start
        span = Span(line, column + shape.start, line, column + shape.end)
        if not token.line[:column].strip():
            yield from self._alone(about, shape, span)
            return
        for function, name, subjects, within in self._subjects(line, about):
            yield Statement("comment", shape, span, subjects, function or within, name)

    def _alone(self, about: str | None, shape: Shape, span: Span) -> Iterator[Statement]:
        """A line of its own says something of a parameter if it stands at the head of the function."""
        for function in self.functions:
            first = next((one for one in function.body if not _is_text(one)), None)
            if first is not None and function.lineno < span.line < first.lineno:
                for arg in parameters(function):
                    if arg.arg == about:
                        yield Statement(
                            "comment", shape, span, (self.places.span_of_name(arg),), function, arg.arg
                        )

    def _subjects(
        self, line: int, about: str | None
    ) -> Iterator[tuple[Function | None, str | None, tuple[Span, ...], Function | None]]:
        """What a comment at the end of a line is about, if it is one thing."""
        ending = self.by_end.get(line, [])
        if len(ending) == 1:
            subjects = self._of_statement(ending[0], about)
            if subjects:
                yield None, None, subjects, self.within[id(ending[0])]
            return
        headers = self.headers.get(line, [])
        if not ending and len(headers) == 1:
            target = headers[0].target  # type: ignore[attr-defined]
            if isinstance(target, ast.Name) and about in (None, target.id):
                yield None, None, (self.places.span(target),), self.within[id(headers[0])]
            return
        arguments = [
            (function, arg)
            for function, arg in self.arguments.get(line, [])
            if about == arg.arg or (about is None and arg.arg not in ("self", "cls"))
        ]
        if (
            not ending
            and len(arguments) == 1
            and (about or arguments[0][1].annotation is None or _is_tensor(arguments[0][1]))
        ):
            function, arg = arguments[0]
            yield function, arg.arg, (self.places.span_of_name(arg),), None

    def _of_statement(self, node: ast.stmt, about: str | None) -> tuple[Span, ...]:
        if isinstance(node, ast.Assign):
            targets = [one for target in node.targets for one in _flat(target)]
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
            targets = [node.target]
        elif isinstance(node, ast.Return):
            return (self.places.span(node),) if about is None and node.value is not None else ()
        elif isinstance(node, ast.Expr):
            shown = shown_by(node.value)
            if shown is None or (about is not None and ast.unparse(shown) != about):
                return ()
            return (self.places.span(shown),)
        else:
            return ()
        if not all(isinstance(one, (ast.Name, ast.Attribute)) for one in targets):
            return ()
        chosen = [one for one in targets if about is None or ast.unparse(one) == about]
        return tuple(map(self.places.span, chosen))

    # ------------------------------------------------------------ functions

    def _of_function(self, function: Function) -> Iterator[Statement]:
        for arg in parameters(function):
            found = annotated.shape_in(arg.annotation, self.places)
            if found is not None:
                yield Statement("annotation", *found, (self.places.span_of_name(arg),), function, arg.arg)
        returns = tuple(map(self.places.span, self.returns.get(id(function), ())))
        found = annotated.shape_in(function.returns, self.places)
        if found is not None and returns:
            yield Statement("annotation", *found, returns, function)
        names = [arg.arg for arg in parameters(function)]
        for name, shape, span in documented.shapes_in(function, names, self.places.lines):
            if name is None:
                if returns:
                    yield Statement("docstring", shape, span, returns, function)
            else:
                arg = next(arg for arg in parameters(function) if arg.arg == name)
                yield Statement("docstring", shape, span, (self.places.span_of_name(arg),), function, name)


def may_state(line: str) -> bool:
    """Whether a comment of a line would state a shape, if it is one."""
    return any(line[at] == "#" and in_comment(line[at:]) for at in range(len(line))) if "#" in line else False


def parameters(function: Function) -> list[ast.arg]:
    """The parameters that have a name of their own."""
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _flat(target: ast.expr) -> list[ast.expr]:
    if isinstance(target, (ast.Tuple, ast.List)):
        return [one for element in target.elts for one in _flat(element)]
    return [target]


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_tensor(arg: ast.arg) -> bool:
    return arg.annotation is not None and "Tensor" in ast.unparse(arg.annotation)


def shown_by(node: ast.expr) -> ast.expr | None:
    """What an expression that stands alone shows the shape of: `x.mT`, `print(x.shape)`, `x.size()`."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("print", "display")
    ):
        said = [one for arg in node.args for one in _values(arg)]
        shown = [shaped(one) for one in said if not isinstance(one, ast.Constant)]
        return shown[0] if len(shown) == 1 else None
    inner = shaped(node)
    if inner is not None:
        return inner
    return node if isinstance(node, (ast.Call, ast.Subscript, ast.Attribute, ast.BinOp, ast.Name)) else None


def _values(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.JoinedStr):
        return [one.value for one in node.values if isinstance(one, ast.FormattedValue)]
    return [node]


def shaped(node: ast.expr) -> ast.expr | None:
    """`x` of `x.shape`, `x.size()`, `tuple(x.shape)`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("tuple", "list"):
        return shaped(node.args[0]) if len(node.args) == 1 else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "size":
        return node.func.value if not node.args and not node.keywords else None
    return node.value if isinstance(node, ast.Attribute) and node.attr == "shape" else None
