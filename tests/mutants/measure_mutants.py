#!/usr/bin/env python3
"""How many broken files are found: one thing is broken in each, and running them says what it comes to.

    python tests/mutants/measure_mutants.py                 a table by kind, over all files of `originals.py`
    python tests/mutants/measure_mutants.py -v NAME...      those files, with each mutant that is missed
    python tests/mutants/measure_mutants.py --part 2/9      a ninth of the files; --each 4 mutants of each, --seed 1

What a mutant is, is decided by running it and the file that it was made of, with the same seeds:

- It *raises* if torch or Python refuses a line of it (a name, a key or an assert of the file's own does not count).
  Found: a finding stands at that line.
- It is *silently wrong* if it runs to its end, what comes out at the top of the file (printed or bound) has the
  shapes that it had, and other numbers (by more than one in a hundred). Widths are left out: another
  hyperparameter that fits throughout is another model and no mistake. So are other dtypes of random numbers.
  Found: a finding of severity error or warning that the file itself has not, which stands in the function that was
  changed (what is left out leaves no place behind), or names the line.
- Otherwise it is *told by its shapes* (something at the top has another shape than before: whoever looks sees it)
  or *the same* (the numbers are those of the file). Neither is held against shapewise.

Findings per mistake count warnings and errors that the file itself has not, over the mutants that raise. Those that
it has itself are counted beside: whether one is right is for people to judge.
What really running a file on a machine without a card cannot say, devices, is in tests/mistakes.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import hashlib
import json
import math
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "corpus")]

from entries import CACHE, environment, install  # noqa: E402
from mutate import KINDS, Mutant, mutants  # noqa: E402
from originals import Original, originals  # noqa: E402

from shapewise.analysis import analyse  # noqa: E402
from shapewise.host.errors import TracerError  # noqa: E402
from shapewise.host.process import TracerProcess  # noqa: E402
from shapewise.source import Source  # noqa: E402
from shapewise.vocabulary.findings import Finding  # noqa: E402

_PYTHONS_OWN = ("NameError", "SystemExit", "AssertionError", "KeyError", "UnicodeDecodeError")
_NEAR = 0.01
LIMIT = 100.0
"""Seconds by the clock. What a trace may take is counted in its own work: this is for a machine that does other work too."""


@dataclass
class Score:
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)

    def __iadd__(self, other: Score) -> Score:
        self.counts += other.counts
        self.lines += other.lines
        return self

    def __getitem__(self, what: str) -> int:
        return sum(self.counts[kind, what] for kind in ("", *KINDS))

    def share(self, part: str, whole: str) -> float:
        return self[part] / max(self[whole], 1)


# ---------------------------------------------------------------- the truth


def labelled(
    texts: Sequence[str], python: str = sys.executable, imports: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """What running each for real comes to; from the cache if it was run as it stands."""
    kept = [CACHE / "mutants" / f"{_digest(text)}.json" for text in texts]
    new = [i for i, path in enumerate(kept) if not path.exists()]
    if new:
        rows = "".join(json.dumps(texts[i]) + "\n" for i in new)
        command = [python, str(HERE / "label.py"), *imports]
        done = subprocess.run(command, input=rows, capture_output=True, text=True, check=True)
        kept[0].parent.mkdir(parents=True, exist_ok=True)
        for i, row in zip(new, done.stdout.splitlines()):
            kept[i].write_text(row, "utf-8")
    return [json.loads(path.read_text("utf-8")) for path in kept]


def _digest(text: str) -> str:
    import torch

    parts = (torch.__version__, sys.version, (HERE / "label.py").read_text("utf-8"), text)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def verdict(mutant: Mutant, label: dict[str, Any], before: dict[str, Any], again: dict[str, Any]) -> str:
    """raises, silent, told or same; nothing where it is not known. `again`: the file itself, run a second time."""
    if "ran" not in label:
        its_own = label.get("type") in (*_PYTHONS_OWN, "killed") or not label.get("line")
        return "" if its_own else "raises"
    if mutant.kind == "width" or (
        mutant.kind == "dtype" and "rand" in mutant.text.split("\n")[mutant.line - 1]
    ):
        return ""
    was, is_now = before["came"], label["came"]
    sure = [name for name in was if _alike(was[name], again["came"].get(name))]
    if any(name not in is_now or is_now[name][0] != was[name][0] for name in sure):
        return "told"
    return "silent" if any(not _alike(was[name], is_now[name]) for name in sure) else "same"


def _alike(one: list[Any], other: list[Any] | None) -> bool:
    if other is None or one[0] != other[0] or len(one[1]) != len(other[1]):
        return False
    return all(
        a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= _NEAR * max(abs(a), abs(b), 1e-6)
        for a, b in zip(one[1], other[1])
    )


# ---------------------------------------------------------------- measuring


async def measure(chosen: Sequence[Original], each: int, seed: int, packages: bool) -> Score:
    """Break each file `each` times and ask for findings, in one warm process."""
    python = str(environment()) if packages else sys.executable
    score, tracer = Score(), TracerProcess(python, limit=LIMIT)
    for original in chosen:
        start = time.monotonic()
        try:
            score += await _of_one(original, each, seed, tracer, python)
        except TracerError as error:
            score.lines.append(f"lost    {original.name}: {error}")
        print(f"{time.monotonic() - start:5.1f} s  {original.name}", file=sys.stderr, flush=True)
    await tracer.close()
    return score


async def _of_one(original: Original, each: int, seed: int, tracer: TracerProcess, python: str) -> Score:
    score = Score()
    made = mutants(original.text, each, seed)
    imports = [one for one in ("timm", "torchvision", "einops") if original.packages and one in original.text]
    first, second, *labels = labelled(
        [original.text, original.text + "\n", *(mutant.text for mutant in made)], python, imports
    )
    if "ran" not in first or "ran" not in second:
        score.lines.append(f"no run  {original.name}: {first.get('error', first)}"[:200])
        return score
    own = await _findings(original, original.text, tracer)
    score.counts["", "files"] += 1
    score.counts["", "false"] += sum(one.severity == "error" for one in own)
    for one in own:
        score.counts["", f"own {one.severity}"] += 1
        said = f"{one.severity} {one.rule}: {one.message}".split("\n")[0]
        score.lines.append(f"own     {original.name}:{one.span.line} {said}")
    known = {(one.rule, one.message) for one in own}
    for mutant, label in zip(made, labels):
        what = verdict(mutant, label, first, second)
        if not what:
            continue
        score.counts[mutant.kind, what] += 1
        if what == "told":
            continue
        new = [
            one
            for one in await _findings(original, mutant.text, tracer)
            if (one.rule, one.message) not in known
        ]
        _judge(score, original.name, mutant, what, label, new)
    return score


async def _findings(original: Original, text: str, tracer: TracerProcess) -> list[Finding]:
    path = Path("/nowhere") / f"{original.name.replace('.', '_')}.py"
    found = (await analyse(Source(str(path), text), tracer)).findings
    return [one for one in found if one.severity != "hint"]


def _judge(
    score: Score, name: str, mutant: Mutant, what: str, label: dict[str, Any], new: list[Finding]
) -> None:
    count, kind = score.counts, mutant.kind
    where = f"{name}:{mutant.line} {kind}: {mutant.change}"
    said = [(one.span.line, one.rule, one.message.split("\n")[0]) for one in new]
    if what == "raises":
        at = [one for one in new if one.span.line <= label["line"] <= one.span.end_line]
        count[kind, "findings"] += len(new)
        count[kind, "found"] += bool(at)
        count[kind, "worded"] += any(one.torch_error == label["error"] for one in at)
        if not at or len(new) > 1:
            missed = "several" if at else "missed "
            score.lines.append(
                f"{missed} {where}\n        line {label['line']}: {label['error'][:120]}\n        {said}"
            )
        return
    errors = [one for one in new if one.severity == "error"]
    count[kind, "false"] += len(errors)
    if errors:
        score.lines.append(f"FALSE   {where}\n        {said}")
    if what == "silent":
        count[kind, "silent found"] += any(_tells(one, mutant) for one in new)
        score.lines.append(
            f"{'found ' if any(_tells(one, mutant) for one in new) else 'silent'}  {where} {said or ''}"
        )
    elif new:
        score.lines.append(f"same    {where}\n        {said}")


def _tells(finding: Finding, mutant: Mutant) -> bool:
    first, last = _around(mutant)
    spans = [finding.span, *(one.span for one in finding.related)]
    return any(span.line <= last and first <= span.end_line for span in spans)


def _around(mutant: Mutant) -> tuple[int, int]:
    """The first and the last line of the innermost function that was changed; else of the statement and the next."""
    found, body = (mutant.line, mutant.line + 1), ast.parse(mutant.text)
    for node in ast.walk(body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno is not None:
            if node.lineno <= mutant.line <= node.end_lineno:
                found = (node.lineno, node.end_lineno)
    return found


# ---------------------------------------------------------------- showing


def table(score: Score) -> str:
    """A row for each kind of mutant, and the totals."""
    columns = ("raises", "found", "worded", "findings", "silent", "silent found", "told", "same", "false")
    rows = [("kind", *columns)]
    rows += [(kind, *(str(score.counts[kind, column]) for column in columns)) for kind in KINDS]
    rows.append(("all", *(str(score[column]) for column in columns)))
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows]
    lines.append(
        f"{score['files']} files; raising mutants found at their line {score.share('found', 'raises'):.1%}, "
        f"with torch's words {score.share('worded', 'raises'):.1%}, findings each "
        f"{score.share('findings', 'raises'):.2f}; silently wrong ones found {score.share('silent found', 'silent'):.1%}; "
        f"{score['false']} errors where nothing raises"
    )
    lines.append(
        f"in the {score['files']} files as they were: {score['own error']} errors, {score['own warning']} warnings"
    )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--each", type=int, default=4, help="mutants of each file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", default="1/1", help="only this part of the files, as 2/9")
    parser.add_argument("--only", default="", help="names that begin so")
    parser.add_argument(
        "--json", metavar="FILE", help="write the counts there; several are added up by --add"
    )
    parser.add_argument("--add", nargs="*", metavar="FILE", help="show what --json wrote of parts")
    parser.add_argument("-v", action="store_true", help="each mutant that is missed")
    options = parser.parse_args()
    score = Score()
    if options.add:
        for file in options.add:
            for kind, what, number in json.loads(Path(file).read_text("utf-8")):
                score.counts[kind, what] += number
    else:
        problem = install()
        part, parts = map(int, options.part.split("/"))
        chosen = [
            one
            for one in originals(problem is None)
            if (not options.names or one.name in options.names) and one.name.startswith(options.only)
        ]
        score = asyncio.run(measure(chosen[part - 1 :: parts], options.each, options.seed, problem is None))
    if options.json:
        rows = [[kind, what, number] for (kind, what), number in score.counts.items()]
        Path(options.json).write_text(json.dumps(rows) + "\n", "utf-8")
    if options.v:
        print(*score.lines, sep="\n")
    print(table(score))


if __name__ == "__main__":
    main()
