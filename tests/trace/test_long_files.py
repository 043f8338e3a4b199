"""A file that takes too long to be run as far as there is something to know is run to its end all the same."""

from __future__ import annotations

import textwrap

import pytest

from shapewise.queries.facts import facts_of
from shapewise.trace import all_worlds, session
from shapewise.trace.control import Budget
from shapewise.trace.limits import TO_ITS_END, WHOLE
from shapewise.vocabulary.events import SHORT

TRAINING = textwrap.dedent(
    """
    import torch
    from torch import nn

    words = open("words.txt").read().split()
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step(x):
        logits = net(x)
        return logits.logsumexp(dim=-1)

    for epoch in range(60):
        for batch in torch.randn(50, 32, 8):
            loss = step(batch).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    table = torch.zeros(len(words), 4)
    last = net(torch.zeros(3, 8))
    kept = torch.randn(40, 8)
    scores = net(kept[kept[:, 0] > 0])
    """
)


def shapes(log) -> dict[str, object]:
    return {fact.name: getattr(fact.value, "shape", None) for fact in facts_of(log)}


@pytest.mark.parametrize("text", [TRAINING, TRAINING.replace("len(words)", "7")], ids=["of data", "of none"])
def test_what_is_cut_off_is_run_to_its_end_with_shorter_loops(text, monkeypatch):
    session.prepare()
    monkeypatch.setattr(Budget, "MAX_OPS", 600)
    log = session.trace("long.py", text, {})
    found = shapes(log)
    assert log.cut is None
    assert found["logits"] == (32, 4) and found["last"] == (3, 4) and found["loss"] == ()
    assert found["scores"] == (None, 4)


def test_a_trace_that_gave_something_up_says_so_and_one_with_more_time_does_not(monkeypatch):
    session.prepare()
    monkeypatch.setattr(Budget, "MAX_OPS", 600)
    assert SHORT in session.trace("longer.py", TRAINING, {}).notes
    log = session.trace("longer.py", TRAINING, {}, times=4.0)
    assert SHORT not in log.notes
    assert shapes(log)["scores"] == (None, 4)


def test_a_file_that_was_too_long_once_is_run_with_shorter_loops_at_once(monkeypatch):
    session.prepare()
    monkeypatch.setattr(Budget, "MAX_OPS", 600)
    monkeypatch.setattr(all_worlds, "_CHEAP", 0.0)
    runs, run_in = [], all_worlds.run_in

    def noted(*args, **named):
        runs.append(named.get("limits", WHOLE))
        return run_in(*args, **named)

    monkeypatch.setattr(all_worlds, "run_in", noted)
    first = session.trace("again_and_again.py", TRAINING, {})
    assert runs[:2] == [WHOLE, TO_ITS_END]
    del runs[:]
    again = session.trace("again_and_again.py", TRAINING, {})
    assert {*runs} == {TO_ITS_END} and shapes(again) == shapes(first)


def test_what_is_cut_off_all_the_same_says_so(monkeypatch):
    session.prepare()
    monkeypatch.setattr(Budget, "MAX_OPS", 20)
    log = session.trace("longer.py", TRAINING, {})
    assert log.cut is not None
    assert shapes(log).get("last") is None


def test_what_takes_too_long_for_more_worlds_is_run_with_shorter_loops(monkeypatch):
    session.prepare()
    monkeypatch.setattr(all_worlds, "OTHERS", -60.0)
    log = session.trace("slow.py", TRAINING, {})
    found = shapes(log)
    assert log.cut is None
    assert found["logits"] == (32, 4) and found["last"] == (3, 4)


NARROWED = (
    TRAINING
    + """
sizes = [8, 16, 32, 4]
layers = [nn.Linear(one, other) for one, other in zip(sizes, sizes[1:])]

def narrowed(x):
    for i in range(3):
        x = {}
    return x

found = [narrowed(torch.randn(size, 8)) for size in range(1, 7)]
narrow = narrowed(torch.zeros(9, 8))
""".format(" + ".join(["layers[i](x).relu()"] * 20))
)


def test_few_rounds_that_are_left_are_run_however_often_the_loop_is(monkeypatch):
    session.prepare()
    monkeypatch.setattr(Budget, "MAX_OPS", 2_200)
    assert shapes(session.trace("narrowed.py", NARROWED, {}))["narrow"] == (9, 4)


MIXED = """
import torch
words = open("words.txt").read().split()

def loss_of(scores, target):
    if target.ndim == 1:
        return scores[:, 0].mean()
    return (-target * scores).sum()

for word in words:
    y = torch.arange(48) % 5
    target = torch.eye(5)[y] if word == "mixed" else y
    loss = loss_of(torch.zeros(48, 5), target)
    short = torch.zeros(3) if word == "mixed" else torch.zeros(7)
    wrong = short * torch.zeros(5)
"""


def test_what_is_refused_of_one_of_two_is_no_mistake(monkeypatch):
    session.prepare()
    monkeypatch.setattr(all_worlds, "_others", lambda *_, **__: [])
    failed = {
        event.span.line
        for event in session.trace("mixed.py", MIXED, {}).events
        if getattr(event, "failure", None) is not None
    }
    assert failed == {15}


ORDERED = """
import random
import torch
words = open("words.txt").read().split()
table = torch.zeros(len(words), 4)
pairs = [(torch.randn(size, 4), torch.randn(5)) for size in (3, 4, 6)]
pairs.sort(key=lambda pair: pair[0].mean().item())
first, vector = pairs[0]
random.shuffle(pairs)
rights = torch.stack([right for _, right in pairs])
one, _ = pairs[0]
"""


def test_in_an_order_that_nobody_knows_each_is_one_of_them_all(monkeypatch):
    session.prepare()
    monkeypatch.setattr(all_worlds, "_others", lambda *_, **__: [])
    log = session.trace("ordered.py", ORDERED, {})
    found = shapes(log)
    assert log.notes == (SHORT,)
    assert found["vector"] == (5,) and found["rights"] == (3, 5)
    assert found["first"] is found["one"] is None
