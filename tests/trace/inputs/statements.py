import sys

log = []
for i in range(5):
    if i == 3:
        break
else:
    log.append("no break")
for i in range(2):
    pass
else:
    log.append("else")
last_i = i
n = 10
while n > 0:
    n -= 3
    if n == 4:
        continue
    log.append(n)
else:
    log.append("while else")
nested = []
for a in range(3):
    for b in range(3):
        if b == 2:
            continue
        if a == 2:
            break
        nested.append((a, b))


def classify(x):
    match x:
        case 0 | 1:
            return "small"
        case int(v) if v > 100:
            return f"big {v}"
        case int() | float():
            return "number"
        case str() as s:
            return "text " + s
        case []:
            return "empty"
        case [a]:
            return f"one {a}"
        case [a, b]:
            return f"two {a} {b}"
        case [a, *rest, z]:
            return f"many {a} {z} {len(rest)}"
        case {"kind": "circle", "r": r}:
            return f"circle {r}"
        case {"kind": k, **others}:
            return f"{k} {sorted(others)}"
        case None:
            return "none"
        case True:
            return "true"
        case Pt(x=0, y=y):
            return f"on y {y}"
        case Pt(px, py):
            return f"pt {px},{py}"
        case (1, 2), _:
            return "nested"
        case _:
            return "other"


class Pt:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


matched = [
    classify(v)
    for v in (
        0,
        500,
        3,
        2.5,
        "s",
        [],
        [9],
        [1, 2],
        (1, 2, 3, 4),
        {"kind": "circle", "r": 2},
        {"kind": "sq", "a": 1, "b": 2},
        None,
        Pt(0, 5),
        Pt(3, 4),
        object,
    )
]


class Color:
    RED = 1


match 1:
    case Color.RED:
        dotted = "red"
    case _:
        dotted = "no"
match [1, [2, 3]]:
    case [x, [y, z]] if x + y == z:
        deep = (x, y, z)
match "go north".split():
    case ["go", ("north" | "south") as way]:
        direction = way

try:
    int("x")
    parsed = True
except (TypeError, ValueError):
    parsed = False
else:
    parsed = None
finally:
    log.append("finally")
try:
    [][0]
except LookupError as e:
    kind = type(e).__name__
try:
    {}["a"]
except KeyError as e:
    key = e.args
try:
    1 / 0
except ZeroDivisionError:
    zero = "caught"
try:
    raise ValueError("a", 1)
except Exception as e:
    args = e.args
    text = str(e)
try:
    undefined_name
except NameError:
    name_error = True
try:
    object().nothing
except AttributeError:
    attr_error = True
try:
    assert 1 == 2, "message"
except AssertionError as e:
    assertion = str(e)
try:
    import surely_not_a_module_xyz

    has = True
except ImportError:
    has = False
try:
    sys.exit(3)
except SystemExit as e:
    code = e.code
caught = []
for bad in (ValueError, KeyError, SystemExit, KeyboardInterrupt):
    try:
        raise bad("x")
    except Exception:
        caught.append(bad.__name__)
    except BaseException:
        caught.append("base " + bad.__name__)


def f():
    try:
        raise ValueError
    except KeyError:
        return 1
    finally:
        log.append("passing")


try:
    f()
except ValueError:
    log.append("outer")
a = b = 1
a += 1
lst = [1, 2, 3, 4, 5]
del lst[1:3], lst[0]
dct = {"a": 1, "b": 2}
del dct["a"]
first, *middle, last = range(6)
(p, q), r = (1, 2), 3
[s, t] = "ab"
*init, tail = "xyz"
lst[1:1] = [7, 8]
lst[::2] = [0] * len(lst[::2])
chain = 1 < 2 < 3, 1 < 3 < 2, 1 == 1 != 2, 3 > 2 >= 2 > 1
tern = "a" if [] else "b"
logic = (0 or "x", 1 and [], None or 0 or "z", not 0, 1 and 2 and 3)
bits = (5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 4, -17 >> 2)
nums = (
    7 // 2,
    -7 // 2,
    7 % 3,
    -7 % 3,
    divmod(-7, 2),
    2**10,
    2**-1,
    round(2.5),
    round(3.5),
    round(1.2345, 2),
    int(-3.9),
    int("12"),
    int("ff", 16),
    float("1e3"),
    abs(-3),
    10 / 4,
    1e3,
    0x10,
    0b11,
    1_000,
    3 + 4j,
    pow(2, 10, 7),
)
x: int = 5
y: "list[int]"
ann = x
if __name__ == "__main__":
    main = True
here = __file__.endswith(".py")
ellipsis = ... is Ellipsis
glob = "log" in globals()
g2 = globals()["last_i"]


def scope():
    k = 1
    out = [k for k in range(3)]
    return k, out


sc = scope()
is_ = (None is None, log is not None)
isin = (2 in [1, 2], "a" in "cat", "k" in {"k": 1}, 3 not in (1, 2))
multi = 1, 2
multi2 = (*multi, 3)
merged = {"a": 1, "b": 2, "a": 3}
sets = {1, 2} | {3}, {1, 2} & {2, 3}, {1, 2} - {2}, {1} ^ {2}, {1} <= {1, 2}
for idx, (u, v) in enumerate([(1, 2), (3, 4)], start=1):
    pairs = idx, u, v
for k, v in {"a": 1}.items():
    kv = k, v
flags = [bool(x) for x in (0, 1, "", "a", [], [0], None, 0.0)]
