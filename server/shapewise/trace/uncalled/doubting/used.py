"""What a definition tells where others of the file use it: without what only these give it."""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....vocabulary.events import Event, Unknown
from ..inputs.specs import Opaque
from ..naming.bound import with_numbers_of
from ..reading.reads import calls, walked
from ..targets import Target
from .covering import told

if TYPE_CHECKING:
    from ...run import Env


def as_used(env: Env) -> list[Event]:
    """What was tried; of a definition that only ran where another uses it, without numbers that others need not give it."""
    frames, tried_for = env.run.recorder.frames, env.run.told.tried

    def is_own(event: Event) -> bool:
        return tried_for.get(event.frame) == frames[event.frame].scope.partition(".")[0]

    def place(event: Event) -> Any:
        return type(event), event.span, event.name, frames[event.frame].file

    @functools.cache
    def literals(definition: str) -> frozenset[int]:
        value = env.names.get(definition)
        return _literals(value) if isinstance(value, (type, types.FunctionType)) else frozenset()

    @functools.cache
    def words(definition: str) -> frozenset[str]:
        return _words(env.names.get(definition))

    assumed = _as_it_is_used(env, is_own)
    own = {place(event) for event in assumed if is_own(event)}
    found: list[Event] = []
    for event in assumed:
        definition = frames[event.frame].scope.partition(".")[0]
        if is_own(event) or place(event) in own or frames[event.frame].file != env.module.file:
            found.append(event)
        else:
            found.append(with_numbers_of(event, literals(definition), words(definition)))
    return found


def _as_it_is_used(env: Env, is_own: Callable[[Event], bool]) -> list[Event]:
    """What was tried, without what a function tells by itself that hangs on what it is given, where others of the file call it.

    Where not all of these calls have run, nothing is told of it.
    """
    frames = env.run.recorder.frames

    def scope(event: Event) -> tuple[str, str]:
        return frames[event.frame].file, frames[event.frame].scope

    used = {scope(event) for event in env.run.told.events if not is_own(event)}
    given = {
        scope(event)
        for event in env.run.told.events
        if isinstance(value := told(event), Unknown) and value.why == Opaque.why and is_own(event)
    }
    of_others = used & given
    half = _not_followed_everywhere(env, of_others)
    return [
        event
        for event in env.run.told.events
        if scope(event) not in of_others or not (is_own(event) or scope(event) in half)
    ]


def _not_followed_everywhere(env: Env, scopes: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The functions of which some call that stands in the definitions of the file has not run: there they may be given anything.

    A method is called through what nobody knows by its name: of that it is not asked.
    """
    asked = {name for file, name in scopes if file == env.module.file and "." not in name}
    if not asked:
        return set()
    reached = {
        (frame.scope, frame.site.line, frame.site.column)
        for frame in env.run.recorder.frames
        if frame.scope in asked and frame.file == env.module.file and frame.site is not None
    }
    nodes = [node for one, value in env.names.items() for node in Target(one, value).nodes()]
    return {
        (env.module.file, called)
        for node in nodes
        for called, use in calls(node)
        if called in asked and (called, use.lineno, use.col_offset) not in reached
    }


def _words(value: Any) -> frozenset[str]:
    """The words that a definition has itself: `n_state` of the model is none of its convolution's."""
    nodes = Target("", value).nodes() if isinstance(value, (type, types.FunctionType)) else []
    return frozenset(
        one.id if isinstance(one, ast.Name) else one.attr if isinstance(one, ast.Attribute) else one.arg
        for node in nodes
        for one in walked(node)
        if isinstance(one, (ast.Name, ast.Attribute, ast.arg))
    )


def _literals(value: Any) -> frozenset[int]:
    """The integers that a definition says itself, in what it does and not for its parameters."""
    bodies = [one for node in Target("", value).nodes() for one in node.body]
    found = {
        one.value
        for body in bodies
        for one in ast.walk(body)
        if isinstance(one, ast.Constant) and type(one.value) is int
    }
    makes_ones = any(
        (isinstance(one, ast.keyword) and one.arg in ("keepdim", "keepdims"))
        or (isinstance(one, ast.Attribute) and one.attr.startswith("unsqueeze"))
        or (
            isinstance(one, ast.Constant)
            and (one.value is None or "1" in str(one.value) or "()" in str(one.value))
        )
        for body in bodies
        for one in ast.walk(body)
    )
    return frozenset(found | ({1} if makes_ones else set()))
