s = "Hello, World"
texts = (
    s.lower(),
    s.upper(),
    s.split(", "),
    s.replace("l", "L"),
    s.find("o"),
    s.rfind("o"),
    s.count("l"),
    s.index("W"),
    s[::-1],
    s[1:5],
    s[-3:],
    s.startswith(("He", "x")),
    s.endswith("d"),
    s.center(20, "*"),
    s.ljust(15) + "|",
    "7".zfill(3),
    " x ".strip(),
    "xxaxx".strip("x"),
    "a,b,,c".split(","),
    "a b  c".split(),
    "a-b-c".rsplit("-", 1),
    "a=b".partition("="),
    ",".join(["a", "b"]),
    "abc".isalpha(),
    "12".isdigit(),
    "aB".swapcase(),
    "a b".title(),
    "x".join("abc"),
    "ab" * 3,
    "l1\nl2".splitlines(),
    "tEST".capitalize(),
    "abc".translate(str.maketrans("ab", "xy")),
    "pre_x".removeprefix("pre_"),
    "x.pt".removesuffix(".pt"),
    ord("a"),
    chr(98),
    "a" < "b",
    "é".encode(),
    b"ab".decode(),
    "%d-%s-%.2f" % (1, "a", 2.5),
    "%(a)s" % {"a": 1},
    "%5d|%-5s|%05.1f|%x" % (3, "a", 2.25, 255),
    "{} {}".format(1, "b"),
    "{1}{0}".format("a", "b"),
    "{a:>5}|{b:.3f}|{c:,}".format(a="x", b=1.0, c=1234567),
    f"{3.14159:.2f}|{42:05d}|{'x':>4}|{1e-4:.0e}|{0.5:%}|{10:b}|{True}|{None}",
    f"{s!r} {1 + 1=} {'a' if s else 'b'}",
    f"{7:{3}d}",
    f"{2.0}",
    str(1.0),
    str([1, "a"]),
    repr("q'"),
    str((1,)),
    str({"a": 1}),
    str(None),
    f"{[1, 2]}",
    "a\tb".expandtabs(4),
    "abc".find("z"),
    max("abc"),
    "".join(sorted("hello")),
    "abcabc".replace("b", "", 1),
    "%s" % [1],
    "100%",
    "%d%%" % 5,
)
l = [3, 1, 2]
l2 = l.copy()
l2.sort(reverse=True)
l.append(5)
l.extend([6, 7])
l.insert(0, 9)
popped = l.pop(), l.pop(0)
l.remove(1)
lists = (
    l,
    l2,
    sorted(["bb", "a", "ccc"], key=len),
    sorted(l, reverse=True),
    l.index(2),
    l.count(3),
    [1] + [2],
    [0] * 3,
    list(range(10))[1:8:3],
    list(range(5))[::-1],
    list(reversed([1, 2])),
    [*range(3)],
    [[0] * 2 for _ in range(2)],
    sum([[1], [2]], []),
    min(l),
    max(l, key=lambda x: -x),
    list(zip([1, 2], "ab")),
    list(zip(*[(1, "a"), (2, "b")])),
    list(enumerate("ab", 1)),
    list(map(str, [1, 2])),
    list(map(lambda a, b: a + b, [1, 2], [3, 4])),
    list(filter(None, [0, 1, 2])),
    any([0, 1]),
    all([]),
    sum(x * x for x in range(4)),
    [(i, j) for i in range(3) for j in range(i)],
    [x if x % 2 else -x for x in range(4)],
    [y for x in [[1, 2], [3]] for y in x if y != 2],
    [1, 2] == [1, 2],
    [1, 2] < [1, 3],
    2 in [1, 2],
    list(range(10, 0, -3)),
    len(range(0, 10, 3)),
    range(5)[2],
    3 in range(5),
    tuple([1, 2]) + (3,),
    (1, 2) * 2,
    list("abc"),
    [i for i in range(20) if i % 3 == 0 if i % 2],
)
try:
    list(zip([1], [1, 2], strict=True))
    strict = "ok"
except ValueError:
    strict = "ValueError"
d = {"a": 1, "b": 2}
d.update(c=3)
d.setdefault("e", []).append(1)
pop = d.pop("b"), d.pop("zz", None)
dicts = (
    d,
    list(d),
    list(d.keys()),
    list(d.values()),
    list(d.items()),
    d.get("x"),
    d.get("x", 5),
    {v: k for k, v in {"a": 1}.items()},
    "a" in d,
    len(d),
    dict([("x", 1)]),
    dict(zip("ab", [1, 2])),
    dict.fromkeys("ab", 0),
    {"a": 1} | {"b": 2},
    sorted({"b": 1, "a": 2}.items(), key=lambda kv: kv[1]),
    max({"a": 1, "b": 5}.items(), key=lambda kv: kv[1]),
    {"a": 1, "z": 0},
    {(1, 2): "t"}[1, 2],
    {k: [] for k in "ab"},
    list({"a": 1, "b": 2}.items())[0],
    next(iter({"q": 1})),
    {1: "a"} == {1: "a"},
)
d2 = dict(d)
d2["a"] = 100
d_same = d["a"]
st = {1, 2}
st.add(3)
st.discard(1)
sets = (
    st,
    {1, 2} | {5},
    {1} & {1, 2},
    frozenset([1]) | {2},
    {1, 2}.issubset({1, 2, 3}),
    len(set("hello")),
    sorted(set([3, 1, 3])),
    {x % 3 for x in range(9)},
    set() or "empty",
)
numbers = (
    1 / 3,
    7 // 2,
    -7 // 2,
    -7 % 3,
    2**0.5,
    float("inf") == 1e308 * 10,
    0.1 + 0.2,
    round(-2.5),
    round(1234.5678, -2),
    int("0b11", 0),
    bin(5),
    hex(255),
    oct(8),
    (3).bit_length(),
    (2.5).is_integer(),
    float("nan") != float("nan"),
    (5).__class__.__name__,
    True + True,
    isinstance(True, int),
    complex(1, 2) * 2,
    divmod(7.5, 2),
    10**20,
    -(2**63),
    3.0 == 3,
    int(1e10),
    float(5),
    min(1, 2.5),
    sum([0.1] * 3),
    abs(-2.5),
    pow(3, 2),
    hash(1),
    7 & 0b101,
    1 if 0.0 else 2,
    max([1, 5], [2]),
    (1 + 2j).imag,
    int(True),
    1_0,
    ~0,
    round(0.5),
    round(1.5),
    5 % -3,
    -5 // -3,
    2**-2,
)
nested = {"a": [1, {"b": (2, 3)}]}
deep = nested["a"][1]["b"][0]
nested["a"][1]["c"] = nested["a"]
alias = a = [1]
b = a
b += [2]
aliases = (a, alias is b)
t = (1, [2])
t[1].append(3)
sl = slice(1, 3)
by_slice = [0, 1, 2, 3][sl]
multi = [[1, 2], [3, 4]]
cols = [list(c) for c in zip(*multi)]
(x0, y0), (x1, y1) = multi
matrix = [[i * j for j in range(3)] for i in range(3)]
diag = [matrix[i][i] for i in range(len(matrix))]
acc = {}
for w in "the cat the dog the end".split():
    acc[w] = acc.get(w, 0) + 1
top = sorted(acc.items(), key=lambda kv: (-kv[1], kv[0]))[:2]
byt = bytes([1, 2, 3])
bytes_ = (byt[0], len(byt), byt[1:], bytearray(b"ab") + b"c", list(b"ab"))
it = iter([1, 2, 3])
nx = next(it), list(it), next(it, None)
cond = [("fizz" * (i % 3 == 0) + "buzz" * (i % 5 == 0)) or i for i in range(1, 16)]
e = 5 if not None else 6
unpack = [*"ab", *{"k": 1}, *(1, 2)]
sorted_multi = sorted([(1, "b"), (1, "a"), (0, "z")])
trues = (1 == 1.0, "1" == 1, None == 0, [] == (), {1: 2} != {1: 3}, (1, 2) < (1, 2, 0))
