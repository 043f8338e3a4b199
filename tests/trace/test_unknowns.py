"""A hint is never wrong: what is lost stays lost, on every way it may travel."""

import pytest

HEAD = "import torch, somewhere\nt = torch.randn(2, 3)\n"


def test_what_two_ways_disagree_on_is_not_known(trace):
    traced = trace(HEAD + "y = t if somewhere.flag else t[0]\nz = t\nif somewhere.flag:\n    z = t.T\n")
    assert traced.shape("y") is None
    assert traced.fact("z", 5 + 1).value.shape == (3, 2)


def test_what_two_ways_agree_on_is_known(trace):
    traced = trace(HEAD + "if somewhere.flag:\n    y = t + 1\nelse:\n    y = t * 2\nz = y\n")
    assert traced.shape("z") == (2, 3)


def test_a_way_that_raises_does_not_count(trace):
    traced = trace(HEAD + "y = t\nif somewhere.flag:\n    y = None\n    raise ValueError\nz = y\n")
    assert traced.shape("z") == (2, 3)


def test_a_break_that_may_happen_joins_at_the_end_of_the_loop(trace):
    traced = trace(
        HEAD + "y = t\nfor i in range(3):\n    if somewhere.flag:\n        break\n    y = y[:, 1:]\nz = y\n"
    )
    assert traced.shape("z") is None


def test_an_early_return_that_may_happen_joins_with_the_late_one(trace):
    traced = trace(HEAD + "def f(x):\n    if x.sum() > 0:\n        return x\n    return x.T\nz = f(t)\n")
    assert traced.shape("z") == (None, None)


def test_a_list_that_grows_beyond_the_cut_off_has_no_length(trace):
    traced = trace(
        HEAD
        + "losses = []\nnet = torch.nn.Linear(3, 3)\nfor step in range(10_000):\n    losses.append(net(t).sum())\nz = torch.stack(losses)\n"
    )
    assert traced.shape("z") == (None,)


def test_a_list_that_is_grown_to_its_end_has_one(trace):
    traced = trace(
        HEAD + "parts = []\nfor i in range(12):\n    parts.append(torch.zeros(i, 2))\nz = torch.cat(parts)\n"
    )
    assert traced.shape("z") == (66, 2)


def test_a_last_shorter_batch_is_a_variant_of_its_own(trace):
    traced = trace(
        HEAD
        + "def batches(x):\n    for i in range(0, len(x), 32):\n        yield x[i : i + 32]\n"
        + "net = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(12)])\n"
        + "for b in batches(torch.zeros(1000, 4)):\n    y = net(b); y = net(y); y = net(y); y = net(y)\n"
    )
    assert {variant.shape for variant in traced.fact("b").variants} == {(32, 4), (8, 4)}


def test_an_unknown_run_makes_the_whole_place_unknown(trace):
    traced = trace(HEAD + "def f(x):\n    y = x + 1\n    return y\nf(t)\nf(somewhere.load())\n")
    assert traced.shape("y") is None
    assert [variant.shape for variant in traced.fact("y").variants] == [(2, 3), None]
    assert all(variant.dtype is None for variant in traced.fact("y").variants)


def test_a_resize_by_an_unknown_number_loses_the_tensor(trace):
    traced = trace(HEAD + "y = torch.zeros(4)\ny.resize_(somewhere.n)\nz = y\n")
    assert traced.shape("z") is None


def test_an_update_by_an_unknown_dict_loses_the_dict(trace):
    traced = trace(HEAD + "d = {'a': t}\nd.update(somewhere.d)\nz = d['a']\n")
    assert not traced.knows("z") or traced.shape("z") is None


def test_random_numbers_are_not_values(trace):
    traced = trace("import torch, random\nn = random.randint(1, 5)\nz = torch.zeros(n)\n")
    assert traced.shape("z") == ("n",)


def test_data_is_not_a_value(trace):
    traced = trace(
        HEAD + "n = int(t.sum())\nz = torch.zeros(n, 2)\nm = torch.zeros(torch.tensor(4).item())\n"
    )
    assert traced.shape("z") == ("n", 2)
    assert traced.shape("m") == (4,)


def test_an_unknown_key_leaves_the_size_of_its_container_open(trace):
    traced = trace(
        HEAD
        + """
from collections import Counter, defaultdict, deque
k, l = somewhere.k, somewhere.l
grown = []
for item in somewhere.items:
    grown.append(item)
longer = [1]
longer.extend(grown)
counted = Counter()
counted.update(k)
added = set()
added.add(k)
defaulted = defaultdict(list)
defaulted[k].append(1)
set_default = {}
set_default.setdefault(k, [])
containers = [longer, counted, added, defaulted, set_default, {k, l}, {k: 1, l: 2}, {i: 1 for i in (k, l)},
              set([k, l]), dict(zip([k, l], "ab"))]
sizes = [torch.zeros(len(container)) for container in containers]
found = torch.zeros({"a": 1}.get(k, 0))
queue = deque()
queue.append(k)
known = torch.zeros(len(queue), len([k, l]))
"""
    )
    described = traced.fact("sizes").value
    assert [item.shape for item in described.items] == [(None,)] * 10
    assert traced.shape("found") in (None, (None,))
    assert traced.shape("known") == (1, 2)


def test_what_is_surely_a_tensor_is_one(trace):
    traced = trace(
        HEAD
        + """
x = t.view(somewhere.n, 3, somewhere.m)
n = 2 if isinstance(x, torch.Tensor) else 3
m = 2 if x is None else 3
k = 2 if isinstance(x, (list, tuple)) else 3
y = torch.zeros(n, m, k)
"""
    )
    assert traced.shape("y") == (2, 3, 3)


def test_an_unknown_loss_may_have_given_every_weight_a_gradient(trace):
    traced = trace(
        HEAD
        + "net = torch.nn.Linear(3, 3)\nsomewhere.loss(net(t)).backward()\n"
        + "n = len([p for p in net.parameters() if p.grad is not None])\nz = torch.zeros(n)\n"
    )
    assert not traced.knows("z") or traced.shape("z") in (None, (None,), ("n",))


def test_a_list_made_longer_by_another_in_rounds_nobody_counts_is_like_its_items(trace):
    traced = trace("""
        import random, torch
        count, source, target = random.randint(5, 12), [], []
        for i in range(1, count):
            j = random.randint(0, i - 1)
            source += [i, j]
            target += [j, i]
        edges = torch.tensor([source, target])
        pairs = []
        for i in range(count):
            for j in range(i + 1, count):
                if random.random() < 0.5:
                    pairs.append([i, j])
        table = torch.tensor(pairs)
    """)
    assert traced.shape("edges") == (2, None)
    assert traced.shape("table") == (None, 2)
    assert traced.fact("table").value.dtype == "int64"


def test_one_of_two_lists_has_items_like_those_of_either(trace):
    traced = trace(
        HEAD + "rows = [t, t]\nif somewhere.flag:\n    rows = [t]\ny = torch.stack(rows)\nz = len(rows)\n"
    )
    assert traced.shape("y") == (None, 2, 3)


def test_an_object_that_is_called_with_what_is_not_known_is_followed(trace):
    """`EarlyStopping`, as most training scripts have it."""
    traced = trace("""
        import torch
        class EarlyStopping:
            def __init__(self, patience=3):
                self.patience, self.best, self.counter, self.state = patience, float("inf"), 0, None
            def __call__(self, loss, model):
                if loss < self.best:
                    self.best, self.counter = loss, 0
                    self.state = {name: value.clone() for name, value in model.state_dict().items()}
                else:
                    self.counter += 1
                return self.counter >= self.patience
        model, stop = torch.nn.Linear(3, 4), EarlyStopping()
        for epoch in range(6):
            if stop(model(torch.randn(2, 3)).mean().item(), model):
                break
        model.load_state_dict(stop.state)
        kept = stop.state["weight"]
    """)
    assert traced.shape("kept") == (4, 3)
    assert not traced.failures()


@pytest.mark.parametrize("mode", ["torch.no_grad()", "torch.inference_mode()", "torch.autocast('cpu')"])
def test_what_runs_in_a_mode_is_followed_with_what_is_not_known(trace, mode):
    traced = trace(
        HEAD
        + f"""
@{mode}
def evaluate(x, threshold):
    rows = torch.zeros(len(x), 5)
    return rows
class Trainer:
    @{mode}
    def evaluate(self, x, threshold):
        return torch.zeros(len(x), 7)
a = evaluate(t, somewhere.threshold)
b = Trainer().evaluate(t, somewhere.threshold)
c = evaluate(somewhere.x, 0.5)
"""
    )
    assert traced.shape("a") == (2, 5)
    assert traced.shape("b") == (2, 7)
    assert traced.fact("x", 5).value.shape is None  # it is `t` once, and what nobody knows another time


def test_what_is_put_in_an_order_nobody_knows_is_all_there(trace):
    traced = trace("""
        import torch
        scores = [torch.randn(()).item() for _ in range(4)]
        order = torch.tensor(sorted(range(4), key=lambda at: scores[at]))
        rows = [torch.randn(n, 2) for n in (3, 5)]
        rows.sort(key=lambda row: row.sum().item())
        y = rows[0]
        both = torch.cat(rows)
    """)
    assert traced.shape("order") == (4,)
    assert traced.shape("y") == (None, 2)
    assert traced.shape("both") == (8, 2)


def test_a_truth_value_and_a_number_are_known_to_be_one(trace):
    traced = trace("""
        import random, torch
        states = [torch.zeros(3) if random.random() < 0.5 else None for _ in range(6)]
        mask = torch.tensor(tuple(map(lambda state: state is not None, states)))
        labels = torch.tensor([int(random.random() > 0.6) for _ in range(90)])
    """)
    assert (traced.shape("mask"), traced.fact("mask").value.dtype) == ((6,), "bool")
    assert (traced.shape("labels"), traced.fact("labels").value.dtype) == ((90,), "int64")


def test_a_chain_of_lists_of_unknown_length_is_one(trace):
    traced = trace("""
        import random, torch
        from itertools import chain
        class Names:
            def __init__(self, names):
                self.names = sorted(set(names))
            def __len__(self):
                return len(self.names)
        rows = [["ab"[random.randrange(2)] for _ in range(random.randint(2, 7))] for _ in range(20)]
        x = torch.zeros(len(list(chain.from_iterable(rows))), 3)
        y = torch.zeros(len(list(chain(*rows))))
        z = torch.zeros(len(Names(chain.from_iterable(row for row in rows))), 4)
        known = torch.zeros(len(list(chain([1, 2], "abc", range(4)))))
    """)
    assert (traced.shape("x"), traced.shape("y"), traced.shape("z")) == ((None, 3), (None,), (None, 4))
    assert traced.shape("known") == (9,)


def test_a_list_that_is_emptied_holds_nothing(trace):
    """`del policy.rewards[:]`, as the examples of reinforcement learning end an episode."""
    traced = trace("""
        import random, torch
        class Policy:
            def __init__(self):
                self.rewards, self.kept = [], []
        policy = Policy()
        for episode in range(3):
            done = False
            while not done:
                policy.rewards.append(random.random())
                policy.kept.append(random.random())
                done = random.random() > 0.9
            returns = torch.tensor(policy.rewards)
            losses = []
            for reward, value in zip(policy.rewards, returns):
                losses.append(value * reward)
            loss = torch.stack(losses).sum()
            del policy.rewards[:]
            policy.kept.clear()
        empty = torch.zeros(len(policy.rewards), len(policy.kept))
    """)
    assert traced.shape("returns") == (None,)
    assert (traced.shape("loss"), traced.shape("value")) == ((), ())
    assert traced.shape("empty") == (0, 0)


def test_of_a_set_of_random_choices_nobody_knows_how_many_there_are(trace):
    traced = trace("""
        import random, torch
        words = [random.choice(["red", "green"]) for _ in range(90)]
        numbers = [random.randint(1, 3) for _ in range(90)]
        x = torch.zeros(len(set(words)), 2)
        of_words = {word: at for at, word in enumerate(sorted({word for word in words}))}
        of_numbers = {number: at for at, number in enumerate(sorted(set(numbers)))}
        y = torch.tensor([of_words[word] for word in words])
        z = torch.tensor([[of_numbers[number], of_words[word]] for number, word in zip(numbers, words)])
    """)
    assert traced.shape("x") == (None, 2)
    assert (traced.shape("y"), traced.shape("z")) == ((90,), (90, 2))
    assert traced.fact("y").value.dtype == "int64"


def test_what_is_set_under_a_name_that_is_put_together_is_there_though_it_is_not_known(trace):
    traced = trace(
        HEAD + "class Net(torch.nn.Module):\n"
        "    def __init__(self, sizes):\n"
        "        super().__init__()\n"
        "        self.shown = torch.nn.Parameter(torch.zeros(1, 3))\n"
        "        for i in range(2):\n"
        "            setattr(self, f'position_{i}', torch.nn.Parameter(torch.zeros(1, sizes[i])))\n"
        "        for i in range(2):\n"
        "            torch.nn.init.trunc_normal_(getattr(self, f'position_{i}'))\n"
        "        self.shown = somewhere.other()\n"
        "    def forward(self, x):\n"
        "        y = self.shown\n"
        "        return x + getattr(self, 'position_0')\n"
        "z = Net(somewhere.sizes())(t)\n"
    )
    assert not traced.failures()
    assert not traced.knows("y")


@pytest.mark.parametrize("where", ["k : k + 2", "k:k"])
def test_a_slice_that_is_set_anywhere_leaves_items_like_those(trace, where):
    code = "k = torch.randint(0, 2, (1,)).item()\nxs, ys = [1, 2, 3], [torch.zeros(3), torch.zeros(3)]\n"
    code += f"xs[{where}] = [4]\nys[{where}] = [torch.zeros(3)]\n"
    traced = trace("import torch\n" + code + "x, y = torch.tensor(xs), torch.stack(ys)\n")
    assert (traced.shape("x"), traced.shape("y")) == ((None,), (None, 3))


def test_a_hash_of_a_text_differs_from_run_to_run(trace):
    traced = trace(
        "import torch\na = torch.zeros(hash('word') % 7 + 1, 3)\nb = torch.zeros(hash((1, 2.5)) % 7 + 1, 3)\n"
    )
    assert traced.shape("a") == (None, 3)
    assert traced.shape("b") == (hash((1, 2.5)) % 7 + 1, 3)


def test_a_module_with_a_weight_that_is_not_known_is_not_one_without_weights(trace):
    traced = trace(
        """
import torch, somewhere
from torch import nn

class Layer(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.kernel = nn.Parameter(torch.empty(n, 4))

class Lacking(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = somewhere.backbone()

for model in (Layer(somewhere.n()), Lacking(), nn.Sequential(Lacking(), nn.ReLU())):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    groups = torch.optim.SGD([p for _, p in model.named_parameters()], lr=0.1)
y = torch.zeros(3)
"""
    )
    assert traced.failures() == []
    assert traced.shape("y") == (3,)


def test_a_module_without_any_weight_is_refused_by_an_optimizer(trace):
    traced = trace(
        "import torch\nfrom torch import nn\nopt = torch.optim.Adam(nn.ReLU().parameters(), lr=0.1)\n"
    )
    assert [text for _, text in traced.failures()] == ["optimizer got an empty parameter list"]


def test_a_remainder_is_a_place_in_what_is_that_long(trace):
    traced = trace(
        """
        import random, torch
        n = 5
        buffer = torch.zeros(n, 3)
        layers = [torch.nn.Linear(3, 4), torch.nn.Linear(3, 4)]
        at = random.randint(0, 1000)
        row = buffer[(at + 1) % n]
        y = layers[at % 2](row)
        at = (at + 1) % n
        filled = buffer[:at]
        x = torch.zeros(2) if at < n else None
        z = torch.zeros(3) if at % n == 4 else torch.zeros(4)
        """
    )
    assert [traced.shape(name) for name in ("row", "y", "filled", "x")] == [(3,), (4,), (None, 3), (2,)]
    assert traced.shape("z") == (None,)


def test_what_is_repeated_may_be_known_where_nobody_knows_how_often(trace):
    traced = trace(
        """
        import torch
        lengths = torch.randint(1, 9, (32,))
        rows = torch.repeat_interleave(torch.arange(32), lengths, output_size=100)
        more = torch.randn(32, 5).repeat_interleave(lengths, 0, output_size=100)
        any_number = torch.repeat_interleave(torch.arange(32), lengths)
        """
    )
    assert traced.failures() == []
    assert [traced.shape(name) for name in ("rows", "more")] == [(100,), (100, 5)]


def test_how_often_each_is_repeated_is_held_against_what_is_said_of_it(trace):
    traced = trace(
        """
        import torch
        rows = torch.repeat_interleave(torch.arange(3), torch.tensor([1, 2, 3]), output_size=5)
        """
    )
    assert len(traced.failures()) == 1


def test_a_decorator_around_one_that_is_not_followed_holds_too(trace):
    traced = trace(
        """
        import torch
        from pytest import mark
        from torch import nn

        @torch.no_grad()
        @mark.parametrize("seed", range(10))
        def test_copies(seed):
            one, other = nn.Linear(3, 4), nn.Linear(3, 4)
            one.weight.copy_(other.weight)
            y = one(torch.randn(2, 3))

        @mark.parametrize("seed", range(10))
        def test_refused(seed):
            one, other = nn.Linear(3, 4), nn.Linear(3, 4)
            one.bias.copy_(other.bias)
        """
    )
    assert [line for line, _ in traced.failures()] == [15]
    assert traced.shape("y") == (2, 4)


def test_layers_that_nobody_knows_are_not_left_out_of_a_sequential(trace):
    traced = trace(
        HEAD
        + "layers = torch.nn.Sequential(torch.nn.Linear(3, 4))\n"
        + "for i in range(2):\n    layers.add_module(str(i), somewhere.layers[i])\n"
        + "y = layers(t)\nz = torch.nn.Sequential(torch.nn.Sequential(layers), torch.nn.Linear(4, 5))(t)\n"
    )
    assert not traced.knows("y") or traced.shape("y") is None
    assert not traced.knows("z") or traced.shape("z") is None


ONE_OF_TWO = (
    HEAD
    + "import random\nclass Held:\n    def __init__(self):\n        self.one, self.two = [t], [t]\nh = Held()\n"
)


@pytest.mark.parametrize(
    "change",
    [
        "(h.one if somewhere.flag else h.two).append(t)",
        "which = h.one if somewhere.flag else h.two\nwhich += [t]",
        "if somewhere.flag:\n    which = h.one\nelse:\n    which = h.two\nwhich.extend(somewhere.more)",
        "def which():\n    if somewhere.flag:\n        return h.one\n    return h.two\nwhich().append(t)",
        "which = h.one if somewhere.flag else h.two\nfor _ in range(40):\n    which.append(t)",
    ],
)
def test_what_is_done_to_one_of_two_lists_may_be_done_to_each(trace, change):
    traced = trace(f"{ONE_OF_TWO}{change}\nz = torch.stack(h.one)\ny = torch.stack(h.two)\n")
    for name in ("z", "y"):
        assert (traced.shape(name) or (None,))[0] is None
    assert not traced.failures()


def test_what_is_put_into_one_of_two_dicts_may_be_in_each(trace):
    traced = trace(
        HEAD
        + "a, b = {'k': t}, {'k': t}\n(a if somewhere.flag else b)['k'] = t[:, 1:]\nz, y = a['k'], b['k']\n"
    )
    assert traced.shape("z") == (2, None)
    assert traced.shape("y") == (2, None)


def test_one_of_two_lists_is_changed_where_it_is_held_by_its_own_name(trace):
    traced = trace(
        HEAD + "a, b = [t], [t]\nwhich = a if somewhere.flag else b\na.append(t)\nz = torch.stack(which)\n"
    )
    assert traced.shape("z")[0] is None


@pytest.mark.parametrize(
    "push",
    [
        "if len(self.memory) < 1000:\n            self.memory.append(None)",
        "self.memory = self.memory or [None] * 5000",
    ],
)
def test_a_memory_that_goes_round_holds_what_was_pushed(trace, push):
    traced = trace(
        f"""
import random
from collections import namedtuple
import torch
Step = namedtuple("Step", "state action reward")
class Memory:
    def __init__(self):
        self.memory = []
        self.position = 0
    def push(self, *args):
        {push}
        self.memory[self.position] = Step(*args)
        self.position = int((self.position + 1) % 1000)
memory = Memory()
for episode in range(300):
    for t in range(25):
        memory.push(torch.zeros(3, 12), torch.zeros(3, 2), torch.zeros(3))
batch = Step(*zip(*random.sample(memory.memory, 32)))
states = torch.stack(batch.state)
rewards = torch.cat(batch.reward)
"""
    )
    assert (traced.shape("states"), traced.shape("rewards")) == ((32, 3, 12), (96,))


def test_what_computes_attributes_is_asked_for_those_that_the_program_asks_for(trace):
    traced = trace(
        HEAD
        + "asked = []\n"
        + "class Lazy:\n"
        + "    def __init__(self):\n        self.width = 3\n"
        + "    def __getattr__(self, name):\n        asked.append(name)\n        return 7\n"
        + "lazy = Lazy()\nif somewhere.flag:\n    lazy.height = 2\nelse:\n    lazy.height = 2\n"
        + "x = torch.zeros(len(asked) + 1, lazy.width)\n"
        + "y = torch.zeros(lazy.height, lazy.depth)\n"
        + "z = torch.zeros(len(asked))\n"
    )
    assert traced.shape("x") == (1, 3) and traced.shape("z") == (1,)
    assert traced.shape("y") == (2, 7)
