"""Statements: each walked once, both ways of a condition, loops as one round."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..stale import look
from .conditions import decided, held_to_be_none
from .contexts import Contexts
from .definitions import stored_names
from .events import Branch, Loop
from .names import imported, spelled
from .spelling import operator_name
from .values import CONST, PATH, Value, join, options_of
from .walking import STEPS


class Statements(Contexts):
    """The part of the walk that knows statements."""

    # ------------------------------------------------------------ blocks

    def block(self, statements: Sequence[ast.stmt]) -> bool:
        """Walk statements. Whether the block surely leaves (return, raise, break, continue)."""
        for statement in statements:
            look()
            self._steps += 1
            if self._steps > 2 * STEPS:
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
            name = held_to_be_none(test, number)
            nothing = Value(CONST, node=test, const=None)
            if name in before:
                self.scope.names[name] = nothing
            with self.around(Branch(fork, number, node, test)):
                leaves = self.block(statements)
            if self.scope.names.get(name) is nothing:
                self.scope.names[name] = before[name]
            if not leaves:
                after.append(self.scope.names)
        if not after:
            self.scope.names = before
            return True
        self.scope.names = _joined(after)
        return False

    def stmt_If(self, node: ast.If) -> bool:
        test = self.value(node.test)
        if _is_main(node.test):
            return self.block(node.body)
        arms = [(node.body, node.test), (node.orelse, node.test)]
        known = decided(node.test, test, self.unsettled)
        return self.ways(node, arms) if known is None else self._one_way(node, arms, 0 if known else 1)

    def _one_way(
        self, node: ast.AST, arms: Sequence[tuple[Sequence[ast.stmt], ast.expr | None]], taken: int
    ) -> bool:
        """Walk all of several ways; what the one leaves that is taken is so after them."""
        before, left = dict(self.scope.names), self.scope.left
        after = before
        fork = object()
        for number, (statements, test) in enumerate(arms):
            self.scope.names = dict(before)
            self.scope.left = left or number != taken
            is_taken = number == taken
            with self.around(Branch(fork, number, node, test, passed_over=not is_taken, taken=is_taken)):
                leaves = self.block(statements)
            if number == taken:
                after = before if leaves else self.scope.names
                returns = leaves and isinstance(statements[-1], ast.Return)
                left = left or returns and not any(isinstance(one, Loop) for one in self._here())
        self.scope.names, self.scope.left = after, left
        return False

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
        over = self.iterated(self.value(node.iter), node)
        with self.around(Loop(node, over)):
            unset = self._open_loop(node)
            self.assign_item(node.target, over)
            self._loop_body(node.body, unset)
        self.block(node.orelse)
        return False

    stmt_AsyncFor = stmt_For

    def stmt_While(self, node: ast.While) -> bool:
        with self.around(Loop(node, None)):
            unset = self._open_loop(node)
            self.value(node.test)
            self._loop_body(node.body, unset)
        self.block(node.orelse)
        return False

    def _loop_body(self, body: list[ast.stmt], unset: dict[str, Value]) -> None:
        opened, before = self.scope.names, {**self.scope.names, **unset}
        self.scope.names = dict(opened)
        self.block(body)
        self.scope.names = _joined([before, self.scope.names])
        for name in unset.keys() & self.scope.names.keys():
            ways = [one for one in options_of(self.scope.names[name]) if one is not opened[name]]
            self.scope.names[name] = join(ways) if ways else unset[name]

    def _open_loop(self, node: ast.For | ast.AsyncFor | ast.While) -> dict[str, Value]:
        """Numbers that the body changes are not known in it. What is None until then: after it, it is None or what the
        body makes of it.
        """
        unset: dict[str, Value] = {}
        for name in stored_names(node.body):
            known = self.scope.names.get(name)
            if known is not None and any(option.by == CONST for option in options_of(known)):
                self.scope.names[name] = Value(name=name)
                if known.const is None:
                    unset[name] = known
        return unset

    # ------------------------------------------------------------ simple statements

    def stmt_Expr(self, node: ast.Expr) -> None:
        self.value(node.value)

    def stmt_Return(self, node: ast.Return) -> bool:
        value = self.value(node.value) if node.value is not None else Value(CONST, const=None)
        self.note("return", "return", node, args=(value,))
        if not self.scope.left:
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
            elif isinstance(target, ast.Subscript):
                self.changed.add(id(self.value(target.value)))

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
        by = f"{operator_name(node.op)}="
        merged = self.merged(old, added, node) if by == "|=" else None
        if merged is not None and old.by == "dict":
            old.keys, old.args = merged.keys, merged.args
        new = old if merged is not None else Value(by, node=node, args=(old, added), name=old.name)
        if by == "+=" and old.by == "list":  # it stays the same list
            old.args += added.args if added.by == "list" else (Value("*", on=added, spread=True),)
            if any(isinstance(one, (Branch, Loop)) for one in self.where):
                self.changed.add(id(old))
            new = old
        self.note("augmented", by, node, on=old, args=(added,), value=new)
        self.assign(node.target, new, quiet=True)


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
