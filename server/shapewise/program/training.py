"""Training as a protocol: which calls are backward, step, zeroing; of which optimizer, on which model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .course import Course
from .events import Event, Loop
from .values import CONST, GIVEN, INSTANCE, Value, roots, same, within

_OPTIMIZER = re.compile(r"(^|_)(opt|optim|optimi[sz]ers?)(_|\d|[A-Z]|$)|^(opt|optim|optimi[sz]er)[A-Z_\d]")
_SCHEDULER = re.compile(r"sched(uler)?", re.IGNORECASE)
_SCALER = re.compile(r"(^|_)(grad_?)?scaler(_|\d|$)|^amp_scaler$", re.IGNORECASE)
_MODULE = re.compile(
    r"(^|_)(model|net|network|module|encoder|decoder|generator|discriminator|backbone|classifier|student|"
    r"teacher|policy|actor|critic|unet|resnet|vae|gan|gpt|transformer|mlp|cnn|ddp_model)(_|\d|$)|^net[GD]$",
    re.IGNORECASE,
)
_WEIGHTS = re.compile(r"state|weights|params|dict|ckpt|checkpoint", re.IGNORECASE)
"""`model_state_dict` is none."""


def _named(value: Value, pattern: re.Pattern[str]) -> bool:
    """Whether a value of which only the name is known is named so."""
    unknown = value.by in ("", GIVEN, ".", "item", "for", "[]", "()") or value.by.startswith(
        (".prepare", ".setup")
    )
    return unknown and any(pattern.search(name) for name in (value.name, value.also) if name)


def is_optimizer(value: Value | None) -> bool:
    """Whether it is one of torch's optimizers, or by all signs one."""
    return any(_is_optimizer(root) for root in roots(value))


def _is_of_optimizers(path: str) -> bool:
    is_class = path.rsplit(".", 1)[-1][:1].isupper()
    return (
        is_class
        and path.startswith("torch.optim.")
        and not path.startswith(("torch.optim.lr_scheduler", "torch.optim.swa_utils"))
    )


def _is_optimizer(value: Value) -> bool:
    if value.by.startswith("torch.optim."):
        return _is_of_optimizers(value.by)
    if value.by == INSTANCE and value.cls is not None:
        return any(base.startswith("torch.optim.") and "lr_sched" not in base for base in value.cls.foreign())
    if _SCHEDULER.search(value.name) or _SCHEDULER.search(value.also):
        return False  # whatever its annotation says
    if value.annotation:
        return value.annotation.endswith("Optimizer") or _is_of_optimizers(value.annotation)
    called = value.by.rsplit(".", 1)[-1]
    if (
        value.by
        and (value.by[0].isalpha())
        and re.search(r"optim|(^|[a-z_])Adam|SGD$|Lion$|LAMB$", called, re.I)
    ):
        return value.by not in (CONST, GIVEN)
    return _named(value, _OPTIMIZER)


def is_scheduler(value: Value | None) -> bool:
    """Whether it changes a learning rate step by step."""
    return any(
        root.by.startswith(("torch.optim.lr_scheduler.", "transformers.get_"))
        or root.annotation.endswith(("LRScheduler", "lr_scheduler.ReduceLROnPlateau"))
        or _named(root, _SCHEDULER)
        for root in roots(value)
    )


def is_scaler(value: Value | None) -> bool:
    """Whether it scales losses for float16."""
    return any(
        root.by.endswith("GradScaler") or root.annotation.endswith("GradScaler") or _named(root, _SCALER)
        for root in roots(value)
    )


def is_module(value: Value | None, surely: bool = False) -> bool:
    """Whether it is an nn.Module: made or annotated as one, or, unless asked for `surely`, named as one."""
    for root in roots(value):
        if root.by == INSTANCE and root.cls is not None and root.cls.is_module:
            return True
        last = root.by.rsplit(".", 1)[-1]
        if root.by.startswith("torch.nn.") and last[:1].isupper() and last not in ("Parameter", "Buffer"):
            return "functional" not in root.by and "init" not in root.by
        if root.by.startswith(("torchvision.models.", "timm.create_model")) and "Weights" not in root.by:
            return True
        if root.by.startswith("transformers.") and root.by.endswith(".from_pretrained"):
            return "Token" not in root.by and "Processor" not in root.by and "Config" not in root.by
        if root.annotation.startswith("torch.nn.") and not root.annotation.endswith("Parameter"):
            return True
        if not surely and _named(root, _MODULE) and not _WEIGHTS.search(root.name):
            return True
    return False


@dataclass(frozen=True, slots=True)
class Backward:
    """A call of `backward`. `loss` is what is differentiated; `scaler` scaled it, `manager` does the work."""

    event: Event
    loss: Value
    scaler: Value | None = None
    manager: Value | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A step of an optimizer, of its own or through a scaler."""

    event: Event
    optimizer: Value
    scaler: Value | None = None


_MANAGERS = re.compile(
    r"accelerator|fabric|engine|deepspeed|booster|(^|_)ds_|strategy|trainer|^self$", re.IGNORECASE
)


class Training:
    """The protocol events of one course."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.backwards = list(_backwards(course))
        self.steps = list(_steps(course))
        self.zeroings = list(_zeroings(course))
        self.managed = any(back.manager is not None for back in self.backwards) or bool(
            course.calls(".manual_backward")
        )

    def zeroed_in(self, loop: Loop, step: Step) -> bool:
        """Whether in each run of the loop something may clear the gradients that the optimizer uses."""
        mine = owned(step.optimizer)
        for event, target in self.zeroings:
            if not event.inside(loop):
                continue
            if target is None or same(target, step.optimizer):
                return True
            if is_optimizer(target):
                if not surely_different(target, step.optimizer):
                    return True
            elif mine is None or any(_part_of(target, model) for model in mine):
                return True
        return self.touched_in(loop, step.optimizer)

    def touched_in(self, loop: Loop, thing: Value) -> bool:
        """Whether within the loop something that this file does not show is given the object, or its owner."""
        for event in self.course.in_loop(loop):
            if event.kind != "call" or event.followed:
                continue
            if event.name == "()" or event.name == "def" or event.name.startswith("."):
                if any(same(one, thing) for one in event.inputs()) and not _is_protocol(event):
                    return True
            if event.name[:1].isalpha() and not event.name.startswith(("torch.", "builtins.")):
                if any(same(one, thing) for one in event.inputs()):
                    return True
            if _is_of_an_unseen_class(event) and event.on is not None:
                if any(same(held, thing) for held in event.on.attrs.values()):
                    return True
        return False


def _is_protocol(event: Event) -> bool:
    return event.name in (".step", ".unscale_", ".append", ".scale", ".prepare")


def _is_of_an_unseen_class(event: Event) -> bool:
    """Whether a method of an object of the file's is called that the file does not show."""
    on = event.on
    if on is None or on.by != INSTANCE or on.cls is None or not event.name.startswith("."):
        return False
    bases = on.cls.foreign()
    return any(not base.startswith(("torch.", "builtins.", "abc.")) for base in bases)


def _backwards(course: Course) -> Iterator[Backward]:
    for event in course.calls(".backward", "torch.autograd.backward"):
        on = event.on
        if event.name != ".backward":
            if event.args:
                yield Backward(event, event.args[0])
        elif on is None:
            continue
        elif on.by == ".scale" and on.args and is_scaler(on.on):
            yield Backward(event, on.args[0], scaler=on.on)
        elif event.args and (
            _MANAGERS.search(on.name) or is_module(on) or "Accelerator" in on.by or "Fabric" in on.by
        ):
            yield Backward(event, event.args[0], manager=on)
        elif on.by not in ("path",):
            yield Backward(event, on)


def _steps(course: Course) -> Iterator[Step]:
    for event in course.calls(".step"):
        if event.on is None:
            continue
        if is_scaler(event.on):
            if event.args:
                yield Step(event, event.args[0], event.on)
        elif is_optimizer(event.on):
            yield Step(event, event.on)


def _zeroings(course: Course) -> Iterator[tuple[Event, Value | None]]:
    """Whatever clears gradients, with the optimizer or model whose they are, None if nobody knows."""
    for event in course.calls(".zero_grad"):
        on = event.on
        yield event, on if on is not None and (is_optimizer(on) or is_module(on)) else None
    for event in course.of_kind("set"):
        if event.name == "grad":
            yield event, _owner_of(event.on)
    for event in course.calls(".zero_", ".fill_"):
        if event.on is not None and any(one.by == "." and one.name in ("grad", "data") for one in [event.on]):
            yield event, _owner_of(event.on)
    for event in course.calls("torch._foreach_zero_", "torch.zero_"):
        yield event, None


def _owner_of(value: Value | None) -> Value | None:
    """The model whose parameters a loop goes over, if it is one."""
    for one in within(value, 6) if value is not None else ():
        if one.by in (".parameters", ".named_parameters") and one.on is not None:
            return one.on
    return None


def owned(optimizer: Value) -> list[Value] | None:
    """The modules whose parameters an optimizer was given; None if that is not known."""
    found: list[Value] = []
    for root in roots(optimizer):
        given = root.argument("params", 0)
        if given is None or not root.by.startswith("torch.optim."):
            return None
        models = [
            one.on for one in within(given, 8) if one.by in (".parameters", ".named_parameters") and one.on
        ]
        if not models:
            return None
        found += models
    return found or None


def _part_of(one: Value, other: Value) -> bool:
    """Whether two are one module, or one is a part of the other."""
    return any(
        inner is outer
        for left, right in ((one, other), (other, one))
        for outer in roots(right)
        for inner in _upward(left)
    )


def _upward(value: Value) -> Iterator[Value]:
    """It and the modules of which it is an attribute or an item."""
    waiting = list(roots(value))
    while waiting:
        root = waiting.pop()
        yield root
        if root.by in (".", "[]", "item", "for", ".children", ".modules") and root.on is not None:
            waiting += roots(root.on)


def surely_different(left: Value, right: Value) -> bool:
    """Whether two are two objects for all that can be known: made in two places, or named by two names."""
    mine, others = roots(left), roots(right)
    plain = all(
        one.by.startswith("torch.optim.") or one.by in (GIVEN, ".", INSTANCE, "") and one.name
        for one in (*mine, *others)
    )
    alike = {_path(one) for one in mine} & {_path(one) for one in others}
    return plain and bool(mine) and bool(others) and not alike and not same(left, right)


def _path(value: Value) -> tuple[object, ...]:
    """How an object is reached, for one that is looked up anew each time: `agents[i].optimizer`; itself for any other."""
    if value.by != "." or value.on is None:
        return (id(value),)
    owner = value.on
    return (value.name, id(owner.on) if owner.by == "[]" and owner.on is not None else id(owner))


def made_in(course: Course, value: Value, loop: Loop) -> bool:
    """Whether an object is made anew in each run of a loop."""
    return any(
        event.value is not None and any(event.value is root for root in roots(value))
        for event in course.in_loop(loop)
        if event.kind == "call"
    )
