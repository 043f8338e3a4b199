import bisect
import cmath
import collections
import contextlib
import copy
import dataclasses
import functools
import heapq
import itertools
import json
import math
import operator
import os
import re
import statistics
import string
import textwrap
import types
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from dataclasses import InitVar, asdict, astuple, dataclass, field, fields, replace
from enum import Enum, Flag, IntEnum, auto
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import (
    TYPE_CHECKING,
    ClassVar,
    Final,
    Generic,
    NamedTuple,
    Protocol,
    TypedDict,
    TypeVar,
    Union,
    cast,
    overload,
    runtime_checkable,
)

c = Counter("abracadabra")
c.update("aab")
c["z"] += 2
counter = (
    c.most_common(2),
    c["a"],
    c["q"],
    sum(c.values()),
    sorted((Counter("ab") + Counter("bc")).items()),
    len(c),
    dict(Counter([1, 1, 2])),
)
dd = defaultdict(list)
for i, w in enumerate(["a", "b", "a"]):
    dd[w].append(i)
dl = defaultdict(lambda: defaultdict(int))
dl["x"]["y"] += 1
dds = (dict(dd), dl["x"]["y"], dl["n"]["m"], len(dl), dd.get("zz"), "zz" in dd)
dq = deque([1, 2, 3], maxlen=3)
dq.append(4)
dq.appendleft(0)
dqs = (list(dq), dq[0], len(dq), dq.maxlen)
dq.rotate(1)
dq2 = list(dq)
od = OrderedDict([("b", 1), ("a", 2)])
od.move_to_end("b")
ods = list(od.items()), od.popitem(last=False)
cm = ChainMap({"a": 1}, {"a": 2, "b": 3})
cms = cm["a"], cm["b"], len(cm)
P = namedtuple("P", "x y", defaults=[5])
p = P(1)
ps = (p.x, p.y, p._replace(x=9), p._asdict(), P._fields, p + (1,), p == (1, 5), [*p])


class NT(NamedTuple):
    a: int
    b: str = "d"

    def twice(self):
        return self.a * 2


nts = (NT(3).twice(), NT(1).b, NT(1, b="z"), len(NT(1)))


@dataclass
class Base:
    a: int
    b: float = 2.0
    c: list[int] = field(default_factory=list)
    k: ClassVar[int] = 7

    def total(self):
        return self.a + self.b + sum(self.c)


@dataclass(order=True)
class Child(Base):
    d: str = "x"
    e: int | None = field(default=None, repr=False, compare=False)
    seed: InitVar[int] = 3

    def __post_init__(self, seed):
        self.computed = self.a * seed


@dataclass(frozen=True, eq=True)
class Frozen:
    x: int = 1


ch = Child(1, c=[1, 2], seed=10)
dcs = (
    ch.total(),
    ch.computed,
    ch.d,
    asdict(Base(1)),
    astuple(Base(1, c=[3])),
    [f.name for f in fields(Child)],
    replace(Frozen(), x=5).x,
    Base(1) == Base(1),
    Child(1) < Child(2),
    len({Frozen(), Frozen(1)}),
    Base.k,
    dataclasses.is_dataclass(ch),
    Base(1).c is not Base(1).c,
    ch.e,
)
try:
    Frozen().x = 3
    frozen = "set"
except dataclasses.FrozenInstanceError:
    frozen = "refused"


@dataclass
class KW:
    x: int
    _: dataclasses.KW_ONLY
    y: int = 2


kwo = KW(1, y=5).y


class Color(Enum):
    RED = 1
    GREEN = auto()
    BLUE = auto()

    @property
    def low(self):
        return self.name.lower()

    @classmethod
    def default(cls):
        return cls.GREEN


class Level(IntEnum):
    LOW = 1
    HIGH = 10


class Perm(Flag):
    R = auto()
    W = auto()


class Mode(str, Enum):
    TRAIN = "train"
    EVAL = "eval"


enums = (
    Color.RED.value,
    Color.GREEN.name,
    Color(3).name,
    Color["RED"].value,
    [m.name for m in Color],
    len(Color),
    Color.RED.low,
    Color.default().value,
    Level.HIGH > 5,
    Level.LOW + 1,
    (Perm.R | Perm.W).value,
    Perm.R in (Perm.R | Perm.W),
    Mode("eval").value,
    Mode.TRAIN == "train",
    Color.RED is Color.RED,
    Color.RED == Color.GREEN,
    list(Color.__members__),
    isinstance(Color.RED, Color),
    {Color.RED: 1}[Color.RED],
)
its = (
    list(itertools.chain([1], [2, 3])),
    list(itertools.islice(itertools.count(5), 3)),
    list(itertools.product("ab", [1, 2])),
    list(itertools.permutations([1, 2, 3], 2)),
    list(itertools.combinations("abc", 2)),
    list(itertools.accumulate([1, 2, 3])),
    list(itertools.accumulate([1, 2, 3], operator.mul)),
    list(itertools.repeat(1, 3)),
    [(k, list(g)) for k, g in itertools.groupby("aabbb")],
    list(itertools.zip_longest([1], [2, 3], fillvalue=0)),
    list(itertools.takewhile(lambda x: x < 3, [1, 2, 3, 1])),
    list(itertools.dropwhile(lambda x: x < 3, [1, 2, 3, 1])),
    list(itertools.starmap(pow, [(2, 3)])),
    list(itertools.compress("abc", [1, 0, 1])),
    list(itertools.filterfalse(None, [0, 1])),
    list(itertools.chain.from_iterable([[1], [2]])),
    list(itertools.combinations_with_replacement([1, 2], 2)),
    [next(t) for t in itertools.tee([1, 2])],
    list(itertools.pairwise([1, 2, 3])),
    [a for a, _ in zip(itertools.cycle([1, 2]), range(3))],
)
maths = (
    math.sqrt(16),
    math.ceil(2.1),
    math.floor(-2.1),
    math.log(8, 2),
    math.log2(8),
    math.pi,
    math.inf,
    math.prod([2, 3]),
    math.gcd(12, 18),
    math.comb(5, 2),
    math.isclose(1, 1 + 1e-12),
    math.hypot(3, 4),
    math.exp(0),
    math.fsum([0.1] * 10),
    math.trunc(2.7),
    math.isnan(math.nan),
    math.factorial(5),
    math.radians(180),
    math.cos(0),
    math.lcm(2, 3) if hasattr(math, "lcm") else 6,
    math.isqrt(10),
    math.copysign(1, -2),
    cmath.sqrt(-1),
)
ops = (
    operator.add(1, 2),
    operator.itemgetter(1)([5, 6]),
    operator.attrgetter("x")(p),
    sorted([P(2), P(1)], key=operator.attrgetter("x"))[0].x,
    operator.methodcaller("upper")("a"),
    functools.reduce(operator.mul, [1, 2, 3, 4]),
    max({"a": 1, "b": 3}.items(), key=operator.itemgetter(1))[0],
)
h = [5, 1, 4]
heapq.heapify(h)
heapq.heappush(h, 0)
hp = (heapq.heappop(h), heapq.nlargest(2, [1, 5, 3]), heapq.heappop(h), len(h))
arr = [1, 3, 5]
bisect.insort(arr, 4)
bs = (arr, bisect.bisect(arr, 3), bisect.bisect_left(arr, 3))
st = (statistics.mean([1, 2, 3]), statistics.median([3, 1, 2]))
js = (json.dumps({"a": [1, 2.5, None, True]}), json.loads('{"x": {"y": [1, 2]}}')["x"]["y"], json.dumps("q"))
res = (
    re.sub(r"\d+", "#", "a1b22"),
    re.findall(r"(\w)(\d)", "a1 b2"),
    re.match(r"(?P<name>\w+)-(\d+)", "net-50").group("name"),
    re.split(r"[,;]\s*", "a, b;c"),
    bool(re.search("z", "abc")),
    re.compile(r"\s+").sub(" ", "a  b \n c"),
    [m.start() for m in re.finditer("a", "banana")],
    re.match(r"(\d+)x(\d+)", "3x4").groups(),
    re.fullmatch("a+", "aaa") is not None,
    re.sub(r"(\w+)", lambda m: m.group(1).upper(), "ab cd"),
    re.escape("a.b"),
    re.findall(r"[A-Z]", "aBcD", flags=re.I),
    re.subn("a", "b", "aa"),
    re.match("x", "y"),
)
m = re.match(r"(\d+)x(\d+)", "30x40")
dims = tuple(int(g) for g in m.groups())
paths = (
    os.path.join("a", "b", "c.txt"),
    os.path.basename("/x/y.pt"),
    os.path.splitext("m.tar.gz"),
    os.path.dirname("/a/b"),
    str(Path("a") / "b" / "c.py"),
    Path("a/b.tar").stem,
    Path("a/b.tar").suffix,
    Path("a/b").parent.name,
    Path("a/b").parts,
    str(Path("x.py").with_suffix(".pt")),
    os.path.split("a/b"),
    os.path.isabs("/a"),
    PurePosixPath("/a/b").name,
    f"{Path('a')}/z",
    Path("a") == Path("a"),
    os.sep,
)
txt = (
    string.ascii_lowercase[:3],
    string.digits,
    textwrap.dedent("  a\n  b"),
    textwrap.shorten("hello big world", 10),
)
ns = types.SimpleNamespace(a=1, b=[2])
ns.c = 3
nss = (ns.a, ns.c, sorted(vars(ns)), getattr(ns, "zz", 0))


@contextlib.contextmanager
def managed(n):
    order.append("enter")
    try:
        yield n * 2
    finally:
        order.append("exit")


order = []
with managed(4) as got:
    order.append(got)
with contextlib.ExitStack() as stack:
    e1 = stack.enter_context(managed(1))
    stack.callback(order.append, "cb")
with contextlib.suppress(KeyError, ValueError):
    order.append("before")
    {}["k"]
    order.append("not")
try:
    with managed(1):
        raise ValueError("in with")
except ValueError:
    order.append("caught")
deco_order = []


@managed(1)
def decorated():
    deco_order.append("run")
    return 5


decorated_value = decorated()
orig = {"a": [1, 2], "b": P(1, [2])}
sh, dp = copy.copy(orig), copy.deepcopy(orig)
sh["a"].append(3)
dp["a"].append(4)
copies = (orig["a"], dp["a"], dp["b"].y is orig["b"].y)
obj = copy.deepcopy(ch)
obj.c.append(9)
copies2 = (ch.c, obj.c, type(obj).__name__)
T = TypeVar("T")
K = TypeVar("K", bound="Base")


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []

    def push(self, item: T) -> "Stack[T]":
        self.items.append(item)
        return self


stk = Stack[int]().push(1).push(2).items


class Opts(TypedDict, total=False):
    lr: float


opts: Opts = {"lr": 0.1}
opts2 = Opts(lr=0.5)


@runtime_checkable
class HasArea(Protocol):
    def area(self) -> float: ...


class Sq:
    def area(self):
        return 4


protos = isinstance(Sq(), HasArea), isinstance(3, HasArea)
X: Final = 3
casted = cast(int, "5")


@overload
def ov(x: int) -> int: ...
@overload
def ov(x: str) -> str: ...
def ov(x):
    return x * 2


ovs = ov(2), ov("a")
Alias = Union[int, str]
Fn = Callable[[int], int]
gen_alias = list[int], dict[str, int]
if TYPE_CHECKING:
    pass
fr = Fraction(1, 3) + Fraction(1, 6)
frs = (fr.numerator, fr.denominator)


class Temp(collections.UserDict):
    pass


t = Temp(a=1)
ud = t["a"], len(t)


class Maps(collections.abc.Mapping):
    def __init__(self, d):
        self.d = d

    def __getitem__(self, k):
        return self.d[k]

    def __iter__(self):
        return iter(self.d)

    def __len__(self):
        return len(self.d)


mp = Maps({"a": 1, "b": 2})
mps = (dict(mp), mp.get("z", 3), list(mp.items()), "a" in mp, isinstance(mp, collections.abc.Mapping), {**mp})
env = os.environ.get("SOME_VAR_OF_THIS_FILE", "5")
os.environ["MINE"] = "x"
env2 = os.environ["MINE"], "MINE" in os.environ
