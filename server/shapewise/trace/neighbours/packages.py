"""What is listed of each package: which functions, which classes, which of their methods are not."""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from .. import arrays
from ..fakes import patches
from ..gate.own import own
from ..unknowns.unknown import Lost
from ..wall import allowed
from . import (
    bars,
    datasets,
    detection,
    einx,
    frames,
    gyms,
    hugging,
    learning,
    pictures,
    science,
    settings,
    timms,
    training,
    transforms,
)

_NEVER = frozenset(
    "from_pretrained save_pretrained push_to_hub from_json_file to_json_file register_for_auto_class generate "
    "load_adapter save load download load_pretrained load_weights load_state_dict_from_hub from_hub _download check_integrity "
    "get_state_dict add_model_tags tensor_parallel compile dequantize gradient_checkpointing_enable".split()
)
"""Methods that read or write files, reach the network, or run as often as data decides."""


@dataclass(frozen=True)
class Package:
    """The rules of one package."""

    name: str
    functions: tuple[str, ...] = ()
    """Modules whose public functions are listed."""
    classes: tuple[str, ...] = ()
    """Modules whose public classes are listed, beside those of nn.Module."""
    bases: tuple[str, ...] = ()
    """Names of classes whose subclasses are listed, too."""
    names: frozenset[str] = frozenset()
    """Single functions that are listed."""
    denied: frozenset[str] = _NEVER
    instead: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Module -> members that are given out in the place of its own."""
    wrapped: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    """Function -> what makes of it the one that is given out."""
    imported: bool = True
    """Whether the package itself is ever imported: else it has only what is in `instead`."""
    final: bool = False
    """Whether no class of the file's own is made from those of the package."""
    bases_instead: dict[str, type] = field(default_factory=dict)
    """By the names of its classes, from what one is made instead that is to be made from them."""
    loaded: Callable[[], None] = lambda: None
    """Called once its modules are there."""

    def base_for(self, value: type) -> type | None:
        """From what a class is made that is to be made from this one."""
        return next((made for base in value.__mro__ if (made := self.bases_instead.get(base.__name__))), None)

    def lists(self, value: Any) -> bool:
        """Whether a callable of the package may be called."""
        home, name = str(getattr(value, "__module__", "")), str(getattr(value, "__name__", ""))
        if name.startswith("_") or name in self.denied or home.split(".")[0] != self.name:
            return False
        if isinstance(value, type):
            named = {base.__name__ for base in value.__mro__[:-1]}
            return (
                issubclass(value, nn.Module)
                or home.startswith(self.classes or ("-",))
                or bool(named & set(self.bases))
            )
        if not isinstance(value, types.FunctionType):
            return False
        return name in self.names or home.startswith(self.functions or ("-",))


def _nothing(*args: Any, **kwargs: Any) -> None:
    return None


def _itself(function: Any) -> Any:
    return function


def _left_as_it_is(*args: Any, **kwargs: Any) -> Any:
    """A decorator of model builders that changes nothing of a call: one that registers, one for arguments of old."""
    return own(lambda builder: builder)


PACKAGES: dict[str, Package] = {}


def add(package: Package) -> None:
    """Make a package known."""
    PACKAGES[package.name] = package


def _no_code() -> None:
    """transformers never looks for a model's code beside its weights, or in a folder."""
    code: Any = importlib.import_module("transformers.dynamic_module_utils")

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise Lost("a model's own code is not followed")

    code.resolve_trust_remote_code = lambda *args, **kwargs: False
    code.get_class_from_dynamic_module = code.get_cached_module_file = refuse
    hugging.once_loaded()


def _no_weights() -> None:
    """torchvision's models are built as with weights, which are not downloaded; its detectors find boxes."""
    kind = getattr(importlib.import_module("torchvision.models._api"), "WeightsEnum", None)
    if kind is not None:
        kind.get_state_dict = lambda self, *args, **kwargs: patches.NO_WEIGHTS
    detection.install()


def _layers_by_name() -> None:
    """timm's layers are given out where they are asked for by a text, too (`get_norm_layer("layernorm2d")`)."""
    layers: Any = importlib.import_module("timm.layers")
    for name, value in vars(layers).items():
        if isinstance(value, type) and issubclass(value, nn.Module) and value.__module__.startswith("timm."):
            allowed.list_callable(value, f"timm.layers.{name}")
            allowed.list_methods(value, ("timm",), _NEVER)


_TRANSFORMS = {**transforms.TRANSFORMS}
_FUNCTIONAL = {**transforms.FUNCTIONAL}

add(
    Package(
        "torchvision",
        functions=("torchvision.models", "torchvision.ops"),
        classes=("torchvision.models", "torchvision.ops"),
        names=frozenset(("make_grid",)),
        denied=_NEVER
        | {"load_state_dict_from_url", "get_model_weights", "download_url", "register_model"}
        | {
            "create_feature_extractor",
            "get_graph_node_names",
        },  # write the names of layers into code that is run
        instead={
            "torchvision.datasets": datasets.DATASETS,
            "torchvision.transforms": _TRANSFORMS,
            "torchvision.transforms.transforms": _TRANSFORMS,
            "torchvision.transforms.v2": _TRANSFORMS,
            "torchvision.transforms.functional": _FUNCTIONAL,
            "torchvision.transforms.v2.functional": _FUNCTIONAL,
            "torchvision.utils": {"save_image": _nothing, "_log_api_usage_once": _nothing},
            "torchvision.models._api": {"register_model": _left_as_it_is},
            "torchvision.models._utils": {"handle_legacy_interface": _left_as_it_is},
        },
        wrapped={"_make_divisible": _itself},  # private, and in every copy of a mobile net
        loaded=_no_weights,
    )
)
add(
    Package(
        "timm",
        functions=("timm.layers", "timm.models.layers"),
        names=frozenset(("create_model", "register_model")),
        denied=_NEVER
        | {"create_feature_extractor", "get_graph_node_names"}  # as of torchvision
        | {"register_notrace_module", "register_notrace_function", "disable_compiler"}
        | {"set_fused_attn", "set_fast_norm", "set_exportable", "set_scriptable", "set_no_jit"}
        | {"set_layer_config", "set_reentrant_ckpt"}  # switches that outlast the trace
        | {"convert_sync_batchnorm", "convert_splitbn_model", "apply_test_time_pool"}
        | {
            "freeze_batch_norm_2d",
            "unfreeze_batch_norm_2d",
            "add_ml_decoder_head",
        },  # put other layers into a model
        wrapped={
            "create_model": timms.without_weights,
            "register_model": timms.unregistered,
            "to_ntuple": timms.given_out_whole,
            "calculate_drop_path_rates": timms.computed_rates,
        },
        loaded=_layers_by_name,
    )
)
add(
    Package(
        "transformers",
        functions=("transformers.optimization",),
        bases=("PreTrainedConfig", "PretrainedConfig", "AutoConfig", "_BaseAutoModelClass", "ModelOutput"),
        instead=hugging.INSTEAD,
        final=True,  # they evaluate annotations
        bases_instead=hugging.BASES,
        loaded=_no_code,
    )
)
add(Package("PIL", instead={"PIL.Image": pictures.IMAGE}, imported=False))
add(Package("lightning", instead=training.LIGHTNING, imported=False))
add(Package("pytorch_lightning", instead=training.LIGHTNING, imported=False))
add(Package("huggingface_hub", instead=hugging.HUB, imported=False))
add(Package("accelerate", instead=training.ACCELERATE, imported=False))
add(Package("gymnasium", instead=gyms.GYMNASIUM, imported=False))
add(Package("pandas", instead=frames.PANDAS, imported=False))
add(Package("tqdm", instead=bars.BARS, imported=False))
add(Package("yaml", instead=settings.YAML, imported=False))
add(Package("sklearn", instead=learning.LEARNING, imported=False))
add(Package("scipy", instead=science.SCIENCE, imported=False))
add(
    Package(
        "einops",
        functions=("einops.einops", "einops.packing"),
        bases=("EinopsError",),
        wrapped=dict.fromkeys(("rearrange", "reduce", "repeat"), arrays.on_arrays),
    )
)
add(Package("einx", instead=einx.EINX, imported=False))
