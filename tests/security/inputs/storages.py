import torch

before = torch.zeros(2, 3)


CODE = "open('@MARKER@', 'w')"
try:
    torch.UntypedStorage.from_file("@MARKER@", True, 8)
except Exception:
    pass
try:
    torch.FloatStorage.from_file("@MARKER@", True, 8)
except Exception:
    pass
try:
    before.untyped_storage()._share_filename_cpu_()
except Exception:
    pass
try:
    before.share_memory_()
except Exception:
    pass
try:
    before.untyped_storage().share_memory_()
except Exception:
    pass
try:
    torch._C.PyTorchFileWriter("@MARKER@")
except Exception:
    pass
try:
    torch.nn.Linear(1, 1).share_memory()
except Exception:
    pass
try:
    torch.UntypedStorage._new_using_filename_cpu(8)
except Exception:
    pass
try:
    torch.Storage._new_shared(8)
except Exception:
    pass
try:
    torch.from_file("@MARKER@", shared=True, size=8)
except Exception:
    pass
try:
    before.numpy().tofile("@MARKER@")
except Exception:
    pass
try:
    torch.onnx.export(torch.nn.Linear(3, 3), before, "@MARKER@")
except Exception:
    pass
try:
    torch.export.save(torch.export.export(torch.nn.Linear(3, 3), (before,)), "@MARKER@")
except Exception:
    pass
try:
    torch.profiler.profile().export_chrome_trace("@MARKER@")
except Exception:
    pass
try:
    torch.cuda.memory._dump_snapshot("@MARKER@")
except Exception:
    pass
try:
    torch.jit.trace(torch.nn.Linear(3, 3), before).save("@MARKER@")
except Exception:
    pass
try:
    torch.fx.symbolic_trace(torch.nn.Linear(3, 3)).to_folder("@MARKER@")
except Exception:
    pass
try:
    torch.utils.tensorboard.SummaryWriter("@MARKER@")
except Exception:
    pass
open("@MARKER@", "w")
after = before.sum(dim=0)
