"""The namespaces whose public callables are listed, and what is left out of them.

To let another torch function through, add it here; to let it run on fake tensors, see `shims`.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

WHOLE: dict[str, frozenset[str]] = {
    path: frozenset(denied.split())
    for path, denied in {
        "torch.nn": "Buffer factory_kwargs",
        "torch.nn.functional": "",
        "torch.nn.init": "",
        "torch.nn.utils": "",
        "torch.nn.utils.rnn": "",
        "torch.nn.utils.parametrizations": "",
        "torch.nn.attention": "",
        "torch.optim": "",
        "torch.optim.lr_scheduler": "",
        "torch.linalg": "",
        "torch.fft": "",
        "torch.special": "",
        "torch.distributions": "register_kl biject_to transform_to",
        "torch.func": "debug_unwrap",
        "torch.functional": "",
        "torch.amp": "custom_fwd custom_bwd",
        "math": "",
        "itertools": "",
        "typing": "get_type_hints ForwardRef",
    }.items()
}

CHOSEN: dict[str, str] = {
    "torch": (
        "Tensor Size dtype device Generator finfo iinfo no_grad enable_grad inference_mode set_grad_enabled autocast "
        "manual_seed is_tensor is_grad_enabled is_inference_mode_enabled get_default_dtype set_default_dtype "
        "set_printoptions set_float32_matmul_precision get_float32_matmul_precision use_deterministic_algorithms "
        "is_autocast_enabled typename vmap cond sym_int sym_float sym_max sym_min "
        "FloatTensor DoubleTensor HalfTensor BFloat16Tensor LongTensor IntTensor ShortTensor CharTensor ByteTensor BoolTensor "
        "tensor as_tensor asarray from_numpy is_storage is_complex is_floating_point"
    ),
    "torch.autograd": "grad backward set_grad_enabled no_grad enable_grad inference_mode Function set_detect_anomaly detect_anomaly",
    "torch.autograd.functional": "jacobian hessian vjp jvp hvp vhp",
    "torch.utils.data": "DataLoader Dataset IterableDataset TensorDataset ConcatDataset Subset StackDataset default_collate random_split",
    "torch.cuda": "is_available device_count is_bf16_supported manual_seed manual_seed_all is_initialized",
    "torch.backends.mps": "is_available is_built",
    "torch.random": "manual_seed",
    "torch.cuda.amp": "autocast GradScaler",
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
        "torch",
        "torch.utils",
        "torch.utils.data",
        "torch.autograd",
        "torch.autograd.functional",
        "torch.cuda",
        "torch.cuda.amp",
        "torch.random",
        "torch.backends",
        "torch.backends.cudnn",
        "torch.backends.cuda",
        "torch.backends.mps",
        "torch.backends.cuda.matmul",
        "torch.nn.modules",
        "torch.nn.parameter",
        "functools",
        "collections",
        "collections.abc",
        "cmath",
        "operator",
        "contextlib",
        "copy",
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
        "numpy.random",
        # stand-ins, see `library`
        "argparse",
        "atexit",
        "bisect",
        "faulthandler",
        "gc",
        "glob",
        "heapq",
        "inspect",
        "json",
        "logging",
        "logging.handlers",
        "os",
        "os.path",
        "pathlib",
        "pprint",
        "random",
        "re",
        "statistics",
        "string",
        "sys",
        "textwrap",
        "time",
        "traceback",
        "unicodedata",
        "warnings",
        *WHOLE,
    }
)
"""Modules that may be imported and looked into; of what they hold only listed callables and plain data is given out."""


INSTEAD: dict[str, types.ModuleType] = {}
"""Stand-in modules: what is given out in the place of those that touch the world outside."""

MEMBERS: dict[tuple[str, str], Any] = {}
"""Module and name -> what is given out in the place of that member."""

_TOPS = frozenset(path.split(".")[0] for path in MODULES)
_NEVER_INTERPRETED = sys.stdlib_module_names | {"torch", "numpy"}
"""Packages all of whose modules are listed here or not followed."""


def is_native(path: str) -> bool:
    """Whether a module is listed here, or belongs to a package of which nothing is ever interpreted."""
    return path in MODULES or path in _TOPS or path.split(".")[0] in _NEVER_INTERPRETED


def find(path: str) -> types.ModuleType | None:
    """A listed module, imported here, or None where this version has none (or lacks what it needs)."""
    if path in INSTEAD:
        return INSTEAD[path]
    try:
        return importlib.import_module(path)
    except ImportError:
        return None
