"""Suppressions are comments, count for their line, and are told when they are idle."""

from __future__ import annotations

import pytest

from shapewise.edits.apply import apply
from shapewise.suppression import UNUSED, ignoring, suppress, suppressions
from shapewise.vocabulary.findings import Finding
from shapewise.vocabulary.span import Span


def at(line: int, rule: str = "a-rule", end_line: int | None = None) -> Finding:
    return Finding(rule, Span(line, 0, end_line or line, 1), "error", "m")


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("x  # shapewise: ignore[a-rule]", [("a-rule",)]),
        ("x  # shapewise:ignore[ a-rule , b-rule ]  # more", [("a-rule", "b-rule")]),
        ("x  # why  # shapewise: ignore[a-rule]", [("a-rule",)]),
        ("x = '# shapewise: ignore[a-rule]'", []),
        ("'''\n# shapewise: ignore[a-rule]\n'''", []),
        ("x = (  # shapewise: ignore[a-rule]\n", [("a-rule",)]),
        ("x = ]]] (\n  # shapewise: ignore[a-rule]\n", [("a-rule",)]),
        ("x  # shapewise: ignore", []),
    ],
)
def test_comments_are_found(text: str, rules: list[tuple[str, ...]]) -> None:
    assert [comment.rules for comment in suppressions(text)] == rules


def test_both_ends_of_a_finding_count() -> None:
    text = "x = (\n1)  # shapewise: ignore[a-rule]\n"
    assert suppress([at(1, end_line=2)], text) == ()
    assert suppress([at(2)], text) == ()
    left = suppress([at(1)], text)
    assert [finding.rule for finding in left] == ["a-rule", UNUSED]


def test_another_rule_is_not_suppressed() -> None:
    left = suppress([at(1, "b-rule")], "x  # shapewise: ignore[a-rule]")
    assert [finding.rule for finding in left] == ["b-rule", UNUSED]


def test_a_rule_that_did_not_run_may_be_needed() -> None:
    assert suppress([], "x  # shapewise: ignore[a-rule]", skipped=["a-rule"]) == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x  # shapewise: ignore[b-rule]", "x"),
        ("x  # shapewise: ignore[]\r\n", "x\r\n"),
        ("# shapewise: ignore[b-rule]\nx", "\nx"),
        ("x  # shapewise: ignore[b-rule, a-rule]\n", "x  # shapewise: ignore[a-rule]\n"),
        ("x  # shapewise: ignore[b-rule]  # noqa", "x  # noqa"),
        ("x  # shapewise: ignore[b-rule] because", "x  # because"),
        ("x  # noqa  # shapewise: ignore[b-rule]", "x  # noqa"),
    ],
)
def test_an_idle_one_is_removed(before: str, after: str) -> None:
    (finding,) = [one for one in suppress([at(1)], before) if one.rule == UNUSED]
    (fix,) = finding.fixes
    assert apply(before, fix.edits) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("x = 1\n", "x = 1  # shapewise: ignore[a-rule]\n"),
        ("x = 1  # why\n", "x = 1  # why  # shapewise: ignore[a-rule]\n"),
        ("x = 1  # shapewise: ignore[b-rule]\n", "x = 1  # shapewise: ignore[b-rule, a-rule]\n"),
    ],
)
def test_a_suppression_is_written(text: str, after: str) -> None:
    edit = ignoring(text, at(1))
    assert edit is not None
    assert apply(text, [edit]) == after
    assert [one.rule for one in suppress([at(1)], after) if one.rule == "a-rule"] == []


def test_no_suppression_where_no_comment_can_stand() -> None:
    assert ignoring("x = '''\na\n'''\n", at(1)) is None
    assert ignoring("x = 1 + \\\n1\n", at(1)) is None
