"""The snippets of a file, and what real torch says of each."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from pathlib import Path

_SNIPPET = re.compile(r"^# %% (.*)\n((?:(?!# %% ).*\n?)*)", re.MULTILINE)


@dataclass(frozen=True)
class Snippet:
    title: str
    code: str


@dataclass(frozen=True)
class Raised:
    """The line (from 1) of the snippet at which it raises, and the first line of the message."""

    line: int
    message: str


def snippets(path: Path) -> list[Snippet]:
    return [Snippet(title.strip(), code) for title, code in _SNIPPET.findall(path.read_text("utf-8"))]


def really(code: str) -> Raised | None:
    """Run it for real: where and what it raises, if it does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(code, "snippet.py", "exec"), {"__name__": "snippet"})
    except Exception as error:
        line, at = 0, error.__traceback__
        while at is not None:
            if at.tb_frame.f_code.co_filename == "snippet.py":
                line = at.tb_lineno
            at = at.tb_next
        return Raised(line, str(error).strip().split("\n")[0])
    return None
