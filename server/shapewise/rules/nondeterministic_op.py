"""An op that deterministic mode refuses on a card.

The list is that of torch.use_deterministic_algorithms (torch 2.13): what "will throw a RuntimeError".
"""

from __future__ import annotations

from collections.abc import Iterator

from ..program.events import Event
from ..program.folding import usual
from ..program.values import constant
from ..vocabulary.events import Log
from ..vocabulary.findings import Finding, Related
from .asking.tree import Tree
from .telling.found import found

RULE = "nondeterministic-op"
_LAYERS = (
    "AvgPool3d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool2d FractionalMaxPool2d FractionalMaxPool3d MaxUnpool1d "
    "MaxUnpool2d MaxUnpool3d ReflectionPad1d ReflectionPad2d ReflectionPad3d CTCLoss"
).split()
_FUNCTIONS = (
    "ctc_loss grid_sample avg_pool3d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d max_unpool1d "
    "max_unpool2d max_unpool3d"
).split()
_METHODS = ("histc",)
_LINEAR = ("linear", "bilinear", "bicubic", "trilinear")


def check(log: Log, tree: Tree) -> Iterator[Finding]:
    """Every such op in a file that switches the mode on, not as a mere warning, and names a card."""
    switch = next((one for one in tree.course.calls("torch.use_deterministic_algorithms") if _on(one)), None)
    if switch is None or not any(word in tree.text for word in ("cuda", ".to(")):
        return
    names = [f"torch.nn.{one}" for one in _LAYERS] + [f"torch.nn.functional.{one}" for one in _FUNCTIONS]
    names += [f".{one}" for one in _METHODS] + [f"torch.{one}" for one in _METHODS]
    events = [
        *tree.course.calls(*names),
        *(one for one in tree.course.calls(*_SCALES) if _interpolates(one)),
        *(one for one in tree.course.calls("torch.bincount", ".bincount") if _is_weighted(one)),
    ]
    for event in events:
        if _is_a_mean(event):
            continue
        name = event.name.rsplit(".", 1)[-1]
        yield found(
            RULE,
            tree,
            event.node,
            f"{name} has no deterministic form on a card: with use_deterministic_algorithms(True) it raises there. "
            "Use another op, or warn_only=True.",
            related=[Related(tree.span(switch.node), "switched on here")],
        )


_SCALES = ("torch.nn.functional.interpolate", "torch.nn.Upsample")


def _on(event: Event) -> bool:
    warn = event.argument("warn_only")
    return constant(event.argument("mode", 0)) is True and (warn is None or constant(warn) is False)


def _is_a_mean(event: Event) -> bool:
    """Whether it is an average over all places, which torch computes as a mean: that has a deterministic form."""
    name = event.name.rsplit(".", 1)[-1]
    if not name.lower().startswith("adaptive") or "vg" not in name:
        return False
    size = event.argument("output_size", 0 if name[0] == "A" else 1)
    return size is not None and all(
        constant(one) == 1 for one in (size.args if size.by in ("tuple", "list") else (size,))
    )


def _interpolates(event: Event) -> bool:
    place = 3 if event.name.endswith("interpolate") else 2
    return constant(usual(event.argument("mode", place))) in _LINEAR


def _is_weighted(event: Event) -> bool:
    """Whether a bincount adds up floats, and no ones."""
    given = event.argument("weights", 0 if event.name.startswith(".") else 1)
    return given is not None and constant(given) is not None
