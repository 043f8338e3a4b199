"""The list of all rules by category, as docs/rules.md has it: `python -m shapewise.rules.telling.index FILE` writes it."""

from __future__ import annotations

import sys
from pathlib import Path

from .pages import by_category

_HEAD = """# Rules

One page each: why it matters, bad, fixed and good code, which is also the rule's test. `shapewise explain RULE`
shows it. What was left out, and why: [catalogue.md](catalogue.md). Made by `python3 dev.py settings`.
"""


def index() -> str:
    """A table per category: rule, severity, whether it is repaired, its first sentence."""
    parts = [_HEAD]
    for category, group in by_category():
        parts.append(f"## {category.capitalize()}\n\n| rule | severity | fix | why |\n|---|---|---|---|")
        for page in group:
            severity = page.severity if page.default else f"{page.severity}, off"
            why = page.why.replace("|", "\\|")
            parts.append(f"| [{page.name}](../{page.docs}) | {severity} | {page.fix} | {why} |")
        parts.append("")
    return "\n".join(parts)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(index(), "utf-8")
