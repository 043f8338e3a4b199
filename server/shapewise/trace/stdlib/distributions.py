"""`importlib.metadata`: the versions of installed packages are those beside the interpreter's own torch."""

from __future__ import annotations

import functools
import importlib.metadata
import re
from typing import Any

from ..unknowns import texts
from ..unknowns.unknown import Unknown
from ..wall import audit
from . import stand_in

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def version(distribution_name: Any) -> Any:
    """What is not found is believed to be elsewhere: the tracer does not look into every folder that the program does."""
    known = type(distribution_name) is str and _NAME.fullmatch(distribution_name)
    return (_found(distribution_name) if known else None) or texts.text("the version of a package")


@functools.lru_cache(512)
def _found(name: str) -> str | None:
    with audit.Asleep():
        try:
            return importlib.metadata.version(name)
        except (importlib.metadata.PackageNotFoundError, OSError, ValueError):
            return None


def _unknown(*args: Any, **kwargs: Any) -> Any:
    return Unknown("what is installed")


stand_in(
    "importlib.metadata",
    {
        "version": version,
        "PackageNotFoundError": importlib.metadata.PackageNotFoundError,
        **dict.fromkeys(("packages_distributions", "distribution", "distributions", "metadata"), _unknown),
        **dict.fromkeys(("entry_points", "files", "requires"), _unknown),
    },
)
