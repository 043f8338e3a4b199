"""Modules that nobody calls: files of classes and functions, and for each a driver that the analyser never sees.

A file in `classes/modules` has neither a call site nor an annotation of a shape. The driver of the same
name in `classes/drivers` imports it as `from NAME import ...` and runs all of it with three sets of
sizes. A driver may instead say which file of a package is meant, which is then copied by import:

    # copy: timm/layers/mlp.py
    # beside: helpers grn
    # needs: timm

The modules `beside` it there are copied too; what else it imports is found where it is installed.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from entries import CACHE, HERE, digest_of, recorded, said, site_packages

CLASSES = HERE / "classes"
MODES = ("alone", "called", "entry")
KEEP = 2000  # observations of one place


@dataclass(frozen=True, slots=True)
class Sample:
    """One file and its driver."""

    name: str
    driver: Path
    copy: Path | None
    beside: tuple[str, ...]
    held_out: bool
    needs: tuple[str, ...]

    def text(self) -> str:
        """The file."""
        if self.copy is None:
            return (CLASSES / "modules" / f"{self.name}.py").read_text("utf-8")
        return self._copied(self.copy)

    def _copied(self, file: Path) -> str:
        """A file of a package, which finds its neighbours here or where they are installed."""
        package = file.parent.parts

        def absolute(match: re.Match[str]) -> str:
            dots, rest = match.groups()
            if dots == "." and rest in self.beside:
                return f"from {rest} import"
            above = ".".join(package[: len(package) - len(dots) + 1])
            return f"from {above}{'.' + rest if rest else ''} import"

        text = (site_packages() / file).read_text("utf-8")
        return re.sub(r"^from (\.+)([\w.]*) import", absolute, text, flags=re.MULTILINE)

    def classes(self) -> int:
        """How many classes the file defines that are modules."""
        tree = ast.parse(self.text())
        return sum(
            isinstance(node, ast.ClassDef) and any(one.name == "forward" for one in _functions(node))
            for node in tree.body
        )

    def lay(self, around: Path, mode: str = "called") -> Path:
        """Make a project of it in a folder.

        `alone`: the file as it is. `called`: with its driver in another file beside it. `entry`: with
        what the driver does at its own end.
        """
        folder = around / self.name
        folder.mkdir(parents=True)
        (folder / "pyproject.toml").write_text("", "utf-8")
        text, driver = self.text(), self.driver.read_text("utf-8")
        if mode == "entry":
            text += "\n\n" + re.sub(
                rf"^from {self.name} import (\([^)]*\)|.*$)", "", driver, flags=re.MULTILINE
            )
        elif mode == "called":
            (folder / f"run_{self.name}.py").write_text(driver, "utf-8")
        for other in self.beside if self.copy else ():
            (folder / f"{other}.py").write_text(self._copied(self.copy.with_name(f"{other}.py")), "utf-8")
        file = folder / f"{self.name}.py"
        file.write_text(text, "utf-8")
        return file


def _functions(node: ast.ClassDef) -> list[ast.FunctionDef]:
    return [one for one in node.body if isinstance(one, ast.FunctionDef)]


def samples() -> list[Sample]:
    """All of them, by name."""
    held_out = set((CLASSES / "held_out.txt").read_text("utf-8").split())
    found = []
    for driver in sorted((CLASSES / "drivers").glob("*.py")):
        name, copies = driver.stem, said(driver, "copy")
        copy = Path(copies[0]) if copies else None
        beside, needs = said(driver, "beside"), said(driver, "needs")
        found.append(Sample(name, driver, copy, beside, name in held_out, needs))
    return found


def truth_of(sample: Sample, around: Path) -> dict[str, Any]:
    """What the file really did under its driver, every time, at its places in a file laid out anew."""
    sources = [sample.driver, *([] if sample.copy else [CLASSES / "modules" / f"{sample.name}.py"])]
    kept = CACHE / "classes" / f"{sample.name}-{digest_of(sources, sample.needs)}.json"
    if not kept.exists():
        file = sample.lay(around / "recorded")
        driver = file.with_name(f"run_{file.name}")
        error = recorded(kept, driver, file.parent, bool(sample.needs), str(KEEP))
        if error is not None:
            return {"error": error, "sites": []}
    truth: dict[str, Any] = json.loads(kept.read_text("utf-8"))
    truth["sites"] = [site for site in truth["sites"] if Path(site["file"]).name == f"{sample.name}.py"]
    return truth


def moved(truth: dict[str, Any], file: Path) -> dict[str, Any]:
    """The record as if it had been made of the file where it lies now."""
    here = str(file)
    return {
        **truth,
        "sites": [{**site, "file": here} for site in truth["sites"]],
        "methods": [[here, *rest] for _, *rest in truth.get("methods", ())],
    }
