import torch

before = torch.zeros(2, 3)
import numpy as np


class Evil:
    def __array__(self, *args, **kwargs):
        open("@MARKER@", "w")

    def __reduce__(self):
        import os

        return (os.system, ("touch @MARKER@",))

    def __getattr__(self, name):
        open("@MARKER@", "w")


np.float32(1).tofile("@MARKER@")
np.float64.tofile(np.float64(1), "@MARKER@")
np.generic.dump(np.int64(1), "@MARKER@")
np.arange(3).dump("@MARKER@")
np.arange(3)._held.tofile("@MARKER@")
np.arange(3)._memory.root.tofile("@MARKER@")
np.load("@MARKER@", allow_pickle=True)
np.memmap("@MARKER@", mode="w+", shape=(1,))
np.array([Evil()], dtype=object)
np.asarray(Evil())
np.vectorize(lambda x: open("@MARKER@", "w"))(np.arange(3))
np.frompyfunc(lambda x: open("@MARKER@", "w"), 1, 1)(np.arange(3))
np.apply_along_axis(lambda x: open("@MARKER@", "w"), 0, np.arange(3))
np.fromfunction(lambda x: open("@MARKER@", "w"), (3,))
np.lib.npyio.os.system("touch @MARKER@")
np.random.RandomState.__init__.__globals__["np"].save("@MARKER@", [1])
np.dtype("f4").type.tofile(np.float32(1), "@MARKER@")
np.r_._name, np.finfo(np.float32).__class__.__init__.__globals__["sys"].modules["os"].system("touch @MARKER@")
np.lib.stride_tricks.as_strided(np.arange(2), (1 << 40,), (8,)).sum()
np.ndarray((1 << 40,), buffer=np.arange(2))
after = before.sum(dim=0)
