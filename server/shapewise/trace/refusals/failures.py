"""What an exception out of a native call means: a finding, a lost value, or the user's own exception."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from torch import nn

from ...vocabulary.events import Failure, Other, Tensor
from ..fakes.devices import device_of, tensors_in
from ..fakes.torchmode import DATA_DEPENDENT
from ..log.recorder import MAX_ROUNDS
from ..unknowns import doubts
from ..unknowns.unknown import Lost, Unknown, find_unknown
from ..unknowns.values import known
from ..wall import namespaces
from ..wall.audit import Refused
from . import on_a_card
from .of_text import lacks_arguments
from .replay import details, first_line, replay, verdict

if TYPE_CHECKING:
    from ..run import Env

_AS_IS = {"backward", "torch.autograd.grad", "torch.autograd.backward"}
"""Calls whose errors come from autograd itself, which is real here too: their words need no replay."""
_OF_ANOTHER_TIME = ("a second time", "modified by an inplace operation")
_NODE_OF_A_VIEW = ("which is output 0 of T,", "which is output 0 of AsStrided,")
"""A view of what was written since has another node in real torch: the weight of a linear layer, which is seen from the other side."""
_SIZED_BY_DATA = frozenset("masked_select nonzero unique [] argwhere".split())
_OF_GRADIENTS = frozenset("clip_grad_norm_ clip_grad_value_".split())
"""Calls that read gradients, which are not there where the loss is not known."""
_MACHINERY = ("torch._subclasses", "torch._dynamo", "torch._ops", "torch._prims_common")


class Outcome(NamedTuple):
    """What an exception out of a native call comes to: a value to go on with, or an exception to raise on."""

    result: Unknown
    failure: Failure | None = None
    raises: Exception | None = None


def failed(env: Env, name: str, error: Exception, given: Sequence[Any]) -> Outcome:
    """What an exception out of a native call means. `given`: what it was called with."""
    run = env.run
    if isinstance(error, Lost):
        return Outcome(Unknown(error.why))
    if find_unknown(error.args) is not None or ("Unknown" in str(error) and not isinstance(error, KeyError)):
        return Outcome(Unknown("an unknown value"))
    refused, run.guard.failed = run.guard.failed, None
    if refused is not None and not _comes_of(error, refused[0]):
        refused = None  # something refused before, and what called it went on
    if isinstance(error, DATA_DEPENDENT) or isinstance(error.__cause__, DATA_DEPENDENT):
        decided = refused is not None and all(
            known(tensor) is not None for tensor in tensors_in(refused[1:], depth=6)
        )
        raised = verdict(*refused[1:]) if refused is not None and decided else None
        if raised is not None:
            run.spoiled += 1
            return _refused(env, name, raised, error, refused, given)
        run.unfollowed += 1
        return Outcome(Unknown("depends on the data", name.rsplit(".", 1)[-1] in _SIZED_BY_DATA))
    run.spoiled += 1
    if name.rsplit(".", 1)[-1] in _OF_GRADIENTS and run.unfollowed:
        return Outcome(Unknown("gradients of what was not followed"))
    if isinstance(error, (RecursionError, MemoryError)) or _was_refused(error):
        return Outcome(Unknown(f"{name} is not followed"))
    if name in _AS_IS and any(words in str(error) for words in _OF_ANOTHER_TIME):
        if doubts.NOW.written:  # through memory that only may require grad
            return Outcome(Unknown("a graph that may be none"))
        if MAX_ROUNDS in run.recorder.rounds:  # what a list holds there may have been taken out of it before
            return Outcome(Unknown("a graph that may be one of another round"))
    if any(error is raised for raised in run.raised):
        return Outcome(run.absorb(error, *given))
    if hasattr(error, "spoken") or name in _AS_IS or refused is None or refused[0] is not error:
        real: Exception | None = None if _of_the_machinery(error) else error
    else:
        real = replay(error, *refused[1:])
        if real is error and _of_the_machinery(error):
            real = None
    if real is None:
        return Outcome(Unknown(f"{name} cannot be followed on fake tensors"))
    if run.options_left_out and isinstance(real, TypeError) and any(one is None for one in given):
        return Outcome(Unknown("an option that is not given"))
    return _refused(env, name, real, error, refused, given)


def _refused(
    env: Env, name: str, real: Exception, error: Exception, refused: Any, given: Sequence[Any]
) -> Outcome:
    """Torch raises this: a finding, unless the user's code catches it."""
    describe = env.run.recorder.describe
    tensors = tensors_in(refused[2:]) if refused is not None else []
    operands = [describe(tensor) for tensor in tensors]
    words = first_line(real).replace(*_NODE_OF_A_VIEW)
    if tensors and all(device_of(tensor).startswith("cuda") for tensor in tensors):
        words = on_a_card.said(words)
    layer = _layer(error)
    described = None if layer is None else describe(layer)
    failure = Failure(
        getattr(real, "spoken", type(real)).__name__,
        words,
        operands=tuple(one for one in operands if isinstance(one, Tensor)),
        layer=described if isinstance(described, Other) else None,
        details=details(real),
    )
    if env.run.is_caught(real):
        return Outcome(Unknown("caught"), replace(failure, caught=True), real)
    surely = name.rsplit(".", 1)[-1] in namespaces.TENSOR_TO_TENSOR
    unwritten = env.run.switched.past_unwritten and env.run.attempt is None
    if env.run.contrary or env.run.beyond or unwritten:
        env.run.spoiled += 1
        return Outcome(Unknown("a way that is not taken here", surely))
    attempt = env.run.attempt
    if attempt is not None and lacks_arguments(real, env):
        return Outcome(Unknown(f"this fails: {first_line(real)[:100]}", surely))
    if attempt is not None and not attempt.refused(env.run, failure):
        attempt.stopped(real, name, given, refused)
    return Outcome(Unknown(f"this fails: {failure.message[:100]}", surely), failure)


def _layer(error: Exception) -> nn.Module | None:
    """The innermost of torch's layers whose own code the error came through."""
    found = None
    at = error.__traceback__
    while at is not None:
        this = at.tb_frame.f_locals.get("self")
        if isinstance(this, nn.Module) and type(this).__module__.startswith("torch.nn"):
            found = this
        at = at.tb_next
    return found


def _of_the_machinery(error: Exception) -> bool:
    """Whether an error was raised by what makes tensors fake, which real torch has none of."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and str(at.tb_frame.f_globals.get("__name__")).startswith(_MACHINERY)


def _comes_of(error: BaseException | None, first: BaseException) -> bool:
    """Whether an exception is another one, or was raised because of it."""
    while error is not None and error is not first:
        error = error.__cause__ or error.__context__
    return error is first


def _was_refused(error: BaseException | None) -> bool:
    """Whether an error comes from the second wall, however often a library wrapped it."""
    for _ in range(8):
        if error is None or isinstance(error, Refused):
            break
        error = error.__cause__ or error.__context__
    return isinstance(error, Refused)
