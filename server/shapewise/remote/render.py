"""A validation as JSON and as Markdown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..report.as_json import fact_json, finding_json
from ..report.checked import place, shown
from ..source import Source
from .examples import example
from .facts import CONFIRMED, NOT_REACHED, REFUTED, JudgedFact
from .findings import NOT_JUDGED, JudgedFinding
from .validation import Validation

VERSION = 1
_VERDICTS = (CONFIRMED, REFUTED, NOT_REACHED)


def as_json(source: Source, validation: Validation) -> dict[str, Any]:
    """The form that is promised to scripts."""
    there, done = validation.there, validation.done
    facts, findings = validation.fact_counts, validation.finding_counts
    return {
        "version": VERSION,
        "file": source.path,
        "qualname": validation.options.name,
        "facts": {verdict: facts[verdict] for verdict in _VERDICTS},
        "findings": {verdict: findings[verdict] for verdict in (*_VERDICTS, NOT_JUDGED)},
        "beyond_variants": sum(one.beyond for one in validation.facts),
        "host": there["host"],
        "gpus": there["gpus"],
        "cuda": there["cuda"],
        "torch": there["torch"],
        "python": there["python"],
        "traced_with": validation.traced.analysis.log.torch,
        "date": validation.date,
        "command": validation.command,
        "digests": {sent.file: sent.digest for sent in validation.bundle.files},
        "refuted": [_fact(source, validation, one) for one in validation.facts if one.verdict == REFUTED],
        "judged_findings": [_finding(source, validation, one) for one in validation.findings],
        "error": validation.error,
        "stopped": done["stopped"],
        "trials": _trials(validation),
        "notes": [
            {
                "file": _file(validation, note.file),
                "line": note.line,
                "kind": note.kind,
                "count": note.count,
                "seconds": round(note.seconds, 6),
                "bytes": note.bytes,
                "text": note.text,
            }
            for note in validation.notes
        ],
        "memory": [
            {
                "file": _file(validation, one.file),
                "line": one.line,
                "layer": one.layer,
                "device": one.device,
                "measured": one.measured,
                "estimated": one.estimated,
            }
            for one in validation.memories
        ],
        "peak_memory": done["peak"].get("bytes"),
        "seconds": {"all": round(validation.seconds, 3), "run": round(done["seconds"], 3)},
        "printed": done["printed"],
    }


def _trials(validation: Validation) -> dict[str, Any]:
    failed = [one for one in validation.done["trials"] if one["error"] is not None]
    return {
        "run": len(validation.done["trials"]),
        "failed": [{"name": one["name"], **one["error"]} for one in failed],
        "not_callable": dict(validation.refused),
    }


def _fact(source: Source, validation: Validation, one: JudgedFact) -> dict[str, Any]:
    of = _source(source, validation, one.file)
    return {
        "file": of.path,
        **fact_json(of, one.fact),
        "refuted_by": one.why,
        "seen": one.seen,
        "assumed": one.fact.assumed,
        "example": example(one, of.text, validation.done["places"]),
    }


def _finding(source: Source, validation: Validation, one: JudgedFinding) -> dict[str, Any]:
    of = _source(source, validation, one.file)
    form = finding_json(of, one.finding)
    return {**form, "verdict": one.verdict, "seen": one.seen or None}


def _source(source: Source, validation: Validation, path: str) -> Source:
    """The file that has a name there."""
    if path == validation.bundle.main.path:
        return source
    sent = next(sent for sent in validation.bundle.files if sent.path == path)
    return Source(sent.file, sent.text)


def _file(validation: Validation, path: str) -> str:
    return next((sent.file for sent in validation.bundle.files if sent.path == path), path)


# ---------------------------------------------------------------- for people


def markdown(source: Source, validation: Validation) -> str:
    """The report."""
    sections = (_head, _refuted, _findings, _costs, _memories)
    return "\n".join(line for section in sections for line in section(source, validation))


def _head(source: Source, validation: Validation) -> list[str]:
    there, done = validation.there, validation.done
    facts, findings = validation.fact_counts, validation.finding_counts
    name = shown(source.path) + (f"::{validation.options.name}" if validation.options.name else "")
    cards = ", ".join(there["gpus"]) or "none"
    lines = [
        f"# Validation of {name}",
        "",
        "| | |",
        "|---|---|",
        f"| Host | {there['host']} |",
        f"| GPU | {cards} |",
        f"| torch | {there['torch']}" + (f", CUDA {there['cuda']}" if there["cuda"] else "") + " |",
        f"| Traced with | torch {validation.traced.analysis.log.torch} |",
        f"| Python | {there['python']} |",
        f"| Date | {validation.date} |",
        f"| Command | `{validation.command}` |",
        f"| Text | SHA-256 `{validation.bundle.main.digest}` |",
        f"| Time | {validation.seconds:.1f} s, of which the run took {done['seconds']:.1f} s |",
    ]
    if done["peak"]:
        lines.append(f"| Peak memory on the card | {done['peak']['bytes'] / 1e6:.1f} MB |")
    return [
        *lines,
        "",
        "| | confirmed | refuted | not reached | not to be judged |",
        "|---|---|---|---|---|",
        f"| Facts | {' | '.join(str(facts[verdict]) for verdict in _VERDICTS)} | |",
        f"| Findings | {' | '.join(str(findings[verdict]) for verdict in (*_VERDICTS, NOT_JUDGED))} |",
        "",
        *(f"{sentence}\n" for sentence in remarks(source, validation)),
    ]


def _refuted(source: Source, validation: Validation) -> list[str]:
    refuted = [one for one in validation.facts if one.verdict == REFUTED]
    if not refuted:
        return []
    lines = ["## Refuted facts", "", "Each is a fault of shapewise; please report it with its example.", ""]
    for one in refuted:
        of = _source(source, validation, one.file)
        where = place(of, one.fact.span.line, one.fact.span.column)
        lines += [f"- `{one.fact.name}` at {where}: stated {said(one)}, but {one.why}", "", "  ```python"]
        lines += [f"  {row}" for row in example(one, of.text, validation.done["places"]).split("\n")]
        lines += ["  ```", ""]
    return lines


def _findings(source: Source, validation: Validation) -> list[str]:
    if not validation.findings:
        return []
    lines = ["## Findings", ""]
    for found in validation.findings:
        of = _source(source, validation, found.file)
        where = place(of, found.finding.span.line, found.finding.span.column)
        seen = f" ({found.seen})" if found.seen else ""
        lines.append(f"- {found.verdict.replace('_', ' ')}: {where} {found.finding.rule}{seen}")
    return [*lines, ""]


def _costs(source: Source, validation: Validation) -> list[str]:
    if not validation.notes:
        return []
    costs = [f"- {shown(_file(validation, one.file))}:{one.line}: {one.text}" for one in validation.notes]
    return ["## What calls cost there", "", *costs, ""]


def _memories(source: Source, validation: Validation) -> list[str]:
    if not validation.memories:
        return []
    rows = [
        f"| `{one.layer}` at {shown(_file(validation, one.file))}:{one.line} on {one.device} |"
        f" {_megabytes(one.measured)} | {_megabytes(one.estimated)} |"
        for one in validation.memories
    ]
    title = "## Memory of calls of layers, at their peak"
    return [title, "", "| | measured | estimated |", "|---|---|---|", *rows, ""]


def _megabytes(count: int | None) -> str:
    return "not known" if count is None else f"{count / 1e6:.3f} MB"


def remarks(source: Source, validation: Validation) -> list[str]:
    """Sentences about the run itself."""
    found = []
    done, error = validation.done, validation.error
    if done["stopped"]:
        found.append(f"The run was stopped: {done['stopped']}. What it came by until then is judged.")
    if error is not None:
        where = ""
        if error.get("file") is not None:
            of = _source(source, validation, error["file"])
            where = f" at {place(of, error['line'], 0).rpartition(':')[0]}"
        message = str(error["message"]).partition("\n")[0]
        found.append(f"The file ended{where} with {error['type']}: {message}")
    failed = [one for one in done["trials"] if one["error"] is not None]
    found += [
        f"{one['name']} did not take the inputs that were made up for it"
        f" ({one['error']['type']}: {one['error']['message'].partition(chr(10))[0]})."
        for one in failed[:3]
    ]
    found += [f"{name} was not called: {why}." for name, why in [*validation.refused.items()][:5]]
    beyond = sum(one.beyond for one in validation.facts)
    if beyond:
        found.append(
            f"{beyond} of the confirmed facts were also seen in a form that is none of their variants."
        )
    unreached = [one.fact for one in validation.facts if one.verdict == NOT_REACHED and one.fact.assumed]
    if unreached and not validation.trials:
        names = sorted({fact.scope.split(".")[0] for fact in unreached})
        found.append(
            f"Nothing in the file calls {', '.join(names[:6])}{', ...' if len(names) > 6 else ''}:"
            " --uncalled runs them on made-up inputs."
        )
    return found


def said(one: JudgedFact) -> str:
    """What a fact states, in one line."""
    form: Mapping[str, Any] = fact_json(Source("", ""), one.fact)
    if form["type"] != "tensor":
        return json.dumps(form.get("items"))
    keys = ("shape", "dtype", "device", "stride", "contiguous", "requires_grad")
    return ", ".join(f"{key} {json.dumps(form[key])}" for key in keys if form[key] is not None)
