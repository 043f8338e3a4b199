"""What a dotted name means: through imports and their aliases, in the field's one spelling."""

from __future__ import annotations

import ast
import builtins

_SPELLINGS = {
    "torch.nn.parallel.distributed.DistributedDataParallel": "torch.nn.parallel.DistributedDataParallel",
    "torch.nn.parallel.DataParallel": "torch.nn.DataParallel",
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.nn.utils.clip_grad.clip_grad_norm_": "torch.nn.utils.clip_grad_norm_",
    "torch.nn.utils.clip_grad.clip_grad_value_": "torch.nn.utils.clip_grad_value_",
    "torch.nn.utils.clip_grad_norm": "torch.nn.utils.clip_grad_norm_",
    "torch.utils.data.distributed.DistributedSampler": "torch.utils.data.DistributedSampler",
    "torch.autograd.no_grad": "torch.no_grad",
    "torch.autograd.grad_mode.no_grad": "torch.no_grad",
    "torch.autograd.inference_mode": "torch.inference_mode",
    "torch.autograd.grad_mode.inference_mode": "torch.inference_mode",
    "torch.autograd.set_grad_enabled": "torch.set_grad_enabled",
    "torch.autograd.variable.Variable": "torch.autograd.Variable",
    "torch.autograd.anomaly_mode.set_detect_anomaly": "torch.autograd.set_detect_anomaly",
    "torch.cuda.amp.grad_scaler.GradScaler": "torch.cuda.amp.GradScaler",
    "torch.cuda.amp.autocast_mode.autocast": "torch.cuda.amp.autocast",
    "torch.amp.grad_scaler.GradScaler": "torch.amp.GradScaler",
    "torch.amp.autocast_mode.autocast": "torch.autocast",
    "torch.amp.autocast": "torch.autocast",
    "torch.serialization.save": "torch.save",
    "torch.serialization.load": "torch.load",
    "torch.random.manual_seed": "torch.manual_seed",
}
_SHORTENED = (
    ("torch.nn.modules.", "torch.nn."),
    ("torch.optim.lr_scheduler.", None),
    ("torch.optim.swa_utils.", None),
    ("torch.optim.", "torch.optim."),
    ("torch.utils.data.dataset.", "torch.utils.data."),
    ("torch.utils.data.dataloader.", "torch.utils.data."),
    ("torch.utils.data.sampler.", "torch.utils.data."),
)
"""Modules whose names torch itself exports one level higher."""


def spelled(dotted: str) -> str:
    """The public path of something of torch's: `torch.optim.adam.Adam` is `torch.optim.Adam`."""
    known = _SPELLINGS.get(dotted)
    if known is not None:
        return known
    for prefix, public in _SHORTENED:
        if dotted.startswith(prefix):
            return dotted if public is None else public + dotted.rsplit(".", 1)[-1]
    return dotted


def imported(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """The names that an import binds, and the dotted path behind each."""
    if isinstance(node, ast.Import):
        return {
            alias.asname or alias.name.split(".")[0]: alias.name if alias.asname else alias.name.split(".")[0]
            for alias in node.names
        }
    module = "." * node.level + (node.module or "")
    return {alias.asname or alias.name: f"{module}.{alias.name}" for alias in node.names if alias.name != "*"}


def is_builtin(name: str) -> bool:
    """Whether Python itself binds a name."""
    return hasattr(builtins, name)


def last_name(node: ast.AST | None) -> str:
    """The word that a name or the end of a dotted one is written with; none for all else."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def word_of(node: ast.AST | None) -> str:
    """The same, or the key with which something is looked up: `logvar` of `out["logvar"]`."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else last_name(node)
