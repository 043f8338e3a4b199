"""The formats for other tools have the shape that those tools read."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from shapewise.report import RENDERERS, concise, facts_table, full
from shapewise.report.checked import Checked, fingerprints
from shapewise.source import Cell, Source
from shapewise.vocabulary.findings import Edit, Finding, Fix, Related
from shapewise.vocabulary.span import Span

TEXT = "a\nb = '𝔘', c,d%\ne\n"
SPAN = Span(2, 4, 2, 7)
FIX = Fix("do it", "safe", (Edit(SPAN, "x"),))
FINDING = Finding(
    "broadcast-incompatible", SPAN, "error", "50% of a, b:\nc \x00<&>", "torch says", fixes=(FIX,)
)
HINT = Finding("a-hint", Span(1, 0, 3, 1), "hint", "only so", related=(Related(SPAN, "here"),))
FILES = [
    Checked(Source("dir/a b.py", TEXT), (FINDING, HINT, FINDING), seconds=0.5),
    Checked(Source("clean.py", ""), ()),
    Checked(Source("n.ipynb", TEXT, (Cell(1, 1, 1), Cell(4, 2, 3))), (FINDING,)),
]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", RENDERERS)
def test_nothing_found_is_a_report_too(name: str) -> None:
    output = RENDERERS[name]([])
    if name == "junit":
        ElementTree.fromstring(output)
    elif name in {"concise", "github"}:
        assert output == ""
    else:
        json.loads(output)


def test_github_commands() -> None:
    first, second, _, notebook = RENDERERS["github"](FILES).splitlines()
    assert first == (
        "::error title=shapewise (broadcast-incompatible),file=dir/a b.py,line=2,endLine=2,col=5,endColumn=8"
        "::dir/a b.py:2:5: broadcast-incompatible: 50%25 of a, b:%0Ac \x00<&>"
    )
    assert second.startswith("::notice title=shapewise (a-hint),file=dir/a b.py,line=1,endLine=3::")
    assert "line=" not in notebook
    assert "n.ipynb:cell 2:1:5" in notebook


def test_gitlab_issues() -> None:
    issues = json.loads(RENDERERS["gitlab"](FILES))
    assert [issue["severity"] for issue in issues] == ["major", "info", "major", "major"]
    assert issues[0]["location"]["path"] == "dir/a b.py"
    assert issues[0]["location"]["lines"] == {"begin": 2, "end": 2}
    assert len({issue["fingerprint"] for issue in issues}) == 4
    assert all(
        {"description", "check_name", "fingerprint", "severity", "location"} <= set(issue) for issue in issues
    )


def test_fingerprints_survive_edits_elsewhere() -> None:
    moved = Checked(
        Source("dir/a b.py", "\n\n" + TEXT),
        (Finding(FINDING.rule, Span(4, 9, 4, 10), "error", "other words"),),
    )
    (_, _, before), *_ = fingerprints(FILES)
    ((_, _, after),) = fingerprints([moved])
    assert before == after


def test_junit_counts_and_escapes() -> None:
    root = ElementTree.fromstring(RENDERERS["junit"](FILES).encode())
    assert root.tag == "testsuites"
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("5", "3", "0")
    suites = root.findall("testsuite")
    assert [suite.get("name") for suite in suites] == ["dir/a b.py", "clean.py", "n.ipynb"]
    assert [len(suite.findall("testcase")) for suite in suites] == [3, 1, 1]
    for suite in suites:
        assert int(suite.get("tests", "")) == len(suite.findall("testcase"))
        assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure"))
    assert suites[0].find("testcase/failure").get("type") == "broadcast-incompatible"


def test_sarif_is_2_1_0() -> None:
    log = json.loads(RENDERERS["sarif"](FILES))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    rules = [rule["id"] for rule in driver["rules"]]
    assert rules == ["a-hint", "broadcast-incompatible"]
    assert all(re.match(r"\w+:\S+$", rule["helpUri"]) for rule in driver["rules"])
    assert run["columnKind"] == "unicodeCodePoints"
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in {"error", "warning", "note"}
        assert result["message"]["text"]
        assert result["partialFingerprints"]
    first, hint, _, notebook = run["results"]
    location = first["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "dir/a%20b.py", "uriBaseId": "SRCROOT"}
    assert location["region"] == {"startLine": 2, "startColumn": 5, "endLine": 2, "endColumn": 8}
    replacement = first["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert replacement["insertedContent"] == {"text": "x"}
    assert hint["relatedLocations"][0]["message"] == {"text": "here"}
    assert "region" not in notebook["locations"][0]["physicalLocation"]
    assert "fixes" not in notebook


def test_names_and_texts_of_a_file_steer_no_terminal() -> None:
    odd = Finding(
        "a-rule", Span(1, 0, 1, 1), "error", "says \x1b[2J\nand \x1b]2;x\x07", "\x1b[1m", related=()
    )
    files = [Checked(Source("\x1b[31m[/b]\n::error::.py", "a = '\x1b[5m'\n"), (odd,))]
    console = Console(record=True, width=200, file=io.StringIO())
    full.show(files, console)
    facts_table.show(files[0], console)
    for output in (console.export_text(), concise.render(files)):
        assert "\x1b" not in output
        assert "\n::error" not in output
