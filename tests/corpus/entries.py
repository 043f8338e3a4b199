"""The entry scripts of the corpus, what each needs, and the truth of each, recorded once."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

HERE = Path(__file__).resolve().parent
CACHE = HERE.parent.parent / ".cache" / "corpus"
PACKAGES = HERE / "packages.txt"
RECORDER = (HERE / "record.py", HERE.parent / "truth" / "recorder.py")
SECONDS = 300  # a recording that takes longer is none


@dataclass(frozen=True, slots=True)
class Entry:
    """A script that is run. `folder`: the program that it belongs to, if it has several files.

    `beside`: packages of the registry that lie beside the script, as in a clone of their repository,
    so that the bindings in them count too.
    """

    name: str
    script: Path
    folder: Path | None = None
    held_out: bool = False
    needs: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    def files(self) -> list[Path]:
        return sorted(self.folder.rglob("*.py")) if self.folder else [self.script]

    def placed(self) -> Entry:
        """The entry with the packages beside it."""
        if not self.beside:
            return self
        folder = CACHE / "projects" / f"{self.name}-{_digest(self)}"
        script = folder / self.script.name
        if not script.exists():
            for package in self.beside:
                shutil.copytree(site_packages() / package, folder / package, dirs_exist_ok=True)
            shutil.copy(self.script, script)
        return replace(self, script=script, folder=folder)


def entries() -> list[Entry]:
    """All of them, by name. A folder's entry is its `main.py`."""
    held_out = set((HERE / "held_out.txt").read_text("utf-8").split())
    found = []
    for script in sorted([*(HERE / "scripts").glob("*.py"), *(HERE / "scripts").glob("*/main.py")]):
        folder = script.parent if script.parent.parent.name == "scripts" else None
        name = folder.name if folder else script.stem
        needs, beside = said(script, "needs"), said(script, "beside")
        found.append(Entry(name, script, folder, name in held_out, needs, beside))
    return found


def said(script: Path, word: str) -> tuple[str, ...]:
    """A line such as `# needs: einops timm` at the script's top."""
    for line in script.read_text("utf-8").split("\n")[:5]:
        if line.startswith(f"# {word}:"):
            return tuple(line.partition(":")[2].split())
    return ()


# ---------------------------------------------------------------- packages


def environment() -> Path:
    """A Python that has torch from this one and the corpus's packages, and nothing installs torch anew."""
    return CACHE / "env" / "bin" / "python"


def site_packages() -> Path:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return CACHE / "env" / "lib" / version / "site-packages"


def install() -> str | None:
    """Have the packages. What went wrong, if they are not to be had."""
    stamp = CACHE / "env" / "installed"
    wanted = PACKAGES.read_text("utf-8")
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with contextlib.suppress(OSError):
            if stamp.read_text("utf-8") == wanted:
                return None
        print("installing the packages of the corpus ...", file=sys.stderr)
        make = [sys.executable, "-m", "venv", "--without-pip", str(CACHE / "env")]
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        pip += ["--upgrade", "--target", str(site_packages()), "-r", str(PACKAGES)]
        for command in (make, pip):
            done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if done.returncode:
                return (done.stderr.strip() or done.stdout.strip()).split("\n")[-1]
        _let_torchvision_in()
        import torch

        (site_packages() / "torch.pth").write_text(f"{Path(torch.__file__).parent.parent}\n", "utf-8")
        stamp.write_text(wanted, "utf-8")
    return None


_OPERATORS = """
from torch import library as _lacking
try:
    for _name in ("nms", "qnms"):
        _lacking.define(f"torchvision::{_name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
except RuntimeError:
    pass
"""


T = TypeVar("T", bound="Needing")


class Needing(Protocol):
    """Something of the corpus, and the packages that it needs."""

    @property
    def needs(self) -> tuple[str, ...]: ...


def with_packages(chosen: Sequence[T]) -> tuple[list[T], str]:
    """Those that can be run, and the Python for them: that of the packages, if they are needed and can be had."""
    if not any(one.needs for one in chosen):
        return list(chosen), sys.executable
    problem = install()
    if problem is None:
        return list(chosen), str(environment())
    print(f"Without the packages of the corpus: {problem}", file=sys.stderr)
    return [one for one in chosen if not one.needs], sys.executable


def _let_torchvision_in() -> None:
    """Its compiled part wants the torch that it was built with; beside another it lacks two operators."""
    start = site_packages() / "torchvision" / "__init__.py"
    text = start.read_text("utf-8")
    if "_lacking" not in text:
        start.write_text(_OPERATORS + text, "utf-8")


# ---------------------------------------------------------------- the truth


def truth_of(entry: Entry) -> dict[str, Any]:
    """What the script really did, from the cache if it was recorded as it stands. `error`: what ended it."""
    kept = CACHE / "truth" / f"{entry.name}-{_digest(entry)}.json"
    if not kept.exists():
        placed = entry.placed()
        error = recorded(kept, placed.script, placed.folder or placed.script, bool(entry.needs))
        if error is not None:
            return {"error": error, "sites": []}
    truth: dict[str, Any] = json.loads(kept.read_text("utf-8"))
    return _moved(truth, entry.placed().script)


def recorded(kept: Path, script: Path, folder: Path, packages: bool, *options: str) -> str | None:
    """Run a script under observation and keep the record. What went wrong, if there is none."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    out = kept.with_suffix(f".{os.getpid()}")
    python = environment() if packages else sys.executable
    command = [python, "-X", "faulthandler", RECORDER[0], out, script, folder, *options]
    try:
        done = subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
            env={**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
        )
    except subprocess.TimeoutExpired:
        return f"took more than {SECONDS} seconds"
    if not out.exists():
        return (done.stderr.strip() or "died").split("\n")[-1]
    out.replace(kept)
    return None


def _moved(truth: dict[str, Any], script: Path) -> dict[str, Any]:
    """A truth that was recorded in another checkout, with the paths of this one."""
    here = str(script.parent)
    there = {
        os.path.dirname(site["file"]) for site in truth["sites"] if site["file"].endswith(f"/{script.name}")
    }
    for old in there - {here}:
        for site in truth["sites"]:
            if site["file"].startswith(old + "/"):
                site["file"] = here + site["file"][len(old) :]
        for method in truth.get("methods", ()):
            if method[0].startswith(old + "/"):
                method[0] = here + method[0][len(old) :]
    return truth


def _digest(entry: Entry) -> str:
    return digest_of(entry.files(), entry.needs)


def digest_of(files: Sequence[Path], needs: Sequence[str]) -> str:
    """What a record depends on."""
    import torch

    digest = hashlib.sha256(f"{torch.__version__} {sys.version}".encode())
    for file in [*RECORDER, *files]:
        digest.update(file.read_bytes())
    pins = PACKAGES.read_text("utf-8").split("\n")
    digest.update("\n".join(pin for pin in pins if pin.partition("==")[0] in needs).encode())
    return digest.hexdigest()[:16]
