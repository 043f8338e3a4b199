"""What of timm is given out in another form: nothing is loaded, registered or computed on tensors to get a number."""

from __future__ import annotations

from typing import Any

from ..gate.own import own
from ..unknowns.unknown import Lost, Unknown


def without_weights(create: Any) -> Any:
    """`timm.create_model` without a file or a download."""

    def create_model(model_name: Any, *args: Any, **kwargs: Any) -> Any:
        if type(model_name) is not str or ":" in model_name or "/" in model_name:
            raise Lost("a model that is not of timm's own")
        for name in ("pretrained_cfg", "pretrained_cfg_overlay", "checkpoint_path", "cache_dir"):
            kwargs.pop(name, None)
        return create(model_name, **{**kwargs, "pretrained": False})

    return create_model


def unregistered(register: Any) -> Any:
    """`@register_model`, which gives back what it is given, and writes it into a table that outlasts the trace."""

    def register_model(fn: Any) -> Any:
        return fn

    return register_model


def given_out_whole(make: Any) -> Any:
    """`to_ntuple(n)`, which gives a function of timm's own."""

    def to_ntuple(n: Any) -> Any:
        parse = make(n)
        return own(lambda x: x if type(x) is Unknown else parse(x))

    return to_ntuple


def computed_rates(calculate: Any) -> Any:
    """`calculate_drop_path_rates`: timm reads them off `torch.linspace`, which holds no numbers here."""

    def calculate_drop_path_rates(drop_path_rate: Any, depths: Any, stagewise: Any = False) -> Any:
        if type(depths) is int:
            depths, stagewise = [depths], False
        if type(drop_path_rate) not in (int, float) or any(type(depth) is not int for depth in depths):
            raise Lost("rates of what is not a number")
        total = sum(depths)
        rates = [drop_path_rate * i / max(total - 1, 1) for i in range(total)]
        starts = [sum(depths[:i]) for i in range(len(depths))]
        return [rates[at : at + depth] for at, depth in zip(starts, depths)] if stagewise else rates

    return calculate_drop_path_rates
