"""Context managers: entered and left as `with` does."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..control import BudgetExhausted, thrown
from ..unknowns import doubts
from ..unknowns.unknown import Unknown

if TYPE_CHECKING:
    from ..run import Env

Leave = Callable[["Exception | None"], bool]


_HARMLESS = frozenset(
    "open ZipFile TarFile File TemporaryDirectory NamedTemporaryFile catch_warnings ThreadPoolExecutor "
    "ProcessPoolExecutor Pool redirect_stdout redirect_stderr record_function profile tqdm".split()
)


def harmless(context: ast.expr) -> bool:
    """Whether a context is one of those that everybody knows and that have nothing to do with torch's modes."""
    return isinstance(context, ast.Call) and ast.unparse(context.func).rsplit(".", 1)[-1] in _HARMLESS


def enter(env: Env, manager: Any, is_harmless: bool = False) -> tuple[Any, Leave]:
    """What `with manager as ...` binds, and how it is left: given the exception, says whether that ends here."""
    if type(manager) is Unknown:
        if manager.kind is not None:
            return manager, lambda error: False
        if is_harmless:
            return Unknown("the value of an unknown context"), lambda error: False
        doubts.open_context()
        return Unknown("the value of an unknown context"), _close
    kind = type(manager)
    try:
        exit_method = kind.__exit__
        entered = kind.__enter__(manager)
    except BudgetExhausted:
        raise
    except Exception as error:
        return env.run.absorb(error), lambda error: False

    def leave(error: Exception | None) -> bool:
        real = None if error is None else thrown(error)
        try:
            done = exit_method(manager, None if real is None else type(real), real, None)
        except BudgetExhausted:
            raise
        except Exception as other:
            if other is error:
                return False
            env.run.absorb(other)
            return False
        return error is not None and done is True

    return entered, leave


def _close(error: Exception | None) -> bool:
    doubts.close_context()
    return False


def suppressed(manager: Any) -> tuple[type[BaseException], ...]:
    """The exceptions that surely end at this manager: so what fails inside it is raised."""
    if type(manager) is contextlib.suppress:
        return tuple(kind for kind in vars(manager)["_exceptions"] if isinstance(kind, type))
    return ()
