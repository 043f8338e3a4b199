"""What `check` finds, repairs, leaves out and answers with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

BAD = "y = x.view(6, 4)\n"
FIXED = "y = x.reshape(6, 4)\n"
RULE = "view-on-noncontiguous"

Run = Callable[..., Result]


def found(result: Result) -> list[str]:
    """The places of a concise report."""
    return [line.split(" ")[0].rstrip(":") for line in result.stdout.splitlines()]


def test_a_clean_file_is_0_and_findings_are_1(run: Run, tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text(FIXED)
    (tmp_path / "bad.py").write_text(BAD)
    assert run("check", "clean.py").exit_code == 0
    assert run("check", "bad.py").exit_code == 1
    assert run("check").exit_code == 1


def test_an_unreadable_path_is_2_and_the_rest_is_checked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD)
    result = run("check", "missing.py", "bad.py", "--output-format", "concise")
    assert result.exit_code == 2
    assert found(result) == ["bad.py:1:5"]
    assert "missing.py does not exist." in result.stderr


def test_a_report_stays_one_where_nothing_could_be_read(run: Run) -> None:
    result = run("check", "missing.py", "--output-format", "json")
    assert (result.exit_code, json.loads(result.stdout)) == (2, [])
    assert run("check", "missing.py").stderr == "shapewise: missing.py does not exist.\n"


def test_a_folder_is_walked(run: Run, tmp_path: Path) -> None:
    for name in (
        ".hidden/a.py",
        ".venv/a.py",
        "node_modules/a.py",
        "__pycache__/a.py",
        "lib/site-packages/a.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(BAD)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "pyvenv.cfg").touch()
    (tmp_path / "other" / "a.py").write_text(BAD)
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "b.py").write_text(BAD)
    (tmp_path / "a.py").write_text(BAD)
    (tmp_path / "notes.txt").write_text(BAD)
    assert found(run("check", "--output-format", "concise")) == ["a.py:1:5", "pkg/b.py:1:5"]
    assert found(run("check", "pkg", "pkg/b.py", "--output-format", "concise")) == ["pkg/b.py:1:5"]


def test_an_unreadable_file_of_a_folder_is_told_and_passed_over(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"\0\1\2")
    (tmp_path / "b.py").write_text(FIXED)
    result = run("check", ".")
    assert result.exit_code == 0
    assert "a.py is a binary file" in result.stderr


def test_rules_are_selected_and_ignored(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD)
    assert run("check", "--select", RULE).exit_code == 1
    assert run("check", "--select", "broadcast-incompatible").exit_code == 0
    assert run("check", "--ignore", f"broadcast-incompatible,{RULE}").exit_code == 0


def test_settings_are_read_from_the_nearest_pyproject(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[tool.shapewise]\nignore = ["{RULE}"]\n')
    (tmp_path / "a.py").write_text(BAD)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "pyproject.toml").write_text('[tool.shapewise]\nexclude = ["gen*"]\n')
    (tmp_path / "sub" / "b.py").write_text(BAD)
    (tmp_path / "sub" / "generated.py").write_text(BAD)
    assert found(run("check", "--output-format", "concise")) == ["sub/b.py:1:5"]
    assert found(run("check", "sub/generated.py", "--output-format", "concise")) == ["sub/generated.py:1:5"]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ("[tool.shapewise\n", "is not valid TOML"),
        ('[tool.shapewise]\nselect = "x"\n', "select is not a list of strings"),
        ("[tool.shapewise]\nselct = []\n", "knows no 'selct'"),
        ('[tool.shapewise]\nselect = ["view-on-noncontigous"]\n', "pyproject.toml: there is no rule"),
        ('[tool.shapewise]\ninterpreter = "./no/python"\n', "not started because a folder says so"),
    ],
)
def test_wrong_settings_are_told(run: Run, tmp_path: Path, settings: str, sentence: str) -> None:
    (tmp_path / "pyproject.toml").write_text(settings)
    (tmp_path / "a.py").write_text(FIXED)
    (tmp_path / "fine").mkdir()
    (tmp_path / "fine" / "pyproject.toml").write_text("[tool.shapewise]\n")
    (tmp_path / "fine" / "b.py").write_text(BAD)
    result = run("check", "--output-format", "concise")
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert found(result) == ["fine/b.py:1:5"]


def test_nothing_to_check_is_told(run: Run, tmp_path: Path) -> None:
    done = run("check", str(tmp_path), "--select", "dataset-protocol")
    assert done.exit_code == 0
    assert done.stderr == f"shapewise: there is no Python file and no notebook in {tmp_path}.\n"
    assert "it names no rule" in run("check", str(tmp_path), "--select", " ").stderr


def test_a_rule_that_does_not_exist_is_told(run: Run) -> None:
    for option in ("--select", "--ignore"):
        assert "there is no rule 'vieww'" in str(run("check", option, "vieww").exception)
    assert (
        str(run("check", "--select", "zzzzzzzz").exception)
        .rpartition(" all ")[0]
        .endswith("`shapewise explain` lists")
    )


def test_unsafe_fixes_alone_are_told_to_be_none(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(FIXED)
    assert "add --fix or --diff" in run("check", "--unsafe-fixes").stderr
    assert "add --fix" not in run("check", "--unsafe-fixes", "--diff").stderr


def test_a_suppression_is_heard_and_an_unused_one_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"y = x.view(6)  # shapewise: ignore[{RULE}]\n")
    (tmp_path / "b.py").write_text(f"y = x.relu()  # shapewise: ignore[{RULE}]\n")
    assert run("check", "a.py").exit_code == 0
    result = run("check", "b.py", "--output-format", "concise")
    assert result.exit_code == 1
    assert "unused-suppression" in result.stdout
    assert run("check", "b.py", "--ignore", RULE).exit_code == 0
    assert run("check", "b.py", "--ignore", "unused-suppression").exit_code == 0


def test_fixes_are_made_until_none_is_left(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"# coding: latin-1\r\nx = 'caf\xe9'; y = x.view(1)\r\nz = y.view(2).view(3)\r\n")
    result = run("check", "--fix")
    assert result.exit_code == 0, result.output
    assert "3 fixed" in result.stderr
    assert (
        file.read_bytes()
        == b"# coding: latin-1\r\nx = 'caf\xe9'; y = x.reshape(1)\r\nz = y.reshape(2).reshape(3)\r\n"
    )


def test_an_unused_suppression_is_removed(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(f"y = x.relu()  # shapewise: ignore[{RULE}]\n")
    assert run("check", "--fix").exit_code == 0
    assert file.read_text() == "y = x.relu()\n"


def test_a_diff_changes_nothing(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(BAD.rstrip("\n"))
    result = run("check", "--diff")
    assert result.exit_code == 1
    assert file.read_text() == BAD.rstrip("\n")
    assert result.stdout == (
        "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n"
        "-y = x.view(6, 4)\n\\ No newline at end of file\n"
        "+y = x.reshape(6, 4)\n\\ No newline at end of file\n"
    )


def test_json_is_as_promised(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("# é\n" + BAD)
    (finding,) = json.loads(run("check", "a.py", "--output-format", "json").stdout)
    assert finding == {
        "file": "a.py",
        "line": 2,
        "column": 4,
        "end_line": 2,
        "end_column": 16,
        "rule": RULE,
        "severity": "error",
        "message": finding["message"],
        "torch_error": finding["torch_error"],
        "docs": f"shared-rules/{RULE}.md",
        "related": [],
        "fixes": [
            {
                "title": "use reshape",
                "safety": "safe",
                "edits": [{"line": 2, "column": 6, "end_line": 2, "end_column": 10, "text": "reshape"}],
            }
        ],
    }
    assert finding["torch_error"].startswith("view size is not compatible")


def test_a_notebook_is_placed_by_cell(run: Run, tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "# title"},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["%time\n", "import torch"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["pass\n", "y = x.view(6, 4)"]},
    ]
    notebook = tmp_path / "n.ipynb"
    notebook.write_text(json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}))
    assert "n.ipynb:cell 2:2:5: error" in run("check", "--output-format", "concise").stdout
    (finding,) = json.loads(run("check", "--output-format", "json").stdout)
    assert (finding["line"], finding["cell"], finding["cell_line"]) == (4, 2, 2)
    assert run("check", "--fix").exit_code == 0
    cells[2]["source"] = ["pass\n", "y = x.reshape(6, 4)"]
    assert notebook.read_text() == json.dumps({"nbformat": 4, "metadata": {}, "cells": cells})


def test_statistics_are_counted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BAD + "z = 1\n")
    result = run("check", "--statistics", "--output-format", "concise")
    assert f"     1  {RULE}\n" in result.stdout
    assert "of 2 tensor lines known" in result.stdout
    assert json.loads(run("check", "--statistics", "--output-format", "json").stdout)


def test_a_trace_that_fails_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("UNTRACEABLE\n")
    (tmp_path / "b.py").write_text(BAD)
    result = run("check", "--output-format", "concise")
    assert result.exit_code == 2
    assert found(result) == ["b.py:1:5"]
    assert "the trace took too long." in result.stderr


def test_full_shows_the_code(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("class A:\n\ty = x.view(  # 数\n\t\t6)\n")
    output = run("check").stdout
    assert "error[view-on-noncontiguous]: view size" in output
    assert " --> a.py:2:6\n" in output
    assert "2 |     y = x.view(  # 数\n  |         ^^^^^^^^^^^^^\n3 |         6)\n  |         ^^\n" in output
    assert "  = help: use reshape\n" in output
    assert "  = docs: shared-rules/view-on-noncontiguous.md\n" in output
    assert "\x1b[" not in output
