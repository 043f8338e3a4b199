"""The namespaces whose public callables are listed, and what is left out of them.

To let another torch function through, add it here; to let it run on fake tensors, see `shims`.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.utils.prune
import torch.profiler

from . import torch_names

WHOLE: dict[str, frozenset[str]] = {
    path: frozenset(denied.split())
    for path, denied in {
        **torch_names.WHOLE,
        "math": "",
        "itertools": "",
        "typing": "get_type_hints ForwardRef",
    }.items()
}

CHOSEN: dict[str, str] = {
    **torch_names.CHOSEN,
    "builtins": (
        "abs all any bool bytes callable chr complex dict divmod enumerate filter float frozenset hash id int isinstance "
        "issubclass iter len list map max min next object ord pow property range reversed round set slice sorted "
        "staticmethod classmethod str sum super tuple type zip repr bin hex oct NotImplemented Ellipsis"
    ),
    "functools": (
        "partial reduce wraps update_wrapper lru_cache cache cached_property total_ordering partialmethod cmp_to_key "
        "singledispatch"
    ),
    "collections": "namedtuple defaultdict OrderedDict Counter deque ChainMap UserDict UserList",
    "collections.abc": (
        "Awaitable Callable Collection Container Generator Hashable ItemsView Iterable Iterator KeysView Mapping "
        "MappingView MutableMapping MutableSequence MutableSet Reversible Sequence Set Sized ValuesView"
    ),
    "operator": (
        "add sub mul truediv floordiv mod neg pos abs matmul eq ne lt le gt ge and_ or_ xor not_ invert itemgetter getitem "
        "index contains concat is_ is_not truth lshift rshift countOf indexOf length_hint"
    ),
    "contextlib": "nullcontext contextmanager suppress ExitStack closing AbstractContextManager ContextDecorator",
    "copy": "copy deepcopy",
    "dataclasses": (
        "dataclass field fields asdict astuple replace is_dataclass InitVar KW_ONLY MISSING Field FrozenInstanceError"
    ),
    "enum": "Enum IntEnum Flag IntFlag auto unique StrEnum EnumMeta EnumType member nonmember",
    "abc": "ABC ABCMeta abstractmethod abstractproperty abstractclassmethod abstractstaticmethod",
    "types": "SimpleNamespace MethodType",
    "cmath": "sqrt exp log phase polar rect sin cos isnan isinf",
    "fractions": "Fraction",
    "importlib": "import_module",
    "importlib.util": "find_spec",
    "numbers": "Number Integral Real",
}

DENIED_OPS = frozenset(
    "from_file frombuffer from_dlpack to_dlpack import_ir_module seed initial_seed".split()
)
DENIED_METHODS = frozenset(
    "set_default_validate_args register share_memory compile register_package add_safe_globals".split()
)

WITHOUT_METHODS: frozenset[type] = frozenset(
    {torch.nn.utils.prune.BasePruningMethod, torch.profiler.profile, torch.autograd.profiler.profile}
    | set(torch.profiler.profile.__mro__[:-1])
)
"""Classes that may be named, but do what a program must not when their methods are called: they write
files from C++, where no audit hook sees it, or read attributes by any name."""

TENSOR_TO_TENSOR = frozenset(
    "T mT H mH grad data abs add addmm amax amin baddbmm bmm cat ceil chunk_ clamp clone contiguous conv1d conv2d cos "
    "cross_entropy cumsum detach div double dropout einsum embedding empty exp expand flatten flip float floor full gelu half "
    "index_select layer_norm linear log log_softmax logsumexp long masked_fill matmul mean mm mse_loss mul neg norm ones "
    "permute pow rand randn relu repeat reshape roll round rsqrt sigmoid silu sin softmax sqrt squeeze stack std sub sum t "
    "tanh tensor tile to transpose tril triu unflatten unsqueeze var view view_as where zeros".split()
)
"""What surely gives one tensor, whatever is known of its arguments: methods, functions and attributes."""

CHANGES_ITS_TENSOR = frozenset(
    "resize_ resize_as_ set_ unsqueeze_ squeeze_ transpose_ t_ swapaxes_ swapdims_ as_strided_ requires_grad_".split()
)
"""Methods that give the very tensor they are called on another shape, layout or mode."""

MODULES = frozenset(
    {
        "functools",
        "collections",
        "collections.abc",
        "cmath",
        "operator",
        "contextlib",
        "copy",
        "csv",
        "dataclasses",
        "enum",
        "abc",
        "types",
        "fractions",
        "numbers",
        "importlib",
        "importlib.util",
        "__future__",
        # stand-ins, see `arrays`
        "numpy",
        "numpy.fft",
        "numpy.lib",
        "numpy.lib.stride_tricks",
        "numpy.linalg",
        "numpy.polynomial",
        "numpy.polynomial.chebyshev",
        "numpy.polynomial.hermite",
        "numpy.polynomial.laguerre",
        "numpy.polynomial.legendre",
        "numpy.random",
        # stand-ins, see `stdlib`
        "argparse",
        "ast",
        "atexit",
        "bisect",
        "configparser",
        "faulthandler",
        "gc",
        "glob",
        "heapq",
        "importlib.metadata",
        "io",
        "inspect",
        "json",
        "logging",
        "logging.handlers",
        "os",
        "os.path",
        "pathlib",
        "pickle",
        "pprint",
        "random",
        "re",
        "shutil",
        "statistics",
        "string",
        "sys",
        "tempfile",
        "textwrap",
        "time",
        "tomllib",
        "traceback",
        "typing_extensions",
        "unicodedata",
        "warnings",
        *torch_names.MODULES,
        *WHOLE,
    }
)
"""Modules that may be imported and looked into; of what they hold only listed callables and plain data is given out."""


INSTEAD: dict[str, types.ModuleType] = {}
"""Stand-in modules: what is given out in the place of those that touch the world outside."""

MEMBERS: dict[tuple[str, str], Any] = {}
"""Module and name -> what is given out in the place of that member."""

NEIGHBOURS: dict[str, Callable[[str], types.ModuleType | None]] = {}
"""Packages whose modules are made when they are first asked for, and what makes them: see `neighbours`."""

_TOPS = frozenset(path.split(".")[0] for path in MODULES)
_NEVER_INTERPRETED = sys.stdlib_module_names | {"torch", "numpy"}
"""Packages all of whose modules are listed here or not followed."""


def is_native(path: str) -> bool:
    """Whether a module is listed here, or belongs to a package of which nothing is ever interpreted."""
    top = path.split(".")[0]
    if top in NEIGHBOURS:
        return is_installed(top)
    return path in MODULES or path in _TOPS or path.split(".")[0] in _NEVER_INTERPRETED


def is_listed(path: str) -> bool:
    """Whether a module may be looked into."""
    return path in MODULES or path.split(".")[0] in NEIGHBOURS


def is_installed(top: str) -> bool:
    """Whether a package can be imported, found without importing it."""
    if top not in _INSTALLED:
        try:
            _INSTALLED[top] = importlib.util.find_spec(top) is not None
        except (ImportError, ValueError):
            _INSTALLED[top] = False
    return _INSTALLED[top]


_INSTALLED: dict[str, bool] = {}


def find(path: str) -> types.ModuleType | None:
    """A listed module as the program holds it, or None where this version has none (or lacks what it needs).

    It is a name with nothing in it: what native code reads from it, or writes into it for the
    program, is not torch's (`copy.copy` sets the attributes of a copy, whatever it is).
    """
    if behind(path) is None:
        return None
    if path not in _HELD:
        _HELD[path] = types.ModuleType(path)
        _PATHS[id(_HELD[path])] = path
    return _HELD[path]


_HELD: dict[str, types.ModuleType] = {}
_PATHS: dict[int, str] = {}


def path_of(module: types.ModuleType) -> str | None:
    """The path of a module that `find` has given."""
    return _PATHS.get(id(module))


def behind(path: str) -> types.ModuleType | None:
    """The module itself: our stand-in for it, or the real one, imported here."""
    if path in INSTEAD:
        return INSTEAD[path]
    make = NEIGHBOURS.get(path.split(".")[0])
    if make is not None:
        return make(path)
    try:
        return importlib.import_module(path)
    except ImportError:
        return None
