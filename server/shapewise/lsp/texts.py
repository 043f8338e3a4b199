"""The editor's texts: a file, or one cell of a notebook, each with the facts that its hints show.

pygls splits lines where `str.splitlines` does, at form feeds and six more characters where editors
do not; so texts are kept here, and pygls' workspace only says when they change.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from lsprotocol import types
from pygls.workspace import TextDocument
from pygls.workspace import Workspace as PyglsWorkspace

from ..edits.text import TextMap
from ..vocabulary.facts import Fact, may_be_same
from ..vocabulary.findings import Edit
from ..vocabulary.placed import Placed
from ..vocabulary.span import Span
from .positions import from_range, to_range
from .shifting import Lines, difference, shifted_facts, touched_by

_NEWLINE = re.compile(r"\r\n?")
_NEVER = -1
_DEFINITION = re.compile(r"(?:async\s+def|def|class)\s+(\w+)")


class Text(TextDocument):
    """One text as it is in the editor now, and its facts at their places of now."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.map = TextMap(self.source)
        self.facts: Sequence[Fact] = ()
        self.touched: tuple[Lines, ...] = ()
        """Lines edited since the facts were last confirmed by an analysis of the whole text."""
        self._confirmed = 0
        self._edits: list[Edit] = []
        self._forgotten = 0

    @property
    def revision(self) -> int:
        """How many edits there have been: names a moment of this text."""
        return self._forgotten + len(self._edits)

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Take over one edit of the client."""
        old = self.source
        written = _NEWLINE.sub("\n", change.text)
        if isinstance(change, types.TextDocumentContentChangePartial):
            span = from_range(self.map, self.position_codec, change.range)
            start, end = self.map.offsets(span)
            self._source = old[:start] + change.text + old[end:]
            edit = Edit(span, written)
        else:
            self._source = change.text
            edit = difference(_NEWLINE.sub("\n", old), written)
        self.map = TextMap(self._source)
        self._edits.append(edit)
        self.facts = shifted_facts(self.facts, edit)
        self.touched = touched_by(self.touched, edit)

    def facts_on(self, first: int, last: int) -> Sequence[Fact]:
        """The facts of which some part stands on these lines: of a long file thousands stand elsewhere."""
        return Placed.of(self.facts).between(first, last)

    @property
    def is_whole(self) -> bool:
        """Whether no edit has cost a fact since the last analysis."""
        return len(self.facts) == self._confirmed

    def since(self, revision: int) -> tuple[Edit, ...]:
        """The edits made since a moment, which must not have been forgotten."""
        return tuple(self._edits[revision - self._forgotten :])

    def renew(
        self,
        facts: Sequence[Fact],
        revision: int,
        keep_before: int = 0,
        unfinished: Collection[str] = (),
        is_short: bool = False,
    ) -> None:
        """Take over what an analysis of an earlier moment says.

        With `keep_before`, a line of now, the analysis is not the whole truth: facts held so far on
        the lines before it stay, for what it says there may only be for a call that is being written. Nor is it of
        the `unfinished` definitions: facts held so far of their lines before the first edit stay, and of those
        that were not edited all. With `is_short` what was held stays wherever it may be true: a longer one follows.
        """
        edits = self.since(revision)
        self._confirmed = len(facts)
        facts = self._as_of_now(facts, revision)
        if is_short:
            facts = self._beside_held(facts)
        elif unfinished:
            facts = self._with_held(facts, unfinished)
        if keep_before:
            held = [fact for fact in self.facts if fact.span.end_line < keep_before]
            lines = {line for fact in held for line in range(fact.span.line, fact.span.end_line + 1)}
            new = [fact for fact in facts if fact.span.line not in lines]
            facts = tuple(sorted((*new, *held), key=lambda fact: fact.span))
        elif not unfinished and not is_short:
            self.touched = ()
            for edit in edits:
                self.touched = touched_by(self.touched, edit)
        self.facts = facts
        self.forget(revision)

    def _as_of_now(self, facts: Sequence[Fact], revision: int) -> Sequence[Fact]:
        for edit in self.since(revision):
            facts = shifted_facts(facts, edit)
        return facts

    def take(self, facts: Sequence[Fact], revision: int) -> None:
        """Take over what is known so far of an earlier moment, which is true now: what was held stays where it may be true."""
        self.facts = self._beside_held(self._as_of_now(facts, revision))
        self._confirmed = _NEVER

    def _beside_held(self, facts: Sequence[Fact]) -> tuple[Fact, ...]:
        """Some facts, and those held so far that they do not contradict."""
        held = {(fact.span, fact.kind, fact.name): fact for fact in self.facts}
        for fact in facts:
            key = fact.span, fact.kind, fact.name
            before = held.get(key)
            if before is None or before.assumed or not may_be_same(before.value, fact.value):
                held[key] = fact
        return tuple(sorted(held.values(), key=lambda fact: fact.span))

    def _with_held(self, facts: Sequence[Fact], unfinished: Collection[str]) -> tuple[Fact, ...]:
        """What was known of the unfinished definitions, in the place of what is said of them now: all above the edits, and what was not edited."""
        until = min((first for first, _ in self.touched), default=len(self.source) + 1)
        edited = self._edited()

        def is_kept(fact: Fact) -> bool:
            definition = fact.scope.partition(".")[0]
            return definition in unfinished and (fact.span.end_line < until or definition not in edited)

        held = [fact for fact in self.facts if is_kept(fact)]
        lines = {fact.span.line for fact in held}
        new = [fact for fact in facts if not (is_kept(fact) and fact.span.line in lines)]
        return tuple(sorted((*new, *held), key=lambda fact: fact.span))

    def _edited(self) -> set[str]:
        """The definitions at the top in which a line was edited, or that end above one."""
        lines = self.source.split("\n")
        found: set[str] = set()
        for first, last in self.touched:
            while last < len(lines) and lines[last - 1].startswith("@"):
                last += 1
            for at in range(min(last, len(lines)), 0, -1):
                begins = _DEFINITION.match(lines[at - 1])
                if begins:
                    found.add(begins[1])
                    if at <= first:
                        break
        return found

    def drop_touched(self, everything: bool = False) -> None:
        """Forget the facts that edits may have made wrong: those from the first edited line on."""
        first = 0 if everything else min((first for first, _ in self.touched), default=None)
        if first is not None:
            self.facts = tuple(fact for fact in self.facts if fact.span.end_line < first)

    def forget(self, revision: int) -> None:
        """Nobody will ask any more for edits made before that moment."""
        del self._edits[: revision - self._forgotten]
        self._forgotten = revision

    def to_range(self, span: Span) -> types.Range:
        """A span of this text as the client counts."""
        return to_range(self.map, self.position_codec, span)


class Workspace(PyglsWorkspace):
    """pygls' workspace, of these texts."""

    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,
    ) -> Text:
        return Text(
            doc_uri,
            source=source or "",
            version=version,
            language_id=language_id,
            sync_kind=self._sync_kind,
            position_codec=self._position_codec,
        )
