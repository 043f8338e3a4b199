"""Findings by rule, how much of the tensors is known, and what stood in the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..vocabulary.facts import Fact, TensorFact, ValueFact
from .checked import Checked, each

_MOST = 10


@dataclass(frozen=True, slots=True)
class Statistics:
    """`tensor_lines`: lines that hold a tensor; of those `known`: every shape on them is known."""

    files: int
    rules: tuple[tuple[str, int], ...]
    tensor_lines: int
    known: int
    reasons: tuple[tuple[str, int], ...]


def statistics(files: Sequence[Checked]) -> Statistics:
    """Counted over all files."""
    reasons: Counter[str] = Counter()
    lines = known = 0
    for file in files:
        by_line: dict[int, bool] = {}
        for fact in file.facts:
            by_line[fact.span.line] = by_line.get(fact.span.line, True) and _is_known(fact)
            if fact.why:
                reasons[fact.why] += 1
        lines += len(by_line)
        known += sum(by_line.values())
    return Statistics(
        files=len(files),
        rules=tuple(Counter(finding.rule for _, finding in each(files)).most_common()),
        tensor_lines=lines,
        known=known,
        reasons=tuple(reasons.most_common(_MOST)),
    )


def render(files: Sequence[Checked]) -> str:
    """The statistics as text."""
    counts = statistics(files)
    lines = [f"{count:>6}  {rule}" for rule, count in counts.rules]
    if counts.tensor_lines:
        share = 100 * counts.known / counts.tensor_lines
        lines.append(f"{share:>5.1f}%  of {counts.tensor_lines} tensor lines known")
    else:
        lines.append("     0  tensor lines")
    if counts.reasons:
        lines += ["", "Not known because:", *(f"{count:>6}  {why}" for why, count in counts.reasons)]
    return "\n".join(lines) + "\n"


def _is_known(fact: Fact) -> bool:
    return fact.why is None and all(
        tensor.shape is not None and None not in tensor.shape for tensor in _tensors([fact.value])
    )


def _tensors(values: Iterable[ValueFact | None]) -> Iterable[TensorFact]:
    for value in values:
        if isinstance(value, TensorFact):
            yield value
        elif value is not None:
            yield from _tensors(value.items)
