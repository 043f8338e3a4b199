#!/usr/bin/env python3
"""How much of real scripts shapewise knows, and how much of that is right.

    python tests/corpus/measure.py [NAME...]        a table of all scripts, or of those named
    python tests/corpus/measure.py -v NAME          each binding that is missing, vague or WRONG, and why
    python tests/corpus/measure.py --markdown       the table of the README
    python tests/corpus/measure.py --models         false alarms on hundreds of public model files

A NAME may also be the path of any script. The truth is recorded by running each script once and is
kept in .cache/corpus; the facts are those of `shapewise facts --json`. docs/corpus.md says more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "server")]

import models  # noqa: E402
from counting import OTHERS, Judged, Tally, by_place, compare  # noqa: E402
from entries import Entry, entries, environment, install, said, truth_of, with_packages  # noqa: E402

from shapewise import documents  # noqa: E402
from shapewise.analysis import Tracer  # noqa: E402
from shapewise.commands.session import Session  # noqa: E402
from shapewise.config import Config  # noqa: E402
from shapewise.host import lifecycle  # noqa: E402
from shapewise.host.errors import TracerError  # noqa: E402
from shapewise.host.to_the_end import ToTheEnd  # noqa: E402
from shapewise.report.as_json import facts_json  # noqa: E402
from shapewise.rule_choice import RuleChoice  # noqa: E402
from shapewise.source import Source  # noqa: E402
from shapewise.vocabulary import events  # noqa: E402

HERE = Path(__file__).resolve().parent
lifecycle._NICENESS = 0
PATIENCE = 600.0  # seconds for a trace: a figure must not depend on what else the machine does


@dataclass
class Measured:
    """One script. `error`: why there is no truth or no fact; `why`: what was lost, by place."""

    entry: Entry
    tally: Tally = field(default_factory=Tally)
    error: str | None = None
    false_errors: list[str] = field(default_factory=list)
    why: dict[tuple[str, int, int, str], str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def reason(self, judged: Judged) -> str:
        site = judged.site
        known = (judged.fact or {}).get("why")
        return known or self.why.get(
            (os.path.realpath(site["file"]), site["line"], site["column"], site["name"]), "never came by"
        )


# ---------------------------------------------------------------- measuring


class Unhurried(Session):
    """The command line's own session, which waits longer on a busy machine."""

    def tracer(self, source: Source, config: Config) -> Tracer:
        interpreter = self.interpreter(source, config)
        if interpreter not in self._tracers:
            tracer = ToTheEnd(interpreter, limit=PATIENCE, project=self._project)
            self._stack.push_async_callback(tracer.close)
            self._tracers[interpreter] = tracer
        return self._tracers[interpreter]


async def measure(chosen: Sequence[Entry], truths: Sequence[dict[str, Any]], python: str) -> list[Measured]:
    """Trace all with one warm tracer and judge them."""
    found = []
    async with Unhurried(python) as session:
        for entry, truth in zip(chosen, truths):
            found.append(await measured(entry, truth, session))
            print(f"{entry.name}: {found[-1].tally['WRONG']} wrong", file=sys.stderr, flush=True)
    return found


async def measured(entry: Entry, truth: dict[str, Any], session: Session) -> Measured:
    result = Measured(entry, error=truth["error"])
    entry = entry.placed()
    if not truth["sites"]:
        return result
    config = Config()
    try:
        source = documents.read(str(entry.script)).source
        analysis = await session.analyse(source, config)
        checked = await session.report(analysis, config, RuleChoice.of(config))
    except TracerError as error:
        result.tally = compare(truth, {})
        result.error = str(error)
        return result
    answer = facts_json(checked)
    result.tally = compare(truth, by_place(answer))
    ended_early = truth["error"] is not None
    result.false_errors = [
        f"{finding['rule']} at line {finding['line']}: {finding['message']}"
        for finding in answer["findings"]
        if finding["severity"] == "error" and not ended_early
    ]
    result.why = lost(analysis.log, str(entry.script))
    result.notes = tuple(str(note) for note in analysis.log.notes)
    result.seconds = checked.seconds
    return result


def lost(log: events.Log, script: str) -> dict[tuple[str, int, int, str], str]:
    """Why a value that was bound is unknown, by place."""
    lost: dict[tuple[str, int, int, str], str] = {}
    for event in log.events:
        if isinstance(event, events.Bound) and event.kind != "expression":
            file = os.path.realpath(getattr(log.frames[event.frame], "file", None) or script)
            lost.setdefault((file, event.span.line, event.span.column, event.name), _why(event.value))
    return lost


def _why(value: Any) -> str:
    if isinstance(value, events.Unknown):
        return str(value.why)
    if isinstance(value, events.Group):
        return next((_why(item) for item in value.items if isinstance(item, events.Unknown)), "an item")
    return f"held to be {type(value).__name__.lower()}"


# ---------------------------------------------------------------- showing


def table(rows: Sequence[tuple[str, Tally, str]]) -> str:
    """Recall and precision in percent of each row, and how many shapes are wrong."""
    width = max([20, *(len(name) for name, _, _ in rows)]) + 1
    head = "".join(f"{key.replace('requires_grad', 'grad'):>13}" for key in ("shape", *OTHERS))
    lines = [f"{'recall / precision %':{width}}{'n':>6}{'wrong':>6}{head}"]
    for name, tally, remark in rows:
        cells = "".join(
            f"{100 * tally.recall(key):6.1f}/{100 * tally.precision(key):6.2f}" for key in ("shape", *OTHERS)
        )
        lines.append(f"{name:{width}}{tally['observed']:>6}{tally['WRONG']:>6}{cells}{remark}")
    return "\n".join(lines)


def markdown(rows: Sequence[tuple[str, Tally, str]]) -> str:
    lines = ["| | tensors | " + " | ".join(("shape", *OTHERS)) + " | wrong shapes |", "|---" * 8 + "|---|"]
    for name, tally, _ in rows:
        cells = " | ".join(
            f"{100 * tally.recall(key):.1f} / {100 * tally.precision(key):.2f}" for key in ("shape", *OTHERS)
        )
        lines.append(f"| {name} | {tally['observed']:,} | {cells} | {tally['WRONG']} |")
    return "\n".join(lines)


def groups(results: Sequence[Measured]) -> list[tuple[str, Tally, str]]:
    """The totals: what is worked on, what is held out, what runs packages, all."""
    rows = []
    for name, wanted in (
        ("worked on", lambda one: not one.entry.held_out),
        ("held out", lambda one: one.entry.held_out),
        ("self-contained", lambda one: not one.entry.needs),
        ("over packages", lambda one: bool(one.entry.needs)),
        ("all", lambda one: True),
    ):
        total = Tally()
        chosen = [one for one in results if wanted(one)]
        for one in chosen:
            total += one.tally
        if chosen:
            rows.append((f"{name} ({len(chosen)})", total, ""))
    return rows


def rows_of(results: Sequence[Measured]) -> list[tuple[str, Tally, str]]:
    rows = []
    for one in results:
        remark = f"{one.seconds:7.1f} s"
        remark += "  held out" if one.entry.held_out else ""
        remark += f"  {one.error[:90]}" if one.error else ""
        remark += "  cut off" if any("to its end" in note for note in one.notes) else ""
        remark += f"  {len(one.false_errors)} FALSE ERRORS" if one.false_errors else ""
        rows.append((one.entry.name, one.tally, remark))
    return rows


def details(one: Measured) -> str:
    """Each binding that is not right, by line."""
    lines = [f"--- {one.entry.name} ({one.seconds:.2f} s) {one.error or ''}"]
    lines += [f"    note: {note}" for note in one.notes]
    lines += [f"    FALSE ERROR {finding}" for finding in one.false_errors]
    for judged in one.tally.judged:
        site = judged.site
        place = f"{Path(site['file']).name}:{site['line']} {site['scope']} {site['name']}"
        seen = [real["shape"] for real in judged.seen]
        if judged.verdict == "missing":
            lines.append(f"    missing {place} really {seen[0]} ({one.reason(judged)})")
        elif judged.verdict != "right":
            said = judged.said[0] if len(judged.said) == 1 else judged.said
            lines.append(f"    {judged.verdict} {place} said {said}, really {seen} ({one.reason(judged)})")
        for key in judged.wrong_others:
            lines.append(
                f"    WRONG {key} of {place}: said {judged.fact[key]}, really {[real[key] for real in judged.seen]}"
            )
    return "\n".join(lines)


def reasons(results: Sequence[Measured], most: int = 25) -> str:
    """The commonest reasons of what is missing or vague, with how many scripts each costs."""
    counts: Counter[str] = Counter()
    where: dict[str, set[str]] = {}
    for one in results:
        for judged in one.tally.judged:
            if judged.verdict in ("missing", "vague"):
                reason = f"{judged.verdict}: {one.reason(judged)}"
                counts[reason] += 1
                where.setdefault(reason, set()).add(one.entry.name)
    lines = ["Not known because:"]
    for reason, count in counts.most_common(most):
        names = sorted(where[reason])
        lines.append(f"{count:>6}  {reason}  [{', '.join(names[:4])}{', ...' if len(names) > 4 else ''}]")
    return "\n".join(lines)


def as_json(results: Sequence[Measured]) -> dict[str, Any]:
    """Every count and share, of each script and in total."""

    def row(tally: Tally) -> dict[str, Any]:
        shares = {
            key: {"recall": round(tally.recall(key), 4), "precision": round(tally.precision(key), 4)}
            for key in ("shape", *OTHERS)
        }
        kinds = {word.lower(): tally[word] for word in ("observed", "WRONG", "missing", "vague")}
        return {**kinds, **shares}

    return {
        "total": {name: row(tally) for name, tally, _ in groups(results)},
        "scripts": {
            one.entry.name: {**row(one.tally), "held_out": one.entry.held_out, "error": one.error}
            for one in results
        },
    }


# ---------------------------------------------------------------- false alarms


def false_alarms(jobs: int, most: int | None) -> int:
    """Print every finding of severity error in public model files. 1 if there is any, or a crash."""
    problem = install()
    if problem:
        sys.exit(f"The packages of the corpus are not to be had: {problem}")
    files = models.model_files()
    files = files[:: max(1, len(files) // most)] if most else files

    async def share(start: int) -> models.Alarms:
        async with Unhurried(str(environment())) as session:
            return await models.check(files[start::jobs], session)

    total = models.Alarms()
    with ThreadPoolExecutor(jobs) as pool:
        for alarms in pool.map(lambda start: asyncio.run(share(start)), range(jobs)):
            total += alarms
    print(total.render())
    return int(bool(total.errors or total.crashes))


# ---------------------------------------------------------------- the command


def chosen_entries(names: Sequence[str], held_out: bool) -> list[Entry]:
    every = entries()
    if not names:
        return [entry for entry in every if held_out or not entry.held_out]
    known = {entry.name: entry for entry in every}
    found = []
    for name in names:
        if name in known:
            found.append(known[name])
        elif Path(name).is_file():
            path = Path(name).resolve()
            found.append(Entry(path.stem, path, needs=said(path, "needs"), beside=said(path, "beside")))
        else:
            sys.exit(f"There is no script {name} in the corpus.")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("-v", "--verbose", action="store_true", help="every binding that is not right")
    parser.add_argument("--jobs", type=int, default=2, help="scripts at a time")
    parser.add_argument("--no-held-out", action="store_true", help="without those that nobody looks at")
    parser.add_argument("--json", metavar="FILE", help="write the figures there")
    parser.add_argument("--markdown", action="store_true", help="only the totals, as a table for the README")
    parser.add_argument("--models", action="store_true", help="false alarms on public model files")
    parser.add_argument("--most", type=int, help="with --models: about so many of them")
    arguments = parser.parse_args()
    if arguments.models:
        return false_alarms(arguments.jobs, arguments.most)
    chosen = chosen_entries(arguments.names, not arguments.no_held_out)
    chosen, python = with_packages(chosen)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        truths = list(pool.map(truth_of, chosen))
        shares = [slice(start, None, arguments.jobs) for start in range(arguments.jobs)]
        parts = pool.map(lambda share: asyncio.run(measure(chosen[share], truths[share], python)), shares)
        results = sorted((one for part in parts for one in part), key=lambda one: one.entry.name)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(as_json(results), indent=1) + "\n", "utf-8")
    if arguments.markdown:
        print(markdown(groups(results)))
        return 0
    if arguments.verbose:
        print("\n".join(details(one) for one in results if arguments.names or not one.entry.held_out))
    print(table([*rows_of(results), *groups(results)]))
    print(reasons([one for one in results if not one.entry.held_out]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
