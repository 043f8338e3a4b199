"""Findings in the formats that people and tools read: one file per format, over plain data."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import as_json, concise, github, gitlab, junit, sarif
from .checked import Checked

Renderer = Callable[[Sequence[Checked]], str]

RENDERERS: dict[str, Renderer] = {
    "concise": concise.render,
    "json": as_json.render,
    "github": github.render,
    "gitlab": gitlab.render,
    "junit": junit.render,
    "sarif": sarif.render,
}
"""The formats that are plain text; `full` is drawn by `full.show`, because it has colours."""

FORMATS = ("full", *RENDERERS)
"""Every value of `--output-format`."""
