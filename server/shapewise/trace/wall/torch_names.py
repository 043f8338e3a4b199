"""What of torch is listed: see `namespaces`, whose tables these are a part of."""

from __future__ import annotations

import pkgutil

WHOLE: dict[str, str] = {
    "torch.nn": "factory_kwargs",
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
    "torch.signal.windows": "",
    "torch.distributions": "register_kl biject_to transform_to",
    "torch.distributions.transforms": "broadcast_all lazy_property",
    "torch.func": "debug_unwrap linearize",
    "torch.functional": "",
    "torch.amp": "",
}
"""Modules of which every public callable is listed, and what is left out."""

CHOSEN: dict[str, str] = {
    "torch": (
        "Tensor Size dtype device Generator finfo iinfo no_grad enable_grad inference_mode set_grad_enabled autocast "
        "manual_seed get_rng_state set_rng_state is_tensor is_grad_enabled is_inference_mode_enabled get_default_dtype set_default_dtype "
        "get_default_device set_default_device set_default_tensor_type "
        "set_printoptions set_float32_matmul_precision get_float32_matmul_precision use_deterministic_algorithms "
        "set_num_threads set_num_interop_threads set_deterministic_debug_mode set_flush_denormal set_warn_always "
        "is_autocast_enabled get_autocast_dtype get_autocast_gpu_dtype typename vmap cond "
        "sym_int sym_float sym_max sym_min "
        "FloatTensor DoubleTensor HalfTensor BFloat16Tensor LongTensor IntTensor ShortTensor CharTensor ByteTensor BoolTensor "
        "tensor as_tensor asarray from_numpy is_storage is_complex is_floating_point"
    ),
    "torch.autograd": (
        "grad backward set_grad_enabled no_grad enable_grad inference_mode Function Variable set_detect_anomaly detect_anomaly"
    ),
    "torch.autograd.function": "Function FunctionCtx once_differentiable",
    "torch.autograd.functional": "jacobian hessian vjp jvp hvp vhp",
    "torch.autograd.graph": "save_on_cpu saved_tensors_hooks",
    "torch.autograd.profiler": "profile record_function emit_nvtx",
    "torch.profiler": "profile record_function schedule tensorboard_trace_handler",
    "torch.utils.hooks": "RemovableHandle",
    "torch.utils._foreach_utils": "_group_tensors_by_device_and_dtype",
    "torch.utils.checkpoint": "checkpoint checkpoint_sequential",
    "torch.utils.data": (
        "DataLoader Dataset IterableDataset TensorDataset ConcatDataset Subset StackDataset ChainDataset default_collate "
        "default_convert random_split get_worker_info Sampler SequentialSampler RandomSampler SubsetRandomSampler "
        "WeightedRandomSampler BatchSampler DistributedSampler"
    ),
    "torch.sparse": "mm addmm sum softmax log_softmax sampled_addmm",
    "torch.nn.parallel": "DistributedDataParallel DataParallel",
    "torch.distributed.fsdp": "FullyShardedDataParallel",
    "torch.nn.utils.parametrize": (
        "ParametrizationList register_parametrization remove_parametrizations is_parametrized cached"
    ),
    "torch.nn.utils.prune": (
        "l1_unstructured ln_structured random_structured random_unstructured custom_from_mask identity global_unstructured "
        "remove is_pruned L1Unstructured LnStructured RandomStructured RandomUnstructured Identity"
    ),
    "torch.nn.utils.stateless": "functional_call",
    "torch.nn.utils.fusion": "fuse_conv_bn_eval fuse_linear_bn_eval",
    "torch.nn.init": "_calculate_fan_in_and_fan_out _calculate_correct_fan",
    "torch.nn.modules.utils": "_single _pair _triple _quadruple",
    "torch.nn.modules.linear": "NonDynamicallyQuantizableLinear",
    "torch.nn.modules.loss": "_Loss _WeightedLoss",
    "torch.nn.modules.batchnorm": "_BatchNorm _NormBase",
    "torch.nn.modules.instancenorm": "_InstanceNorm",
    "torch.nn.modules.conv": "_ConvNd _ConvTransposeNd",
    "torch.nn.modules.dropout": "_DropoutNd",
    "torch.nn.modules.transformer": "_get_clones _get_activation_fn",
    "torch.optim.lr_scheduler": "_LRScheduler",
    "torch.optim.swa_utils": "AveragedModel SWALR update_bn get_ema_avg_fn get_ema_multi_avg_fn get_swa_avg_fn get_swa_multi_avg_fn",
    "torch.distributions.transforms": "_InverseTransform",
    "torch.distributions.constraints": (
        "Constraint MixtureSameFamilyConstraint _Boolean _Cat _CorrCholesky _Dependent _DependentProperty "
        "_GreaterThan _GreaterThanEq _HalfOpenInterval _IndependentConstraint _IntegerGreaterThan "
        "_IntegerInterval _IntegerLessThan _Interval _LessThan _LowerCholesky _LowerTriangular _Multinomial "
        "_OneHot _PositiveDefinite _PositiveSemidefinite _Real _Simplex _Square _Stack _Symmetric boolean cat "
        "corr_cholesky dependent dependent_property greater_than greater_than_eq half_open_interval "
        "independent integer_interval interval is_dependent less_than lower_cholesky lower_triangular "
        "multinomial nonnegative nonnegative_integer one_hot positive positive_definite positive_integer "
        "positive_semidefinite real real_vector simplex square stack symmetric unit_interval"
    ),
    "torch.distributions.utils": "lazy_property _sum_rightmost logits_to_probs probs_to_logits clamp_probs tril_matrix_to_vec vec_to_tril_matrix",
    "torch.utils._pytree": "tree_map tree_flatten tree_unflatten tree_leaves tree_structure",
    "torch.compiler": "compile disable is_compiling is_dynamo_compiling is_exporting allow_in_graph assume_constant_result reset",
    "torch._dynamo": "disable is_compiling allow_in_graph reset",
    "torch.jit": (
        "script trace ignore export unused interface script_method script_if_tracing is_scripting is_tracing "
        "freeze optimize_for_inference annotate isinstance _overload _overload_method"
    ),
    "torch.distributed": (
        "init_process_group destroy_process_group is_available is_initialized is_nccl_available is_gloo_available "
        "is_mpi_available is_torchelastic_launched get_rank get_world_size barrier all_reduce broadcast reduce all_gather "
        "all_gather_into_tensor reduce_scatter reduce_scatter_tensor all_to_all all_to_all_single"
    ),
    "torch.cuda": (
        "is_available device_count is_bf16_supported manual_seed manual_seed_all is_initialized empty_cache synchronize "
        "set_device reset_peak_memory_stats ipc_collect init stream device Stream Event current_stream"
    ),
    "torch.cuda.amp": "autocast GradScaler custom_fwd custom_bwd",
    "torch.backends.cuda": "sdp_kernel",
    "torch.backends.cudnn": "flags",
    "torch.backends.mps": "is_available is_built",
    "torch.mps": "is_available device_count empty_cache synchronize manual_seed",
    "torch.xpu": "is_available device_count is_initialized empty_cache synchronize manual_seed manual_seed_all",
    "torch.mtia": "is_available",
    "torch.accelerator": "is_available",
    "torch.random": "manual_seed fork_rng",
    "torch.nested": "",
    "torch.nn.attention.flex_attention": "flex_attention create_block_mask BlockMask",
    "torch.fx": "wrap",
}
"""Modules of which some callables are listed, private ones that people import among them."""

_PARTS = ("torch.distributions", "torch.optim", "torch.nn.modules")
"""Packages whose parts people import from by name (`from torch.distributions.normal import Normal`)."""


def _parts(path: str) -> list[str]:
    package = __import__(path, fromlist=["__path__"])
    return [f"{path}.{part.name}" for part in pkgutil.iter_modules(package.__path__) if part.name[0] != "_"]


MODULES = frozenset(
    {
        "torch",
        "torch.types",
        "torch.signal",
        "torch.version",
        "torch.utils",
        "torch.utils.data.dataset",
        "torch.utils.data.dataloader",
        "torch.utils.data.sampler",
        "torch.utils.data.distributed",
        "torch.nn.parameter",
        "torch.nn.modules",
        "torch.nn.parallel.distributed",
        "torch.nn.common_types",
        "torch.backends",
        "torch.backends.cuda.matmul",
        *WHOLE,
        *CHOSEN,
        *(part for package in _PARTS for part in _parts(package)),
    }
)
"""Modules that may be imported and looked into."""
