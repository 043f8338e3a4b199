#!/usr/bin/env python3
"""How many broken files a quick fix mends: of mutants that raise and are found, what a fix is offered, and what it comes to.

    python tests/mutants/measure_repairs.py --each 2 --seed 3 --part 1/20

A fix *runs* if the text in which it is made (and nothing else) runs to its end, *restores the shapes* if all that is
at the top of the file then has the shapes that it had, and *restores all* if the numbers are those of the file, too.
Offered are as many as in the editor, the likeliest first.
Findings are *told where from* if they name another place beside their own.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "corpus")]

from entries import environment, install  # noqa: E402
from measure_mutants import LIMIT, labelled, verdict  # noqa: E402
from mutate import mutants  # noqa: E402
from originals import Original, originals  # noqa: E402

from shapewise.analysis import analyse  # noqa: E402
from shapewise.edits.apply import apply_to  # noqa: E402
from shapewise.fixes.verify import ENOUGH, holds  # noqa: E402
from shapewise.host.errors import TracerError  # noqa: E402
from shapewise.host.process import TracerProcess  # noqa: E402
from shapewise.source import Source  # noqa: E402
from shapewise.vocabulary.findings import Finding, Fix  # noqa: E402

_RANKS = ("restores", "shapes", "runs", "refused", "raises")


async def measure(original: Original, each: int, seed: int, tracer: TracerProcess, python: str) -> list[str]:
    """A line for each mutant that raises and is found: what is offered, and what making it comes to."""
    made, lines = mutants(original.text, each, seed), list[str]()
    imports = [one for one in ("timm", "torchvision", "einops") if original.packages and one in original.text]
    first, second, *labels = labelled(
        [original.text, original.text + "\n", *(mutant.text for mutant in made)], python, imports
    )
    if "ran" not in first or "ran" not in second:
        return []
    path = str(Path("/nowhere") / f"{original.name.replace('.', '_')}.py")
    for mutant, label in zip(made, labels):
        if verdict(mutant, label, first, second) != "raises":
            continue
        source = Source(path, mutant.text)
        analysis = await analyse(source, tracer)
        found = [
            one
            for one in analysis.findings
            if one.severity != "hint" and one.span.line <= label["line"] <= one.span.end_line
        ]
        if not found:
            continue
        origin = "from" if any(one.related for one in found) else "none"
        born = (
            "born"
            if any(near.span.line == mutant.line for one in found for near in (one, *one.related))
            else "else"
        )
        said = f"{origin} {born} {original.name}:{mutant.line} {mutant.kind}: {mutant.change} -> {found[0].rule} {label['line']}"
        offered: list[tuple[Finding, Fix]] = []
        for one in found:
            for fix in one.fixes:
                if len(offered) < ENOUGH:
                    whole = await holds(source, one, fix, tracer, analysis)
                    offered += [(one, whole)] if whole is not None else []
        if not offered:
            lines.append(
                f"nothing {said} ({sum(len(one.fixes) for one in found)} tried) {label['error'][:90]}"
            )
            continue
        outcomes = labelled([apply_to(source, fix.edits).text for _, fix in offered], python, imports)
        kinds = []
        for outcome in outcomes:
            what = "refused" if "ran" not in outcome else verdict(mutant, outcome, first, second) or "same"
            kinds.append({"same": "restores", "silent": "shapes", "told": "runs"}.get(what, what))
        best = min(kinds, key=_RANKS.index)
        lines.append(f"{best:8} {said}: {[fix.title for _, fix in offered]} {kinds}")
    return lines


async def _all(chosen: list[Original], each: int, seed: int, packages: bool) -> list[str]:
    python = str(environment()) if packages else sys.executable
    tracer, lines = TracerProcess(python, limit=LIMIT), list[str]()
    for original in chosen:
        try:
            more = await measure(original, each, seed, tracer, python)
            print(*more, sep="\n", end="\n" if more else "", flush=True)
            lines += more
        except TracerError as error:
            print(f"lost {original.name}: {error}", file=sys.stderr)
    await tracer.close()
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--each", type=int, default=2, help="mutants of each file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", default="1/1", help="only this part of the files, as 2/9")
    parser.add_argument("--only", default="", help="names that begin so")
    options = parser.parse_args()
    packages = install() is None
    part, parts = map(int, options.part.split("/"))
    chosen = [one for one in originals(packages) if one.name.startswith(options.only)][part - 1 :: parts]
    lines = asyncio.run(_all(chosen, options.each, options.seed, packages))
    print(
        Counter(line.split(" ", 1)[0] for line in lines),
        Counter(tuple(line.split()[1:3]) for line in lines),
    )


if __name__ == "__main__":
    main()
