"""As much of a torch as the agent asks for, imported at once: what is tested here is the way there and back."""

import types

__version__ = "2.9.0"
strided = "strided"


class Tensor:
    """A shape."""

    layout = strided
    dtype = "torch.float32"
    device = "cpu"
    requires_grad = False

    def __init__(self, *shape):
        self.shape = shape

    def stride(self):
        return tuple(1 for _ in self.shape)

    def is_contiguous(self):
        return True


ones = Tensor
cuda = types.SimpleNamespace(is_available=lambda: False, device_count=lambda: 0)
version = types.SimpleNamespace(cuda=None)


def manual_seed(seed):
    pass


def get_num_threads():
    return 1
