"""The pages of the rules: one Markdown file each, at once documentation, settings and test."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from ...vocabulary.findings import SEVERITIES

SAFETIES = ("safe", "unsafe", "none")

_HERE = Path(__file__).resolve().parents[1]
_FOLDERS = (_HERE.parent / "shared_rules", _HERE.parents[2] / "shared-rules")
"""Where the pages lie in an installed package, and in the repository."""

_PAGE = re.compile(r"---\n(.*?)\n---\n(.*)", re.DOTALL)
_FIELD = re.compile(r"(\w+):[ \t]*(.*)")
_SECTION = re.compile(r"^## ([^\n]+)$|^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_MARKER = re.compile(r"[ \t]*# <- ([\w-]+(?:, [\w-]+)*)[ \t]*$", re.MULTILINE)


class PageError(ValueError):
    """A page that breaks its own rules; says which and how."""


@dataclass(frozen=True, slots=True)
class Example:
    """One block of a page. `kind`: bad or good. `fixed`: what the fix makes of a bad one.

    `code` and `fixed` are without markers; `marks` are the lines (from 1) and rules they pointed at.
    """

    kind: str
    code: str
    marks: tuple[tuple[int, str], ...] = ()
    fixed: str | None = None


@dataclass(frozen=True, slots=True)
class RulePage:
    """What a rule's page says. `default`: whether the rule is on; `fix`: safe, unsafe or none."""

    name: str
    severity: str
    category: str
    default: bool
    fix: str
    seeds: tuple[str, ...]
    text: str

    @property
    def examples(self) -> tuple[Example, ...]:
        """The blocks of the page, which only tests and documentation ask for. Raises PageError."""
        return _examples(self.name, self.text)

    @property
    def docs(self) -> str:
        """Where the page lies in the repository."""
        return docs_path(self.name)

    @property
    def summary(self) -> str:
        """The first paragraph, on one line."""
        paragraphs = self.text.split("\n\n")
        return " ".join(next((part for part in paragraphs if not part.startswith("#")), self.name).split())

    @property
    def why(self) -> str:
        """The first sentence of that."""
        return self.summary.split(". ")[0].rstrip(".:")


def docs_path(rule: str) -> str:
    """Where the page of a rule lies in the repository."""
    return f"shared-rules/{rule}.md"


@lru_cache(maxsize=1)
def pages() -> dict[str, RulePage]:
    """Every page by the name of its rule, in order. Raises PageError."""
    folder = next((folder for folder in _FOLDERS if folder.is_dir()), None)
    if folder is None:
        return {}
    return {path.stem: parse(path.stem, path.read_text("utf-8")) for path in sorted(folder.glob("*.md"))}


def by_category() -> list[tuple[str, list[RulePage]]]:
    """The pages of each category, all in order."""
    ordered = sorted(pages().values(), key=lambda page: (page.category, page.name))
    return [(category, [*group]) for category, group in groupby(ordered, key=lambda page: page.category)]


def parse(name: str, text: str) -> RulePage:
    """Read one page. Raises PageError."""
    match = _PAGE.fullmatch(text)
    if match is None:
        raise PageError(f"{name}: no front matter")
    front, body = match.groups()
    fields = {}
    for line in front.splitlines():
        field = _FIELD.fullmatch(line)
        if field is None:
            raise PageError(f"{name}: cannot read {line!r}")
        fields[field.group(1)] = field.group(2).strip()
    missing = {"severity", "category", "default", "fix", "seeds"} ^ fields.keys()
    if missing:
        raise PageError(f"{name}: missing or unknown {', '.join(sorted(missing))}")
    for key, allowed in (("severity", SEVERITIES), ("fix", SAFETIES), ("default", ("on", "off"))):
        if fields[key] not in allowed:
            raise PageError(f"{name}: {key} is {fields[key]!r}, not one of {', '.join(allowed)}")
    if not body.lstrip().startswith(f"# {name}\n"):
        raise PageError(f"{name}: the page is not headed by its name")
    return RulePage(
        name=name,
        severity=fields["severity"],
        category=fields["category"],
        default=fields["default"] == "on",
        fix=fields["fix"],
        seeds=tuple(filter(None, re.split(r"[\[\],\s]+", fields["seeds"]))),
        text=body.strip() + "\n",
    )


def _examples(name: str, body: str) -> tuple[Example, ...]:
    """The blocks under the headings Bad, Fixed and Good; a Fixed belongs to the Bad before it."""
    examples: list[Example] = []
    heading = ""
    for title, code in _SECTION.findall(body):
        if title:
            heading = title.strip()
        elif heading in ("Bad", "Good"):
            marks = tuple(
                (code.count("\n", 0, mark.start()) + 1, rule)
                for mark in _MARKER.finditer(code)
                for rule in mark.group(1).split(", ")
            )
            if bool(marks) != (heading == "Bad"):
                raise PageError(f"{name}: a bad block marks its lines with `# <- rule`, a good one has none")
            examples.append(Example(heading.lower(), _MARKER.sub("", code), marks))
        elif heading == "Fixed":
            if not examples or examples[-1].kind != "bad" or examples[-1].fixed is not None:
                raise PageError(f"{name}: a fixed block without a bad one before it")
            bad = examples[-1]
            examples[-1] = Example(bad.kind, bad.code, bad.marks, _MARKER.sub("", code))
    return tuple(examples)
