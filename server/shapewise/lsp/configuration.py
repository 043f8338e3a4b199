"""What the client tells of its user's settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from .given import given

COMMENT, JAXTYPING = "comment", "jaxtyping"
_STYLES = (COMMENT, JAXTYPING)


@dataclass(frozen=True, slots=True)
class Settings:
    """Which hints are shown (`shapewise.inlayHints.*`), and how shapes are written into the text.

    A kind of hint has a switch each. `non_contiguous`: a mark behind the shape of what is not contiguous.
    `insert`: a shape comment or an annotation of jaxtyping. `calls` (`shapewise.codeLens.calls`): whether
    a lens over a function lets one choose which call is shown. `rules`: how severe those are (`off` for
    none) that are not as their pages say.
    """

    enabled: bool = True
    variables: bool = True
    attributes: bool = True
    parameters: bool = True
    loops: bool = True
    chains: bool = True
    returns: bool = True
    non_contiguous: bool = True
    insert: str = COMMENT
    calls: bool = False
    rules: tuple[tuple[str, str], ...] = ()

    def shows(self, kind: str) -> bool:
        """Whether hints of a kind are shown: `variables`, `returns` and so on."""
        return self.enabled and bool(getattr(self, kind))


@dataclass(frozen=True, slots=True)
class Options:
    """What the client says once, at the start. `reason`: why it is this interpreter."""

    interpreter: str | None = None
    reason: str = ""
    settings: Settings = field(default_factory=Settings)


def options(said: Any) -> Options:
    """Options from `initializationOptions`. What is missing or makes no sense is as if not said."""
    interpreter, reason = given(said, "interpreter"), given(said, "reason")
    return Options(
        interpreter if isinstance(interpreter, str) and interpreter.strip() else None,
        reason if isinstance(reason, str) else "",
        settings(given(said, "settings"), Settings()),
    )


def changed(said: Any, current: Settings) -> Settings:
    """Settings after `workspace/didChangeConfiguration`, whose `settings` this is."""
    return settings(given(said, "shapewise"), current)


def settings(said: Any, current: Settings) -> Settings:
    """Settings from `{"inlayHints": {...}, "codeLens": {...}, "rules": {...}}`; what is not said stays as it is."""
    hints, lens = given(said, "inlayHints"), given(said, "codeLens")
    new: dict[str, Any] = {}
    for one in fields(Settings):
        value = given(lens if one.name == "calls" else hints, _camel(one.name))
        if value in _STYLES if one.name == "insert" else isinstance(value, bool):
            new[one.name] = value
    return replace(current, **{**new, "rules": _words(given(said, "rules"), current.rules)})


def _camel(name: str) -> str:
    """`non_contiguous` as settings are written: `nonContiguous`."""
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))


def _words(value: Any, otherwise: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    if value is None:
        return otherwise
    named = value if isinstance(value, Mapping) else getattr(value, "_asdict", dict)()
    return tuple((str(name), word) for name, word in named.items() if isinstance(word, str))
