"""How quick it is, side by side with others in one run: `python bench [--edits N] [--only WORD]`.

Every figure goes through the real language server over stdio, as an editor sees it, on files of
about 500 and 5,000 lines (`inputs.py`); after an edit it asks for the hints of the lines around, as
VS Code does. Pyrefly stands beside it where it is installed; a plain run of the same file under
FakeTensorMode is what any approach pays that runs the file again. Printed is a table in Markdown:
median and 95th percentile in milliseconds, of the clock for servers and the command line, of the
processor for traces. `--only memory --edits 2000`: what is held after so many edits.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import alone
import editing
import many_files
import memory
import plain
import training
from inputs import equal_blocks, library_file, model_file

Row = tuple[str, str, Sequence[float]]


ROUNDS = 5
"""Times that every kind of edit has its turn: what else the machine does meets all of them."""


def of_a_server(folder: Path, edits: int) -> Iterator[Row]:
    """Opening and editing, ours and Pyrefly's in turns."""
    texts = {
        "500 lines": model_file(500),
        "500 lines, nothing called": library_file(500),
        "5,000 lines": model_file(5000),
        "5,000 lines, nothing called": library_file(5000),
    }
    with editing.shapewise(folder) as ours, editing.pyrefly(folder) as other:
        for name, text in texts.items():
            path = folder / f"{name.replace(' ', '_')}.py"
            kinds = {
                "edit that every line depends on": (ours, editing.everything_anew),
                "edit in a method": (ours, editing.in_a_method),
                "new line in a method": (ours, editing.a_new_line),
                "edit of a comment": (ours, editing.a_comment),
            }
            if other is not None:
                beside = folder / f"pyrefly_{path.name}"
                yield "Pyrefly: open to all hints", name, [editing.opened(other, beside, text, "probe")[1]]
                kinds["Pyrefly: edit"] = other, editing.of_its_own
            times: dict[str, list[float]] = {kind: [] for kind in kinds}
            each = max(1, (edits if text.count("\n") < 1000 else edits // 5) // ROUNDS)
            try:
                first, whole = editing.opened(ours, path, text)
                yield "open to first hints, warm", name, [first]
                yield "open to all hints, warm", name, [whole]
                for _ in range(ROUNDS):
                    for kind, (editor, edited) in kinds.items():
                        times[kind] += edited(editor, text, each)
                for kind, seconds in times.items():
                    yield kind, name, seconds
            except RuntimeError as error:  # a file that is cut off has no hint of its last lines
                print(f"| {error} | {name} | | | |", flush=True)
            ours.close()
            if other is not None:
                other.close()


def of_parts(edits: int) -> Iterator[Row]:
    """What needs neither an editor nor a whole trace."""
    holds = alone.holds_of_the_loop(edits)
    yield "a hold of the event loop while one types", "500 lines", holds
    yield "the longest of them", "500 lines", [max(holds)]
    yield "repair of an open bracket", "500 lines", list(alone.repaired(edits))


def of_a_trace(edits: int) -> Iterator[Row]:
    """One trace and one plain run of the same text, each in a process of its own."""
    for name, text in (("500 lines", model_file(500)), ("150 lines", model_file(150))):
        for what, seconds in plain.compared(text, edits).items():
            yield what, name, seconds
    for count in (1, 12):
        traces = plain.compared(equal_blocks(count), edits)["a whole trace, warm"]
        yield "a whole trace, warm", f"{count} equal blocks", traces


def of_many_files(folder: Path) -> Iterator[Row]:
    """The command line over a package."""
    for what, seconds in many_files.checked(folder, 40):
        yield what, "40 files", [seconds]


def of_memory(edits: int) -> None:
    """Print what is held, as the edits go on: 2,000 of them take a while."""
    print(
        "| edits of ten open files | server, MB | tracer, MB | import of torch alone, MB |\n|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as place:
        for number, held in memory.held(Path(place), edits):
            print(f"| {number} | {held.server:.0f} | {held.tracer:.0f} | {held.torch:.0f} |", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--edits", type=int, default=40)
    parser.add_argument("--only", choices=("editor", "alone", "trace", "scripts", "check", "memory"))
    options = parser.parse_args()
    if options.only == "memory":
        of_memory(options.edits)
        return
    print("| what | on | median, ms | p95, ms | times |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        parts = {
            "editor": lambda: of_a_server(folder, options.edits),
            "alone": lambda: of_parts(options.edits),
            "trace": lambda: of_a_trace(options.edits),
            "scripts": training.edited,
            "check": lambda: of_many_files(folder),
        }
        for name, rows in parts.items():
            if options.only in (None, name):
                for what, on, seconds in rows():
                    times = sorted(seconds)
                    p95 = times[int(0.95 * (len(times) - 1))]
                    median = statistics.median(times)
                    print(
                        f"| {what} | {on} | {1e3 * median:.0f} | {1e3 * p95:.0f} | {len(times)} |", flush=True
                    )


if __name__ == "__main__":
    main()
