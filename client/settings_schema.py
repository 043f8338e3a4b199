#!/usr/bin/env python3
"""Writes the schema of `shapewise.rules` into package.json, from the pages in shared-rules.

A page says what a rule is about; so nobody writes that twice. A test holds package.json against it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shapewise.rules.telling.pages import RulePage, pages
from shapewise.vocabulary.findings import SEVERITIES

PACKAGE = Path(__file__).resolve().parents[1] / "package.json"
SETTING = "shapewise.rules"


def schema() -> dict[str, Any]:
    """The setting as package.json has it."""
    return {
        "type": "object",
        "default": {},
        "additionalProperties": False,
        "order": 10,
        "scope": "window",
        "markdownDescription": "How severe each rule is: `off`, or one of "
        + ", ".join(f"`{severity}`" for severity in SEVERITIES)
        + ". What is not named here is as its page and `pyproject.toml` say.",
        "properties": {name: _rule(page) for name, page in pages().items()},
    }


def _rule(page: RulePage) -> dict[str, Any]:
    is_off = "" if page.default else " Off unless it is set."
    return {
        "type": "string",
        "enum": ["off", *SEVERITIES],
        "markdownDescription": f"{page.summary} Usually `{page.severity}`.{is_off}",
    }


def package_with_schema() -> str:
    """The text of package.json as it should be."""
    package = json.loads(PACKAGE.read_text("utf-8"))
    package["contributes"]["configuration"]["properties"][SETTING] = schema()
    return json.dumps(package, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PACKAGE.write_text(package_with_schema(), "utf-8")
