"""The view of a model as the client draws it: plain data for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pygls.uris import from_fs_path

from ..queries.layers import Row, bytes_of, roots, rows, within
from ..queries.memory import Course, Held, course
from ..queries.sketch import sketch
from ..queries.values import value_fact
from ..vocabulary.events import Log, Unknown
from ..vocabulary.layers import LayerCall, Measured
from ..vocabulary.span import Span
from .documents import Snapshot
from .labels import label

View = dict[str, Any]

_SHOWN_AT_PEAK = 2_000


class Places:
    """Where the client finds a place of the log: in the document, or in another file."""

    def __init__(self, snapshot: Snapshot, path: str) -> None:
        self._snapshot = snapshot
        self._path = path

    def text(self, file: str, span: Span) -> str:
        """The first line of a place in the document; empty for one elsewhere."""
        if file != self._path:
            return ""
        line = self._snapshot.source.text.split("\n")[span.line - 1]
        return line[span.column : span.end_column if span.end_line == span.line else None]

    def of(self, file: str, span: Span | None) -> View | None:
        """`{"uri", "range", "line", "file"}`, or None for a place that the user has no text of."""
        if span is None:
            return None
        if file == self._path:
            place = self._snapshot.place(span)
            if place is None:
                return None
            text, range_ = place
            start, end = range_.start, range_.end
            uri: str | None = text.uri
        else:
            uri, start, end = from_fs_path(file), None, None
        if uri is None:
            return None
        first = {"line": span.line - 1, "character": span.column}
        last = {"line": span.end_line - 1, "character": span.end_column}
        if start is not None and end is not None:
            first = {"line": start.line, "character": start.character}
            last = {"line": end.line, "character": end.character}
        return {
            "uri": uri,
            "range": {"start": first, "end": last},
            "line": first["line"] + 1,
            "file": Path(file).name,
        }


def view(
    log: Log, places: Places, at: tuple[str, int, int] | None, name: str | None, choice: str | None
) -> View | None:
    """The call of a model at a place or of a class, and what is in it; None if there is none in the log."""
    measured = log.measured
    if measured is None:
        return None
    wanted = _wanted(log, measured, at, name)
    if not wanted:
        return None
    keys = {_key(log, measured.calls[number]): number for number in reversed(wanted)}
    options = sorted(keys.items(), key=lambda item: item[1])
    root = keys.get(choice or "", wanted[0])
    call = measured.calls[root]
    lines = rows(log, measured, root)
    memory = course(log, measured, call)
    return {
        "type": call.type,
        "assumed": False,
        "place": places.of(log.frames[call.frame].file, call.span),
        "training": call.training,
        "choice": _key(log, call),
        "choices": [{"key": key, "label": _option(log, measured.calls[number])} for key, number in options],
        "rows": [_row(row, places) for row in lines],
        "weights": call.weight_bytes,
        "buffers": call.buffers,
        "trainable": call.trainable,
        "memory": _memory(log, measured, memory, lines) if memory and measured.doubtful is None else None,
        "notes": list(_notes(log, measured, root, lines)),
    }


def sketched(log: Log, places: Places, name: str) -> View | None:
    """The layers of a class that nothing calls; None if no inputs were found that it takes."""
    lines = sketch(log, name)
    if not lines:
        return None
    shown = [
        {
            **_row(Row(one.depth, "", None, one.file, one.span, one.output, 0, True, 0, (0, 0)), places),
            "name": one.name or _callee(places.text(one.file, one.span)) or one.type,
            "type": one.type,
            "bytes": None,
            "failed": one.failed,
        }
        for one in lines
    ]
    return {
        "type": name,
        "assumed": True,
        "place": shown[0]["place"],
        "training": True,
        "choice": "",
        "choices": [],
        "rows": shown,
        "weights": 0,
        "buffers": 0,
        "trainable": 0,
        "memory": None,
        "notes": [
            f"Nothing calls {name}: it was tried on inputs of several sizes, and each dim has the name that the code "
            "gives it. Parts of a container that are alike are shown once. Parameters, FLOPs and memory are there once it is called, in this file or in a test."
        ],
    }


def _callee(text: str) -> str:
    """What is called in `self.blocks[0](x)`: `blocks[0]`."""
    return text.partition("(")[0].strip().removeprefix("self.") if text.startswith("self.") else ""


def _wanted(log: Log, measured: Measured, at: tuple[str, int, int] | None, name: str | None) -> list[int]:
    """The calls that a place is about, the plainest first: the call there, else those of the class around it."""
    numbers = range(len(measured.calls))
    if at is not None:
        file, line, column = at
        touching = [
            (number, span)
            for number in numbers
            if (span := measured.calls[number].span) is not None
            and log.frames[measured.calls[number].frame].file == file
            and span.contains(line, column)
        ]
        if touching:
            narrow = min(_extent(span) for _, span in touching)
            here = [number for number, span in touching if _extent(span) == narrow]
            return _plain_first(measured, [n for n in here if measured.calls[n].parent not in here])
    if name is not None:
        return _plain_first(measured, [number for number in numbers if measured.calls[number].type == name])
    tops = roots(measured)
    if at is not None:
        tops = tuple(n for n in tops if log.frames[measured.calls[n].frame].file == at[0])
    return _plain_first(measured, sorted(tops, key=lambda n: measured.calls[n].first - measured.calls[n].end))


def _extent(span: Span) -> tuple[int, int]:
    return span.end_line - span.line, span.end_column - span.column if span.end_line == span.line else 0


def _plain_first(measured: Measured, numbers: Sequence[int]) -> list[int]:
    return sorted(numbers, key=lambda n: (measured.calls[n].failed, measured.calls[n].perhaps))


def _key(log: Log, call: LayerCall) -> str:
    """Names a call by where it is and what it is given: alike ones in a loop are one."""
    span = call.span
    place = f"{span.line}:{span.column}" if span else ""
    sizes = ",".join(str(size) for _, size in call.given)
    return f"{call.type}|{log.frames[call.frame].file}|{place}|{call.name}|{sizes}|{call.training}"


def _option(log: Log, call: LayerCall) -> str:
    where = f"line {call.span.line}" if call.span else "somewhere"
    if log.frames[call.frame].file != log.file:
        where = f"{Path(log.frames[call.frame].file).name}, {where}"
    output = value_fact(call.output)
    shape = label(output) if output is not None else None
    mode = "train" if call.training else "eval"
    return " · ".join(part for part in (where, call.name, shape and f"gives {shape}", mode) if part)


def _row(row: Row, places: Places) -> View:
    fact = value_fact(row.output)
    layer = row.layer
    return {
        "depth": row.depth,
        "name": row.name,
        "type": layer.type if layer else None,
        "output": label(fact) if fact is not None else None,
        "parameters": layer.parameters if layer else None,
        "trainable": layer.trainable if layer else None,
        "flops": row.flops,
        "exact": row.exact,
        "bytes": bytes_of(row.output),
        "kept": row.kept,
        "place": places.of(row.file, row.span),
        "first": row.steps[0],
        "end": row.steps[1],
        "again": row.again,
        "failed": row.failed,
        "perhaps": row.perhaps,
    }


def _memory(log: Log, measured: Measured, memory: Course, lines: Sequence[Row]) -> View:
    """The plot: for each step what is held and which row it belongs to; and what is held at the peak."""
    owner: dict[int, int] = {}
    for number, row in enumerate(lines):  # the innermost comes last
        owner.update(dict.fromkeys(range(*row.steps), number))
    peak = memory.peak
    by_row: dict[int | None, int] = {}
    for held in memory.at(peak):
        by_row[_row_of(held, owner)] = by_row.get(_row_of(held, owner), 0) + held.size
    largest = sorted(by_row.items(), key=lambda item: -item[1])
    return {
        "live": list(memory.live),
        "first": memory.first,
        "rows": [owner.get(memory.first + index, 0) for index in range(len(memory.live))],
        "peak": peak - memory.first,
        "held": [{"row": row, "bytes": size} for row, size in largest[:_SHOWN_AT_PEAK] if size],
        "rest": sum(size for _, size in largest[_SHOWN_AT_PEAK:]),
        "saved": sum(one.size for one in memory.held if one.saved),
        "after": memory.after,
    }


def _row_of(held: Held, owner: dict[int, int]) -> int | None:
    return None if held.begin is None else owner.get(held.begin)


def _notes(log: Log, measured: Measured, root: int, lines: Sequence[Row]) -> list[str]:
    """What one must know to read the numbers."""
    notes = []
    if log.cut is not None:
        notes.append(f"Not all of it was followed: {log.cut}.")
    if any(row.failed for row in lines):
        notes.append("Torch refuses something in it: what comes after is as it would have been.")
    if any(measured.calls[number].perhaps for number in within(measured, root)) or any(
        row.perhaps for row in lines
    ):
        notes.append(
            "What is marked ± is on one way of a condition that is not known, or in a loop that was not followed round by round."
        )
    if measured.doubtful is not None:
        notes.append(f"Memory is not shown: {measured.doubtful}.")
    if any(not row.exact for row in lines):
        notes.append("FLOPs marked ≥ leave out what torch has no formula for, or what may not happen.")
    if isinstance(measured.calls[root].output, Unknown):
        notes.append("What it gives is not known to the end.")
    return notes
