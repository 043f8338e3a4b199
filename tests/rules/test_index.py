"""Rules and pages belong together, and all are listed."""

from __future__ import annotations

import re
from pathlib import Path

from shapewise.rules import all_rules
from shapewise.rules.telling.index import index
from shapewise.rules.telling.pages import pages
from shapewise.suppression import UNUSED


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    assert all_rules().keys() | {UNUSED} == pages().keys()


def test_every_page_is_listed() -> None:
    listed = (Path(__file__).parents[2] / "docs" / "rules.md").read_text("utf-8")
    assert listed == index(), "run `python3 dev.py settings`"
    assert all(f"[{name}](" in listed for name in pages())


def test_the_catalogue_names_what_is_so() -> None:
    text = (Path(__file__).parents[2] / "docs" / "catalogue.md").read_text("utf-8")
    parts = {part.partition("\n")[0]: part for part in text.split("\n## ")}
    named = {
        title: set(re.findall(r"^\| \[?([a-zA-Z0-9-]+)\]?.* \|", part, re.MULTILINE)) - {"pitfall", "rule"}
        for title, part in parts.items()
    }
    assert not named["Without a rule"] & pages().keys()
    assert named["Off by default"] == {page.name for page in pages().values() if not page.default}
    assert named["Added since"] <= pages().keys()
    assert f"{len(pages()) - len(named['Added since'])} of them are rules" in text
    assert set(re.findall(r"shared-rules/([\w-]+)\.md", text)) <= pages().keys()
