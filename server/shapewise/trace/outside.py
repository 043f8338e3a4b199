"""What is done outside of the trace that asks for it: imports of installed packages, and their texts."""

from __future__ import annotations

import threading
from typing import Any

from . import shims
from .wall import audit


def outside(action: Any) -> Any:
    """Carry out an import of an installed package, or the reading of its text, outside of the trace. Raises what it raises.

    Modes of torch belong to a thread, the audit hook to the process; the trace's clock stands still.
    """
    env = shims.here()
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["value"] = action()
        except BaseException as error:
            outcome["error"] = error

    if env is not None:
        env.run.budget.stop()
    try:
        with audit.Asleep():
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
    finally:
        if env is not None:
            env.run.budget.go()
    if "error" in outcome:
        raise outcome["error"]
    return outcome["value"]
