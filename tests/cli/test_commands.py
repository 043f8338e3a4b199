"""`facts`, `explain`, `validate`, and how the real command ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from shapewise.rules.telling.pages import pages

Run = Callable[..., Result]


def shapewise(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as it is installed, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "shapewise", *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_facts_are_one_object_a_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("y = x\n")
    (tmp_path / "b.py").write_text("x = 1\ny = x.view(6)\n")
    result = run("facts", "a.py", "missing.py", "b.py", "--json")
    assert result.exit_code == 2
    first, error, last = map(json.loads, result.stdout.splitlines())
    assert error == {"file": "missing.py", "error": "missing.py does not exist"}
    assert first == {
        "version": 1,
        "file": "a.py",
        "torch": "2.13.0",
        "seconds": 0.01,
        "facts": [
            {
                "kind": "binding",
                "scope": "<module>",
                "name": "y",
                "line": 1,
                "column": 0,
                "end_line": 1,
                "end_column": 1,
                "type": "tensor",
                "shape": [3, 2, 4],
                "dtype": "float32",
                "device": "cpu",
                "stride": [4, 12, 1],
                "contiguous": False,
                "requires_grad": False,
                "why": None,
                "variants": [],
            }
        ],
        "findings": [],
    }
    assert [finding["rule"] for finding in last["findings"]] == ["view-on-noncontiguous"]


def test_facts_of_a_file_with_errors_are_facts(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("y = x.view(6)\n")
    assert run("facts", "a.py", "--json").exit_code == 0
    assert run("facts", "a.py").exit_code == 0
    assert "[3, 2, 4] float32 cpu non-contiguous" in run("facts", "a.py").stdout


def test_facts_of_a_folder_are_refused(run: Run, tmp_path: Path) -> None:
    result = run("facts", ".", "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (
        2,
        {"file": ".", "error": ". is a folder, not a file"},
    )


def test_a_rule_is_explained(run: Run) -> None:
    result = run("explain", "view-on-noncontiguous")
    assert result.exit_code == 0
    assert result.stdout.startswith("# view-on-noncontiguous\n")
    unknown = run("explain", "view-on-contiguous")
    assert unknown.exit_code == 2
    assert unknown.stderr == (
        "shapewise: there is no rule 'view-on-contiguous'; the nearest is view-on-noncontiguous.\n"
    )
    listed = run("explain").stdout.splitlines()
    assert [line.partition(": ")[0] for line in listed] == [*pages()]


def check_one_sentence(result: subprocess.CompletedProcess[str], *words: str) -> None:
    """Bad input ends in one sentence and exit code 2."""
    assert result.returncode == 2, result
    assert "Traceback" not in result.stderr
    sentence = next(line for line in result.stderr.splitlines() if line.startswith("shapewise: "))
    assert sentence.endswith(".")
    for word in words:
        assert word in sentence


@pytest.mark.parametrize(
    ("name", "data", "word"),
    [
        ("gone.py", None, "does not exist"),
        ("binary.py", b"\x7fELF\0\0", "binary"),
        ("latin.py", b"# first\nx = 'caf\xe9'\n", "line 2"),
        ("unknown.py", b"# coding: klingon\n", "klingon"),
        ("hex.py", b"# coding: hex\nx\n", "hex"),
        ("broken.ipynb", b'{"cells": [', "JSON"),
        ("list.ipynb", b"[]", "nbformat"),
    ],
)
def test_bad_files_end_in_a_sentence(tmp_path: Path, name: str, data: bytes | None, word: str) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    check_one_sentence(shapewise("check", name, cwd=tmp_path), name, word)


def test_bad_interpreters_end_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    venv.create(tmp_path / "an-env", with_pip=False, symlinks=os.name != "nt")
    check_one_sentence(shapewise("check", "a.py", "--interpreter", "no/python", cwd=tmp_path), "no/python")
    check_one_sentence(shapewise("check", "a.py", "--interpreter", "an-env", cwd=tmp_path), "torch", "an-env")
    facts = shapewise("facts", "a.py", "--json", "--interpreter", "an-env", cwd=tmp_path)
    check_one_sentence(facts, "torch")
    assert "torch" in json.loads(facts.stdout)["error"]
    (tmp_path / "a-file").write_text("no program")
    check_one_sentence(shapewise("check", "a.py", "--interpreter", "./a-file", cwd=tmp_path), "a-file")


def test_a_fault_of_ours_ends_in_a_sentence(tmp_path: Path) -> None:
    program = (
        "import sys; import shapewise.commands.explain as e, shapewise.cli as c\n"
        "def fail(rule): raise ZeroDivisionError('oh')\n"
        "e.print_page = fail; sys.argv[1:] = ['explain', 'x']; c.main()"
    )
    quiet = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    check_one_sentence(quiet, "ZeroDivisionError", "report", "SHAPEWISE_DEBUG=1")
    loud = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SHAPEWISE_DEBUG": "1"},
    )
    assert "Traceback" in loud.stderr


def test_from_file_to_fix_for_real(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(
        "import torch\n\nx = torch.randn(2, 3, 4).transpose(0, 1)\ny = x.view(6, 4)\nz = y @ torch.randn(4, 5)\n"
    )
    checked = shapewise("check", "model.py", "--output-format", "json", cwd=tmp_path)
    assert checked.returncode == 1, checked.stderr
    (finding,) = json.loads(checked.stdout)
    assert (finding["rule"], finding["line"], finding["column"]) == ("view-on-noncontiguous", 4, 4)
    assert finding["fixes"]
    fixed = shapewise("check", "--fix", ".", cwd=tmp_path)
    assert fixed.returncode == 0, fixed.stderr
    assert "x.reshape(6, 4)" in file.read_text()
    facts = shapewise("facts", "model.py", "--json", cwd=tmp_path, PYTHONIOENCODING="ascii")
    shapes = {
        fact["name"]: fact["shape"] for fact in json.loads(facts.stdout)["facts"] if fact["kind"] == "binding"
    }
    assert shapes == {"x": [3, 2, 4], "y": [6, 4], "z": [6, 5]}
