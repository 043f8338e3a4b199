"""A trace that is stopped says less than one that comes to its end, and nothing else."""

from __future__ import annotations

import pytest

from shapewise.queries.facts import facts_of
from shapewise.trace import control
from shapewise.vocabulary.facts import TensorFact

TEXT = """
import torch

x = torch.tensor([[3], [5]]).t()
def grown(x):
    y = torch.cat([x, x[-1:]])
    return y
while x.size(0) < 8:
    x = grown(x)
for i in range(3):
    other = torch.zeros(i + 1, 3)
    rows = [other[:k].sum(0) for k in range(other.size(0))]
while True:
    if other.shape[1] > 5:
        break
    other = torch.cat([other, other[:, :1]], 1)
n = torch.rand(3)
while n.sum() > 0.5:
    n = torch.cat([n, n[:1]])
z = n[n > 0.5]
"""


@pytest.fixture
def steps(monkeypatch):
    """Counts the steps of all budgets; `at`: the one at which the trace is stopped; `hurried`: after a word of it."""

    class Steps:
        count, at, hurried = 0, 0, False

        def begin(self, at, hurried):
            control.STOP.clear()
            control.HURRY.clear()
            self.count, self.at, self.hurried = 0, at, hurried

    counter, step = Steps(), control.Budget.step

    def counted(budget):
        counter.count += 1
        if counter.count == counter.at:
            (control.HURRY.set if counter.hurried else int)()
            control.STOP.set()
        step(budget)

    monkeypatch.setattr(control.Budget, "step", counted)
    yield counter
    counter.begin(0, False)


@pytest.mark.parametrize("hurried", [False, True])
def test_what_is_said_of_a_stopped_trace_holds(trace, steps, hurried, thorough):
    steps.begin(0, False)
    whole = {(fact.kind, fact.name, fact.span): fact.value for fact in trace(TEXT).facts}
    for at in range(1, steps.count, 1 if thorough else 5):
        steps.begin(at, hurried)
        for fact in facts_of(trace(TEXT).log):
            real = whole.get((fact.kind, fact.name, fact.span))
            if isinstance(fact.value, TensorFact) and fact.value.shape is not None and real is not None:
                assert fact.value.shape == real.shape, (at, fact)
