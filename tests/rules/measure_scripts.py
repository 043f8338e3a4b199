"""What is found in labelled scripts, and whether their repairs hold where they run.

python tests/rules/measure_scripts.py                 # those of tests/rules/scripts
python tests/rules/measure_scripts.py FOLDER [RULE..] # others, laid out as RULE/bad.py and RULE/good.py
python tests/rules/measure_scripts.py --fixes         # each repair too: does it parse, does what ran still run
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from endings import Ending, Endings
from labelled import SCRIPTS, Labelled, scripts

from shapewise.analysis import Analysis, Tracer, analyse
from shapewise.edits.apply import apply
from shapewise.fixes.verify import holds
from shapewise.host.errors import TracerError
from shapewise.host.process import TracerProcess
from shapewise.source import Source
from shapewise.suppression import suppress


async def measure(labelled: list[Labelled], fixes: bool, python: str) -> Counter[str]:
    """Print what is missed, what is false and which repairs fail; count all of it."""
    counts: Counter[str] = Counter()
    tracer = TracerProcess(python)
    endings = Endings(python)
    for one in labelled:
        source = Source(one.path, one.text)
        counts[one.kind] += 1
        try:
            analysis = await analyse(source, tracer)
        except TracerError as problem:
            counts["not traced"] += 1
            print(f"{one.name}: {problem}")
            continue
        findings = suppress(analysis.findings, one.text)
        if one.kind == "bad":
            where = one.found_in(findings)
            counts["found on its line" if where == "line" else "found elsewhere" if where else "missed"] += 1
            if where != "line":
                print(
                    f"{where or 'missed':6} {one.name}: {sorted({(f.span.line, f.rule) for f in findings})}"
                )
        elif wrong := one.false_in(findings):
            counts["good with a warning"] += 1
            print(f"false  {one.name}: {[(f.span.line, f.rule, f.message[:80]) for f in wrong]}")
        if fixes:
            await _repairs(one, source, analysis, tracer, counts, endings)
    endings.close()
    await tracer.close()
    return counts


async def _repairs(
    one: Labelled, source: Source, analysis: Analysis, tracer: Tracer, counts: Counter[str], endings: Endings
) -> None:
    ran: Ending | None = None
    for finding in analysis.findings:
        for fix in finding.fixes:
            if not await holds(source, finding, fix, tracer, analysis):
                counts["repairs not offered, for they do not hold"] += 1
                continue
            counts["repairs"] += 1
            repaired = apply(one.text, fix.edits)
            compile(repaired, "script.py", "exec")
            ran = ran or _ending(one, one.text, endings)
            counts[f"repairs of what {ran}"] += 1
            now = _ending(one, repaired, endings)
            if now != ran:
                counts[f"repairs of what {ran}, after which it {now}"] += 1
            if ran == "runs" != now:
                print(f"{now} {one.name}: {finding.rule} in line {finding.span.line}, {fix.title}")


def _ending(one: Labelled, text: str, endings: Endings) -> Ending:
    """How a script with this text ends."""
    with tempfile.TemporaryDirectory() as folder:
        for beside in Path(one.path).parent.glob("*.py") if os.path.isabs(one.path) else ():
            shutil.copy(beside, folder)
        return endings.of(text, folder)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=SCRIPTS)
    parser.add_argument("rules", nargs="*")
    parser.add_argument("--fixes", action="store_true")
    parser.add_argument("--part", default="1/1", help="the n-th of m parts, as 1/4")
    parser.add_argument("--python", default=sys.executable, help="whose torch, einops, transformers")
    given = parser.parse_args()
    number, parts = map(int, given.part.split("/"))
    every = list(scripts(given.folder))
    rules = sorted({one.rule for one in every if not given.rules or one.rule in given.rules})[
        number - 1 :: parts
    ]
    chosen = [one for one in every if one.rule in rules]
    for what, count in asyncio.run(measure(chosen, given.fixes, given.python)).items():
        print(f"{count:5} {what}")


if __name__ == "__main__":
    main()
