"""Run as a script: runs texts for real, one a line of JSON on stdin, and says what each raises, or what came out.

In a process of its own for each, with a limit of time, in a folder of its own, and with the same seeds. What came
out are the numbers: those that are printed, and those of tensors, layers and numbers at the top of the file.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import random
import re
import signal
import sys
import tempfile
import types
import warnings
from typing import Any

LIMIT = 40
_NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.\d+(?:e[-+]?\d+)?|\d+|nan|inf)", re.IGNORECASE)


def run(text: str) -> dict[str, Any]:
    """The line in the text (0: outside it) and the first line of the message; or that it ran, and what came out."""
    signal.alarm(LIMIT)
    printed = io.StringIO()
    module = _as_main()
    _seed()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(text, "<mutant>", "exec"), module)
    except BaseException as error:
        line, at = 0, error.__traceback__
        while at is not None:
            if at.tb_frame.f_code.co_filename == "<mutant>":
                line = at.tb_lineno
            at = at.tb_next
        return {"line": line, "type": type(error).__name__, "error": str(error).strip().split("\n")[0]}
    return {"ran": True, "came": _came(module, printed.getvalue())}


def _as_main() -> dict[str, Any]:
    """The names of a module that is the program's own, found by its name; torchvision's models are free to be registered."""
    own = sys.modules["__main__"] = types.ModuleType("__main__")
    own.__file__ = "mutant.py"
    registered = sys.modules.get("torchvision.models._api")
    if registered is not None:
        registered.BUILTIN_MODELS.clear()
    return own.__dict__


def _seed() -> None:
    import torch

    torch.manual_seed(0)
    random.seed(0)
    with contextlib.suppress(ImportError):
        import numpy as np

        np.random.seed(0)


def _came(module: dict[str, Any], printed: str) -> dict[str, list[Any]]:
    """By name: a shape, or what is printed without its numbers, and a few numbers."""
    numbers = [float(one) for one in _NUMBER.findall(re.sub(r"Size\(\[.*?\]\)", "", printed))]
    found: dict[str, list[Any]] = {"<shapes printed>": [re.findall(r"Size\(\[.*?\]\)", printed), []]}
    found["<printed>"] = [len(numbers), numbers]
    for name, value in module.items():
        if not name.startswith("__"):
            for key, one in _tensors(name, value, 3):
                with contextlib.suppress(Exception):
                    found[key] = _numbers(one)
    return found


def _tensors(name: str, value: Any, depth: int) -> Any:
    import torch

    if isinstance(value, torch.Tensor):
        yield name, value
    elif isinstance(value, (bool, int, float)):
        yield name, torch.tensor(float(value))
    elif isinstance(value, torch.nn.Module):
        for key, one in value.state_dict().items():
            yield f"{name}.{key}", one
    elif depth and isinstance(value, (list, tuple)) and type(value).__module__ in ("builtins", "torch"):
        for i, one in enumerate(value[:20]):
            yield from _tensors(f"{name}[{i}]", one, depth - 1)
    elif depth and type(value) is dict:
        for key, one in list(value.items())[:20]:
            yield from _tensors(f"{name}[{key!r}]", one, depth - 1)


def _numbers(tensor: Any) -> list[Any]:
    import torch

    flat = tensor.detach().to(torch.complex64 if tensor.is_complex() else torch.float32).flatten()
    flat = torch.view_as_real(flat).flatten() if flat.is_complex() else flat
    along = torch.cos(torch.arange(flat.numel()) * 0.7) if flat.numel() > 1 else torch.ones(1)
    scale = max(flat.abs().mean().item(), 1e-12)
    return [list(tensor.shape), [flat.mean().item(), scale, (flat * along).mean().item() / scale]]


def main() -> None:
    import torch

    for name in sys.argv[1:]:
        importlib.import_module(name)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for row in sys.stdin:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                sys.stdin, sys.stderr, sys.argv = io.StringIO(), io.StringIO(), ["mutant.py"]
                said = run(json.loads(row))
                with os.fdopen(write, "w") as pipe:
                    pipe.write(json.dumps(said))
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            print(pipe.read() or '{"type": "killed"}', flush=True)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
