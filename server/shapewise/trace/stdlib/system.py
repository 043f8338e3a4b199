"""os, sys and time: the file is run plainly, without arguments, and does not touch the world outside."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from ..shims import here
from ..unknowns.unknown import Lost, Unknown
from ..worlds.worlds import real as unknown_number
from . import AT_THE_START, files, leave, list_member, nothing, stand_in
from .paths import PATH, _on_disk, names_on_disk
from .plain import is_scalar

_LAUNCHED = frozenset(
    "RANK LOCAL_RANK WORLD_SIZE LOCAL_WORLD_SIZE NODE_RANK GROUP_RANK MASTER_ADDR MASTER_PORT OMPI_COMM_WORLD_RANK "
    "OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_RANK PMI_RANK PMI_SIZE SLURM_PROCID SLURM_LOCALID SLURM_NTASKS "
    "SLURM_JOB_ID SLURM_NODELIST SLURM_ARRAY_TASK_ID".split()
)
"""Set by what launches many processes (torchrun, mpirun, Slurm) and by nothing else: a file that is run
plainly finds none of them."""
_PERSONAL = (
    "HOME USER USERNAME LOGNAME PATH PWD SHELL LANG TERM TMPDIR TEMP TMP HOSTNAME DISPLAY EDITOR PYTHONPATH "
    "PYTHONHASHSEED VIRTUAL_ENV CONDA_PREFIX CUDA_HOME CUDA_VISIBLE_DEVICES OMP_NUM_THREADS MKL_NUM_THREADS "
    "HF_HOME TORCH_HOME XDG_CACHE_HOME"
)
_SET = frozenset(_PERSONAL.split())
"""Set on many machines, whatever default a file gives for them."""


class Environment:
    """`os.environ`: what the file itself sets is known; else the file's own default, as on a plain machine."""

    def __init__(self) -> None:
        self._written: dict[Any, Any] = {}

    def get(self, key: Any, default: Any = None) -> Any:
        if key in self._written:
            return self._written[key]
        if type(key) is str and (key in _LAUNCHED or (default is not None and key not in _SET)):
            return default
        return Unknown("a variable of the environment")

    def __getitem__(self, key: Any) -> Any:
        if key in self._written:
            return self._written[key]
        if key in _LAUNCHED:
            raise KeyError(key)
        return Unknown("a variable of the environment")

    def __setitem__(self, key: Any, value: Any) -> None:
        env = here()
        certain = env is not None and not env.run.journal.segments and is_scalar(key)
        self._written[key if is_scalar(key) else None] = value if certain else Unknown("set by the file")

    def __contains__(self, key: Any) -> bool:
        if key in self._written:
            return True
        if key in _LAUNCHED:
            return False
        raise Lost("a variable of the environment")

    def __delitem__(self, key: Any) -> None:
        self._written[key] = Unknown("deleted by the file")

    def setdefault(self, key: Any, value: Any = None) -> Any:
        if key not in self._written:
            self[key] = value if key in _LAUNCHED else Unknown("a variable of the environment")
        return self._written[key]

    def pop(self, key: Any, default: Any = None) -> Any:
        found = self.get(key, default)
        del self[key]
        return found

    def update(self, *args: Any, **values: Any) -> None:
        for other in (*args, values):
            for key, value in other.items():
                self[key] = value

    def copy(self) -> Any:
        return Unknown("the environment")

    keys = values = items = copy

    def __iter__(self) -> Iterator[Any]:
        raise Lost("the environment")


def _getenv(key: Any, default: Any = None) -> Any:
    return _OS.environ.get(key, default)


_OS = stand_in(
    "os",
    {
        "getenv": _getenv,
        **dict.fromkeys(
            "makedirs mkdir rmdir removedirs chdir putenv chmod symlink kill".split(),
            nothing,
        ),
        **dict.fromkeys(("remove", "unlink"), files.removed),
        **dict.fromkeys(("rename", "replace"), files.moved),
        "listdir": names_on_disk,
        **dict.fromkeys(
            "walk scandir getcwd stat open popen system cpu_count getpid getppid urandom access".split(),
            _on_disk,
        ),
        "_exit": leave,
        "abort": leave,
        "name": os.name,
        "sep": os.sep,
        "pathsep": os.pathsep,
        "linesep": os.linesep,
        "curdir": os.curdir,
        "devnull": os.devnull,
    },
)
_OS.path = PATH  # type: ignore[attr-defined]
list_member(Environment, "os.environ")


def _known(*args: Any, **options: Any) -> Any:
    return Unknown("of this process")


_SYS = stand_in(
    "sys",
    {
        "exit": leave,
        **dict.fromkeys("setrecursionlimit settrace setprofile".split(), nothing),
        **dict.fromkeys("getrecursionlimit getsizeof getrefcount exc_info intern".split(), _known),
        **{
            name: getattr(sys, name)
            for name in "version_info version maxsize maxunicode platform byteorder hexversion".split()
        },
    },
)


def _begin(file: str) -> None:
    _OS.environ = Environment()  # type: ignore[attr-defined]
    _SYS.argv, _SYS.path = [file], []  # type: ignore[attr-defined]


AT_THE_START.append(_begin)


def _moment(*args: Any, **options: Any) -> Any:
    return unknown_number("a moment in time")


stand_in(
    "time",
    {
        **dict.fromkeys(
            "time perf_counter monotonic process_time thread_time time_ns perf_counter_ns monotonic_ns strftime localtime "
            "gmtime ctime asctime mktime".split(),
            _moment,
        ),
        "sleep": nothing,
    },
)
