"""The texts of the other modules that a file can reach: asked for by name, in the middle of a trace."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..compiler import Statement
from ..neighbours import large
from ..unknowns.unknown import Unknown
from . import compiled
from .gathered import Gathered, gathered_by


@dataclass(frozen=True, slots=True)
class Source:
    """One module, compiled. `own`: it belongs to the user's project, and what happens in it is written down."""

    file: str
    body: Statement
    package: bool
    own: bool
    repeats: bool = True
    """See `compiled.repeats`."""
    gathered: Gathered | None = None
    """What it gathers, if it does nothing else."""
    text: str = ""
    """Of the user's own."""


Answer = Source | Unknown | None
"""What an import leads to; Unknown where it is not followed, None where there is no such module."""

Exchange = Callable[[dict[str, Any]], "dict[str, Any] | None"]
"""The messages `need` and `module` of docs/architecture.md."""


class Sources:
    """Asks for each module once, however often the file itself is traced.

    `package` is the dotted path of the package that the file lies in; `beside` names the modules
    that Python finds beside the file before it looks into its own library.
    """

    _digests: dict[str, str] = {}  # noqa: RUF012 - what was compiled in an earlier trace need not be sent again

    def __init__(
        self, exchange: Exchange | None = None, package: str = "", beside: list[str] | None = None
    ) -> None:
        self.package = package
        self.beside = frozenset(beside or ())
        self._exchange = exchange
        self._answers: dict[str, Answer] = {}

    def get(self, name: str) -> Answer:
        """The source of the module of an absolute name."""
        if name not in self._answers:
            self._answers[name] = self._ask(name)
        return self._answers[name]

    @property
    def own(self) -> tuple[str, ...]:
        """The files of the project that were asked for."""
        answers = [one for one in self._answers.values() if isinstance(one, Source)]
        return tuple(one.file for one in answers if one.own and one.file)

    @property
    def state(self) -> Any:
        """What tells the modules that were asked for from other versions of them."""
        return tuple((name, self._digests.get(name)) for name in self._answers)

    def _ask(self, name: str) -> Answer:
        if self._exchange is None:
            return Unknown(f"{name} is not followed") if _exists(name.split(".")[0]) else None
        digest = self._digests.get(name)
        said = self._exchange({"name": name, "digest": digest if compiled.is_kept(digest) else None})
        if said is None or "why" in said:
            return None if said is None else Unknown(str(said["why"]))
        broken = {int(line): tuple(names) for line, names in said.get("broken", ())}
        try:
            body = compiled.body(said["digest"], said.get("text"), broken)
        except SyntaxError as error:
            return Unknown(f"line {error.lineno} of {name} does not parse: {error.msg}")
        except (RecursionError, MemoryError, ValueError):
            return Unknown(f"{name} nests too deeply to follow")
        self._digests[name] = said["digest"]
        own, text = bool(said.get("own")), compiled.kept_text(said["digest"])
        if not own and large.is_large(name):
            return _of_large(name, said, body)
        return Source(
            said["file"],
            body,
            bool(said.get("package")),
            own,
            compiled.kept_repeats(said["digest"]),
            compiled.kept_names(said["digest"]),
            text if own else "",
        )


def _of_large(name: str, said: dict[str, Any], body: Statement) -> Source:
    """A module of a package that is too large to follow as a whole: in words of our own, or with the names that it gathers."""
    written = large.written(name)
    if written is not None:
        return Source(said["file"], compiled.body(f"{name} in words of our own", written, {}), False, False)
    package, digest = bool(said.get("package")), said["digest"]
    gathered = gathered_by(compiled.kept_text(digest), only=False) if package else None
    return Source(said["file"], body, package, False, compiled.kept_repeats(digest), gathered)


def _exists(top: str) -> bool:
    """Whether a package could be imported, found without importing anything."""
    try:
        return importlib.util.find_spec(top) is not None
    except (ImportError, ValueError):
        return False
