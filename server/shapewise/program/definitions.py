"""The functions and classes of a file, and where its nodes stand in one another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(eq=False, slots=True)
class Function:
    """A function of the file. `cls`: the class in whose body it stands."""

    node: Definition
    qualname: str
    cls: Class | None
    locals: frozenset[str]
    globals: frozenset[str]

    @property
    def name(self) -> str:
        """Its own name."""
        return getattr(self.node, "name", "<lambda>")

    @property
    def decorators(self) -> list[ast.expr]:
        """What is written above it with `@`."""
        return getattr(self.node, "decorator_list", [])

    def parameters(self) -> list[ast.arg]:
        """All parameters that can be given by name or place, in order."""
        args = self.node.args
        return [*args.posonlyargs, *args.args, *args.kwonlyargs]

    def body(self) -> list[ast.stmt]:
        """Its statements."""
        if isinstance(self.node, ast.Lambda):
            return [ast.copy_location(ast.Return(self.node.body), self.node.body)]
        return self.node.body


@dataclass(eq=False, slots=True)
class Class:
    """A class of the file. `bases`: dotted paths, or classes of the file."""

    node: ast.ClassDef
    qualname: str
    bases: list[str | Class] = field(default_factory=list)
    methods: dict[str, Function] = field(default_factory=dict)
    attributes: dict[str, ast.expr] = field(default_factory=dict)

    def ancestry(self) -> Iterator[Class]:
        """It and the classes of the file that it inherits from, nearest first."""
        seen: set[int] = set()
        waiting: list[Class] = [self]
        while waiting:
            one = waiting.pop(0)
            if id(one) not in seen:
                seen.add(id(one))
                yield one
                waiting += [base for base in one.bases if isinstance(base, Class)]

    def fields(self) -> Iterator[str]:
        """Its own fields in order, as a dataclass or named tuple has them."""
        for one in self.node.body:
            if (
                isinstance(one, ast.AnnAssign)
                and isinstance(one.target, ast.Name)
                and not _left_out(one.value)
            ):
                yield one.target.id

    def foreign(self) -> set[str]:
        """The dotted paths of what it inherits from beyond the file."""
        return {base for one in self.ancestry() for base in one.bases if isinstance(base, str)}

    def method(self, name: str) -> Function | None:
        """A method of its own or inherited within the file."""
        return next((one.methods[name] for one in self.ancestry() if name in one.methods), None)

    @property
    def is_module(self) -> bool:
        """Whether it is surely an nn.Module."""
        return any(base.startswith("torch.nn.") for base in self.foreign())

    @property
    def is_only_module(self) -> bool:
        """Whether it is an nn.Module with nothing beside that is not seen here."""
        foreign = self.foreign()
        return "torch.nn.Module" in foreign and all(
            base == "torch.nn.Module" or base.startswith(("abc.", "typing.", "builtins.")) for base in foreign
        )


def _left_out(default: ast.expr | None) -> bool:
    """Whether a field is none of the constructor's: `field(init=False)`."""
    return isinstance(default, ast.Call) and any(
        kw.arg == "init" and isinstance(kw.value, ast.Constant) and kw.value.value is False
        for kw in default.keywords
    )


class Places:
    """For every node of a tree: its parent, the function and the class that it stands in."""

    def __init__(self, tree: ast.Module) -> None:
        self._parent: dict[ast.AST, ast.AST] = {}
        self.nodes: list[ast.AST] = []
        waiting: list[ast.AST] = [tree]
        while waiting:
            node = waiting.pop()
            self.nodes.append(node)
            for child in ast.iter_child_nodes(node):
                self._parent[child] = node
                waiting.append(child)

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node that directly holds it."""
        return self._parent.get(node)

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around it, nearest first."""
        one = self._parent.get(node)
        while one is not None:
            yield one
            one = self._parent.get(one)

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The statement that it is, or that it stands in."""
        one: ast.AST | None = node
        while one is not None and not isinstance(one, ast.stmt):
            one = self._parent.get(one)
        return one

    def function(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function in which it stands."""
        return next(
            (one for one in self.above(node) if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))),
            None,
        )

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements among which it stands, itself included."""
        parent = self._parent.get(statement)
        for name in ("body", "orelse", "finalbody", "handlers"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and statement in block:
                return block
        return [statement]


def bound_names(node: Definition) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a function binds itself, and those that it declares global or nonlocal."""
    names: set[str] = set()
    outer: set[str] = set()
    args = node.args
    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
        if arg is not None:
            names.add(arg.arg)
    waiting: list[ast.AST] = list(node.body) if isinstance(node.body, list) else [node.body]
    while waiting:
        one = waiting.pop()
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(one.name)
            continue
        if isinstance(one, ast.Name) and isinstance(one.ctx, (ast.Store, ast.Del)):
            names.add(one.id)
        elif isinstance(one, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name.split(".")[0] for alias in one.names)
        elif isinstance(one, (ast.Global, ast.Nonlocal)):
            outer.update(one.names)
        elif (
            isinstance(one, ast.ExceptHandler)
            and one.name
            or isinstance(one, (ast.MatchAs, ast.MatchStar))
            and one.name
        ):
            names.add(one.name)
        if not isinstance(one, ast.Lambda):
            waiting += ast.iter_child_nodes(one)
    return frozenset(names - outer), frozenset(outer)


def stored_names(nodes: list[ast.stmt]) -> set[str]:
    """The names that some statements bind, functions inside left out."""
    names: set[str] = set()
    waiting: list[ast.AST] = list(nodes)
    while waiting:
        one = waiting.pop()
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            names.add(one.id)
        waiting += ast.iter_child_nodes(one)
    return names
