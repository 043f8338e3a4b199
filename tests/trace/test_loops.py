"""Loops: how far they are run, and what is known of them where they are cut off."""

HEAD = "import torch, somewhere\nfrom torch import nn\nt = torch.zeros(2, 3)\nnet = nn.Linear(3, 3)\ndeep = nn.Sequential(net, nn.ReLU(), net)\n"


def test_layers_that_a_zipped_or_numbered_loop_appends_are_all_there(trace):
    traced = trace(
        HEAD
        + """
sizes = [3, 4, 5, 6, 7]
layers = nn.ModuleList()
for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
    layers.append(nn.Sequential(nn.Linear(a, b), nn.ReLU(), nn.Linear(b, b), nn.LayerNorm(b)))
x = t
for layer in layers:
    x = layer(x)
y = x
"""
    )
    assert traced.shape("y") == (2, 7)


def test_a_loop_whose_end_nobody_knows_is_followed_for_a_while(trace):
    traced = trace(
        HEAD
        + """
x = torch.zeros(2, 16)
while x.size(1) > 1:
    x = torch.relu(nn.Linear(x.size(1), x.size(1) // 2)(x)) + 1
y = x
"""
    )
    assert traced.shape("y") == (2, 1)


def test_a_loop_that_is_new_in_each_round_does_not_cost_the_rest_of_the_file(trace):
    traced = trace(
        HEAD
        + """
x = torch.zeros(2, 1)
for i in range(1000):
    y = x
    for _ in range(20):
        y = (y + 1) * 2
    x = torch.cat([x, y[:, :1]], 1)
z = torch.zeros(4)
"""
    )
    assert traced.shape("z") == (4,)
    assert not traced.log.notes


def test_a_loop_that_may_end_in_any_round_costs_few_of_them(trace):
    """An episode of an environment: nothing is learned from the fortieth step that the tenth did not show."""
    traced = trace(
        HEAD
        + """
kept = []
for episode in range(20):
    for step in range(60):
        x = net(t).relu() + step
        for _ in range(8):
            x = x * 2
        kept.append(x.sum(1))
        if somewhere.done(x):
            break
    y = torch.stack(kept).mean(0)
    del kept[:]
z = x + y.sum()
"""
    )
    assert traced.shape("y") == (2,)
    assert traced.shape("z") == (2, 3)
    assert sum(getattr(event, "name", "").endswith("relu") for event in traced.log.events) < 300


def test_what_is_read_in_a_loop_is_not_said_by_its_first_round_alone(trace):
    traced = trace(
        """
import torch
order, scores = torch.arange(10), torch.rand(10)
while order.numel() > 0:
    rest = order[1:]
    order = rest[scores[rest] < 0.5]
"""
    )
    reads = [fact for fact in traced.facts if (fact.kind, fact.name) == ("expression", "order")]
    assert len(reads) == 2 and all(fact.value.shape == (None,) for fact in reads)


def test_a_round_that_is_not_run_is_not_the_first_nor_the_last(trace):
    """What only one round does is no more in the rounds that are cut off than in those that are run."""
    text = """
import torch
n = 900
values, rewards = torch.zeros(n, 4), torch.zeros(n, 4)
following = torch.zeros(1, 4)
gain = 0
for t in reversed(range(n)):
    if t == n - 1:
        ahead = following
    else:
        ahead = values[t + 1]
    delta = rewards[t] + ahead.sin().cos().tanh().exp() - values[t]
    gain = delta + gain * 0.9
for step, row in enumerate(rewards):
    if not step:
        state = torch.zeros(2, 3)
    elif step > 0:
        state = torch.zeros(3, 2).relu().sin().cos().tanh().exp()
    later = state @ torch.zeros(2, 5) if step else state
for step in range(9000):
    if step == 8000:
        state = torch.zeros(7)
    more = state.relu().sin().cos().tanh().exp()
"""
    traced = trace(text)
    assert traced.shape("delta") is None and traced.shape("gain") == (1, 4)
    assert {event.value.shape for event in traced.log.events if getattr(event, "name", "") == "delta"} == {
        (1, 4),
        (4,),
    }
    assert traced.shape("later") == (None, None) and traced.shape("more") is None
    assert {event.value.shape for event in traced.log.events if getattr(event, "name", "") == "later"} == {
        (2, 3),
        (3, 5),
    }
    assert traced.failures() == []


def test_whether_an_episode_is_over_is_true_or_false(trace):
    traced = trace(
        """
        import numpy as np
        import torch
        class Game:
            def __init__(self):
                self.turn = 0
            def step(self):
                self.turn += 1
                return self.turn >= 20
        games = [Game() for _ in range(4)]
        for _ in range(700):
            over = [game.step() for game in games]
            done = torch.Tensor(np.array(over))
            flags = torch.from_numpy(np.array(over)) | torch.tensor(over)
            for _ in range(5):
                done = done.sin().cos()
        """
    )
    assert (traced.shape("done"), traced.shape("flags"), traced.fact("flags").value.dtype) == (
        (4,),
        (4,),
        "bool",
    )


def test_the_else_of_a_loop_that_may_be_left_is_run_perhaps(trace):
    traced = trace(
        """
        import torch
        found = []
        for number in range(2, 3000):
            for divisor in range(2, int(number**0.5) + 1):
                if number % divisor == 0:
                    break
            else:
                found.append(number)
                last = torch.zeros(2)
        x = torch.tensor(found)
        """
    )
    assert traced.shape("x") == (None,)


def test_a_loop_over_many_rows_of_a_tensor_looks_at_few_of_them(trace):
    from shapewise.trace.unknowns.counted import Rows

    seen = []
    original = Rows.__next__

    def counting(self):
        seen.append(1)
        return original(self)

    Rows.__next__ = counting
    try:
        traced = trace(
            HEAD
            + """
rows = []
for row in torch.rand(1500, 3):
    rows.append(deep(row))
x = torch.stack(rows)
"""
        )
    finally:
        Rows.__next__ = original
    assert traced.shape("x") == (1500, 3)
    assert len(seen) < 600


def test_a_loop_that_nobody_counts_costs_less_when_it_is_run_again(trace):
    traced = trace(
        HEAD
        + """
kept = []
for episode in range(20):
    while True:
        for step in range(20):
            x = deep(torch.rand(4, 3))
            done = x.sum().item() > 0.5
            kept.append(x)
            if done:
                break
        if done:
            break
y = torch.stack(kept)
for name in "ab":
    z = torch.zeros(len(name), 3)
"""
    )
    assert traced.shape("y") == (None, 4, 3)
    assert traced.shape("z") == (1, 3)
    assert not traced.log.notes


def test_rounds_about_words_are_run_one_by_one(trace):
    traced = trace(
        HEAD
        + """
sizes = {"a": 3, "b": 5, "c": 7}
found = []
for name in sizes:
    x = torch.zeros(4, sizes[name])
    for _ in range(1500):
        x = torch.relu(x) + 1
    found.append(x.sum(0))
y = torch.cat(found)
"""
    )
    assert traced.shape("y") == (15,)


def test_a_loop_that_is_run_again_and_again_is_cut_off_sooner(trace):
    traced = trace(
        HEAD
        + """
def steps(x):
    found = [x]
    for _ in range(50):
        x = torch.relu(x) + torch.tanh(x) * torch.sigmoid(x) + x.abs().sqrt() - x.exp()
        found.append(x)
    return torch.stack(found)
for _ in range(30):
    y = steps(torch.zeros(2, 3))
z = steps(torch.zeros(4, 3))
"""
    )
    assert traced.shape("z") == (51, 4, 3)


def test_what_a_round_refuses_that_stands_for_several_is_no_mistake(trace):
    traced = trace(
        HEAD
        + """
layers = nn.ModuleDict({f"block{i}": nn.Linear(3, 3) for i in range(40)})
layers["aux_norm"] = nn.LayerNorm(3)
layers["aux_out"] = nn.Linear(3, 5)
def forward(x):
    tmp = None
    for name, layer in layers.items():
        if "aux_norm" in name:
            tmp = layer(x)
        elif "aux_out" in name:
            tmp = layer(torch.relu(tmp))
        else:
            for _ in range(60):
                x = layer(x)
    return tmp
for step in range(1000):
    y = forward(t)
"""
    )
    assert not traced.failures()
