"""Shapes written into the text: comments, or annotations of jaxtyping. What comes out is legal Python."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..edits.apply import apply
from ..edits.text import TextMap, text_map
from ..parsing import parse
from ..vocabulary.facts import Dim, Fact, TensorFact
from ..vocabulary.findings import Edit
from ..vocabulary.span import Span

JAXTYPING = "jaxtyping"

_KINDS = {"bool": "Bool", "uint8": "UInt8"}
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def annotating(text: str, facts: Iterable[Fact], style: str) -> tuple[Edit, ...]:
    """The edits that write down the shapes of these facts, where they are known and the text has room.

    The facts stand in the text. `style`: `jaxtyping` annotates what can be annotated, once in a function,
    and writes comments otherwise. A line that has a comment is left as it is. Raises SyntaxError if the
    text does not parse.
    """
    edits = tuple(_Writing(_read(text), style).edits(list(facts)))
    try:
        after = parse(apply(text, edits))
    except SyntaxError:
        return ()
    same = style == JAXTYPING or ast.dump(after) == ast.dump(parse(text))
    return edits if same else ()


@dataclass(frozen=True, slots=True)
class _Place:
    """Where something about a name can be written: behind the statement that ends in `line`, or behind the name."""

    end: tuple[int, int]
    annotates: bool


class _Text:
    """What stands where in a text."""

    def __init__(self, text: str) -> None:
        self.map: TextMap = text_map(text)
        self.places: dict[tuple[int, int], _Place] = {}
        self.shared: set[str] = set()
        """Names that are declared global or nonlocal: these cannot be annotated."""
        self.names: set[str] = set()
        self.imports = 0
        """The line behind which an import can be added."""
        self.tensor = "torch.Tensor"
        self.kinds: set[str] = set()
        """What is imported of jaxtyping."""
        tree = parse(text)
        self._imports(tree)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                self.shared.update(node.names)
            elif isinstance(node, ast.stmt):
                self._statement(node)

    def _imports(self, tree: ast.Module) -> None:
        for node in tree.body:
            is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self.imports = node.end_lineno or node.lineno
            elif not is_docstring:
                break
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module in ("torch", "jaxtyping"):
                for alias in node.names:
                    if alias.name == "Tensor" and node.module == "torch":
                        self.tensor = alias.asname or alias.name
                    elif node.module == "jaxtyping" and alias.asname is None:
                        self.kinds.add(alias.name)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign):
            alone = len(node.targets) == 1 and isinstance(node.targets[0], (ast.Name, ast.Attribute))
            for target in node.targets:
                self._targets(target, self._end(node), alone)
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
            self._targets(node.target, self._end(node), False)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._targets(node.target, self._end(node.iter), False)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None:
                    self._targets(
                        item.optional_vars,
                        self._end(node.items[-1].optional_vars or item.optional_vars),
                        False,
                    )
        elif isinstance(node, ast.Return):
            start = self.map.span(node)
            self.places[start.line, start.column] = _Place(self._end(node), False)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._parameters(node)

    def _targets(self, target: ast.expr, end: tuple[int, int], alone: bool) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for item in target.elts:
                self._targets(item, end, False)
        elif isinstance(target, ast.Starred):
            self._targets(target.value, end, False)
        else:
            span = self.map.span(target)
            annotates = alone and (isinstance(target, ast.Name) or _is_own_attribute(target))
            self.places[span.line, span.column] = _Place(end, annotates)

    def _parameters(self, node: _Function) -> None:
        given = node.args
        plain = [*given.posonlyargs, *given.args]
        defaults = {arg.arg for arg in plain[len(plain) - len(given.defaults) :]} if given.defaults else set()
        defaults |= {arg.arg for arg, value in zip(given.kwonlyargs, given.kw_defaults) if value is not None}
        for arg in (*plain, *given.kwonlyargs):
            span = self.map.span(arg)
            first = node.body[0].lineno
            end = (arg.end_lineno or arg.lineno, -1) if (arg.end_lineno or 0) < first else (0, 0)
            self.places[span.line, span.column] = _Place(
                end, arg.annotation is None and arg.arg not in defaults
            )

    def _end(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        span = self.map.span(node)
        return span.end_line, span.end_column


def _is_own_attribute(node: ast.expr) -> bool:
    """`self.x`, which may be annotated where it is assigned."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


@lru_cache(maxsize=2)
def _read(text: str) -> _Text:
    return _Text(text)


class _Writing:
    def __init__(self, text: _Text, style: str) -> None:
        self._text = text
        self._style = style
        self._said: dict[int, list[tuple[str, TensorFact, bool]]] = {}
        self._annotated: set[tuple[str, str]] = set()
        self._kinds: dict[str, None] = {}

    def edits(self, facts: list[Fact]) -> Iterator[Edit]:
        for fact in facts:
            place = self._text.places.get((fact.span.line, fact.span.column))
            if place is None or not isinstance(fact.value, TensorFact) or fact.value.shape is None:
                continue
            if self._annotates(fact, place):
                yield self._annotation(fact, fact.value)
            elif place.end[0]:
                self._said.setdefault(self._line(place), []).append(
                    (fact.name, fact.value, fact.kind == "parameter")
                )
        for line, said in self._said.items():
            comment = self._comment(line, said)
            if comment is not None:
                yield comment
        yield from self._import()

    def _annotates(self, fact: Fact, place: _Place) -> bool:
        if self._style != JAXTYPING or not place.annotates or fact.name in self._text.shared:
            return False
        assert isinstance(fact.value, TensorFact)
        key = fact.scope, fact.name
        if fact.value.dtype is None or key in self._annotated:
            return False
        self._annotated.add(key)
        return True

    def _annotation(self, fact: Fact, value: TensorFact) -> Edit:
        kind = _kind(value.dtype or "")
        self._kinds[kind] = None
        end = fact.span.end_line, fact.span.end_column
        dims = " ".join("_" if dim is None else str(dim).replace(" ", "") for dim in value.shape or ())
        return Edit(Span(*end, *end), f': {kind}[{self._text.tensor}, "{dims}"]')

    def _line(self, place: _Place) -> int:
        """The line at whose end a comment stands; 0 where something else stands behind the statement."""
        line, column = place.end
        text = self._text.map.line(line)
        if column < 0:  # a parameter: the rest of its line belongs to the function's header
            return line if "#" not in text and text.rstrip().endswith((":", ",", "(", ")")) else 0
        return line if text[column:].strip(" \t)]},:") == "" else 0

    def _comment(self, line: int, said: list[tuple[str, TensorFact, bool]]) -> Edit | None:
        if not line:
            return None
        text = self._text.map.line(line)
        if text.rstrip().endswith("\\"):
            return None
        shapes = {_written(value.shape) for _, value, _ in said}
        if len(shapes) == 1 and not any(is_parameter for _, _, is_parameter in said):
            words = shapes.pop()
        else:
            words = ", ".join(f"{name}: {_written(value.shape)}" for name, value, _ in said)
        end = len(text.rstrip())
        return Edit(Span(line, end, line, len(text)), f"  # {words}")

    def _import(self) -> Iterator[Edit]:
        missing = sorted(set(self._kinds) - self._text.kinds)
        if missing:
            line = self._text.imports + 1
            yield Edit(Span(line, 0, line, 0), f"from jaxtyping import {', '.join(missing)}\n")


def _kind(dtype: str) -> str:
    """What jaxtyping calls a dtype."""
    if dtype in _KINDS:
        return _KINDS[dtype]
    if dtype.startswith(("float", "bfloat")):
        return "Float"
    return "Complex" if dtype.startswith("complex") else "Int"


def _written(shape: tuple[Dim, ...] | None) -> str:
    dims = ["?" if dim is None else str(dim) for dim in shape or ()]
    return f"({', '.join(dims)}{',' if len(dims) == 1 else ''})"
