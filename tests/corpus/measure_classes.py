#!/usr/bin/env python3
"""How much is known of modules that nobody calls, and how much of that is right.

    python tests/corpus/measure_classes.py [NAME...]       a table of all files, or of those named
    python tests/corpus/measure_classes.py -v NAME         each binding that is missing, vague or WRONG
    python tests/corpus/measure_classes.py --mode called   with a driver in another file of the workspace
    python tests/corpus/measure_classes.py --mode entry    with the driver's text at the file's own end

The facts are those of `shapewise facts --json`, from one warm tracer; the truth is what three runs with
other sizes did. `names` are the symbolic dims that were stated: how many, and how many of them are right
in every one of those runs. docs/corpus.md says more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parent)]

from counting import OTHERS, Tally, by_place, compare  # noqa: E402
from entries import Entry, with_packages  # noqa: E402
from measure import Measured, Unhurried, details, reasons, table  # noqa: E402
from measure import lost as lost_of  # noqa: E402
from samples import MODES, Sample, moved, samples, truth_of  # noqa: E402

from shapewise import documents  # noqa: E402
from shapewise.config import Config  # noqa: E402
from shapewise.host.errors import TracerError  # noqa: E402
from shapewise.report.as_json import facts_json  # noqa: E402
from shapewise.rule_choice import RuleChoice  # noqa: E402


async def measure(
    chosen: Sequence[Sample], truths: Sequence[dict[str, Any]], python: str, mode: str, around: Path
) -> list[Measured]:
    """Trace all with one warm tracer and judge them."""
    found = []
    async with Unhurried(python) as session:
        for sample, truth in zip(chosen, truths):
            file = sample.lay(around / mode, mode)
            found.append(await measured(sample, moved(truth, file), file, session))
            print(f"{sample.name}: {found[-1].tally['WRONG']} wrong", file=sys.stderr, flush=True)
    return found


async def measured(sample: Sample, truth: dict[str, Any], file: Path, session: Unhurried) -> Measured:
    """What is known of one file, held against its truth."""
    entry = Entry(sample.name, file, held_out=sample.held_out, needs=sample.needs)
    result = Measured(entry, error=truth["error"])
    config = Config()
    try:
        analysis = await session.analyse_called(documents.read(str(file)).source, config)
        checked = await session.report(analysis, config, RuleChoice.of(config))
    except TracerError as error:
        result.tally = compare(truth, {})
        result.error = str(error)
        return result
    answer = facts_json(checked)
    result.tally = compare(truth, by_place(answer))
    result.false_errors = [
        f"{finding['rule']} at line {finding['line']}: {finding['message']}"
        for finding in answer["findings"]
        if finding["severity"] in ("error", "warning")
    ]
    result.why = lost_of(analysis.log, str(file))
    result.notes = tuple(str(note) for note in analysis.log.notes)
    result.seconds = checked.seconds
    return result


# ---------------------------------------------------------------- showing


def names(tally: Tally) -> str:
    """Of the symbolic dims how many were stated, and how many were not right."""
    stated = tally["names stated"]
    if not stated:
        return "no names"
    return (
        f"names {stated}, {100 * tally.names():.2f} % right, "
        f"{tally['names wrong']} wrong, {tally['names unbound']} unbound"
    )


def rows(results: Sequence[Measured]) -> list[tuple[str, Tally, str]]:
    """A row for each file and the totals."""
    found = []
    for one in results:
        remark = f"{one.seconds:6.1f} s  {names(one.tally)}"
        remark += "  held out" if one.entry.held_out else ""
        remark += f"  {one.error[:90]}" if one.error else ""
        remark += f"  {len(one.false_errors)} FALSE FINDINGS" if one.false_errors else ""
        found.append((one.entry.name, one.tally, remark))
    for title, wanted in (("worked on", False), ("held out", True), ("all", None)):
        part = [one for one in results if wanted is None or one.entry.held_out == wanted]
        total = Tally()
        for one in part:
            total += one.tally
        if part:
            remark = f"  {names(total)}, {total['in variants']} right in variants"
            found.append((f"{title} ({len(part)})", total, remark))
    return found


def wrong_names(one: Measured) -> list[str]:
    """Each symbolic dim that did not hold in every run."""
    lines = []
    for judged in one.tally.judged:
        for dim, held in judged.names:
            if held is not True:
                site = judged.site
                word = "unbound" if held is None else "WRONG"
                seen = [real["shape"] for real in judged.seen][:3]
                lines.append(f"    {word} name {dim} in {site['line']} {site['name']}, really {seen}")
    return lines


def as_json(results: Sequence[Measured]) -> dict[str, Any]:
    """Every count, by row."""
    keys = ("observed", "right", "WRONG", "missing", "vague", "names stated", "names right", "names unbound")
    return {
        name: {
            **{key: tally[key] for key in keys},
            "recall": round(tally.recall(), 4),
            "precision": {key: round(tally.precision(key), 4) for key in ("shape", *OTHERS)},
        }
        for name, tally, _ in rows(results)
    }


# ---------------------------------------------------------------- the command


def without_fields(truth: dict[str, Any]) -> dict[str, Any]:
    """A record in which a field of a configuration is bound only where the file binds it to a name.

    The body of a class binds none: `n_embd: int = 768` there is the default of a field.
    """
    return {**truth, "sites": [site for site in truth["sites"] if not _is_a_field(site)]}


def _is_a_field(site: dict[str, Any]) -> bool:
    in_a_class = site["scope"] != "<module>" and all(one["call"] == 0 for one in site["seen"])
    return site["kind"] == "field" or (in_a_class and all(one["type"] == "int" for one in site["seen"]))


def run(chosen: Sequence[Sample], mode: str, jobs: int, fields: bool = True) -> list[Measured]:
    """Record what was not recorded yet, trace all, judge all."""
    chosen, python = with_packages(chosen)
    here = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="classes-") as folder, ThreadPoolExecutor(jobs) as pool:
        around = Path(folder).resolve()
        os.chdir(around)  # the workspace is the folder that the command is run in
        try:
            truths = list(pool.map(lambda sample: truth_of(sample, around), chosen))
            truths = truths if fields else [without_fields(truth) for truth in truths]
            shares = [slice(start, None, jobs) for start in range(jobs)]
            parts = pool.map(
                lambda share: asyncio.run(measure(chosen[share], truths[share], python, mode, around)), shares
            )
            return sorted((one for part in parts for one in part), key=lambda one: one.entry.name)
        finally:
            os.chdir(here)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("-v", "--verbose", action="store_true", help="every binding and name not right")
    parser.add_argument("--mode", choices=MODES, default="alone")
    parser.add_argument("--jobs", type=int, default=2, help="files at a time")
    parser.add_argument("--no-held-out", action="store_true", help="without those that nobody looks at")
    parser.add_argument(
        "--no-fields", action="store_true", help="as if nobody knew the fields of a configuration"
    )
    parser.add_argument("--count", action="store_true", help="only how many classes there are")
    parser.add_argument("--json", metavar="FILE", help="write the figures there")
    arguments = parser.parse_args()
    chosen = [
        sample
        for sample in samples()
        if (
            sample.name in arguments.names
            if arguments.names
            else not sample.held_out or not arguments.no_held_out
        )
    ]
    unknown = set(arguments.names) - {sample.name for sample in chosen}
    if unknown:
        sys.exit(f"There is no {', '.join(sorted(unknown))} among the classes.")
    if arguments.count:
        for sample in chosen:
            print(f"{sample.classes():4} {sample.name}{'  held out' if sample.held_out else ''}")
        print(f"{sum(sample.classes() for sample in chosen):4} in all")
        return 0
    results = run(chosen, arguments.mode, arguments.jobs, not arguments.no_fields)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(as_json(results), indent=1) + "\n", "utf-8")
    open_ones = [one for one in results if arguments.names or not one.entry.held_out]
    if arguments.verbose:
        for one in open_ones:
            print("\n".join([details(one), *wrong_names(one)]))
    print(table(rows(results)))
    print(reasons([one for one in results if not one.entry.held_out]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
