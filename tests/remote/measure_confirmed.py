#!/usr/bin/env python3
"""How many facts of whole scripts real runs confirm.

    python tests/remote/measure_confirmed.py              the examples, and the scripts of tests/corpus but packages'
    python tests/remote/measure_confirmed.py -v FILE...   those files, with each fact that is refuted
    python tests/remote/measure_confirmed.py --part 2/4   a fourth of the files

A fact counts if the run came by its place. What a file raises ends its run, and is told beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from shapewise import documents
from shapewise.commands.session import Session
from shapewise.commands.validate import trace
from shapewise.config import Config, Configs
from shapewise.host.errors import TracerError
from shapewise.remote.bundle import NotRunnable, bundle
from shapewise.remote.facts import CONFIRMED, REFUTED
from shapewise.remote.link import Link, RemoteError, command
from shapewise.remote.validation import Options, Validation, validate
from shapewise.workspace.project import Project

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 180.0
"""Of a run, and of a trace: by the clock, on a machine that does other work too."""


def files() -> list[Path]:
    """What is measured where nothing is named."""
    scripts = sorted((ROOT / "tests/corpus/scripts").glob("*.py"))
    return [*sorted((ROOT / "examples").glob("*.py")), *(one for one in scripts if one.name[:4] != "pkg_")]


async def one(path: Path, session: Session) -> Validation:
    """Raises what `validate` does."""
    source = documents.read(str(path)).source
    sent = bundle(source, Project([str(path.parent)]))
    session.tracer(source, Config()).limit = SECONDS  # type: ignore[attr-defined]
    async with Link(command(None, sys.executable)) as link:
        return await validate(sent, trace(source, session, Configs()), link, Options(seconds=SECONDS))


async def main(paths: Sequence[Path], verbose: bool) -> None:
    counts: Counter[str] = Counter()
    async with Session(sys.executable) as session:
        for path in paths:
            try:
                validation = await one(path, session)
            except (NotRunnable, RemoteError, TracerError) as error:
                print(f"{path.name:28} {error}", flush=True)
                continue
            counts += (found := validation.fact_counts)
            counts["files"] += 1
            ended = validation.done["error"] or {}
            why = f"{ended['type']}: {ended['message'][:60]!r}" if ended else validation.done["stopped"] or ""
            print(f"{path.name:28} {found[CONFIRMED]:5} {found[REFUTED]:3}  {why}", flush=True)
            for fact in validation.facts if verbose else ():
                if fact.verdict == REFUTED:
                    print(f"    line {fact.fact.span.line} {fact.fact.name or fact.fact.kind}: {fact.why}")
    seen = counts[CONFIRMED] + counts[REFUTED]
    share = counts[CONFIRMED] / seen if seen else 0.0
    print(f"{counts['files']} files: {counts[CONFIRMED]} confirmed, {counts[REFUTED]} refuted: {share:.2%}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("-v", action="store_true")
    parser.add_argument("--part", default="1/1")
    asked = parser.parse_args()
    number, parts = map(int, asked.part.split("/"))
    asyncio.run(main((asked.files or files())[number - 1 :: parts], asked.v))
