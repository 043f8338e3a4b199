import functools


def positional(a, b, /, c, d=4, *args, e, f=6, **kwargs):
    return (a, b, c, d, args, e, f, kwargs)


p1 = positional(1, 2, 3, e=5)
p2 = positional(1, 2, 3, 40, 50, 60, e=5, f=7, g=8, a=9)
p3 = positional(*[1, 2], c=3, e=5, z=1)
p4 = positional(1, *(2, 3), *[4, 5], e=0, k=1)
try:
    positional(1, 2, 3)
    missing = "ok"
except TypeError:
    missing = "TypeError"
try:
    positional(1, 2, c=3, e=1, b=3)
    b_kw = "ok"
except TypeError:
    b_kw = "TypeError"


def mutable(x, acc=[]):
    acc.append(x)
    return acc


mutable(1)
m2 = list(mutable(2))


def counter(start=0):
    n = start

    def step(k=1):
        nonlocal n
        n += k
        return n

    def reset():
        nonlocal n
        n = 0

    return step, reset


step, reset = counter(10)
c = [step(), step(5), reset(), step()]
fs = [lambda: i for i in range(3)]
late = [f() for f in fs]
fs2 = [lambda i=i: i for i in range(3)]
early = [f() for f in fs2]

total = 0


def bump(k):
    global total, made_here
    total += k
    made_here = k * 2
    return total


bumped = [bump(1), bump(2)]


def deco(times, *, offset=0):
    def wrap(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            inner.calls += 1
            return f(*args, **kwargs) * times + offset

        inner.calls = 0
        return inner

    return wrap


@deco(3, offset=1)
@deco(2)
def base(x):
    """doc"""
    return x


d = (base(5), base(1), base.calls, base.__name__, base.__doc__)


class CountCalls:
    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f = f
        self.n = 0

    def __call__(self, *a):
        self.n += 1
        return self.f(*a)


@CountCalls
def hello(x):
    return x + 1


h = (hello(1), hello(2), hello.n)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


fibs = [fib(i) for i in range(12)]


@functools.cache
def fibc(n):
    return n if n < 2 else fibc(n - 1) + fibc(n - 2)


f30 = fibc(14)


def gen(n):
    for i in range(n):
        got = yield i
        if got:
            yield got * 100
    return "done"


def outer():
    result = yield from gen(2)
    yield result


g = gen(3)
sent = [next(g), g.send(5), next(g)]
outs = list(outer())


def chunks(xs, n):
    for i in range(0, len(xs), n):
        yield xs[i : i + n]


chunked = list(chunks(list(range(7)), 3))


def evens():
    n = 0
    while True:
        yield n
        n += 2


def take(it, k):
    out = []
    for x in it:
        if len(out) == k:
            break
        out.append(x)
    return out


taken = take(evens(), 4)
ge = evens()
firsts = [next(ge) for _ in range(3)]


def flatten(x):
    if isinstance(x, (list, tuple)):
        for i in x:
            yield from flatten(i)
    else:
        yield x


flat = list(flatten([1, [2, (3, [4])], 5]))


def trygen():
    try:
        yield 1
        yield 2
    finally:
        cleanup.append("closed")


cleanup = []
tg = trygen()
next(tg)
tg.close()


def early_return(x):
    for i in range(10):
        if i == x:
            return i * 10
    else:
        return -1


er = (early_return(3), early_return(30))


def finals(k):
    out = []
    for i in range(4):
        try:
            if i == 1:
                continue
            if i == k:
                break
            out.append(i)
        except ValueError:
            out.append("no")
        else:
            out.append("else")
        finally:
            out.append(f"f{i}")
    return out


fin = finals(3)


def ret_finally():
    try:
        return "try"
    finally:
        cleanup.append("finally")


rf = ret_finally()


def override():
    try:
        raise ValueError("x")
    except ValueError:
        return "except"
    finally:
        return "finally"


ov = override()


def nested_err():
    try:
        try:
            raise KeyError("k")
        except KeyError as e:
            raise RuntimeError("wrapped") from e
    except RuntimeError as e:
        return (str(e), type(e.__cause__).__name__)


def reraise():
    try:
        try:
            raise KeyError("k")
        except KeyError:
            raise
    except (ValueError, KeyError) as e:
        return type(e).__name__


rr = reraise()
compose = lambda *fs: functools.reduce(lambda f, g: lambda x: g(f(x)), fs)
comp = compose(lambda x: x + 1, lambda x: x * 2)(3)
part = functools.partial(positional, 1, 2, e=9)
pa = part(3, f=1)
pmap = list(map(functools.partial(pow, 2), range(4)))


def attr():
    attr.n = getattr(attr, "n", 0) + 1
    return attr.n


at = [attr(), attr()]


def walrus(xs):
    if (n := len(xs)) > 2:
        return n
    return -n


wl = (walrus([1, 2, 3]), walrus([]), [y := 1, y**2], y)
comp_walrus = [last := x for x in range(4)]
kw = dict(a=1, b=2)


def defaults(a, b=len("abc"), *, c=[1, 2][-1]):
    return a + b + c


df = defaults(1)


def swap(a, b):
    a, b = b, a
    (a, [b, *rest]) = a, [b, 1, 2]
    return a, b, rest


sw = swap(1, 2)
x = y = z = []
x.append(1)
same = (y, z is x)
i, j = 0, [0, 0]
i, j[i] = 1, 5
it = iter([1, 2, 3, 0, 9])
until = list(iter(lambda: next(it), 0))


@functools.singledispatch
def show(x):
    return "object"


@show.register(int)
def _(x):
    return "int"


@show.register(list)
def _(x):
    return "list"


sd = (show(1), show([]), show("s"), show(True))


def kwonly(*, a, b=2):
    return a, b


ko = kwonly(a=1)
names = (kwonly.__name__, (lambda: 0).__name__)


def rec_default(n, memo={}):
    if n in memo:
        return memo[n]
    memo[n] = 1 if n < 2 else n * rec_default(n - 1)
    return memo[n]


rd = rec_default(10)
