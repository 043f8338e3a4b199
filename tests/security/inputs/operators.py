import torch

before = torch.zeros(2, 3)
class Evil:
    __match_args__ = ("value",)

    def _write(self, *args):
        open("@MARKER@", "w")
        return 1

    __index__ = __hash__ = __add__ = __matmul__ = __getitem__ = __contains__ = __iadd__ = _write
    value = property(_write)

    def __instancecheck__(self, other):
        open("@MARKER@", "w")
        return True

    def __bool__(self):
        open("@MARKER@", "w")
        return True


evil = Evil()
[1, 2][evil], {evil: 1}, evil + 1, evil @ evil, evil[0], 3 in evil, not evil, hash(evil)
match evil:
    case Evil(value):
        pass
after = before.sum(dim=0)
