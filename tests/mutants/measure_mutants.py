"""How many broken scripts are found: one thing is broken in each, and running them says what it comes to.

    python tests/mutants/measure_mutants.py [--each 6] [--seed 0] [-v] [NAME...]

takes the scripts of the corpus that need no package and the truth inputs. Of the mutants that raise, the share
found at the line where they raise, and with the same first line; findings per mutant; of those that run on with a
kept dim, a rank or a dim broken, the share with a warning that the script itself has not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from mutate import Mutant, mutants  # noqa: E402

from shapewise.analysis import analyse  # noqa: E402
from shapewise.host.errors import TracerError  # noqa: E402
from shapewise.host.process import TracerProcess  # noqa: E402
from shapewise.source import Source  # noqa: E402

SILENT = ("keepdim", "rank", "dim")
_PYTHONS_OWN = ("NameError", "killed", "SystemExit", "AssertionError", "KeyError", "UnicodeDecodeError")


def scripts() -> list[Path]:
    """Correct scripts that run by themselves."""
    folder = HERE.parent
    found = [
        *sorted((folder / "corpus" / "scripts").glob("*.py")),
        *sorted((folder / "truth" / "inputs").glob("*.py")),
    ]
    return [path for path in found if not path.read_text("utf-8").startswith("# needs:")]


@dataclass
class Score:
    counts: Counter[str] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)

    def share(self, part: str, whole: str) -> float:
        return self.counts[part] / max(self.counts[whole], 1)


def labelled(texts: Iterable[str]) -> list[dict[str, Any]]:
    """What running each for real comes to."""
    rows = "".join(json.dumps(text) + "\n" for text in texts)
    done = subprocess.run(
        [sys.executable, str(HERE / "label.py")], input=rows, capture_output=True, text=True, check=True
    )
    return [json.loads(row) for row in done.stdout.splitlines()]


async def measure(paths: Iterable[Path], each: int, seed: int) -> Score:
    score, tracer = Score(), TracerProcess(sys.executable)
    for path in paths:
        text = path.read_text("utf-8")
        made = mutants(text, each, seed)
        before, *labels = labelled([text, *(mutant.text for mutant in made)])
        if "ran" not in before:
            continue
        try:
            own = {
                (one.rule, one.message) for one in (await analyse(Source(str(path), text), tracer)).findings
            }
        except TracerError:
            continue
        score.counts["scripts"] += 1
        for mutant, label in zip(made, labels):
            await _one(score, tracer, path, mutant, label, own)
    await tracer.close()
    return score


async def _one(
    score: Score,
    tracer: TracerProcess,
    path: Path,
    mutant: Mutant,
    label: dict[str, Any],
    own: set[tuple[str, str]],
) -> None:
    if label.get("type") in _PYTHONS_OWN or label.get("line") == 0:
        return
    try:
        findings = (await analyse(Source(str(path), mutant.text), tracer)).findings
    except TracerError:
        return
    new = [one for one in findings if (one.rule, one.message) not in own and one.severity != "hint"]
    where = f"{path.name}:{mutant.line} {mutant.kind}: {mutant.change}"
    said = [(one.span.line, one.rule, one.message.split("\n")[0]) for one in new]
    if "ran" in label:
        if mutant.kind in SILENT:
            score.counts["silent"] += 1
            score.counts["silent found"] += bool(new)
            if not new:
                score.lines.append(f"silent  {where}")
        errors = [one for one in new if one.severity == "error"]
        score.counts["false errors"] += len(errors)
        if errors:
            score.lines.append(f"FALSE   {where}\n        {said}")
        return
    score.counts["raise"] += 1
    score.counts["findings"] += len(new)
    at = [one for one in new if one.span.line <= label["line"] <= one.span.end_line]
    score.counts["found"] += bool(at)
    score.counts["worded"] += any(one.torch_error == label["error"] for one in at)
    if not at or len(new) > 1:
        score.lines.append(
            f"{'missed ' if not at else 'several'} {where}\n        line {label['line']}: {label['error'][:120]}\n        {said}"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--each", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    chosen = [path for path in scripts() if not options.names or path.stem in options.names]
    score = asyncio.run(measure(chosen, options.each, options.seed))
    if options.v:
        print(*score.lines, sep="\n")
    print(dict(score.counts))
    print(
        f"raising mutants found at their line {score.share('found', 'raise'):.1%}, with torch's words "
        f"{score.share('worded', 'raise'):.1%}, findings each {score.share('findings', 'raise'):.2f}; "
        f"silent ones found {score.share('silent found', 'silent'):.1%}"
    )


if __name__ == "__main__":
    main()
