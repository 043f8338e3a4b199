"""Whole scripts with one planted mistake each, and what is found in them.

A script is one text for two: lines that begin with `-|` are only in the bad one, with `+|` only in the good
one. `# BAD: rule` marks a line of the bad one that is to be found; `# OK-ALSO: rule` one where the finding may
stand instead, because the cause is there. `# <- rule`, as pages have it, is the same as `# BAD: rule`. One without a mark is good as it is.

Folders `RULE/bad.py` and `RULE/good.py` may keep their marks beside them instead, in a `labels.json` of
`{"file": "RULE/bad.py", "line": 3, "also": [7]}`, and may hold the modules that a script imports.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from shapewise.vocabulary.findings import Finding

SCRIPTS = Path(__file__).parent / "scripts"
_MARK = re.compile(r"  # (?:(?:BAD|OK-ALSO):|<-) ([\w-]+)")


@dataclass(frozen=True)
class Labelled:
    """One script. `marks`: the lines (from 1) where a finding of the rule is right; empty for a good one."""

    rule: str
    kind: str
    text: str
    marks: tuple[int, ...] = ()
    path: str = "script.py"

    @property
    def name(self) -> str:
        return f"{self.rule} {self.kind}"

    def found_in(self, findings: Sequence[Finding]) -> str:
        """`line` if the rule is found on a marked line, `file` if elsewhere, else empty."""
        own = [one for one in findings if one.rule == self.rule]
        if any(one.span.line <= mark <= one.span.end_line for one in own for mark in self.marks):
            return "line"
        return "file" if own else ""

    def false_in(self, findings: Sequence[Finding]) -> list[Finding]:
        """Of a good script: what is said of the rule, or is worse than a hint."""
        return [one for one in findings if one.rule == self.rule or one.severity != "hint"]


def scripts(folder: Path = SCRIPTS) -> Iterator[Labelled]:
    """Every one of a folder: texts for two, or folders `RULE/bad.py` and `RULE/good.py`."""
    for path in sorted(folder.glob("*.txt")):
        lines = path.read_text("utf-8").splitlines()
        for kind, own in (("bad", "-|"), ("good", "+|")):
            text = "".join(
                line.removeprefix(own) + "\n"
                for line in lines
                if line[:2] not in ("-|", "+|") or line[:2] == own
            )
            if kind == "good" or _MARK.search(text):
                yield _labelled(path.stem, kind, text)
    beside = folder / "labels.json"
    labels = json.loads(beside.read_text("utf-8")) if beside.exists() else []
    marks = {label["file"]: (label["line"], *label.get("also", ())) for label in labels}
    for path in sorted(one for kind in ("bad", "good") for one in folder.glob(f"*/{kind}.py")):
        labelled = _labelled(path.parent.name, path.stem, path.read_text("utf-8"))
        given = marks.get(path.relative_to(folder).as_posix(), labelled.marks)
        yield replace(labelled, marks=given, path=str(path.resolve()))


def _labelled(rule: str, kind: str, text: str) -> Labelled:
    marks = [number for number, line in enumerate(text.splitlines(), start=1) if _MARK.search(line)]
    return Labelled(rule, kind, text, tuple(marks))
