"""Imports torch, runs the file with everything recorded, and tells what was seen."""

from __future__ import annotations

import builtins
import gc
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import platform
import queue
import signal
import sys
import threading
import time
import traceback
import types
from typing import Any, NoReturn

from .framing import Frames, framed

OLDEST = (2, 0)
"""The oldest torch that is worth a comparison: older ones lack too much of what is followed."""


def main(number: int) -> None:
    """Talk to the supervisor on this stdin and the file of that number; ends the process."""
    control, tell = os.dup(0), os.dup(number)
    os.close(number)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    sys.argv = ["worker"]
    _die_with_parent()
    worker = _Worker(control, tell)
    worker.listen()
    os.environ["TORCHDYNAMO_DISABLE"] = "1"  # compiled code would not come by the observer
    started = time.perf_counter()
    gc.disable()  # what is imported stays: looking for garbage in it takes a fifth of the time
    try:
        import torch
    except Exception as error:
        why = "has no torch" if isinstance(error, ModuleNotFoundError) else f"cannot import torch ({error})"
        worker.fail(f"{_python()} on {platform.node()} {why}")
    gc.enable()
    version = torch.__version__
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
        worker.fail(
            f"torch {version} on {platform.node()} is older than {OLDEST[0]}.{OLDEST[1]}, the oldest that is validated"
        )
    try:
        worker.say({"hello": {**_machine(torch), "import_seconds": time.perf_counter() - started}})
        request = worker.requests.get()
        worker.run(request)
    except BaseException as error:  # a fault of ours: what the user's code raises ends in `run`
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(last.filename)}, line {last.lineno}"
        worker.fail(f"the agent has a fault ({type(error).__name__}: {error}, {where})")


def _python() -> str:
    return f"Python {platform.python_version()} ({sys.executable})"


def _machine(torch: Any) -> dict[str, Any]:
    cuda = torch.cuda.is_available()
    return {
        "host": platform.node(),
        "python": platform.python_version(),
        "executable": sys.executable,
        "torch": torch.__version__,
        "cuda": torch.version.cuda if cuda else None,
        "gpus": [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())] if cuda else [],
        "threads": torch.get_num_threads(),
    }


def _die_with_parent() -> None:
    """On Linux the kernel ends this process with the supervisor, should that be killed itself."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except Exception:  # another system: the end of stdin says the same
        pass


class _Worker:
    def __init__(self, control: int, tell: int) -> None:
        self.control, self.tell = control, tell
        self.requests: queue.Queue[dict[str, Any]] = queue.Queue()
        self.pid = os.getpid()
        self.stage: _Stage | None = None
        self.lock = threading.Lock()

    def say(self, message: dict[str, Any]) -> None:
        data = framed(message)
        while data:
            data = data[os.write(self.tell, data) :]

    def fail(self, sentence: str) -> NoReturn:
        self.say({"failed": sentence})
        os._exit(3)

    def listen(self) -> None:
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        frames = Frames()
        while True:
            data = os.read(self.control, 1 << 16)
            if not data:
                os.killpg(0, signal.SIGKILL)  # the supervisor is gone: all that was started here ends
            for message in frames.feed(data):
                if "run" in message:
                    self.requests.put(message["run"])
                elif "stop" in message:
                    self.finish(None, str(message["stop"]))

    def run(self, request: dict[str, Any]) -> None:
        if request.get("cwd"):
            try:
                os.chdir(os.path.expanduser(request["cwd"]))
            except OSError as error:
                self.fail(
                    f"the folder {request['cwd']} cannot be entered on {platform.node()}: {error.strerror}"
                )
        self.stage = _Stage(request)
        self.finish(self.stage.play(), None)

    def finish(self, error: dict[str, Any] | None, stopped: str | None) -> None:
        """Tell what was seen, once, and end: whatever the user's code would still do."""
        with self.lock:
            if os.getpid() != self.pid:
                os._exit(1)  # a process that the user's code forked came back to here
            for stream in (sys.stdout, sys.stderr):
                try:
                    stream.flush()
                except Exception:
                    pass
            if self.stage is None:
                self.fail(f"the run was stopped before it began: {stopped}")
            while True:
                try:
                    self.say({"done": {**self.stage.told(), "error": error, "stopped": stopped}})
                    os._exit(0)
                except RuntimeError:  # the code still runs, and something grew while it was written down
                    continue


class _Stage:
    """The files, laid out in a folder and ready to run."""

    def __init__(self, request: dict[str, Any]) -> None:
        from .instrument import OBSERVER
        from .observer import Observer

        self.request = request
        self.root = sys.path[0]
        self.observer = Observer()
        self.began = time.perf_counter()
        self.ended: float | None = None
        self.trials: list[dict[str, Any]] = []
        self.peaks: Any = None
        self.peak: dict[str, Any] = {}
        self.digests: dict[str, str] = {}
        vars(builtins)[OBSERVER] = self.observer
        for file in request["files"]:
            path = self.path(file["path"])
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8", errors="surrogatepass", newline="\n") as out:
                out.write(file["text"])
            self.digests[file["path"]] = hashlib.sha256(
                file["text"].encode("utf-8", "surrogatepass")
            ).hexdigest()
        self.modules = {file["module"]: file for file in request["files"] if file["module"]}
        sys.meta_path.insert(0, _Finder(self))

    def path(self, name: str) -> str:
        return os.path.join(self.root, *name.split("/"))

    def code(self, file: dict[str, Any]) -> types.CodeType:
        from .instrument import instrumented

        name = file["path"]
        watch = self.request["watch"].get(name, {})
        return instrumented(self.observer, name, self.path(name), file["text"], watch)

    # ------------------------------------------------------------ running

    def play(self) -> dict[str, Any] | None:
        """Run the file, then what nothing calls. What ended the file early, if anything did."""
        import torch

        entry = next(file for file in self.request["files"] if file["path"] == self.request["main"])
        name = "__main__" if self.request["as_main"] else self.request["name"]
        module = types.ModuleType(name)
        path = self.path(entry["path"])
        module.__dict__.update(
            __file__=path, __package__=self.request["package"] or None, __builtins__=builtins
        )
        sys.modules[name] = module
        sys.argv = [path]
        if self.request.get("cwd"):
            sys.path.insert(1, os.getcwd())
        torch.manual_seed(0)
        cuda = torch.cuda.is_available()
        try:
            from .memory import Peaks

            self.peaks = Peaks(self._line)
            self.peaks.begin()
        except Exception:  # a torch that has no such hooks
            self.peaks = None
        code = self.code(entry)
        self.began = time.perf_counter()
        error = self._guarded(lambda: exec(code, module.__dict__))
        self._finish_threads()
        if cuda:
            self.peak = {
                "bytes": self.peaks.on_card() if self.peaks else torch.cuda.max_memory_allocated(),
                "reserved": torch.cuda.max_memory_reserved(),
            }
        for trial in self.request["trials"]:
            self.trials.append(self._tried(trial, module))
        self.ended = time.perf_counter()
        return error

    def _finish_threads(self) -> None:
        """As Python does at the end of a script."""
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()

    def _tried(self, trial: dict[str, Any], module: types.ModuleType) -> dict[str, Any]:
        from .inputs import called

        return {"name": trial["name"], "error": self._guarded(lambda: called(trial, module.__dict__))}

    def _guarded(self, run: Any) -> dict[str, Any] | None:
        try:
            run()
        except SystemExit as leaving:
            if leaving.code in (None, 0):
                return None
            return {"type": "SystemExit", "message": str(leaving.code)[:2000], **self._place(leaving)}
        except BaseException as error:
            return {"type": type(error).__name__, "message": str(error)[:2000], **self._place(error)}
        return None

    def _line(self) -> tuple[str, int] | None:
        """The innermost line of the sent files that is running."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename.startswith(self.root):
                for file in self.request["files"]:
                    if self.path(file["path"]) == frame.f_code.co_filename:
                        return file["path"], frame.f_lineno
            frame = frame.f_back
        return None

    def _place(self, error: BaseException) -> dict[str, Any]:
        """The innermost line of the sent files that an error came through, and all of them."""
        names = {self.path(file["path"]): file["path"] for file in self.request["files"]}
        steps = traceback.extract_tb(error.__traceback__)
        own = [[names[step.filename], step.lineno] for step in steps if step.filename in names]
        if isinstance(error, SyntaxError) and error.filename in names:
            own.append([names[error.filename], error.lineno])
        file, line = own[-1] if own else (None, None)
        return {"file": file, "line": line, "through": own}

    def told(self) -> dict[str, Any]:
        ended = self.ended if self.ended is not None else time.perf_counter()
        return {
            **self.observer.result(),
            "trials": self.trials,
            "seconds": ended - self.began,
            "peak": self.peak,
            "memory": self.peaks.rows() if self.peaks is not None else [],
            "digests": self.digests,
        }


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules that were sent, and runs them instrumented; leaves the others to Python."""

    def __init__(self, stage: _Stage) -> None:
        self.stage = stage

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        file = self.stage.modules.get(name)
        if file is None:
            return None
        place = self.stage.path(file["path"])
        inside = [os.path.dirname(place)] if place.endswith("__init__.py") else None
        return importlib.util.spec_from_file_location(
            name, place, loader=_Loader(self.stage, file), submodule_search_locations=inside
        )


class _Loader(importlib.abc.Loader):
    def __init__(self, stage: _Stage, file: dict[str, Any]) -> None:
        self.stage, self.file = stage, file

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        exec(self.stage.code(self.file), module.__dict__)
