"""How often shapewise says of a call what real torch says of it, on torch's own test inputs.

    python tests/opdb/measure.py errors|dtypes|samples|modules [permuted] [part=0.1] [-v]

`errors`: of the calls that torch refuses, those that are refused, and with torch's own first line.
`dtypes`: the same of its samples where they are given in dtypes that torch refuses.
`samples`, `modules`: of the calls that torch makes, those refused (none), unknown, those whose result is a number
or a length that data decides (`open`), and those whose result has torch's shape, dtype, stride and requires_grad. `permuted` gives each tensor the memory of
a transposed one, `part=0.1` takes a tenth at random (seeded), `-v` lists what differs. Needs `expecttest`, which torch's testing modules import.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from cases import Case, errors, facts, mistyped, modules, permuted, samples
from told import Told, agree, first_line, told

_DECIDED_BY_DATA = frozenset(
    "item equal allclose nonzero argwhere unique unique_consecutive bincount masked_select __getitem__ repeat_interleave "
    "tensor_split nn.functional.one_hot".split()
)
"""What gives a number of the data, or as many items as the data says: a mask's, classes that are not counted."""


@dataclass
class Score:
    """Counts by outcome, and a line for each call of which something else was said."""

    counts: Counter[str] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)

    def add(self, outcome: str, line: str | None = None) -> None:
        self.counts[outcome] += 1
        if line is not None:
            self.lines.append(f"{outcome}: {line}")


def refusals(source: str, part: float = 1.0, seed: int = 0) -> Score:
    """The calls that torch refuses. Outcomes: same, worded, missed (a result), unknown."""
    warnings.simplefilter("ignore")
    work: list[tuple[Case, str]] = []
    for case in {"errors": errors, "dtypes": mistyped}[source]():
        try:
            case.run()
        except Exception as error:
            work.append((case, first_line(error)))
    work = _some(work, part, seed)
    score = Score()
    for (case, real), said in zip(work, told([case for case, _ in work], literal=True)):
        if said.error is None:
            score.add(
                "missed" if said.unknown is None else "unknown",
                f"{case.name}: {said.unknown or ''} really {real[:150]}",
            )
        elif said.error == real:
            score.add("same")
        else:
            score.add("worded", f"{case.name}: {said.error[:150]}\n    really {real[:150]}")
    return score


def results(source: str, change: Any = None, part: float = 1.0, seed: int = 0) -> Score:
    """The calls that torch makes. Outcomes: equal, differs, refused, unknown, open."""
    warnings.simplefilter("ignore")
    work: list[tuple[Case, Any]] = []
    for case in {"samples": samples, "modules": modules}[source]():
        if change is not None:
            case = Case(case.name, case.function, *_changed(case, change))
        try:
            work.append((case, facts(case.run())))
        except Exception as error:
            print(f"{case.name} does not run for real: {first_line(error)[:80]}")
    work = _some(work, part, seed)
    score = Score()
    for (case, real), said in zip(work, told([case for case, _ in work], literal=False)):
        score.add(*_outcome(case, said, real))
    return score


def _outcome(case: Case, said: Told, real: Any) -> tuple[str, str | None]:
    if said.error is not None:
        return "refused", f"{case.name}: {said.error}"
    if said.unknown is not None:
        if case.name in _DECIDED_BY_DATA:
            return "open", None
        return "unknown", f"{case.name}: {said.unknown}"
    if agree(said.facts, real):
        return "equal", None
    return "differs", f"{case.name}: {said.facts}, really {real}"


def _changed(case: Case, change: Any) -> tuple[Any, Any]:
    from cases import mapped

    return mapped(case.args, change), mapped(case.kwargs, change)


def _some(work: list[Any], part: float, seed: int) -> list[Any]:
    return work if part >= 1 else random.Random(seed).sample(work, int(len(work) * part))


def main(source: str, *options: str) -> None:
    part = next((float(option.partition("=")[2]) for option in options if option.startswith("part=")), 1.0)
    if source in ("errors", "dtypes"):
        score = refusals(source, part)
    else:
        score = results(source, permuted if "permuted" in options else None, part)
    if "-v" in options:
        print(*dict.fromkeys(sorted(score.lines)), sep="\n")
    for outcome, count in score.counts.most_common():
        print(f"{outcome:8} {count:5}  {100 * count / score.counts.total():6.2f} %")


if __name__ == "__main__":
    main(*sys.argv[1:])
