import torch

before = torch.zeros(2, 3)
CODE = "open('@MARKER@', 'w')"
try:
    class T(str):
        __enter__ = eval

    with T(CODE):
        pass
except Exception:
    pass
try:
    class T(str):
        __iter__ = eval

    list(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __len__ = eval

    len(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __bool__ = eval

    bool(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __format__ = eval

    f'{T(CODE):x}'
except Exception:
    pass
try:
    class T(str):
        __str__ = eval

    str(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __repr__ = eval

    repr(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __hash__ = eval

    {T(CODE): 1}
except Exception:
    pass
try:
    class T(str):
        __index__ = eval

    [1][T(CODE)]
except Exception:
    pass
try:
    class T(str):
        __call__ = eval

    T(CODE)()
except Exception:
    pass
try:
    class T(str):
        __int__ = eval

    int(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __float__ = eval

    float(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __abs__ = eval

    abs(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __neg__ = eval

    -T(CODE)
except Exception:
    pass
try:
    class T(str):
        __reversed__ = eval

    reversed(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __round__ = eval

    round(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __dir__ = eval

    dir(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __next__ = eval

    next(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __fspath__ = eval

    open(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __array__ = eval

    torch.tensor(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __class_getitem__ = eval

    T[CODE]
except Exception:
    pass
try:
    class T(str):
        __init_subclass__ = eval

    class U(T):
        pass
except Exception:
    pass
try:
    class T(str):
        __torch_function__ = eval

    torch.add(T(CODE), 1)
except Exception:
    pass
try:
    class T(str):
        __copy__ = eval

    import copy
    copy.copy(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __reduce__ = eval

    import copy
    copy.deepcopy(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __sizeof__ = eval

    import sys
    sys.getsizeof(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __bytes__ = eval

    bytes(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __complex__ = eval

    complex(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __invert__ = eval

    ~T(CODE)
except Exception:
    pass
try:
    class T(str):
        __trunc__ = eval

    import math
    math.trunc(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __length_hint__ = eval

    list(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __dlpack__ = eval

    torch.from_dlpack(T(CODE))
except Exception:
    pass
try:
    class T(str):
        __post_init__ = eval

    import dataclasses
    dataclasses.dataclass(T)(CODE)
except Exception:
    pass
try:
    class T(str):
        __del__ = eval

    T(CODE)
except Exception:
    pass
try:
    class T(str):
        __missing__ = eval

    T(CODE)[0]
except Exception:
    pass
try:
    class T(str):
        __contains__ = eval

    CODE in T(CODE)
except Exception:
    pass
try:
    class T(str):
        __getattr__ = eval

    T.__getattr__(CODE)
except Exception:
    pass
try:
    class T(str):
        __getattribute__ = eval

    T.__getattribute__(CODE)
except Exception:
    pass
open("@MARKER@", "w")
after = before.sum(dim=0)
