"""Rules and pages belong together, and all are listed."""

from __future__ import annotations

from shapewise.rules import all_rules
from shapewise.rules.index import index
from shapewise.rules.pages import pages
from shapewise.suppression import UNUSED


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    assert all_rules().keys() | {UNUSED} == pages().keys()


def test_every_page_is_listed() -> None:
    listed = index()
    assert all(f"[{name}](" in listed for name in pages())
