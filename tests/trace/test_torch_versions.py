"""What torch does not promise to keep: each private name that the tracer asks for is one that all supported versions have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import shapewise

_HERE = Path(shapewise.__file__).parent
_PRIVATE = re.compile(r"\._(?!_)")

SEEN = """
    torch._C torch._dynamo torch._ops torch.Tensor._indices torch.Tensor._make_subclass torch.Tensor._nnz
    torch.Tensor._values torch._C.DisableTorchFunction torch._C._DisableTorchDispatch
    torch._C._PreserveDispatchKeyGuard torch._C._VariableFunctions torch._C._dispatch_keys
    torch._C._functorch torch._C._functorch._add_batch_dim torch._C._functorch._wrap_for_grad
    torch._C._functorch.get_unwrapped torch._C._functorch.is_batchedtensor
    torch._C._functorch.is_functorch_wrapped_tensor torch._C._functorch.is_gradtrackingtensor
    torch._C._functorch.maybe_get_bdim torch._C._functorch.maybe_get_level
    torch._C._functorch.peek_interpreter_stack torch._C._len_torch_dispatch_stack
    torch._C._len_torch_function_stack torch._C._nn torch._C._nn._parse_to torch._C._nn.pad_sequence
    torch._C._set_meta_in_tls_dispatch_include torch._C._set_throw_on_mutable_data_ptr
    torch._dynamo.allow_in_graph torch._dynamo.disable torch._dynamo.reset torch._meta_registrations
    torch._functorch.eager_transforms torch._native_multi_head_attention
    torch._nested_tensor_from_mask_left_aligned torch._ops.OpOverload torch._subclasses.fake_tensor
    torch._subclasses.fake_tensor.DataDependentOutputException
    torch._subclasses.fake_tensor.FakeTensor torch._subclasses.fake_tensor.FakeTensorMode
    torch.jit._overload torch.jit._overload_method torch.nn.modules.instancenorm._InstanceNorm
    torch.nn.modules.utils._ntuple torch.optim.Optimizer._patch_step_function
    torch.utils._device._device_constructors torch.utils._mode_utils.no_dispatch
    torch.utils._python_dispatch.TorchDispatchMode torch.utils._python_dispatch._disable_current_modes
    torch.utils._pytree torch.utils._pytree.tree_leaves torch.utils._pytree.tree_map_only
"""
"""Looked up in torch 2.6.0, 2.13.0 and 2.14.1. Before one more is added here it is to be looked up in the oldest and the newest."""


def _asked_for(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "torch":
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute):
            yield ast.unparse(node)


def test_private_names_are_in_all_versions():
    files = [path for part in ("trace", "agent") for path in (_HERE / part).rglob("*.py")]
    names = {name for path in files for name in _asked_for(ast.parse(path.read_text("utf-8")))}
    private = {name for name in names if name.startswith("torch.") and _PRIVATE.search(name)}
    assert len(private) > 20
    assert private - set(SEEN.split()) == set()
