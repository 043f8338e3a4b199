import torch

before = torch.zeros(2, 3)
import argparse, heapq, itertools, json, math, operator, re, statistics, string, textwrap

re.match(r"(a|a)*$", "a" * 60 + "b")
re.match(r"(a{1,9}){1,30}$", "a" * 200 + "b")
re.sub("", "x" * 100_000, "y" * 100_000)
re.compile("(" * 1000 + ")" * 1000)
re.compile("a{100000}{100000}")
for _ in range(100_000):
    re.search("(.*)(.*)(.*)x", "a" * 200)
"{:>9999}".format("x") * 9999 * 9999
"%9999999d" % 1
"%*d" % (10**9, 1)
f"{1:{10**9}}"
f"{1.5:.{10**9}f}"
"{0:{1}}".format(1, 10**9)
(1).__format__("1000000000")
format(1, "1000000000")
[0].__mul__(10**10)
"a".__mul__(10**10)
operator.methodcaller("ljust", 10**10)("a")
textwrap.fill("a " * 100_000, 1)
json.loads("[" * 100_000)
statistics.mean(range(10**12))
heapq.nlargest(10**9, itertools.count())
parser = argparse.ArgumentParser()
parser.add_argument("--x", help="%(default)1000000000s", default=1)
parser.parse_args(["--x", "1"])


class Asked:
    def __getattribute__(self, name):
        return self.one + self.two + self.three


Asked().x


def wide(x):
    return [wide(i) for i in x], [wide(i) for i in x]


wide(torch.zeros(3)[torch.zeros(3) > 0].tolist())
after = before.sum(dim=0)
