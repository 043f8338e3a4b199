"""`from_pretrained` of transformers' models and configurations: what it gives, made of the checkpoint's configuration.

A model is built as `_from_config` builds it, for its weights have no numbers here. `generate` gives so many tokens as nobody knows.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import importlib
from typing import Any

import torch

from ... import shims
from ...outside import outside
from ...unknowns import doubts
from ...unknowns.unknown import Lost, Unknown, find_unknown
from ...wall import allowed
from ...worlds import worlds
from . import checkpoints

_WHY = "a checkpoint that is not known here"
_GENERATED = "how many tokens are generated"
_HOW = frozenset(
    "cache_dir force_download local_files_only token use_auth_token revision use_safetensors weights_only low_cpu_mem_usage "
    "ignore_mismatched_sizes trust_remote_code resume_download proxies subfolder variant output_loading_info offload_folder "
    "max_memory state_dict _fast_init mirror offload_state_dict disable_mmap code_revision".split()
)
"""What says how a checkpoint is read, and nothing of what is made of it."""
_NEWER_FORMATS = frozenset(
    "quantization_config load_in_8bit load_in_4bit gguf_file fusion_config tp_plan".split()
)
"""What packs its weights, or spreads them."""


def _or_unknown(load: Any) -> Any:
    """What it raises says more of the installed transformers than of the file: the checkpoint is not known then."""

    @functools.wraps(load)
    def loaded(*args: Any, **options: Any) -> Any:
        try:
            return load(*args, **options)
        except Lost:
            raise
        except Exception:
            return Unknown(_WHY)

    return loaded


@_or_unknown
def configuration(cls: Any, name: Any = None, *args: Any, **options: Any) -> Any:
    """`BertConfig.from_pretrained`, `AutoConfig.from_pretrained`."""
    checkpoint = outside(lambda: checkpoints.known(name))
    if checkpoint is None or checkpoint.own_code or args or options.get("return_unused_kwargs"):
        return Unknown(_WHY)
    if find_unknown((options,)) is not None:
        return Unknown("a configuration with an option that nobody knows")
    return _configured(cls, checkpoint, {key: one for key, one in options.items() if key not in _HOW})


def _configured(cls: Any, checkpoint: checkpoints.Checkpoint, options: dict[str, Any]) -> Any:
    """The configuration of a checkpoint as a class, or as what it says of itself where that is any."""
    automatic = outside(lambda: importlib.import_module("transformers")).AutoConfig
    made = automatic.for_model(checkpoint.kind, **copy.deepcopy(checkpoint.options))
    if cls is not automatic and not isinstance(made, cls):
        raise Lost("a checkpoint of another kind of model")
    given = {key: options.pop(key) for key in ("torch_dtype", "dtype") if key in options}
    made.dtype = _dtype(next(iter(given.values()), None), checkpoint)
    for key, value in options.items():
        if key.startswith("_") or not hasattr(made, key):
            raise Lost(f"what {key} changes in a model")
        setattr(made, key, value)
    return made


def _dtype(asked: Any, checkpoint: checkpoints.Checkpoint) -> torch.dtype:
    """Of the weights: as they are stored since transformers 5 (https://github.com/huggingface/transformers/blob/main/MIGRATION_GUIDE_V5.md), float32 before."""
    if isinstance(asked, torch.dtype):
        return asked
    if asked is None and version() < 5:
        return torch.float32
    made = getattr(torch, checkpoint.dtype if asked in (None, "auto") else str(asked), None)
    if not isinstance(made, torch.dtype):
        raise Lost("the dtype of a checkpoint")
    return made


def version() -> int:
    """The first number of that of the installed transformers."""
    return int(outside(lambda: importlib.import_module("transformers")).__version__.split(".")[0])


@_or_unknown
def model(cls: Any, name: Any = None, *args: Any, **options: Any) -> Any:
    """`BertModel.from_pretrained`, `AutoModel.from_pretrained`, and those of the file's own."""
    unknown = find_unknown((name, args, options))
    if unknown is not None or args or not _NEWER_FORMATS.isdisjoint(options):
        return Unknown(_WHY if unknown is None else unknown.why)
    options = {key: value for key, value in options.items() if key not in _HOW}
    device = _device(options.pop("device_map", None))
    kept = {key: options.pop(key) for key in ("attn_implementation",) if key in options}
    given = options.pop("config", None)
    automatic = outside(lambda: importlib.import_module("transformers")).AutoConfig
    if given is None:
        given = configuration(automatic, name, **options)
    elif options:
        raise Lost("a model with a configuration and options of its own")
    elif (checkpoint := outside(lambda: checkpoints.known(name))) is None or checkpoint.own_code:
        return Unknown(_WHY)
    elif type(given) is not Unknown and getattr(given, "dtype", None) is None:
        given.dtype = _dtype(None, checkpoint)
    if type(given) is Unknown:
        return given
    kind = getattr(cls, "config_class", None)
    if isinstance(kind, type) and not isinstance(given, kind):
        raise Lost("a checkpoint of another kind of model")
    make = getattr(cls, "from_config", None) or cls._from_config
    name_of_dtype = "dtype" if version() >= 5 else "torch_dtype"
    with _no_numbers():
        made = make(given, **{name_of_dtype: given.dtype}, **kept)
    made.eval()
    return made if device is None else made.to(device)


def _no_numbers() -> Any:
    """While a model is built nothing is written into its weights."""
    for home in (
        "transformers.initialization",
        "transformers.modeling_utils",
    ):  # since transformers 5, before
        with contextlib.suppress(ImportError, AttributeError):
            return outside(functools.partial(importlib.import_module, home)).no_init_weights()
    return contextlib.nullcontext()


def _of_its_kind(make: Any) -> Any:
    """`AutoModel.from_config`: the code of the model is there before, as it cannot be imported while a file is traced."""

    def from_config(cls: Any, config: Any, **options: Any) -> Any:
        outside(lambda: cls._model_mapping.get(type(config), None))
        return make(cls, config, **options)

    return from_config


def _device(asked: Any) -> Any:
    """Where a model is put: all of it at one place, or as on a machine with one card."""
    if asked is None or isinstance(asked, (torch.device, int)):
        return asked
    if type(asked) is not str:
        raise Lost("a model on several devices")
    if asked not in ("auto", "balanced", "balanced_low_0", "sequential"):
        return asked
    env = shims.here()
    return "cuda:0" if (env is not None and env.run.card) or torch.cuda.is_available() else None


def generate(self: Any, inputs: Any = None, *args: Any, **options: Any) -> Any:
    """Tokens `(rows, ?)` int64, where the rows are known and no more than them is asked for."""
    given = (
        inputs
        if inputs is not None
        else next(
            (
                options[key]
                for key in ("input_ids", "inputs_embeds", "input_features", "pixel_values")
                if key in options
            ),
            None,
        )
    )
    count = options.get("num_return_sequences") or 1
    if (
        not isinstance(given, torch.Tensor)
        or type(count) is not int
        or options.get("return_dict_in_generate")
        or options.get("generation_config") is not None
    ):
        return Unknown(_GENERATED, not options.get("return_dict_in_generate"))
    worlds.use()
    worlds.take()
    made = torch.empty((given.shape[0] * count, worlds.few()), dtype=torch.int64, device=given.device)
    doubts.may_lie_otherwise(made)  # a search over beams cuts it out of a larger one
    return made


def nothing(self: Any, *args: Any, **options: Any) -> None:
    """Not carried out: `save_pretrained`, `push_to_hub`, what changes no shape."""


_QUIET = "save_pretrained push_to_hub gradient_checkpointing_enable gradient_checkpointing_disable add_model_tags".split()


_MASKS = ("modeling_attn_mask_utils", "masking_utils", "modeling_utils")


def _without_data() -> None:
    """Before transformers 5 an attention mask without padding is left out, which data decides, but not where a model is compiled."""
    for home in _MASKS:
        with contextlib.suppress(ImportError):
            module: Any = importlib.import_module(f"transformers.{home}")
            module.is_torchdynamo_compiling = lambda: True


def install() -> None:
    """Once transformers is there: its classes load and generate as above."""
    if version() < 5:
        _without_data()
    base: Any = importlib.import_module("transformers.modeling_utils").PreTrainedModel
    automatic: Any = importlib.import_module("transformers.models.auto.auto_factory")._BaseAutoModelClass
    configurations: Any = importlib.import_module("transformers.configuration_utils")
    own: Any = importlib.import_module("transformers.models.auto.configuration_auto").AutoConfig
    generation: Any = importlib.import_module("transformers.generation.utils").GenerationMixin
    newer = getattr(configurations, "PreTrainedConfig", None) or configurations.PretrainedConfig
    importlib.import_module("transformers.models.auto.modeling_auto")
    base.from_pretrained = classmethod(model)
    for kind in automatic.__subclasses__():  # each has methods with documentation of its own
        kind.from_pretrained = classmethod(model)
        kind.from_config = classmethod(_of_its_kind(kind.from_config.__func__))
    for kind in (newer, own):
        kind.from_pretrained = classmethod(configuration)
    generation.generate = generate
    for name in _QUIET:
        setattr(base, name, nothing)
    newer.save_pretrained = nothing


def prepare() -> None:
    """Once a process: list them, with what is not known, too."""
    for function, name in (
        (model, "from_pretrained"),
        (configuration, "from_pretrained"),
        (generate, "generate"),
        (nothing, "save_pretrained"),
    ):
        allowed.list_callable(function, f"transformers.{name}")
        allowed.TAKES_UNKNOWNS.add(id(function))
