import abc
import functools
from abc import ABC, ABCMeta, abstractmethod


class A:
    count = 0
    tags = []

    def __init__(self, n=1):
        self.n = n
        A.count += 1
        type(self).tags.append(n)

    def who(self):
        return "A"

    def chain(self):
        return ["A"]

    @property
    def double(self):
        return self.n * 2

    @double.setter
    def double(self, value):
        self.n = value // 2

    @double.deleter
    def double(self):
        self.n = 0

    @staticmethod
    def add(a, b=10):
        return a + b

    @classmethod
    def make(cls, *args, **kwargs):
        return cls(*args, **kwargs)

    def __repr__(self):
        return f"{type(self).__name__}({self.n})"


class B(A):
    def who(self):
        return "B" + super().who()

    def chain(self):
        return ["B"] + super().chain()


class C(A):
    def who(self):
        return "C" + super().who()

    def chain(self):
        return ["C"] + super().chain()


class D(B, C):
    def __init__(self, n, extra=None, *rest):
        super().__init__(n)
        self.extra = extra
        self.rest = rest

    def who(self):
        return "D" + super().who()

    def chain(self):
        return ["D"] + super().chain()

    @classmethod
    def make(cls, n):
        return super().make(n + 1)

    @property
    def double(self):
        return super().double + 1


d = D(3, "x", 4, 5)
who, chain = d.who(), d.chain()
made = D.make(6)
made_n, made_kind = made.n, type(made).__name__
extra, rest = d.extra, d.rest
double = d.double
a = A(5)
a.double = 8
a_n = a.n
del a.double
a_after = a.n
added = (A.add(1), d.add(1, 2), A.make(n=7).n)
count, tags = A.count, A.tags
text = repr(d) + str(a) + f"{made} {made!r}"
inst = (isinstance(d, A), issubclass(D, C), isinstance(a, D))


class Vec:
    def __init__(self, *xs):
        self.xs = list(xs)

    def __len__(self):
        return len(self.xs)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return Vec(*self.xs[i])
        return self.xs[i]

    def __setitem__(self, i, v):
        self.xs[i] = v

    def __delitem__(self, i):
        del self.xs[i]

    def __iter__(self):
        return iter(self.xs)

    def __contains__(self, v):
        return v in self.xs

    def __add__(self, other):
        if isinstance(other, Vec):
            return Vec(*[a + b for a, b in zip(self, other)])
        return Vec(*[a + other for a in self])

    __radd__ = __add__

    def __mul__(self, k):
        return Vec(*[x * k for x in self])

    def __rmul__(self, k):
        return self * k

    def __matmul__(self, other):
        return sum(a * b for a, b in zip(self, other))

    def __neg__(self):
        return Vec(*[-x for x in self])

    def __iadd__(self, k):
        self.xs = [x + k for x in self.xs]
        return self

    def __eq__(self, other):
        return isinstance(other, Vec) and self.xs == other.xs

    def __hash__(self):
        return hash(tuple(self.xs))

    def __lt__(self, other):
        return sum(self.xs) < sum(other.xs)

    def __bool__(self):
        return any(self.xs)

    def __call__(self, f):
        return Vec(*map(f, self))

    def __reversed__(self):
        return reversed(self.xs)

    def __abs__(self):
        return sum(abs(x) for x in self)

    def __index__(self):
        return len(self)

    def __float__(self):
        return 0.5


v, w = Vec(1, 2, 3), Vec(4, 5, 6)
v_len, v_item, v_slice, v_last = len(v), v[1], v[1:].xs, v[-1]
v_in, v_not = 2 in v, 9 not in v
v_sum, v_rsum, v_mul, v_rmul, v_dot = (v + w).xs, (10 + v).xs, (v * 2).xs, (3 * v).xs, v @ w
v_neg, v_abs = (-v).xs, abs(Vec(-1, 2))
v += 1
v_iadd = v.xs
v[0] = 100
del v[1]
v_set = list(v)
v_eq = (Vec(1) == Vec(1), Vec(1) != Vec(2), Vec(1) == 3)
v_hash = len({Vec(1), Vec(1), Vec(2)})
v_sorted = [x.xs for x in sorted([Vec(3), Vec(1), Vec(2)])]
v_max = max(Vec(3), Vec(9)).xs
v_bool = [bool(Vec(0)), bool(Vec(1)), not Vec()]
v_call = Vec(1, 2)(lambda x: x * 10).xs
v_rev = list(reversed(Vec(1, 2, 3)))
v_index = [10, 20, 30][Vec(1)]
v_float = float(Vec(1))
first, *others = Vec(7, 8, 9)
v_star = [*Vec(1, 2), *Vec(3)]
if Vec(0):
    branch = "full"
else:
    branch = "empty"


class Lazy:
    known = 1

    def __init__(self):
        self.asked = []

    def __getattr__(self, name):
        if name.startswith("x_"):
            self.asked.append(name)
            return len(name)
        raise AttributeError(name)

    def __setattr__(self, name, value):
        if name == "limited":
            value = min(value, 10)
        super().__setattr__(name, value)


lazy = Lazy()
lazy_values = (
    lazy.x_abc,
    lazy.known,
    getattr(lazy, "nope", "default"),
    hasattr(lazy, "x_1"),
    hasattr(lazy, "y"),
)
lazy.limited = 99
lazy_limited, lazy_asked = lazy.limited, lazy.asked


class Typed:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.name, 0) * 2

    def __set__(self, instance, value):
        setattr(instance, self.name, value)


class Holder:
    size = Typed()
    width = Typed()


holder = Holder()
holder.size = 21
descriptor = (holder.size, holder.width, isinstance(Holder.size, Typed))


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a, self.b = 1, 2


slotted = Slotted()
slotted.a += 5
slot_sum = slotted.a + slotted.b
try:
    slotted.c = 3
    slot_error = False
except AttributeError:
    slot_error = True


class Meta(type):
    made = []

    def __new__(mcs, name, bases, namespace, **options):
        namespace["token"] = name.lower()
        cls = super().__new__(mcs, name, bases, namespace)
        mcs.made.append(name)
        return cls

    def __init__(cls, name, bases, namespace, **options):
        super().__init__(name, bases, namespace)
        cls.options = options

    def __len__(cls):
        return len(cls.token)

    @property
    def shout(cls):
        return cls.token.upper()


class WithMeta(metaclass=Meta, flavour="sweet"):
    pass


class Sub(WithMeta):
    pass


meta = (Meta.made, WithMeta.token, Sub.token, WithMeta.options, len(Sub), Sub.shout)


class Plugin:
    registry = {}

    def __init_subclass__(cls, /, key=None, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.registry[key or cls.__name__] = cls


class P1(Plugin, key="one"):
    value = 1


class P2(Plugin):
    value = 2


plugins = {k: c.value for k, c in Plugin.registry.items()}


class Box:
    def __class_getitem__(cls, item):
        return (cls.__name__, item)


box = Box[3]


class Shape(ABC):
    @abstractmethod
    def area(self): ...

    @property
    @abstractmethod
    def name(self): ...

    def describe(self):
        return f"{self.name}:{self.area()}"


class Square(Shape):
    name = "square"

    def __init__(self, s):
        self.s = s

    def area(self):
        return self.s**2


described = Square(3).describe()
try:
    Shape()
    abstract = "made"
except TypeError:
    abstract = "refused"


class Interface(metaclass=ABCMeta):
    @abc.abstractmethod
    def go(self):
        return 1


class Impl(Interface):
    def go(self):
        return super().go() + 1


go = Impl().go()


class Counter:
    total = 0

    def __init__(self):
        Counter.total += 1
        self.__secret = Counter.total

    def secret(self):
        return self.__secret


secrets = [Counter().secret() for _ in range(3)]
mangled = Counter()._Counter__secret


class Above:
    def __init__(self):
        self.left = [self.__width(), self.__scaled(3), self.__made]

    def __width(self):
        return 2

    @staticmethod
    def __scaled(n):
        return n * 10

    @property
    def __made(self):
        __count = 1

        def __inner(n):
            nonlocal __count
            __count += n
            return [__count for __k in range(2)]

        return __inner(4)


class _Below(Above):
    def __init__(self):
        super().__init__()
        self.right = [self.__width(), [self.__width() for _ in range(2)]]

    def __width(self):
        return 7


private = [_Below().left, _Below().right, hasattr(_Below(), "__width"), _Below()._Below__width()]


class Outer:
    factor = 3

    class Inner:
        value = 5

    def use(self):
        return self.Inner.value * self.factor

    values = [factor for _ in range(2)] if False else [1]
    squares = [n * n for n in range(3)]


outer = (Outer().use(), Outer.Inner.value, Outer.squares)


@functools.total_ordering
class Version:
    def __init__(self, n):
        self.n = n

    def __eq__(self, o):
        return self.n == o.n

    def __lt__(self, o):
        return self.n < o.n


ordering = (Version(1) < Version(2), Version(2) >= Version(2), Version(3) > Version(1))


class Cached:
    calls = 0

    @functools.cached_property
    def value(self):
        Cached.calls += 1
        return 42


cached = Cached()
cached_values = (cached.value, cached.value, Cached.calls)


class Ctx:
    log = []

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, kind, value, tb):
        self.log.append(kind.__name__ if kind else "out")
        return kind is KeyError


with Ctx() as c1, Ctx():
    Ctx.log.append("body")
with Ctx():
    raise KeyError("x")
    Ctx.log.append("never")
ctx_log = Ctx.log


class Iter:
    def __init__(self, n):
        self.i, self.n = 0, n

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i


iterated = list(Iter(4))
nexts = (next(Iter(2)), next(Iter(0), "end"))
summed = sum(x for x in Iter(5))


class Dyn:
    pass


dyn = Dyn()
dyn.attr = 1
dyn.other = 2
Dyn.method = lambda self, k: self.attr + k
dyn_values = (dyn.method(5), dyn.other, sorted(vars(dyn)), dyn.__dict__["attr"])
delattr(dyn, "attr")
dyn_has = hasattr(dyn, "attr")
Made = type("Made", (A,), {"kind": 7, "m": lambda self: self.kind + self.n})
made_dynamic = (Made(1).m(), Made.__name__)


class MyList(list):
    def total(self):
        return sum(self)

    def append(self, x):
        super().append(x * 2)


ml = MyList([1, 2])
ml.append(3)
ml_values = (ml.total(), len(ml), ml[-1])


class MyDict(dict):
    def __missing__(self, key):
        return key * 2

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name)

    def __setattr__(self, name, value):
        self[name] = value


md = MyDict(a=1)
md.b = 5
md_values = (md["a"], md["zz"], md.a, md.b, len(md))


class Point(tuple):
    def __new__(cls, x, y):
        return super().__new__(cls, (x, y))

    x = property(lambda self: self[0])


pt = Point(3, 4)
pt_values = (pt.x, pt[1], len(pt))


class Err(ValueError):
    def __init__(self, code, msg="m"):
        super().__init__(msg)
        self.code = code


try:
    raise Err(404, "gone")
except Err as e:
    err = (e.code, str(e), e.args)
