import torch

before = torch.zeros(2, 3)
import torch.distributed as dist
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
from torch.utils.data import DataLoader

CODE = "open('@MARKER@', 'w')"
checkpoint(eval, CODE, use_reentrant=False)
checkpoint_sequential([eval], 1, CODE)
torch.compile(eval)(CODE)
torch.compiler.disable(exec)(CODE)
torch.jit.trace(eval, CODE)(CODE)
torch.autograd.function.once_differentiable(eval)(None, CODE)
try:
    next(iter(DataLoader([CODE], batch_size=None, collate_fn=eval)))
    next(iter(DataLoader([CODE], batch_size=1, collate_fn=lambda batch: eval(batch[0]))))
except TypeError:
    pass
torch.profiler.profile(on_trace_ready=lambda prof: eval(CODE)).__enter__()
torch.nn.Linear(1, 1).register_forward_hook(eval)
try:
    dist.init_process_group("gloo", init_method="file://@MARKER@", rank=0, world_size=1)
    dist.FileStore("@MARKER@", 1)
    torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))
except Exception:
    pass
after = before.sum(dim=0)
