"""What the server and its tracer hold after many edits of several open files, in megabytes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import editing
from editor import Editor
from inputs import library_file, model_file

FILES = 10
_TORCH = "import torch; print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmRSS')))"


class Held(NamedTuple):
    """By the server, by its tracer, and by a Python that has imported torch."""

    server: float
    tracer: float
    torch: float


def held(folder: Path, edits: int) -> Iterator[tuple[int, Held]]:
    """After how many edits, and what is held then. Linux only: it asks /proc."""
    torch = (
        int(subprocess.run([sys.executable, "-c", _TORCH], stdout=subprocess.PIPE, check=True).stdout) / 1024
    )
    with editing.shapewise(folder) as editor:
        files = []
        for number in range(FILES):
            text = (model_file, library_file)[number % 2](100 + 40 * number)
            path = folder / f"file{number}.py"
            editing.opened(editor, path, text)
            files.append((path, text))
        for number in range(edits + 1):
            if number % max(1, edits // 10) == 0:
                server, tracer = _megabytes(editor.process.pid), _megabytes(_child(editor.process.pid))
                yield number, Held(server, tracer, torch)
            if number < edits:
                _edit(editor, *files[number % FILES], number)


def _edit(editor: Editor, path: Path, text: str, number: int) -> None:
    """A size that the text never had before, in a method in the middle: nothing that was kept of it is of use."""
    lines = text.split("\n")
    rows = [at for at, line in enumerate(lines) if line.strip().startswith("pooled = ")]
    row, size = rows[len(rows) // 2], 2 + number // FILES
    editor.show(path)
    editor.replace_line(row, f"{lines[row]}; probe = x.new_zeros(3, {size})")
    editor.until(lambda hints: (row, f"[3 {size}]") in hints)


def _megabytes(process: int) -> float:
    with open(f"/proc/{process}/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))


def _child(process: int) -> int:
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/children") as file:
            if found := file.read().split():
                return int(found[0])
    raise RuntimeError("the server has no tracer")
