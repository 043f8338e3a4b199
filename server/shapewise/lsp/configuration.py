"""What the client tells of its user's settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Settings:
    """Which hints are shown, and how severe rules are (`off` for none) that are not as their pages say."""

    hints: bool = True
    parameters: bool = True
    rules: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """What the client says once, at the start. `reason`: why it is this interpreter."""

    interpreter: str | None = None
    reason: str = ""
    settings: Settings = field(default_factory=Settings)


def options(given: Any) -> Options:
    """Options from `initializationOptions`. What is missing or makes no sense is as if not said."""
    interpreter, reason = _get(given, "interpreter"), _get(given, "reason")
    return Options(
        interpreter if isinstance(interpreter, str) and interpreter.strip() else None,
        reason if isinstance(reason, str) else "",
        settings(_get(given, "settings"), Settings()),
    )


def changed(given: Any, current: Settings) -> Settings:
    """Settings after `workspace/didChangeConfiguration`, whose `settings` this is."""
    return settings(_get(given, "shapewise"), current)


def settings(given: Any, current: Settings) -> Settings:
    """Settings from `{"inlayHints": {...}, "rules": {...}}`; what is not said stays as it is."""
    hints = _get(given, "inlayHints")
    return Settings(
        _switch(_get(hints, "enabled"), current.hints),
        _switch(_get(hints, "parameters"), current.parameters),
        _words(_get(given, "rules"), current.rules),
    )


def _get(given: Any, name: str) -> Any:
    if isinstance(given, Mapping):
        return given.get(name)
    return getattr(given, name, None)


def _switch(value: Any, otherwise: bool) -> bool:
    return value if isinstance(value, bool) else otherwise


def _words(value: Any, otherwise: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    if value is None:
        return otherwise
    named = value if isinstance(value, Mapping) else getattr(value, "_asdict", dict)()
    return tuple((str(name), word) for name, word in named.items() if isinstance(word, str))
