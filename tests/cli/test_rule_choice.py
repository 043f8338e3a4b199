"""What [tool.shapewise] says of rules: their severity, and where they are ignored."""

from __future__ import annotations

from pathlib import Path

import pytest

from shapewise.config import ConfigError, config_for
from shapewise.rule_choice import RuleChoice


def config(folder: Path, text: str) -> RuleChoice:
    (folder / "pyproject.toml").write_text(f"[tool.shapewise]\n{text}")
    return RuleChoice.of(config_for(folder))


def test_rules_are_ignored_by_path(tmp_path: Path) -> None:
    choice = config(
        tmp_path, 'per-file-ignores = {"tests/*" = ["hardcoded-cuda"], "old.py" = ["nan-equality"]}\n'
    )
    assert choice.ignored_in(str(tmp_path / "tests" / "test_a.py")) == {"hardcoded-cuda"}
    assert choice.ignored_in(str(tmp_path / "src" / "old.py")) == {"nan-equality"}
    assert choice.ignored_in(str(tmp_path / "src" / "new.py")) == frozenset()


def test_a_severity_can_be_chosen(tmp_path: Path) -> None:
    choice = config(tmp_path, 'severity = {"missing-zero-grad" = "error"}\n')
    assert choice.severity == (("missing-zero-grad", "error"),)


@pytest.mark.parametrize(
    "text",
    [
        'severity = {"missing-zero-grad" = "worse"}\n',
        "severity = 3\n",
        "per-file-ignores = 3\n",
        'severity = {"no-rule" = "hint"}\n',
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError):
        config(tmp_path, text)
