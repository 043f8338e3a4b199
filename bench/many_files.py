"""`shapewise check` over a package of many files: the first time, again, and after one edit."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from inputs import library_file


def checked(folder: Path, count: int) -> Iterator[tuple[str, float]]:
    """What was done, and the seconds that it took."""
    package = folder / "package"
    package.mkdir()
    for number in range(count):
        text = library_file(60 + number % 7 * 40).replace("batch = 4", f"batch = {number + 2}")
        (package / f"part{number}.py").write_text(text)
    command = [sys.executable, "-m", "shapewise", "check", str(package), "--output-format", "concise"]

    def seconds() -> float:
        began = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return time.perf_counter() - began

    yield "check", seconds()
    yield "check again", seconds()
    with (package / "part0.py").open("a") as file:
        file.write("\nx = torch.zeros(3)\n")
    yield "check after an edit of one", seconds()
