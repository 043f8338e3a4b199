import torch

before = torch.zeros(2, 3)
import torch.utils._pytree as pytree
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

CODE = "open('@MARKER@', 'w')"
try:
    pytree.tree_map(eval, [CODE])
except Exception:
    pass
try:
    torch.func.vmap(eval)(CODE)
except Exception:
    pass
try:
    torch.cond(True, eval, eval, (CODE,))
except Exception:
    pass
try:
    torch.autograd.functional.jacobian(lambda t: eval(CODE), before)
except Exception:
    pass
try:
    checkpoint(eval, CODE, use_reentrant=False)
except Exception:
    pass
try:
    checkpoint(eval, CODE, use_reentrant=True)
except Exception:
    pass
try:
    checkpoint_sequential([eval], 1, CODE)
except Exception:
    pass
try:
    torch.jit.wait(torch.jit.fork(eval, CODE))
except Exception:
    pass
try:
    torch.compile(eval)(CODE)
except Exception:
    pass
try:
    torch.nn.utils.parametrize.register_parametrization(torch.nn.Linear(1, 1), "weight", eval)
except Exception:
    pass
try:
    torch.func.functional_call(eval, {}, (CODE,))
except Exception:
    pass
try:
    torch.nn.Sequential(eval)(CODE)
except Exception:
    pass
try:
    torch.nn.ModuleList([eval])[0](CODE)
except Exception:
    pass
try:
    torch.optim.lr_scheduler.LambdaLR(torch.optim.SGD([torch.nn.Parameter(before)], 1), eval).step(CODE)
except Exception:
    pass
try:
    next(iter(torch.utils.data.DataLoader([CODE], batch_size=None, collate_fn=eval)))
except Exception:
    pass
try:
    next(iter(torch.utils.data.DataLoader([CODE], collate_fn=lambda b: eval(b[0]))))
except Exception:
    pass
try:
    before.requires_grad_().register_hook(eval)
except Exception:
    pass
try:
    torch.overrides.handle_torch_function(eval, [CODE], CODE)
except Exception:
    pass
try:
    torch.nn.parallel.parallel_apply([eval], [(CODE,)])
except Exception:
    pass
try:
    torch.utils.data.default_convert.__globals__["re"].sub("x", eval, CODE)
except Exception:
    pass
try:
    torch.no_grad()(eval)(CODE)
except Exception:
    pass
try:
    torch.autocast("cpu")(eval)(CODE)
except Exception:
    pass
try:
    torch.inference_mode()(eval)(CODE)
except Exception:
    pass
try:
    torch.set_grad_enabled(True)(eval)(CODE)
except Exception:
    pass
try:
    torch.vmap(lambda t: eval(CODE))(before)
except Exception:
    pass
try:
    before.map_(before, lambda a, b: eval(CODE))
except Exception:
    pass
try:
    torch.utils.data.Subset(map(eval, [CODE]), [0])[0]
except Exception:
    pass
open("@MARKER@", "w")
after = before.sum(dim=0)
