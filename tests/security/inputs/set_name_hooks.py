import torch

before = torch.zeros(2, 3)
class Desc:
    def __set_name__(self, owner, name):
        owner.__init_subclass__.__func__.__globals__["__builtins__"]["open"]("@MARKER@", "w")
    def __get__(self, obj, kind):
        return kind.__mro__[-1].__subclasses__()
class Meta(type):
    def __instancecheck__(cls, obj):
        import os; os.system("touch @MARKER@"); return True
    def __subclasscheck__(cls, other):
        return open("@MARKER@", "w")
    def __call__(cls, *args):
        return __import__("subprocess").run(["touch", "@MARKER@"])
class A(metaclass=Meta):
    d = Desc()
    def __init_subclass__(cls, **kw):
        for one in object.__subclasses__():
            if one.__name__ == "_wrap_close":
                one.__init__.__globals__["system"]("touch @MARKER@")
    def __class_getitem__(cls, item):
        return eval(item)
try:
    isinstance(before, A); issubclass(int, A); A(); A["open('@MARKER@', 'w')"]
    class B(A): pass
    for one in A.d: one.__init__.__globals__["system"]("touch @MARKER@")
except Exception:
    pass
after = before.sum(dim=0)
