"""Python's library as the tracer gives it: a file is run plainly, without arguments."""

HEAD = "import torch, somewhere\n"


def test_options_have_their_defaults(trace):
    traced = trace(
        HEAD
        + """
import argparse
parser = argparse.ArgumentParser(description="x", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
parser.add_argument("--batch-size", type=int, default=16, help="size (%(default)s)")
parser.add_argument("--width", default="8", type=int)
parser.add_argument("--dims", nargs="+", type=int, default=[3, 4])
parser.add_argument("--bias", action="store_true")
group = parser.add_argument_group("more")
group.add_argument("--kind", choices=["a", "b"], default="a")
parser.set_defaults(depth=2)
args = parser.parse_args()
x = torch.zeros(args.batch_size, args.width, *args.dims, args.depth, len(args.kind), int(args.bias))
y = torch.zeros(*[len(k) for k in vars(args)])
other, rest = parser.parse_known_args(["--width", "5", "--unlisted", "1"])
z = torch.zeros(other.width, len(rest))
"""
    )
    assert traced.shape("x") == (16, 8, 3, 4, 2, 1, 0)
    assert traced.shape("y") == (10, 5, 4, 4, 4, 5)
    assert traced.shape("z") == (5, 2)


def test_what_only_the_command_line_says_is_not_known(trace):
    traced = trace(
        HEAD
        + """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("width", type=int)
parser.add_argument("--depth", type=int, required=True)
args = parser.parse_args()
x = torch.zeros(args.width, 2)
y = torch.zeros(args.depth, 2)
commands = argparse.ArgumentParser()
commands.add_subparsers(dest="command").add_parser("train").add_argument("--n", type=int, default=3)
z = torch.zeros(commands.parse_args().n)
"""
    )
    assert all(traced.shape(name) in (None, (None, 2), (None,)) for name in "xyz")


def test_an_option_without_a_default_is_no_mistake_where_a_number_is_wanted(trace):
    traced = trace(
        HEAD
        + """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int)
parser.add_argument("--depth", type=int, default=3)
args = parser.parse_args()
layer = torch.nn.Linear(args.width, 4)
x = torch.linspace(-6, -1, args.width)
y = torch.zeros(args.depth, 2)
torch.zeros("3")
"""
    )
    assert len(traced.failures()) == 1
    assert traced.shape("y") == (3, 2)


def test_an_environment_is_plain(trace):
    traced = trace(
        HEAD
        + """
import os
world = int(os.environ.get("WORLD_SIZE", 1))
mine = int(os.environ.get("THIS_FILES_OWN_SIZE", "3"))
home = len(os.environ.get("HOME", "/root"))
os.environ["SET_HERE"] = "12"
x = torch.zeros(world, mine, len(os.environ["SET_HERE"]), "RANK" in os.environ)
y = torch.zeros(home)
if somewhere.flag:
    os.environ["SET_HERE"] = "123"
z = torch.zeros(len(os.environ["SET_HERE"]))
"""
    )
    assert traced.shape("x") == (1, 3, 2, 0)
    assert traced.shape("y") == ("home",)
    assert traced.shape("z") in (None, (None,))


def test_what_is_on_the_disk_is_tried_both_ways(trace):
    traced = trace(
        HEAD
        + """
import os
from pathlib import Path
n = 3
if os.path.exists("n.txt"):
    n = 4
if not Path("out").exists():
    os.makedirs("out")
    m = 5
x = torch.zeros(len(os.path.join("a", "b")), len(Path("a/b.tar").suffix))
y = torch.zeros(2, n)
"""
    )
    assert traced.shape("x") == (3, 4)
    assert traced.shape("y") in (None, (2, None))


def test_a_file_that_leaves_leaves_on_that_way_only(trace):
    traced = trace(
        HEAD
        + """
import sys
def usage():
    print("usage")
    sys.exit(2)
if somewhere.flag:
    n = 3
else:
    usage()
x = torch.zeros(n)
try:
    sys.exit()
except Exception:
    y = torch.zeros(1)
except SystemExit:
    y = torch.zeros(2)
"""
    )
    assert traced.shape("x") == (3,)
    assert traced.shape("y") == (2,)


def test_a_shuffle_keeps_the_length_and_what_all_items_share(trace):
    traced = trace(
        HEAD
        + """
import random
items = [(torch.zeros(4), i) for i in range(5)]
random.shuffle(items)
x = torch.stack([t for t, _ in items])
y = torch.stack([t for t, _ in random.sample(items, 3)])
z = random.choice(items)[0]
sizes = [1, 2, 3]
random.shuffle(sizes)
w = torch.zeros(sizes[0])
"""
    )
    assert (traced.shape("x"), traced.shape("y"), traced.shape("z")) == ((5, 4), (3, 4), (4,))
    assert traced.shape("w") in (None, (None,))


def test_speaking_to_people_changes_no_list(trace):
    traced = trace(
        HEAD
        + """
import json, logging, pprint, warnings
logger = logging.getLogger(__name__)
losses = [torch.zeros(())] * 3
logger.info("losses %s", losses)
pprint.pprint(losses)
json.dump(losses, open("x.json", "w"))
warnings.warn(str(losses))
x = torch.stack(losses)
"""
    )
    assert traced.shape("x") == (3,)


def test_a_pattern_that_may_take_long_is_not_run(trace):
    traced = trace(
        HEAD
        + """
import re
text = "a" * 4000 + "!"
x = torch.zeros(len(re.findall(r"(a+)+$", text)))
y = torch.zeros(len(re.findall(r"a*a*a*a*b", text)))
z = torch.zeros(len(re.sub(r"a+", "b", "aa caa")))
"""
    )
    assert traced.shape("x") in (None, (None,))
    assert traced.shape("y") in (None, (None,))
    assert traced.shape("z") == (4,)


def test_a_class_that_answers_for_all_its_attributes_costs_no_more_than_others(trace):
    traced = trace(
        HEAD
        + """
class Config:
    renamed = {"n_embd": "width"}
    def __init__(self):
        self.width = 3
    def __getattribute__(self, key):
        names = super().__getattribute__("renamed")
        return super().__getattribute__(names.get(key, key))
x = torch.zeros(Config().n_embd)
"""
    )
    assert traced.shape("x") == (3,)
    assert len(traced.log.frames) < 12


def test_a_call_that_may_raise_leaves_both_ways_open(trace):
    traced = trace(
        HEAD
        + """
try:
    somewhere.load()
    n, m = 3, 3
except FileNotFoundError:
    n = 4
try:
    k = len("abc")
except ValueError:
    k = 5
try:
    somewhere.load()
    j = 3
except OSError:
    raise SystemExit
x, y, z, w = torch.zeros(n), torch.zeros(m), torch.zeros(k), torch.zeros(j)
"""
    )
    assert traced.shape("x") in (None, (None,))
    assert (traced.shape("y"), traced.shape("z"), traced.shape("w")) == ((3,), (3,), (3,))


def test_an_entry_that_only_a_library_calls_is_followed(trace):
    traced = trace(
        HEAD
        + """
@somewhere.main(config_path=None)
def main(cfg):
    x = torch.zeros(cfg.width, 3)
    y = torch.zeros(2, 3)
@somewhere.command()
def command(width: int = 4):
    z = torch.zeros(width)
def worker(rank, width=4):
    w = torch.zeros(width, 2)
somewhere.spawn(worker, args=(5,), nprocs=2)
@somewhere.register("net")
class Net(torch.nn.Linear):
    pass
@somewhere.typechecked
def double(t):
    return torch.cat([t, t])
v = double(Net(3, 2)(torch.zeros(4, 3)))
def called(n):
    u = torch.zeros(n)
called(3)
somewhere.handed(called, 4)
if __name__ == "__main__":
    main()
"""
    )
    assert traced.shape("x") in (None, (None, 3))
    assert traced.shape("y") == (2, 3)
    assert traced.shape("z") == (4,)
    assert traced.shape("w") == ("width", 2)
    assert traced.shape("v") == (8, 2)
    assert traced.shape("u") == (3,)


def test_a_class_whose_objects_are_iterators_can_be_mapped(trace):
    traced = trace(
        """
import torch
from torch import nn

widths, ranks = [1, 2, 3], (4, 5, 6)
layers = [nn.Linear(x, y) for x, y in zip(*map(reversed, (widths, ranks)))]
out = layers[0](torch.randn(2, 3))
"""
    )
    assert traced.shape("out") == (2, 6)
    assert traced.failures() == []


def test_a_constructor_that_dataclasses_wrote_is_called_by_the_classes_below_it(trace):
    traced = trace(
        HEAD
        + """
from dataclasses import dataclass, field
@dataclass
class Config:
    width: int
    kernels: list = field(default_factory=lambda: [3, 5])
    def __post_init__(self):
        self.twice = self.width * 2
class Scaled(Config):
    def __init__(self, width, factor):
        super().__init__(width * factor)
class Named(Config):
    def __init__(self, width, kernels):
        Config.__init__(self, width=width, kernels=kernels)
a, b = Scaled(4, 3), Named(7, somewhere.kernels)
x = torch.zeros(a.width, a.twice, *a.kernels)
y = torch.zeros(b.width, b.twice)
"""
    )
    assert traced.shape("x") == (12, 24, 3, 5)
    assert traced.shape("y") == (7, 14)


def test_such_a_constructor_writes_into_nothing_else(trace):
    traced = trace(
        HEAD
        + """
from dataclasses import dataclass
from torch import nn
@dataclass
class Config:
    written: int
class Other:
    constructor = Config.__init__
for target in (nn.Linear, nn.Linear(2, 3), torch.Tensor, torch, Other):
    try:
        Config.__init__(target, 3)
    except Exception:
        pass
try:
    Other().constructor(3)
except Exception:
    pass
"""
    )
    import torch

    assert not any(hasattr(one, "written") for one in (torch.nn.Linear, torch.Tensor, torch))
    assert traced.log.cut is None


def test_itertools_pick_items_that_are_not_known(trace):
    traced = trace(
        "import torch\nfrom itertools import cycle, islice, product\n"
        "x = torch.zeros(9, 3)\norder = torch.randperm(9).tolist()\n"
        "some = torch.stack([x[i] for i in islice(order, 4)])\n"
        "for _, i in zip(range(2), cycle(order)):\n    row = x[i]\n"
        "pairs = torch.tensor([i + j for i, j in product(order, [1, 2])])\n"
        "more = torch.tensor([*islice([i for i in order if i > 2], 4)])\n"
    )
    assert traced.shape("some") == (4, 3)
    assert traced.shape("row") == (3,)
    assert traced.shape("pairs") == (18,)
    assert traced.shape("more") in (None, (None,))


def test_what_inspect_says_of_functions_of_the_file(trace):
    traced = trace(
        """
import inspect, torch
def each():
    yield torch.zeros(2)
def logged(function):
    if inspect.iscoroutinefunction(function):
        async def wrapper(*args):
            return await function(*args)
        return wrapper
    return lambda *args: function(*args)
double = logged(lambda x: torch.cat([x, x]))
y = double(torch.zeros(3))
z = torch.zeros(int(inspect.isgeneratorfunction(each)) + 2 * int(inspect.isgeneratorfunction(double)))
"""
    )
    assert traced.shape("y") == (6,) and traced.shape("z") == (1,)


def test_a_version_of_torch_is_a_text_and_what_torch_lacks_raises(trace):
    traced = trace(
        "import re, torch\nfrom nowhere import old\nnew = bool(re.match(r'\\d+\\.', torch.__version__))\n"
        "if old:\n    y = torch.ifft(torch.zeros(4), 2)\nelse:\n    y = torch.zeros(3)\n"
        "z = torch.zeros(2 if new else 5)\n"
    )
    assert traced.shape("y") == (3,) and traced.shape("z") == (2,)


def test_a_value_that_is_said_to_be_of_a_type_stays_what_it_is(trace):
    traced = trace(
        "import torch\nfrom typing import cast\nfrom nowhere import Kind\ny = cast(Kind, torch.zeros(3))\nz = cast('Kind', y)\n"
    )
    assert traced.shape("y") == traced.shape("z") == (3,)


def test_a_tensor_is_not_what_it_would_have_to_be_for_a_return(trace):
    traced = trace(
        "import torch\nfrom nowhere import Future\ndef run(x):\n    if isinstance(x, Future):\n"
        "        return x.then(lambda given: given)\n    return 2 * x\ny = run(torch.zeros(3))\n"
    )
    assert traced.shape("y") == (3,) and not traced.failures()


def test_a_heap_whose_order_depends_on_the_data_gives_one_of_its_items(trace):
    traced = trace(
        HEAD
        + """
import heapq
heap = []
for i in range(3):
    heapq.heappush(heap, (-torch.rand(1).item(), torch.zeros(2, 3), torch.zeros(1, 3 if i else 4)))
score, alike, unlike = heapq.heappop(heap)
left = torch.zeros(len(heap))
alike_too = heapq.heapreplace(heap, (0.5, torch.zeros(2, 3), torch.zeros(1, 3)))[1]
as_many = torch.zeros(len(heap))
only = [(torch.rand(1).item(), torch.zeros(5))]
heapq.heapify(only)
last = heapq.heappop(only)[1]
lists = [[torch.rand(1).item(), []], [torch.rand(1).item(), []]]
heapq.heapify(lists)
heapq.heappop(lists)[1].append(1)
unsure = torch.zeros(len(lists[0][1]) + 1)
"""
    )
    assert traced.shape("alike") == traced.shape("alike_too") == (2, 3)
    assert traced.shape("unlike") in (None, (1, None))
    assert traced.shape("left") == traced.shape("as_many") == (2,)
    assert traced.shape("last") == (5,)
    assert traced.shape("unsure") in (None, (None,))


def test_what_typing_extensions_holds_is_what_typing_holds(trace):
    traced = trace(
        HEAD
        + """
from enum import Enum
from types import DynamicClassAttribute
from typing import Generic, Optional, TypeVar
from typing_extensions import NamedTuple, TypedDict, cast, deprecated, override
T = TypeVar("T")
class Message(TypedDict, Generic[T], total=False):
    value: Optional[T]
class Pair(NamedTuple):
    x: torch.Tensor
    n: int = 2
class Step:
    @override
    def run(self, message: Message):
        return cast(torch.Tensor, message["value"])
    @deprecated("no more")
    def old(self, x):
        return x.sum(0)
class Named:
    @DynamicClassAttribute
    def value(self):
        return self._value_ + "!"
class Event(Named, Enum):
    DONE = "done"
pair = Pair(torch.zeros(3, 4))
y = Step().run(Message(value=pair.x))
z = Step().old(y)
w = torch.zeros(pair.n, len(Event.DONE.value))
Step.run.__name__ = somewhere.name()
"""
    )
    assert traced.shape("y") == (3, 4)
    assert traced.shape("z") == (4,)
    assert traced.shape("w") == (2, 5)
    assert not traced.failures()
