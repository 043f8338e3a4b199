"""What stands left of an assignment."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import torch

from ...vocabulary.events import Failure
from ..gate import attributes, subscripts
from ..log.facts import same
from ..run import Env
from ..state import NAME
from ..unknowns.alike import kind_of_items
from ..unknowns.unknown import Lost, Unknown
from . import Base, Target
from .expressions import iterate


class Targets(Base):
    """The part of the compiler that binds values."""

    def target(self, node: ast.expr) -> Target:
        """A function that binds a value to this target and writes down the binding."""
        span = self.span(node)
        if isinstance(node, ast.Name):
            return self._name(self.private(node.id), span)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, span)
        if isinstance(node, ast.Subscript):
            owner, index = self.expression(node.value), self.expression(node.slice)
            return lambda env, value: subscripts.store_subscript(env, span, owner(env), index(env), value)
        if isinstance(node, (ast.Tuple, ast.List)):
            return self._unpack(node)
        if isinstance(node, ast.Starred):
            return self.target(node.value)
        return lambda env, value: None

    def _name(self, name: str, span: Any) -> Target:
        def bind(env: Env, value: Any) -> None:
            home = self.home(env, name)
            env.run.store(home, name, value)
            env.run.recorder.bound(env.frame, span, "binding", name, value)

        return bind

    def _attribute(self, node: ast.Attribute, span: Any) -> Target:
        owner, name = self.expression(node.value), self.private(node.attr)
        shown = f"self.{node.attr}" if isinstance(node.value, ast.Name) and node.value.id == "self" else None

        def bind(env: Env, value: Any) -> None:
            try:
                attributes.write(env.run, owner(env), name, value)
            except Exception as error:
                env.run.absorb(error)
            if shown is not None:
                env.run.recorder.bound(env.frame, span, "binding", shown, value)

        return bind

    def _unpack(self, node: ast.Tuple | ast.List) -> Target:
        span = self.span(node)
        targets = [self.target(element) for element in node.elts]
        star = next((i for i, element in enumerate(node.elts) if isinstance(element, ast.Starred)), None)
        last = {element.id: i for i, element in enumerate(node.elts) if isinstance(element, ast.Name)}
        held = [
            last.get(element.id, i) if isinstance(element, ast.Name) else i
            for i, element in enumerate(node.elts)
        ]
        """Of `_, _, x` both names hold, after the statement, what the second took."""

        def bind(env: Env, value: Any) -> None:
            lost: Unknown | None = None
            items: list[Any] = []
            try:
                if star is None and _is_made_up_longer(env, value, len(targets)):
                    items = [value] * (1 + len(targets))
                else:
                    items = iterate(env, value)
            except Lost as error:
                lost = Unknown(error.why, type(value) is Unknown and value.tensor)
                if star is None and (kind := _each(value)) is not None:
                    lost, items = None, [kind] * len(targets)
            except Exception as error:
                lost = env.run.absorb(error, value)
            if lost is None and star is not None:
                tail = len(targets) - star - 1
                if len(items) >= len(targets) - 1:
                    items = [*items[:star], items[star : len(items) - tail], *items[len(items) - tail :]]
            if lost is None and len(items) != len(targets):
                least = f"{len(targets)}" if star is None else f"at least {len(targets) - 1}"
                wanted = f"not enough values to unpack (expected {least}, got {len(items)})"
                if len(items) > len(targets):
                    wanted = f"too many values to unpack (expected {len(targets)})"
                lost = env.run.absorb(ValueError(wanted), value)
                if isinstance(value, (torch.Size, torch.Tensor)) or _are_tensors(items):
                    failure = Failure("ValueError", wanted)
                    env.run.recorder.op(env.frame, span, "unpack", [value], {}, lost, failure)
            for number, target in enumerate(targets):
                target(env, items[held[number]] if lost is None else Unknown(lost.why, lost.tensor))

        return bind

    def delete(self, node: ast.expr) -> Callable[[Env], None]:
        """`del node`."""
        span = self.span(node)
        if isinstance(node, ast.Name):
            name = self.private(node.id)

            def forget(env: Env) -> None:
                home = self.home(env, name)
                env.run.journal.note(NAME, home.names, name)
                home.names.pop(name, None)

            return forget
        if isinstance(node, ast.Subscript):
            owner, index = self.expression(node.value), self.expression(node.slice)

            def remove(env: Env) -> None:
                subscripts.delete_subscript(env, span, owner(env), index(env))

            return remove
        if isinstance(node, ast.Attribute):
            owner, attribute = self.expression(node.value), self.private(node.attr)

            def drop(env: Env) -> None:
                try:
                    attributes.delete(env.run, owner(env), attribute)
                except Exception as error:
                    env.run.absorb(error)

            return drop
        if isinstance(node, (ast.Tuple, ast.List)):
            parts = [self.delete(element) for element in node.elts]

            def all_of(env: Env) -> None:
                for part in parts:
                    part(env)

            return all_of
        return lambda env: None


def _is_made_up_longer(env: Env, value: Any, wanted: int) -> bool:
    """Whether a tensor of inputs that are made up has more items than are wanted of it, too many to look at each."""
    tried = env.run.attempt is not None and isinstance(value, torch.Tensor)
    return tried and value.dim() > 0 and len(value) > wanted


def _each(value: Any) -> Any:
    """What each item of a container of unknown length is, None where that is not known."""
    try:
        return kind_of_items(value, same)
    except LookupError:
        return None


def _are_tensors(items: list[Any]) -> bool:
    """Whether these are tensors alone, as `split`, `chunk` and `unbind` give, and what is made of each of their parts."""
    return bool(items) and all(isinstance(item, torch.Tensor) for item in items)
