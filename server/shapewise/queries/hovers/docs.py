"""The first paragraph of a docstring of torch's, from reStructuredText to Markdown."""

from __future__ import annotations

import re

_LONGEST = 320
_LONGEST_SIGNATURE = 100
_ROLE = re.compile(r":(?:\w+:)?\w+:`~?([^`<]*?)(?:\s*<[^`]*>)?`")
_LINK = re.compile(r"`([^`<]+?)\s*<(https?://[^>`]+)>`_{1,2}")
_LITERAL = re.compile(r"``([^`]+)``")
_ELSEWHERE = re.compile(r"(?<=\. )See (?:also )?`[^`]*`(?: for (?:more )?details)?\.")
_DIRECTIVE = re.compile(
    r"\.\. |Args:|Arguments:|Shape:|Example|Returns:|Keyword|\.\. math|>>>|Note:|Warning:"
)
_TEX = {
    r"\\text\{([^{}]*)\}": r"\1",
    r"\\(?:mathbf|mathrm|operatorname)\{([^{}]*)\}": r"\1",
    r"\\frac\{([^{}]*)\}\{([^{}]*)\}": r"(\1) / (\2)",
    r"\\times": "×",
    r"\\cdot": "·",
    r"\\star": "⋆",
    r"\\in": "∈",
    r"\\leq?": "≤",
    r"\\geq?": "≥",
    r"\\ldots|\\dots": "…",
    r"\\(sum|exp|log|max|min|tanh|sqrt)": r"\1",
    r"\\[,; ]": " ",
}


def paragraph(docstring: str) -> str:
    """What the function does, in at most a few lines; empty if the docstring does not begin with that."""
    lines: list[str] = []
    for line in docstring.strip().split("\n"):
        if not line.strip() and lines:
            break
        if _DIRECTIVE.match(line.strip()):
            break
        lines.append(line.strip())
    text = " ".join(lines).strip()
    text = _ROLE.sub(lambda match: f"`{_plain(match[1])}`", text)
    text = _LINK.sub(r"[\1](\2)", text)
    text = _ELSEWHERE.sub("", _LITERAL.sub(r"`\1`", text)).strip()
    return _cut(text.rstrip(":") + ("." if text.endswith(":") else ""))


def signature(said: str) -> str:
    """How a function is called, without what almost nobody gives."""
    said = " ".join(said.split())
    for rare in (", *, out=None", ", device=None, dtype=None"):
        said = said.replace(rare, "")
    if len(said) > _LONGEST_SIGNATURE and ", *, " in said:
        said = said[: said.index(", *, ")] + ", …)"
    if len(said) > _LONGEST_SIGNATURE:
        said = said[: said.rfind(",", 0, _LONGEST_SIGNATURE)] + ", …)"
    return said


def _plain(role: str) -> str:
    text = role.strip()
    for tex, plain in _TEX.items():
        text = re.sub(tex, plain, text)
    return text


def _cut(text: str) -> str:
    """Whole sentences, as many as there is room for."""
    if len(text) <= _LONGEST:
        return text
    end = max(text.rfind(". ", 0, _LONGEST), 0)
    if end:
        return text[: end + 1]
    cut = text[: text.rfind(" ", 0, _LONGEST)]
    return cut + ("`" if cut.count("`") % 2 else "") + " …"
