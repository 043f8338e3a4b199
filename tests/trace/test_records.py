"""Objects that hold values and do little else: what one of several holds, and what is written into it."""

import pytest

HEAD = """
import random, torch
from dataclasses import dataclass, fields
from types import SimpleNamespace
from torch.utils.data import DataLoader, Dataset

@dataclass
class Graph:
    x: torch.Tensor
    edges: torch.Tensor
    y: float = 0.0

class Row:
    def __init__(self, x, name):
        self.x, self.name = x, name
"""


def test_one_of_a_buffer_is_what_all_are(trace):
    traced = trace(
        HEAD
        + """
buffer = []
whole = Graph(torch.randn(8, 5), torch.ones(8, 3))
for row in zip(*(getattr(whole, f.name) for f in fields(Graph)[:2])):
    buffer.append(Graph(*row))
order = list(range(len(buffer)))
random.shuffle(order)
chunk = [buffer[at] for at in order[:4]]
batch = Graph(**{f.name: torch.stack([getattr(one, f.name) for one in chunk]) for f in fields(Graph)[:2]})
x, edges = batch.x, batch.edges
drawn = torch.stack([one.x for one in random.sample(buffer, 3)])
rows = [Row(torch.randn(3, 4), "a"), Row(torch.randn(3, 4), "b")]
of_a_row = random.choice(rows).x
"""
    )
    assert traced.shape("x") == (4, 5) and traced.shape("edges") == (4, 3)
    assert traced.shape("drawn") == (3, 5) and traced.shape("of_a_row") == (3, 4)


def test_what_is_written_into_one_of_several_may_stand_in_each(trace):
    traced = trace(
        HEAD
        + """
rows = [Row(torch.randn(3, 4), "a"), Row(torch.randn(3, 4), "b")]
one = random.choice(rows)
one.x = torch.randn(7, 4)
changed = one.x
first = rows[0].x
other = random.choice(rows)
rows[1].x = torch.zeros(2)
perhaps = other.x
if one is rows[1]:
    z = torch.zeros(1)
else:
    z = torch.zeros(2)
either = z
z = torch.zeros(2)
if one in rows[:1]:
    z = torch.zeros(1)
also = z
if one is None:
    z = torch.zeros(5)
else:
    z = torch.zeros(6)
known = z
"""
    )
    assert traced.shape("changed") == (7, 4) and traced.shape("first") == (None, 4)
    assert traced.shape("perhaps") is None
    assert traced.shape("either") == (None,) == traced.shape("also") and traced.shape("known") == (6,)


@pytest.mark.parametrize("kind", ["Graph", "SimpleNamespace", "Meshed"])
def test_objects_of_many_sizes_in_a_shuffled_batch(trace, kind):
    traced = trace(
        HEAD
        + f"""
class Meshed:
    def __init__(self, x, edges, y):
        self.x, self.edges, self.y = x, edges, y

    def degree(self):
        return self.edges.shape[1] / self.x.shape[0]

class Graphs(Dataset):
    def __init__(self):
        self.graphs = [
            {kind}(x=torch.randn(i + 3, 4), edges=torch.zeros(2, 2 * i, dtype=torch.long), y=float(i)) for i in range(20)
        ]

    def __len__(self):
        return len(self.graphs)

    def __getitem__(self, at):
        return self.graphs[at]

def collate(graphs):
    return torch.cat([g.x for g in graphs]), torch.cat([g.edges for g in graphs], 1), torch.tensor([g.y for g in graphs])

for x, edges, y in DataLoader(Graphs(), batch_size=4, shuffle=True, collate_fn=collate):
    last = y
"""
    )
    assert (
        traced.shape("x") == (None, 4) and traced.shape("edges") == (2, None) and traced.shape("last") == (4,)
    )


def test_a_record_that_refuses_to_be_read_is_described_by_what_it_holds():
    from dataclasses import dataclass

    from shapewise.trace.log.facts import fields as held
    from shapewise.trace.log.facts import holds_tensor

    @dataclass
    class Config:
        width: int = 3
        heads: int = 4

        def __getattribute__(self, name):
            if name == "heads":
                raise RuntimeError("ask each layer")
            return super().__getattribute__(name)

    assert held(Config(5, 6)) == {"width": 5, "heads": 6}
    assert not holds_tensor(Config())


TASKS = """
class Task:
    def __init__(self, rng, shots):
        self.rng, self.shots, self.seen = rng, shots, []
        self.level = torch.zeros(3)

    def sample(self, n):
        self.seen.append(n)
        return torch.randn(n, 2)

    def harder(self):
        self.level = torch.zeros(7)

rng = random.Random()
tasks = []
for number in range(100_000):
    tasks.append(Task(rng, 5))
    if len(tasks) < 4:
        continue
    gathered = []
    for task in tasks:
        x = task.sample(task.shots)
        gathered.append(x)
    batch = torch.stack(gathered)
"""


def test_objects_with_methods_are_told_by_what_they_hold(trace):
    traced = trace(HEAD + TASKS + "    tasks = []\n")
    assert traced.shape("x") == (5, 2) and traced.shape("batch") == (None, 5, 2)


def test_what_a_method_writes_may_stand_in_each_of_several(trace):
    traced = trace(
        HEAD
        + TASKS
        + """
    for task in tasks:
        seen = torch.zeros(len(task.seen))
    task.harder()
    level = task.level
    first = tasks[0].level
    tasks = []
"""
    )
    assert traced.shape("level") == (7,) and traced.shape("seen") == (None,)
    assert traced.shape("first") in ((None,), None)


def test_an_attribute_that_a_constructor_may_not_set_may_be_missing(trace):
    traced = trace(
        HEAD
        + """
from nowhere import flag, loader

class Maybe:
    def __init__(self, wide):
        self.n = 3
        if wide:
            self.x = torch.zeros(4)

for batch in loader:
    one = Maybe(flag)
    if flag:
        continue
    has = torch.zeros(2) if hasattr(one, "x") else torch.zeros(3)
    sure = torch.zeros(one.n)
    x = one.x
"""
    )
    assert traced.shape("has") == (None,) and traced.shape("sure") == (3,)
