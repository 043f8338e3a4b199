"""JUnit XML: a suite a file, a failed case a finding, one passed case for a clean file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from .checked import Checked, headline, place, uri_path

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may hold."""


def render(files: Sequence[Checked]) -> str:
    """The report as one document."""
    cases = [len(file.findings) or 1 for file in files]
    failures = [sum(finding.severity != "hint" for finding in file.findings) for file in files]
    root = _element(
        None,
        "testsuites",
        name="shapewise",
        tests=sum(cases),
        failures=sum(failures),
        errors=0,
        time=f"{sum(file.seconds for file in files):.3f}",
    )
    for file, tests, failed in zip(files, cases, failures):
        path = uri_path(file.source.path)
        suite = _element(
            root,
            "testsuite",
            name=path,
            tests=tests,
            failures=failed,
            errors=0,
            skipped=0,
            time=f"{file.seconds:.3f}",
        )
        if not file.findings:
            _element(suite, "testcase", name=path, classname=path, time=f"{file.seconds:.3f}")
        for finding in file.findings:
            where = place(file.source, finding.span.line, finding.span.column)
            case = _element(
                suite,
                "testcase",
                name=f"{finding.rule} {where}",
                classname=path,
                line=finding.span.line,
                column=finding.span.column + 1,
            )
            detail = f"{where}: {finding.severity}: {finding.message}"
            if finding.torch_error and finding.torch_error not in finding.message:
                detail += f"\n{finding.torch_error}"
            if finding.severity == "hint":
                _element(case, "system-out").text = _text(detail)
            else:
                failure = _element(case, "failure", message=headline(finding), type=finding.rule)
                failure.text = _text(detail)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _element(parent: ElementTree.Element | None, tag: str, /, **attributes: object) -> ElementTree.Element:
    texts = {key: _text(str(value)) for key, value in attributes.items()}
    if parent is None:
        return ElementTree.Element(tag, texts)
    return ElementTree.SubElement(parent, tag, texts)


def _text(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
