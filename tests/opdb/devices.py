"""Torch's own samples on a card, whole and with one tensor left on the CPU: what real torch says of each.

    python tests/opdb/devices.py record OUT.jsonl [1/8]   on a machine with a card: a part of the ops
    python tests/opdb/devices.py compare [-v]             anywhere: what shapewise says, beside what was recorded

`on_a_card.jsonl.gz` holds what an H200 said (torch 2.11).

A call is found again by its name and its arguments' facts: torch's versions give other samples.
"""

from __future__ import annotations

import gzip
import itertools
import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))

from cases import IN_DOUBT, PER_OP, Case, facts, mapped, mistyped, modules, samples, tensors_of
from told import Told, told

RECORDED = Path(__file__).resolve().parent / "on_a_card.jsonl.gz"
CARD, CPU = "cuda:0", "cpu"
_ODD = 5
"""Of so many tensors each is left on the CPU once."""


@dataclass(frozen=True)
class Placed:
    """A call, and where each of its tensors stands, in the order in which they are met."""

    case: Case
    devices: tuple[str, ...]

    def key(self) -> str:
        """The same for the same call in another process."""
        where = iter(self.devices)
        return f"{self.case.name} {_sketch((self.case.args, self.case.kwargs), where)}"

    def mapped(self, change: Callable[[torch.Tensor, str], torch.Tensor]) -> Case:
        """The call with each tensor changed, who is told where it stands."""
        where = iter(self.devices)
        args, kwargs = mapped(
            (_placed(self.case.args), _placed(self.case.kwargs)), lambda tensor: change(tensor, next(where))
        )
        return replace(self.case, args=args, kwargs=kwargs)


def _placed(value: Any) -> Any:
    """The same arguments, with the card where a device is said."""
    if isinstance(value, torch.device) or value == CPU:
        return CARD if isinstance(value, str) else torch.device(CARD)
    if type(value) in (tuple, list):
        return type(value)(map(_placed, value))
    return {key: _placed(one) for key, one in value.items()} if type(value) is dict else value


def _sketch(value: Any, where: Iterator[str]) -> str:
    if isinstance(value, torch.Tensor):
        return f"{tuple(value.shape)}{value.dtype}{value.stride() if value.layout is torch.strided else ''}@{next(where)}"
    if type(value) in (tuple, list):
        return f"[{', '.join(_sketch(one, where) for one in value)}]"
    if type(value) is dict:
        return f"{{{', '.join(f'{key}={_sketch(one, where)}' for key, one in sorted(value.items()))}}}"
    return (
        repr(value)
        if isinstance(value, (int, float, str, bool, type(None), torch.dtype))
        else type(value).__name__
    )


def placed(every: slice = slice(None)) -> Iterator[Placed]:
    """All on the card; then one after the other left behind. What is given in dtypes that torch refuses is left whole."""
    cases = itertools.chain(
        zip(samples(PER_OP), itertools.repeat(_ODD)),
        zip(modules(CARD), itertools.repeat(_ODD)),
        zip(mistyped(), itertools.repeat(0)),
    )
    for case, left in itertools.islice(cases, every.start, every.stop, every.step):
        tensors = tensors_of((case.args, case.kwargs))
        if not tensors or any(tensor.layout is not torch.strided for tensor in tensors):
            continue
        yield Placed(case, (CARD,) * len(tensors))
        for odd in range(min(len(tensors), left)):
            yield Placed(case, tuple(CPU if at == odd else CARD for at in range(len(tensors))))


def record(out: str, part: str = "1/1") -> None:
    warnings.simplefilter("ignore")
    which, of = map(int, part.split("/"))
    with open(out, "w") as file:
        for one in placed(slice(which - 1, None, of)):
            try:
                result = one.mapped(
                    lambda tensor, device: tensor.detach().to(device).requires_grad_(tensor.requires_grad)
                ).run()
                torch.cuda.synchronize()
                row = {
                    "key": one.key(),
                    "facts": repr(facts(result)),
                    "devices": [str(tensor.device) for tensor in tensors_of(result)],
                }
            except Exception as error:
                row = {"key": one.key(), "error": str(error).strip(), "kind": type(error).__name__}
            print(json.dumps(row), file=file, flush=True)
            if "CUDA error" in row.get("error", ""):
                print(f"{part}: {row}")
                return


def compare(*options: str) -> None:
    """Of each call that was recorded: what shapewise says on a machine without a card."""
    warnings.simplefilter("ignore")
    with gzip.open(RECORDED, "rt") as file:
        rows = {row["key"]: row for row in map(json.loads, file)}
    found = {one.key(): one for one in placed()}
    work = [(one, rows[key]) for key, one in found.items() if key in rows]
    print(f"{len(rows)} recorded, {len(found)} here, {len(work)} in both")
    lines: list[str] = []
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for (one, row), said in zip(
        work,
        told(
            [
                replace(one.case, args=_placed(one.case.args), kwargs=_placed(one.case.kwargs))
                for one, _ in work
            ],
            False,
            [one.devices for one, _ in work],
        ),
    ):
        outcome = _outcome(said, row)
        whole = CPU not in one.devices
        counts[whole][outcome] += 1
        if outcome not in ("same", "equal"):
            really = row.get("error", f"{row.get('facts')} on {row.get('devices')}")
            says = said.error or said.unknown or f"{said.facts} on {said.devices}"
            lines.append(
                f"{'whole' if whole else 'mixed'} {outcome}: {one.key()}\n    says {says[:200]}\n    real {really[:200]}"
            )
    if "-v" in options:
        print(*sorted(lines), sep="\n")
    for whole, counted in counts.items():
        print("all on the card:" if whole else "one on the CPU:")
        for outcome, count in counted.most_common():
            print(f"  {outcome:8} {count:5}  {100 * count / counted.total():6.2f} %")


def _outcome(said: Told, row: dict[str, Any]) -> str:
    if "error" in row:
        real = row["error"].split("\n")[0]
        if said.error is None:
            return "missed" if said.unknown is None else "unknown"
        return "same" if said.error == real else "worded"
    if said.error is not None:
        return "refused"
    if said.unknown is not None:
        return "open"
    if said.devices != row["devices"]:
        return "elsewhere"
    return "equal" if repr(said.facts) == row["facts"] or IN_DOUBT in repr(said.facts) else "differs"


if __name__ == "__main__":
    {"record": record, "compare": compare}[sys.argv[1]](*sys.argv[2:])
