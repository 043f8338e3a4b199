"""Correct files that run by themselves: the corpus's scripts, its classes with their drivers, public model files.

`public.txt` has, for each public file, the statement that is put at its end, so that it does something.
"""

from __future__ import annotations

import ast
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "corpus"))

from entries import entries, site_packages  # noqa: E402
from samples import samples  # noqa: E402


@dataclass(frozen=True)
class Original:
    """A file as a text of one piece. `packages`: it runs where those of the corpus are installed."""

    name: str
    text: str
    packages: bool = False


def originals(packages: bool = True) -> list[Original]:
    """All of them, by name; without `packages` those that need torch and nothing else."""
    found = [*_scripts(), *_classes(packages), *(_public() if packages else ())]
    return sorted((one for one in found if packages or not one.packages), key=lambda one: one.name)


def _scripts() -> Iterator[Original]:
    for entry in entries():
        if entry.folder is None and not entry.beside:
            yield Original(f"script-{entry.name}", entry.script.read_text("utf-8"), bool(entry.needs))


def _classes(packages: bool) -> Iterator[Original]:
    with tempfile.TemporaryDirectory() as folder:
        for sample in samples():
            if not sample.beside and (packages or not sample.needs):
                text = sample.lay(Path(folder), "entry").read_text("utf-8")
                yield Original(f"classes-{sample.name}", _kept(text, len(sample.text())), bool(sample.needs))


_KEEP = """

kept = [[]]


def keep(value):
    if len(kept[-1]) == 20:
        kept.append([])
    kept[-1].append(value)


"""


def _kept(text: str, start: int) -> str:
    """The file with what its driver, which begins at `start`, calls for nothing kept at the top, to be looked at."""
    own, driver = text[:start], text[start:]
    calls = [
        node
        for node in ast.walk(ast.parse(driver))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.lineno == node.end_lineno
    ]
    lines = driver.split("\n")
    for node in calls:
        line = lines[node.lineno - 1]
        lines[node.lineno - 1] = (
            f"{line[: node.col_offset]}keep({line[node.col_offset : node.end_col_offset]})"
        )
    return own + _KEEP + "\n".join(lines)


def _public() -> Iterator[Original]:
    for row in (HERE / "public.txt").read_text("utf-8").splitlines():
        path, entry = row.split(": ", 1)
        package = Path(path).parent.parts

        def absolute(match: re.Match[str], package: tuple[str, ...] = package) -> str:
            dots, rest = match.groups()
            above = ".".join(package[: len(package) - len(dots) + 1])
            return f"from {above}{'.' + rest if rest else ''} import"

        file = site_packages() / path
        if file.exists():
            text = re.sub(
                r"^from (\.+)([\w.]*) import", absolute, file.read_text("utf-8"), flags=re.MULTILINE
            )
            name = path.removesuffix(".py").replace("/", ".")
            yield Original(f"public-{name}", f"{text}\n\nimport torch\n{entry}\n", True)
