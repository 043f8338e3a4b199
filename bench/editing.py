"""What one server takes for the edits of one file, in seconds."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from editor import Editor

BATCHES = ("4", "5", "6", "7")


@contextmanager
def shapewise(folder: Path) -> Iterator[Editor]:
    """Our server, on the interpreter that runs this, with a warm tracer."""
    editor = Editor([sys.executable, "-m", "shapewise", "serve"], folder, SHAPEWISE_PYTHON=sys.executable)
    path, text = (
        folder / "warm.py",
        "import torch\nfrom torch import nn\nx = nn.Linear(3, 4)(torch.zeros(2, 3))\n",
    )
    path.write_text(text)
    editor.open(path, text)
    editor.until(lambda hints: any(line == 2 for line, _ in hints))
    editor.close()
    time.sleep(1)  # what it does when nobody waits is over
    yield editor
    editor.end()


@contextmanager
def pyrefly(folder: Path) -> Iterator[Editor | None]:
    """Pyrefly's, where it is installed."""
    command = shutil.which("pyrefly") or shutil.which("pyrefly", path=str(Path(sys.executable).parent))
    if command is None:
        yield None
        return
    editor = Editor([command, "lsp"], folder, {"pythonPath": sys.executable})
    yield editor
    editor.end()


def opened(editor: Editor, path: Path, text: str, name: str = "last") -> tuple[float, float]:
    """From opening the file to its first hints, and to that of a name near its end."""
    path.write_text(text)
    lines = text.split("\n")
    last = next(at for at in reversed(range(len(lines))) if lines[at].startswith(f"{name} ="))
    began = time.perf_counter()
    editor.open(path, text)
    first = editor.until(bool)
    editor.until(lambda hints: any(line >= last for line, _ in hints))
    return first, time.perf_counter() - began


def everything_anew(editor: Editor, text: str, edits: int) -> list[float]:
    """One character near the top changes, on which every line of the file depends."""
    lines = text.split("\n")
    row, last = lines.index("batch = 4"), len(lines) - 2
    times = []
    for number in range(1, edits + 1):
        batch = BATCHES[number % len(BATCHES)]
        editor.replace_line(row, f"batch = {batch}")
        times.append(
            editor.until(
                lambda hints, to=batch: any(at == last and words == f"[{to} 7]" for at, words in hints),
                last,
            )
        )
        time.sleep(0.02)
    editor.replace_line(row, "batch = 4")
    editor.until(lambda hints: any(at == last and words == "[4 7]" for at, words in hints), last)
    return times


def in_a_method(editor: Editor, text: str, edits: int) -> list[float]:
    """One number in a method in the middle of the file changes, and with it that class's last line."""
    lines = text.split("\n")
    rows = [at for at, line in enumerate(lines) if "pooled = x.mean(dim=" in line]
    row = rows[len(rows) // 2]
    times = []
    for number in range(1, edits + 1):
        rank = 3 - (number + 1) % 2
        editor.replace_line(row, lines[row] + ".unsqueeze(1)" * (rank - 2))
        times.append(
            editor.until(
                lambda hints, rank=rank: any(at == row and len(words.split()) == rank for at, words in hints),
                row,
            )
        )
        time.sleep(0.02)
    editor.replace_line(row, lines[row])
    editor.until(lambda hints: any(at == row and len(words.split()) == 2 for at, words in hints), row)
    return times


def a_new_line(editor: Editor, text: str, edits: int) -> list[float]:
    """A statement more in a method in the middle of the file: all that stands below moves."""
    lines = text.split("\n")
    rows = [at for at, line in enumerate(lines) if "pooled = x.mean(dim=" in line]
    row = rows[len(rows) // 2]
    times = []
    for number in range(1, edits + 1):
        editor.replace_line(row, f"{lines[row]}\n        again{number} = pooled.unsqueeze(1)")
        times.append(
            editor.until(
                lambda hints: any(at == row + 1 and len(words.split()) == 3 for at, words in hints), row
            )
        )
        time.sleep(0.02)
    editor.replace_line(row, lines[row], 1 + edits)
    editor.until(lambda hints: any(at == row + 1 and len(words.split()) == 2 for at, words in hints), row)
    return times


def a_comment(editor: Editor, text: str, edits: int) -> list[float]:
    """Lines of comment come and go in the middle of the file: every hint below moves."""
    lines = text.split("\n")
    row = next(at for at, line in enumerate(lines) if "# one view a head" in line and at > len(lines) // 2)
    last = len(lines) - 2
    times = []
    for number in range(1, edits + 1):
        new = f"        # one view a head{'.' * number}"
        if number % 2:
            editor.replace_line(row, f"{new}\n{new}")
        else:
            editor.replace_line(row, new)
            editor.replace_line(row + 1, "        # (of all heads)")
        down = (number + 1) // 2
        times.append(
            editor.until(
                lambda hints, at_last=last + down: any(
                    at == at_last and words.endswith(" 7]") for at, words in hints
                ),
                last + down,
            )
        )
        time.sleep(0.02)
    editor.replace_line(row, lines[row], 1 + (edits + 1) // 2)
    editor.until(lambda hints: any(at == last and words.endswith(" 7]") for at, words in hints), last)
    return times


def of_its_own(editor: Editor, text: str, edits: int) -> list[float]:
    """A number becomes a float and an int again: an edit that every checker of types has a hint for."""
    lines = text.split("\n")
    row = lines.index("probe = abs(1.5)")
    times = []
    for number in range(1, edits + 1):
        new, kind = (("155", "int"), ("1.5", "float"))[number % 2 == 0]
        editor.replace_line(row, f"probe = abs({new})")
        times.append(
            editor.until(
                lambda hints, kind=kind: any(at == row and words == f": {kind}" for at, words in hints),
                row,
            )
        )
        time.sleep(0.02)
    return times
