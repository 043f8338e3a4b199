"""Torch: what says how code runs (compiled, in parts, in parallel) and not what it gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch._dynamo
from torch.optim import swa_utils
from torch.utils import checkpoint

from ..fakes.devices import CPU, with_index
from ..fakes.generators import CardGenerator
from ..gate import calls
from ..gate.own import own
from ..stdlib.quiet import Quiet
from ..unknowns.unknown import Unknown
from ..wall import allowed
from . import SHIMS, given_out, shim, stand_for

if TYPE_CHECKING:
    from ..run import Env


@shim(
    torch.compile,
    torch.compiler.compile,
    torch.compiler.disable,
    torch._dynamo.disable,
    torch._dynamo.allow_in_graph,
    torch.compiler.allow_in_graph,
    torch.compiler.assume_constant_result,
    torch.jit.script,
    torch.jit.trace,
    torch.jit.ignore,
    torch.jit.export,
    torch.jit.unused,
    torch.jit.interface,
    torch.jit.script_method,
    torch.jit.script_if_tracing,
    torch.jit._overload,
    torch.jit._overload_method,
    torch.autograd.function.once_differentiable,
    torch.fx.wrap,
)
def _identity(env: Env, value: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Decorators and wrappers that change how code runs and not what it gives."""
    value = kwargs.get("model", kwargs.get("func", kwargs.get("fn", value)))
    return own(lambda made: made) if value is None or isinstance(value, bool) else value


@shim(torch.amp.custom_fwd, torch.amp.custom_bwd, torch.cuda.amp.custom_fwd, torch.cuda.amp.custom_bwd)
def _custom(env: Env, function: Any = None, **kwargs: Any) -> Any:
    if kwargs.get("cast_inputs") is not None:
        return Unknown("an autograd function that casts its inputs under autocast")
    return own(lambda made: made) if function is None else function


@shim(torch.jit.freeze, torch.jit.optimize_for_inference)
def _frozen(env: Env, *args: Any, **kwargs: Any) -> Unknown:
    return Unknown("a frozen module")


@shim(torch.jit.annotate)
def _annotate(env: Env, kind: Any, value: Any) -> Any:
    return value


@shim(checkpoint.checkpoint)
def _checkpoint(
    env: Env,
    function: Any,
    *args: Any,
    use_reentrant: Any = None,
    context_fn: Any = None,
    determinism_check: Any = None,
    debug: Any = None,
    early_stop: Any = None,
    preserve_rng_state: Any = None,
    **kwargs: Any,
) -> Any:
    """A call of the function, through the gate: as it was by default at first, without gradients, and again going back."""
    site = env.run.site
    assert site is not None
    if use_reentrant is False or kwargs or not any(isinstance(arg, torch.Tensor) for arg in args):
        return calls.call(env, site, function, args, kwargs, "what is checkpointed")

    def called(*given: Any) -> Any:
        return calls.call(env, site, function, given, {}, "what is checkpointed")

    return checkpoint.CheckpointFunction.apply(called, False, *args)


allowed.TAKES_UNKNOWNS.add(id(given_out(checkpoint.checkpoint)))


@shim(checkpoint.checkpoint_sequential)
def _checkpoint_sequential(
    env: Env, functions: Any, segments: Any = None, input: Any = None, **kwargs: Any
) -> Any:
    assert env.run.site is not None
    for function in functions:
        input = calls.call(env, env.run.site, function, [input], {}, "what is checkpointed")
    return input


@shim(torch.autograd.gradcheck, torch.autograd.gradgradcheck)
def _gradcheck(env: Env, func: Any, inputs: Any, *args: Any, **kwargs: Any) -> Unknown:
    """It calls the function on the inputs, many times, and goes back through it."""
    assert env.run.site is not None
    given = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    result = calls.call(env, env.run.site, func, given, {}, "what is checked")
    outputs = [one for one in (result if isinstance(result, (tuple, list)) else (result,)) if _has_grad(one)]
    leaves = [one for one in given if _has_grad(one)]
    if outputs and leaves:
        torch.autograd.grad(outputs, leaves, [torch.ones_like(one) for one in outputs], allow_unused=True)
    return Unknown("depends on the data")


def _has_grad(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


stand_for(
    Quiet,
    torch.autograd.graph.save_on_cpu,
    torch.autograd.graph.saved_tensors_hooks,
    torch.autograd.profiler.profile,
    torch.autograd.profiler.record_function,
    torch.autograd.profiler.emit_nvtx,
    torch.profiler.profile,
    torch.cuda.device,
    torch.cuda.Stream,
    torch.cuda.Event,
)


@shim(
    torch.profiler.schedule,
    torch.profiler.tensorboard_trace_handler,
    torch.cuda.stream,
    torch.cuda.current_stream,
    torch.backends.cuda.sdp_kernel,
    torch.backends.cudnn.flags,
    torch.random.fork_rng,
)
def _aside(env: Env, *args: Any, **kwargs: Any) -> Quiet:
    """Contexts and objects that watch, or say where and in what order code runs."""
    return Quiet()


@shim(
    torch.manual_seed,
    torch.random.manual_seed,
    torch.cuda.manual_seed,
    torch.cuda.manual_seed_all,
    torch.cuda.empty_cache,
    torch.cuda.synchronize,
    torch.cuda.set_device,
    torch.cuda.reset_peak_memory_stats,
    torch.cuda.ipc_collect,
    torch.cuda.init,
    torch.mps.empty_cache,
    torch.mps.synchronize,
    torch.mps.manual_seed,
    torch.compiler.reset,
    torch._dynamo.reset,
    torch.set_printoptions,
    torch.set_float32_matmul_precision,
    torch.use_deterministic_algorithms,
    torch.set_deterministic_debug_mode,
    torch.set_num_threads,
    torch.set_num_interop_threads,
    torch.set_flush_denormal,
    torch.set_warn_always,
    swa_utils.update_bn,
)
def _setting(env: Env, *args: Any, **kwargs: Any) -> None:
    """Changes speed, random numbers or values, of which nothing is shown."""
    return


@shim(torch.Generator)
def _generator(env: Env, device: Any = "cpu") -> torch.Generator:
    return CardGenerator() if torch.device(device).type == "cuda" else torch.Generator(device)


@shim(torch.set_default_device)
def _set_default_device(env: Env, device: Any = None) -> None:
    env.run.guard.make_on(CPU if device is None else with_index(device))


@shim(torch.get_default_device)
def _get_default_device(env: Env) -> torch.device:
    return env.run.guard.default


@shim(torch.set_default_tensor_type)
def _set_default_tensor_type(env: Env, kind: Any) -> Any:
    """`torch.cuda.FloatTensor`, or its name: a dtype and a device in one."""
    name = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__name__}"
    dtypes = {
        "Float": torch.float32,
        "Double": torch.float64,
        "Half": torch.float16,
        "BFloat16": torch.bfloat16,
    }
    torch.set_default_dtype(dtypes[name.rsplit(".", 1)[-1].removesuffix("Tensor")])
    env.run.guard.make_on(with_index("cuda") if ".cuda." in name else CPU)


@shim(
    swa_utils.get_ema_avg_fn,
    swa_utils.get_ema_multi_avg_fn,
    swa_utils.get_swa_avg_fn,
    swa_utils.get_swa_multi_avg_fn,
)
def _averaging(env: Env, *args: Any) -> Any:
    return own(lambda averaged, current, count: averaged)


@shim(swa_utils.AveragedModel.update_parameters)
def _update_parameters(env: Env, *args: Any, **kwargs: Any) -> None:
    return None


SHIMS[id(torch.autograd.Variable)] = lambda env, data, requires_grad=False, volatile=False: (
    data.detach().requires_grad_(requires_grad)
)
"""What is left of `torch.autograd.Variable`: another view of the tensor, as a leaf."""
