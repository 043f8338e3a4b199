"""Functions of the file that nobody calls but a library that is not followed: `@hydra.main`, `typer.run(main)`."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..unknowns.unknown import Unknown
from .own import NODES, is_interpreted

if TYPE_CHECKING:
    from ..run import Env, Run


def hand_over(run: Run, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """A call that is not followed is given these: what of them is a function may be called by it, with anything."""
    for arg in (*args, *kwargs.values()):
        if isinstance(arg, types.FunctionType) and is_interpreted(arg):
            run.handed.setdefault(id(arg), (arg, len(args) == 1 and not kwargs))


def run_handed(env: Env) -> None:
    """At the end of the file: run those that have not run, on arguments that nobody knows.

    One that was handed over alone has the defaults that it says, as an option of a command line has.
    """
    from .calls import call

    run = env.run
    while run.handed:
        function, alone = run.handed.pop(next(iter(run.handed)))
        name = getattr(function, "__qualname__", "")
        if not name.isidentifier() or function.__module__ != env.module.alias or run.site is None:
            continue
        if name in run.undecorated and _takes_tensors(function):
            continue  # of such something can be made up
        if any(frame.scope == name and frame.file == env.module.file for frame in run.recorder.frames):
            continue
        given, named = arguments(inspect.signature(function), alone)
        call(env, run.site, function, given, named, name)


def _takes_tensors(function: Any) -> bool:
    """Whether a function says that it is given a tensor."""
    node: Any = NODES.get(id(inspect.unwrap(function)))
    taken = None if node is None else node.args
    every = [] if taken is None else [*taken.posonlyargs, *taken.args, *taken.kwonlyargs]
    return any(one.annotation is not None and "Tensor" in ast.unparse(one.annotation) for one in every)


def arguments(
    signature: inspect.Signature, with_defaults: bool, skipped: int = 0
) -> tuple[list[Any], dict[str, Any]]:
    """What nobody knows for each parameter but the first `skipped`."""
    given: list[Any] = []
    named: dict[str, Any] = {}
    for one in [*signature.parameters.values()][skipped:]:
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            continue
        if with_defaults and one.default is not one.empty:
            value = one.default
        else:
            value = Unknown("given by what calls this function")
        if one.kind is one.KEYWORD_ONLY:
            named[one.name] = value
        else:
            given.append(value)
    return given, named
